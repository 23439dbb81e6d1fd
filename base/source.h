/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of an input, such as a trace: a file or standard input, plain, gzip
 * or zstd (recognised by the first bytes, never by the name), with the SHA-256
 * of the bytes as stored. */
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct source; /* opaque */

/* Opens a file; "-" is standard input. STATUS_BAD_INPUT if it cannot be read or
 * is a directory. The caller owns *out. */
enum status source_open(const char *path, struct source **out,
                        struct error *err) MUST_USE;

/* Takes over an open file and reads it from its current position; closes it on
 * failure too. STATUS_BAD_INPUT if it cannot be read. Messages call the file
 * `name`. */
enum status source_take(int fd, const char *name, struct source **out,
                        struct error *err) MUST_USE;

/* Reads 1 to `room` decompressed bytes, or sets *got to 0 at the end.
 * STATUS_BAD_INPUT if the file cannot be read, or its compressed data are
 * damaged or cut off. The error message has no position; the caller, which
 * counts lines, prepends it. */
enum status source_read(struct source *source, char *at, size_t room,
                        size_t *got, struct error *err) MUST_USE;

/* Returns the size in bytes if the source is a regular file that is not
 * compressed; 0 otherwise. */
uint64_t source_size(const struct source *source);

/* Returns the SHA-256 as 64 hexadecimal digits; an empty text until the end has
 * been read. */
const char *source_digest(const struct source *source);

/* Computes no digest from now on: source_digest stays empty, unless the end has
 * been read already. */
void source_skip_digest(struct source *source);

void source_close(struct source *source); /* accepts NULL */

/* Compresses a stream of bytes as one gzip member. The header holds neither a
 * time nor a file name, so that equal input gives equal bytes with one version
 * of zlib. */

struct gzip; /* opaque */

/* Receives the compressed bytes piece by piece; `len` may be 0. */
struct gzip_sink {
    void (*put)(void *self, const char *at, size_t len);
    void *self;
};

/* Makes a compressor whose output goes to `sink`. The caller owns it until
 * gzip_free. */
struct gzip *gzip_new(struct gzip_sink sink);

/* Compresses `len` bytes. `last`: true for the last call, which completes the
 * member. */
void gzip_add(struct gzip *gzip, const char *at, size_t len, bool last);

void gzip_free(struct gzip *gzip);

#endif
