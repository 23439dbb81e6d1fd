/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of an input as one stream, compressed or not. Memory is bounded by
 * the windows of the decompressors, whatever the file claims. */
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/digest.h"

#define RAW_BYTES (size_t)(128 * 1024)

/* Enough to recognise the compression. Each further byte would have to be
 * copied if the file is plain. */
#define SOURCE_FIRST_BYTES (size_t)4096

enum source_packing { PLAIN, GZIP, ZSTD };

struct source {
    int fd;
    bool at_end;   /* true if the stored bytes have ended */
    bool in_frame; /* true inside a gzip member or zstd frame */
    enum source_packing packing;
    char *raw; /* stored bytes that are not decoded yet */
    size_t raw_at, raw_len;
    z_stream gzip;
    ZSTD_DStream *zstd;
    /* running digest; NULL when `digest` is complete or not wanted */
    struct digest *sha;
    char digest[DIGEST_HEX_MAX];
};

static void finish_digest(struct source *s)
{
    if (s->sha)
        digest_end(s->sha, s->digest);
    s->sha = NULL;
    s->at_end = true;
}

/* Reads up to `room` stored bytes and adds them to the digest. At the end, sets
 * *got to 0 and completes the digest. */
static enum status read_stored(struct source *s, char *at, size_t room,
                               size_t *got, struct error *err)
{
    *got = 0;
    if (s->at_end)
        return STATUS_OK;
    ssize_t n;
    do {
        n = read(s->fd, at, room);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return error_set(err, STATUS_FAILED, "file: cannot read: %s",
                         strerror(errno));
    *got = (size_t)n;
    if (n == 0)
        finish_digest(s);
    else if (s->sha)
        digest_add(s->sha, at, *got);
    return STATUS_OK;
}

static enum status more_raw(struct source *s, struct error *err)
{
    if (s->raw_at < s->raw_len)
        return STATUS_OK;
    s->raw_at = s->raw_len = 0;
    return read_stored(s, s->raw, RAW_BYTES, &s->raw_len, err);
}

static enum status cut_off(const char *what, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT,
                     "%s: the compressed data end too early; the file is cut "
                     "off",
                     what);
}

/* Begins the next member of a gzip file, which may hold several members, one
 * after the other. */
static enum status begin_member(struct source *s, struct error *err)
{
    if (inflateReset(&s->gzip) != Z_OK)
        return error_set(err, STATUS_BAD_INPUT, "gzip: cannot continue");
    s->in_frame = true;
    return STATUS_OK;
}

static enum status read_gzip(struct source *s, char *at, size_t room,
                             size_t *got, struct error *err)
{
    while (*got == 0) {
        enum status st = more_raw(s, err);
        if (st != STATUS_OK)
            return st;
        if (s->raw_len == 0)
            return s->in_frame ? cut_off("gzip", err) : STATUS_OK;
        if (!s->in_frame && (st = begin_member(s, err)) != STATUS_OK)
            return st;
        s->gzip.next_in = (unsigned char *)s->raw + s->raw_at;
        s->gzip.avail_in = (unsigned)(s->raw_len - s->raw_at);
        s->gzip.next_out = (unsigned char *)at;
        s->gzip.avail_out = (unsigned)room;
        int rc = inflate(&s->gzip, Z_NO_FLUSH);
        s->raw_at = s->raw_len - s->gzip.avail_in;
        *got = room - s->gzip.avail_out;
        if (rc == Z_STREAM_END)
            s->in_frame = false;
        else if (rc != Z_OK && rc != Z_BUF_ERROR)
            return error_set(err, STATUS_BAD_INPUT,
                             "gzip: the compressed data are damaged: %s",
                             s->gzip.msg ? s->gzip.msg : "no reason given");
    }
    return STATUS_OK;
}

static enum status read_zstd(struct source *s, char *at, size_t room,
                             size_t *got, struct error *err)
{
    while (*got == 0) {
        enum status st = more_raw(s, err);
        if (st != STATUS_OK)
            return st;
        if (s->raw_len == 0 && !s->in_frame)
            return STATUS_OK;
        /* At the end of the file the decoder may still hold output. */
        bool drained = s->raw_len == 0;
        ZSTD_inBuffer in = {s->raw, s->raw_len, s->raw_at};
        ZSTD_outBuffer out = {at, room, 0};
        size_t rc = ZSTD_decompressStream(s->zstd, &out, &in);
        s->raw_at = in.pos;
        *got = out.pos;
        if (ZSTD_isError(rc))
            return error_set(err, STATUS_BAD_INPUT,
                             "zstd: the compressed data are damaged: %s",
                             ZSTD_getErrorName(rc));
        s->in_frame = rc != 0;
        if (drained && s->in_frame && *got == 0)
            return cut_off("zstd", err);
    }
    return STATUS_OK;
}

