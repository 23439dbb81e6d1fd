/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a whole file into memory. */
#ifndef TESTS_SUPPORT_SLURP_H
#define TESTS_SUPPORT_SLURP_H

#include <stddef.h>

/* Returns the text of a file, ended by a 0 byte, and its length in *len. The
 * caller frees the text. Returns NULL if the file cannot be read. */
char *slurp(const char *path, size_t *len);

#endif
