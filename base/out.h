/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffered output. A file appears whole or not at all: it is written under a
 * new temporary name beside its own (PATH.partial, or PATH.partial-2 and so on
 * if that is taken), and out_close renames it once it is on the disk. A signal
 * that ends the program removes the temporary file. "-" is stdout. Standard
 * output and what is not a plain file, such as a pipe, are written in place.
 * Write errors are kept and reported once, by out_close. */
#ifndef SIM_OUT_H
#define SIM_OUT_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/source.h"
#include "base/text.h"
#include "base/units.h"

/* The fields belong to out.c and to the inline functions below. A caller of
 * out_reserve or out_make_room also adds to `len`. */
struct out {
    char *buf;
    size_t len, cap;
    uint64_t gone; /* number of bytes that have left the buffer */
    int fd;        /* descriptor of the file; -1: a stream into memory */
    int error;     /* errno of the first failure; 0: none */
    char *path; /* the final path, or a name for messages; NULL: a stream into
                   memory */
    char *temporary; /* path of the temporary file; NULL: there is none */
    struct interrupt_path at_end; /* removes `temporary` on a signal */
    bool careful;                 /* true for out_open_sparing without force */
    bool part;             /* true for a file of a directory that is renamed
                            * whole */
    struct digest *digest; /* digest of the bytes in the file, or NULL;
                            * borrowed */
    struct gzip *gzip;     /* compresses the stream; NULL: the stream is not
                            * compressed */
};

/* Opens a file, or standard output for "-". STATUS_FAILED if the file cannot be
 * written. The caller owns the stream until out_close or out_abandon. */
enum status out_open(const char *path, struct out **out,
                     struct error *err) MUST_USE;

/* Opens a file as out_open does. Unless `force` is true, out_close refuses,
 * with STATUS_USAGE and a word about --force, to replace a file that something
 * else wrote: one that is not empty and has another first line (of which 64
 * bytes count) than the new file. */
enum status out_open_sparing(const char *path, bool force, struct out **out,
                             struct error *err) MUST_USE;

/* Returns STATUS_USAGE if the two paths name one file: it would be read and
 * replaced. "-" and NULL name none. */
enum status out_is_no_input(const char *out, const char *input,
                            struct error *err) MUST_USE;

/* Opens a file as out_open does, so that only its owner can read it. A file
 * that is written in place keeps its mode. */
enum status out_open_private(const char *path, struct out **out,
                             struct error *err) MUST_USE;

/* Opens a file, which must not exist, under its own name from the start: a part
 * of a directory that itself appears whole. The owner of the directory removes
 * the file on failure and syncs it to the disk: four files synced together take
 * half the time of four synced one by one. Fails as out_open does. */
enum status out_open_part(const char *path, struct out **out,
                          struct error *err) MUST_USE;

/* out_to_memory opens a stream into memory. out_memory returns what it holds,
 * valid until the stream is next written to, closed or abandoned. */
struct out *out_to_memory(void);

struct text out_memory(const struct out *out);

/* Puts the text into a file without a name, which is in memory and is read from
 * its beginning; /proc/self/fd/N is its path. The caller closes the descriptor.
 * Returns -1 if there is no room; errno says why. */
int out_unnamed_file(struct text text);

/* Adds all that a file holds, decompressed; "-" is standard input. Fails as
 * source_open and source_read do. */
enum status out_add_file(struct out *out, const char *path,
                         struct error *err) MUST_USE;

/* Discards all that a stream into memory holds. */
static inline void out_clear(struct out *out)
{
    out->len = 0;
}

/* Writes what is buffered, renames the file into place, and frees `out`. On
 * failure it returns STATUS_FAILED, removes the temporary file and frees `out`
 * too. */
enum status out_close(struct out *out, struct error *err) MUST_USE;

/* Adds the bytes of the file to `digest` (borrowed) while they are written,
 * which is cheaper than reading the file again. Call it before the first byte
 * is written. The digest is complete when the stream is closed. */
void out_digest(struct out *out, struct digest *digest);

/* Compresses all that is written, as one gzip member. Call it before the first
 * byte is written, and not for a stream into memory. A digest set by out_digest
 * is then the digest of the compressed bytes. */
void out_gzip(struct out *out);

/* Waits until what was written to `fd` is on the disk. Also returns true on a
 * file system that cannot sync. If it returns false, errno says why. */
bool out_sync(int fd) MUST_USE;

