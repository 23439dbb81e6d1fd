/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/gzip.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/check.h"

struct gzip {
    z_stream stream;
    gz_header head; /* no time, no name, no operating system */
    struct gzip_sink sink;
    unsigned char room[64 * 1024];
};

struct gzip *gzip_new(struct gzip_sink sink)
{
    enum { GZIP_FORMAT = 16, UNKNOWN_SYSTEM = 255 };
    struct gzip *gzip = mem_zalloc(1, sizeof *gzip);
    gzip->sink = sink;
    gzip->head.os = UNKNOWN_SYSTEM;
    CHECK(deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                       MAX_WBITS + GZIP_FORMAT, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    CHECK(deflateSetHeader(&gzip->stream, &gzip->head) == Z_OK);
    return gzip;
}

/* Compresses at most 2^32 - 1 bytes, because zlib counts the input of a call in
 * an unsigned int. */
static void add(struct gzip *gzip, const char *at, unsigned len, int flush)
{
    z_stream *z = &gzip->stream;
    z->next_in = (unsigned char *)(uintptr_t)at;
    z->avail_in = len;
    do {
        z->next_out = gzip->room;
        z->avail_out = sizeof gzip->room;
        CHECK(deflate(z, flush) != Z_STREAM_ERROR);
        gzip->sink.put(gzip->sink.self, (const char *)gzip->room,
                       sizeof gzip->room - z->avail_out);
    } while (z->avail_out == 0);
}

void gzip_add(struct gzip *gzip, const char *at, size_t len, bool last)
{
    const size_t most = (size_t)1 << 30;
    for (; len > most; len -= most, at += most)
        add(gzip, at, (unsigned)most, Z_NO_FLUSH);
    add(gzip, at, (unsigned)len, last ? Z_FINISH : Z_NO_FLUSH);
}

void gzip_free(struct gzip *gzip)
{
    if (gzip)
        deflateEnd(&gzip->stream);
    free(gzip);
}
