/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 of a file, by libcrypto. */
#ifndef SIM_DIGEST_H
#define SIM_DIGEST_H

#include "sim/base/error.h"

/* 64 hexadecimal digits and a 0. */
enum status digest_file(const char *path, char hex[65],
                        struct error *err) MUST_USE;

#endif