/* Removes the temporary file and frees `out`, which may be NULL. */
void out_abandon(struct out *out);

/* Both return a place for up to `len` more bytes. The caller writes bytes there
 * and adds their number to out->len. */
char *out_make_room(struct out *out, size_t len);

static inline char *out_reserve(struct out *out, size_t len)
{
    return out->len + len <= out->cap ? out->buf + out->len
                                      : out_make_room(out, len);
}

static inline void out_char(struct out *out, char c)
{
    *out_reserve(out, 1) = c;
    out->len++;
}

static inline void out_bytes(struct out *out, const char *at, size_t len)
{
    if (len) {
        memcpy(out_reserve(out, len), at, len);
        out->len += len;
    }
}

static inline void out_text(struct out *out, const char *s)
{
    out_bytes(out, s, strlen(s));
}

void out_u64(struct out *out, uint64_t value);

void out_i64(struct out *out, int64_t value);

void out_span(struct out *out, sim_span span); /* writes seconds, exactly */

/* Writes %.15g if that reads back equal, otherwise %.17g. */
void out_double(struct out *out, double value);

void out_printf(struct out *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* True if a CSV cell needs no quotes. */
bool csv_is_plain(struct text cell);

/* Writes a CSV cell, quoted if it needs quotes. */
void out_csv(struct out *out, struct text cell);

/* Writes decimal digits without a loop over the digits, because a processor
 * cannot predict where such a loop ends. Two look-ups in a table of three-digit
 * numbers give six digits. Each store writes eight bytes, even if the text is
 * shorter. */

/* The digits_put functions may write up to DIGITS_SPARE bytes after the end of
 * their text; digits_put_millionths writes two more for 0. */
enum { DIGITS_SPARE = 7, DIGITS_MILLION = 1000000 };

/* The digits of 000 to 999: the first digit in the lowest byte, each byte a
 * number from 0 to 9 and not a character. */
extern const uint32_t digits_three[1000];

/* Returns the six digits of a number below 10^6, each as in digits_three, the
 * first in the lowest byte. */
static inline uint64_t digits_six(uint32_t value)
{
    uint32_t front = value / 1000;
    return digits_three[front] | (uint64_t)digits_three[value - front * 1000]
                                     << 24;
}

static inline void digits_store(char *at, uint64_t digits)
{
    uint64_t bytes = htole64(digits | UINT64_C(0x3030303030303030));
    memcpy(at, &bytes, sizeof bytes);
}

char *digits_put_large(char *at, uint64_t value);

/* Writes the number; returns the end of the text. */
static inline char *digits_put(char *at, uint64_t value)
{
    if (__builtin_expect(value >= DIGITS_MILLION, 0))
        return digits_put_large(at, value);
    uint64_t digits = digits_six((uint32_t)value);
    /* The bit at 40 stops the count, so that the last digit is written even if
     * it is 0. */
    unsigned zeroes = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 40) / 8;
    digits_store(at, digits >> 8 * zeroes);
    return at + 6 - zeroes;
}

/* Writes a decimal point and the millionths without trailing zeroes; returns
 * the end of the text. For 0 returns `at` itself, but overwrites DIGITS_SPARE +
 * 2 bytes there. `millionths` is below 10^6. */
static inline char *digits_put_millionths(char *at, uint32_t millionths)
{
    uint64_t digits = digits_six(millionths);
    unsigned length = (71 - (unsigned)__builtin_clzll(digits | 1)) / 8;
    *at = '.';
    digits_store(at + 1, digits);
    return millionths ? at + 1 + length : at;
}

/* Writes seconds as span_to_text does; returns the end of the text. */
static inline char *digits_put_span(char *at, sim_span span)
{
    uint64_t micros = (uint64_t)span;
    if (__builtin_expect(span < 0, 0)) {
        *at++ = '-';
        micros = 0 - micros;
    }
    uint64_t whole = micros / (uint64_t)SPAN_SECOND;
    uint32_t rest = (uint32_t)(micros - whole * (uint64_t)SPAN_SECOND);
    at = digits_put(at, whole);
    return rest ? digits_put_millionths(at, rest) : at;
}

/* Doubles as decimal text, the same bytes that printf writes. */

#define REAL_TEXT_MAX 32

/* Writes `value` as printf("%.15g") does; returns the length; writes no
 * terminator. */
size_t real_to_text(double value, char out[REAL_TEXT_MAX]);

#endif
