/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a whole file into memory. */
#ifndef TESTS_SUPPORT_SLURP_H
#define TESTS_SUPPORT_SLURP_H

#include <stddef.h>

/* The text ends with a 0 and is owned by the caller (free). NULL if the file
 * cannot be read. */
char *slurp(const char *path, size_t *len);

#endif
