/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole file in memory. */
#ifndef TESTS_SUPPORT_SLURP_H
#define TESTS_SUPPORT_SLURP_H

#include <stddef.h>

/* 0-terminated, owned by the caller (free); NULL if it cannot be read. */
char *slurp(const char *path, size_t *len);

#endif