enum status source_read(struct source *s, char *at, size_t room, size_t *got,
                        struct error *err)
{
    *got = 0;
    if (s->packing == GZIP)
        return read_gzip(s, at, room, got, err);
    if (s->packing == ZSTD)
        return read_zstd(s, at, room, got, err);
    if (s->raw_at == s->raw_len)
        return read_stored(s, at, room, got, err);
    *got = s->raw_len - s->raw_at < room ? s->raw_len - s->raw_at : room;
    memcpy(at, s->raw + s->raw_at, *got);
    s->raw_at += *got;
    return STATUS_OK;
}

/* Recognises the compression by the first bytes and prepares the decoder. Reads
 * at least four bytes, if the file has four. */
static enum status find_packing(struct source *s, struct error *err)
{
    while (s->raw_len < 4 && !s->at_end) {
        size_t got;
        enum status st = read_stored(
            s, s->raw + s->raw_len, SOURCE_FIRST_BYTES - s->raw_len, &got, err);
        if (st != STATUS_OK)
            return st;
        s->raw_len += got;
    }
    if (s->raw_len >= 2 && memcmp(s->raw, "\x1f\x8b", 2) == 0) {
        s->packing = GZIP;
        CHECK(inflateInit2(&s->gzip, 15 + 16) == Z_OK);
        s->in_frame = true;
    } else if (s->raw_len >= 4 && memcmp(s->raw, "\x28\xb5\x2f\xfd", 4) == 0) {
        s->packing = ZSTD;
        s->zstd = ZSTD_createDStream();
        CHECK(s->zstd != NULL);
        s->in_frame = true;
    }
    return STATUS_OK;
}

static enum status source_open_file(const char *path, int *fd,
                                    struct error *err)
{
    struct stat info;
    if (strcmp(path, "-") == 0) {
        *fd = STDIN_FILENO;
        return STATUS_OK;
    }
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return error_set(err, STATUS_BAD_INPUT, "%s:1:1: file: cannot open: %s",
                         path, strerror(errno));
    if (fstat(*fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        close(*fd);
        return error_set(err, STATUS_BAD_INPUT, "%s:1:1: file: is a directory",
                         path);
    }
    return STATUS_OK;
}

enum status source_take(int fd, const char *path, struct source **out,
                        struct error *err)
{
    struct source *s = mem_zalloc(1, sizeof *s);
    s->fd = fd;
    s->raw = mem_alloc(RAW_BYTES);
    s->sha = digest_new();
    enum status st = find_packing(s, err);
    if (st != STATUS_OK) {
        error_prefix(err, "%s:1:1: ", path);
        source_close(s);
        return st;
    }
    *out = s;
    return STATUS_OK;
}

enum status source_open(const char *path, struct source **out,
                        struct error *err)
{
    int fd;
    enum status st = source_open_file(path, &fd, err);
    return st == STATUS_OK ? source_take(fd, path, out, err) : st;
}

uint64_t source_size(const struct source *s)
{
    struct stat info;
    if (s->packing != PLAIN || fstat(s->fd, &info) != 0 ||
        !S_ISREG(info.st_mode))
        return 0;
    return (uint64_t)info.st_size;
}

void source_skip_digest(struct source *s)
{
    digest_free(s->sha);
    s->sha = NULL;
}

const char *source_digest(const struct source *s)
{
    return s->digest;
}

void source_close(struct source *s)
{
    if (!s)
        return;
    if (s->packing == GZIP)
        inflateEnd(&s->gzip);
    if (s->packing == ZSTD)
        ZSTD_freeDStream(s->zstd);
    digest_free(s->sha);
    if (s->fd > STDERR_FILENO)
        close(s->fd);
    free(s->raw);
    free(s);
}

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
static void source_add_one(struct gzip *gzip, const char *at, unsigned len,
                           int flush)
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
        source_add_one(gzip, at, (unsigned)most, Z_NO_FLUSH);
    source_add_one(gzip, at, (unsigned)len, last ? Z_FINISH : Z_NO_FLUSH);
}

void gzip_free(struct gzip *gzip)
{
    deflateEnd(&gzip->stream);
    free(gzip);
}
