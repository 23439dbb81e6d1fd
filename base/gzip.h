/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compresses a stream of bytes as one gzip member. The header holds neither a
 * time nor a file name, so that equal input gives equal bytes with one version
 * of zlib. */
#ifndef SIM_BASE_GZIP_H
#define SIM_BASE_GZIP_H

#include <stdbool.h>
#include <stddef.h>

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
void gzip_free(struct gzip *gzip); /* accepts NULL */

#endif
