/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256, piece by piece or of a file, by libcrypto. */
#ifndef SIM_BASE_DIGEST_H
#define SIM_BASE_DIGEST_H

#include <stddef.h>

#include "sim/base/error.h"

#define DIGEST_HEX_MAX 65 /* 64 hexadecimal digits and a 0 */

enum { DIGEST_BLOCK = 64 }; /* what SHA-256 takes at a time */

struct digest; /* opaque */

/* Owned by the caller until digest_end or digest_free. */
struct digest *digest_new(void);
void digest_add(struct digest *digest, const void *at, size_t len);
/* DIGEST_BLOCK bytes: as digest_add, with less ado. */
void digest_block(struct digest *digest, const void *at);
/* Writes the digits of all that was added, and frees. */
void digest_end(struct digest *digest, char hex[DIGEST_HEX_MAX]);
void digest_free(struct digest *digest); /* accepts NULL */

enum status digest_file(const char *path, char hex[DIGEST_HEX_MAX],
                        struct error *err) MUST_USE;
/* Of a file its digest; of a directory the digest over the lines "PATH DIGEST"
 * of all files below it, each directory in the order of bytes of its names.
 * Links are followed, 8 directories deep at most. What is neither, such as a
 * pipe, is not read. */
enum status digest_path(const char *path, char hex[DIGEST_HEX_MAX],
                        struct error *err) MUST_USE;

#endif
