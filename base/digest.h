/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256, computed by libcrypto, of data that comes in pieces, of a file or of
 * a directory. */
#ifndef SIM_BASE_DIGEST_H
#define SIM_BASE_DIGEST_H

#include <stddef.h>

#include "base/error.h"

#define DIGEST_HEX_MAX 65 /* 64 hexadecimal digits and the terminator */

struct digest; /* opaque */

/* Makes an empty digest, which the caller owns until digest_end or
 * digest_free. */
struct digest *digest_new(void);
void digest_add(struct digest *digest, const void *at, size_t len);
/* Writes the hexadecimal digits of the digest of all bytes added, then frees
 * the digest. */
void digest_end(struct digest *digest, char hex[DIGEST_HEX_MAX]);
void digest_free(struct digest *digest); /* accepts NULL */

enum status digest_file(const char *path, char hex[DIGEST_HEX_MAX],
                        struct error *err) MUST_USE;
/* Digests a file or a directory. The digest of a directory is taken over the
 * lines "PATH DIGEST" of all files below it, with paths relative to the
 * directory; the entries of each directory are sorted by the bytes of their
 * names. Links are followed; directories may be nested at most 8 deep, the
 * outermost included. Anything else, such as a pipe, is an error and is not
 * read. Returns STATUS_FAILED on an error. */
enum status digest_path(const char *path, char hex[DIGEST_HEX_MAX],
                        struct error *err) MUST_USE;

#endif
