/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files are written in whole blocks. At other offsets the kernel allocates one
 * page of the file at a time instead of sixteen, which makes the write cost
 * half as much again. The buffer is small because a small run pays for each
 * page that it touches. OUT_SPARE bytes of room follow the block, for what is
 * added before the full block is written. */
#define OUT_BLOCK (size_t)(64 * 1024)

#define OUT_SPARE (size_t)(8 * 1024)

static struct out *out_new(int fd)
{
    struct out *out = mem_zalloc(1, sizeof *out);
    out->fd = fd;
    out->cap = OUT_BLOCK + OUT_SPARE;
    out->buf = mem_alloc(out->cap);
    return out;
}

static char *out_copy(const char *s, const char *tail)
{
    size_t n = strlen(s), m = strlen(tail);
    char *p = mem_alloc(n + m + 1);
    memcpy(p, s, n);
    memcpy(p + n, tail, m + 1);
    return p;
}

/* True if the path exists and is not a plain file (/dev/null, a pipe), which a
 * rename would replace by a plain file. */
static bool written_in_place(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static enum status cannot_write(const char *path, struct error *err)
{
    return error_set(err, STATUS_FAILED, "%s: cannot write: %s", path,
                     strerror(errno));
}

static enum status open_as(const char *path, int flags, struct out **result,
                           struct error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (fd < 0)
        return cannot_write(path, err);
    *result = out_new(fd);
    (*result)->path = out_copy(path, "");
    (*result)->part = flags & O_CREAT;
    return STATUS_OK;
}

/* Opens a new file beside the path. Never opens an existing file, because
 * another program may be writing it. */
static enum status open_beside(const char *path, struct out **result,
                               struct error *err)
{
    enum { NAMES_MAX = 99 };
    int fd = -1;
    char *name = NULL;
    interrupt_hold();
    for (int i = 1; fd < 0 && i <= NAMES_MAX && (i == 1 || errno == EEXIST);
         i++) {
        char tail[16] = ".partial";
        if (i > 1)
            snprintf(tail, sizeof tail, ".partial-%d", i);
        free(name);
        name = out_copy(path, tail);
        fd = open(name, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
    }
    if (fd < 0) {
        int why = errno;
        free(name);
        interrupt_release();
        errno = why;
        return why == EEXIST ? error_set(err, STATUS_FAILED,
                                         "%s: cannot write: %s.partial to "
                                         "%s.partial-%d exist already; remove "
                                         "those that no run is writing",
                                         path, path, path, NAMES_MAX)
                             : cannot_write(path, err);
    }
    struct out *out = *result = out_new(fd);
    out->path = out_copy(path, "");
    out->temporary = name;
    out->at_end = (struct interrupt_path){.path = name, .becomes = out->path};
    interrupt_removes(&out->at_end);
    interrupt_release();
    return STATUS_OK;
}

enum status out_open(const char *path, struct out **result, struct error *err)
{
    if (strcmp(path, "-") == 0) {
        *result = out_new(STDOUT_FILENO);
        (*result)->path = out_copy("standard output", "");
        return STATUS_OK;
    }
    if (written_in_place(path))
        return open_as(path, 0, result, err);
    return open_beside(path, result, err);
}

enum status out_open_private(const char *path, struct out **result,
                             struct error *err)
{
    enum status st = out_open(path, result, err);
    /* sets the mode before anything is written */
    if (st == STATUS_OK && (*result)->temporary &&
        fchmod((*result)->fd, 0600) != 0)
        (*result)->error = errno;
    return st;
}

enum status out_open_part(const char *path, struct out **result,
                          struct error *err)
{
    return open_as(path, O_CREAT | O_EXCL, result, err);
}

struct out *out_to_memory(void)
{
    return out_new(-1);
}

int out_unnamed_file(struct text text)
{
    int fd = memfd_create("text", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < text.len;) {
        ssize_t n = write(fd, text.at + done, text.len - done);
        done += n > 0 ? (size_t)n : 0;
        if (n == 0 || (n < 0 && errno != EINTR)) {
            close(fd);
            return -1;
        }
    }
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

enum status out_add_file(struct out *out, const char *path, struct error *err)
{
    enum { FILE_PIECE = 65536 };
    struct source *source;
    size_t n = 1;
    enum status st = source_open(path, &source, err);
    if (st != STATUS_OK)
        return st;
    while (st == STATUS_OK && n > 0) {
        char *at = out_reserve(out, FILE_PIECE);
        st = source_read(source, at, FILE_PIECE, &n, err);
        out->len += st == STATUS_OK ? n : 0;
    }
    source_close(source);
    return st;
}

struct text out_memory(const struct out *out)
{
    return (struct text){out->buf, out->len};
}

static void write_all(struct out *out, const char *at, size_t len)
{
    while (len && !out->error) {
        ssize_t n = write(out->fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            out->error = errno;
            return;
        }
        at += n;
        len -= (size_t)n;
    }
}

/* Writes bytes in the form in which the file keeps them (compressed, if the
 * stream compresses) and adds them to the digest. */
static void out_store(void *self, const char *at, size_t len)
{
    struct out *out = self;
    if (out->digest)
        digest_add(out->digest, at, len);
    write_all(out, at, len);
}

/* Stores the first `len` bytes and moves the rest to the front. */
static void out_flush(struct out *out, size_t len)
{
    if (out->gzip)
        gzip_add(out->gzip, out->buf, len, false);
    else
        out_store(out, out->buf, len);
    out->gone += len;
    out->len -= len;
    memmove(out->buf, out->buf + len, out->len);
}

void out_digest(struct out *out, struct digest *digest)
{
    out->digest = digest;
}

void out_gzip(struct out *out)
{
    out->gzip = gzip_new((struct gzip_sink){out_store, out});
}

char *out_make_room(struct out *out, size_t len)
{
    if (out->fd >= 0)
        out_flush(out, out->len / OUT_BLOCK * OUT_BLOCK);
    if (out->len + len > out->cap)
        out->buf = mem_grow(out->buf, &out->cap, out->len + len, 1);
    return out->buf + out->len;
}

void out_u64(struct out *out, uint64_t value)
{
    out->len += u64_to_text(value, out_reserve(out, U64_TEXT_MAX));
}

void out_i64(struct out *out, int64_t value)
{
    if (value < 0)
        out_char(out, '-');
    out_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void out_span(struct out *out, sim_span span)
{
    out->len += span_to_text(span, out_reserve(out, SPAN_TEXT_MAX));
}

void out_double(struct out *out, double value)
{
    char buf[40];
    int n = snprintf(buf, sizeof buf, "%.15g", value);
    double back;
    if (!text_to_double((struct text){buf, (size_t)n}, &back) || back != value)
        n = snprintf(buf, sizeof buf, "%.17g", value);
    out_bytes(out, buf, (size_t)n);
}

void out_printf(struct out *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n <= 0)
        return;
    char *at = out_reserve(out, (size_t)n + 1);
    va_start(args, fmt);
    vsnprintf(at, (size_t)n + 1, fmt, args);
    va_end(args);
    out->len += (size_t)n;
}

bool csv_is_plain(struct text cell)
{
    static const bool special[256] = {['\0'] = true,
                                      ['\n'] = true,
                                      ['\r'] = true,
                                      ['"'] = true,
                                      [','] = true};
    size_t plain = 0;
    while (plain < cell.len && !special[(unsigned char)cell.at[plain]])
        plain++;
    return plain == cell.len;
}

void out_csv(struct out *out, struct text cell)
{
    if (csv_is_plain(cell)) {
        out_bytes(out, cell.at, cell.len);
        return;
    }
    out_char(out, '"');
    for (size_t i = 0; i < cell.len; i++) {
        if (cell.at[i] == '"')
            out_char(out, '"');
        out_char(out, cell.at[i]);
    }
    out_char(out, '"');
}

static void out_free(struct out *out)
{
    if (out->temporary)
        interrupt_keeps(&out->at_end);
    if (out->gzip)
        gzip_free(out->gzip);
    free(out->buf);
    free(out->path);
    free(out->temporary);
    free(out);
}

bool out_sync(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

enum status out_open_sparing(const char *path, bool force, struct out **out,
                             struct error *err)
{
    enum status st = out_open(path, out, err);
    if (st == STATUS_OK)
        (*out)->careful = !force;
    return st;
}

enum status out_is_no_input(const char *out, const char *input,
                            struct error *err)
{
    struct stat a, b;
    if (!out || !input || stat(out, &a) != 0 || stat(input, &b) != 0 ||
        !S_ISREG(a.st_mode) || a.st_dev != b.st_dev || a.st_ino != b.st_ino)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "%s: would be read and replaced; name another file to "
                     "write",
                     out);
}

enum { FIRST_LINE = 64 };

/* Reads the first line of a file, at most FIRST_LINE bytes, and returns its
 * length; 0 if the file is empty or cannot be read. */
static size_t out_first_line(const char *path, char line[FIRST_LINE])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, line, FIRST_LINE) : 0;
    if (fd >= 0)
        close(fd);
    const char *end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;
    return end ? (size_t)(end - line) : n > 0 ? (size_t)n : 0;
}

/* True if the file that is to be replaced is empty or begins as the new one. */
static bool out_may_replace(const struct out *out)
{
    char old[FIRST_LINE], new[FIRST_LINE];
    size_t n = out_first_line(out->path, old);
    return n == 0 || (out_first_line(out->temporary, new) == n &&
                      memcmp(old, new, n) == 0);
}

/* Renames the temporary file into place. Sets out->error if that fails. */
static enum status out_replace(struct out *out, struct error *err)
{
    if (!out->careful || out_may_replace(out)) {
        out->error = rename(out->temporary, out->path) != 0 ? errno : 0;
        return STATUS_OK;
    }
    unlink(out->temporary);
    return error_set(err, STATUS_USAGE,
                     "%s: exists, and another program wrote it: its first "
                     "line differs (--force replaces it)",
                     out->path);
}

enum status out_close(struct out *out, struct error *err)
{
    enum status st = STATUS_OK;
    if (out->fd >= 0)
        out_flush(out, out->len);
    if (out->gzip)
        gzip_add(out->gzip, "", 0, true);
    /* Only starts the write-back, because the owner of the directory waits
     * for all its files together. */
    if (out->part)
        sync_file_range(out->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    /* Without this call, a loss of power after the rename could leave an empty
     * file. */
    if (out->temporary && !out->error && !out_sync(out->fd))
        out->error = errno;
    if (out->fd > STDERR_FILENO && close(out->fd) != 0 && !out->error)
        out->error = errno;
    if (!out->error && out->temporary)
        st = out_replace(out, err);
    if (out->error) {
        st = error_set(err, STATUS_FAILED, "%s: cannot write: %s", out->path,
                       strerror(out->error));
        if (out->temporary)
            unlink(out->temporary);
    }
    out_free(out);
    return st;
}

void out_abandon(struct out *out)
{
    if (!out)
        return;
    if (out->fd > STDERR_FILENO)
        close(out->fd);
    if (out->temporary)
        unlink(out->temporary);
    out_free(out);
}

#define THREE(a, b, c) ((a) | (b) << 8 | (c) << 16)

#define ONES(a, b) \
    THREE(a, b, 0), THREE(a, b, 1), THREE(a, b, 2), THREE(a, b, 3), \
        THREE(a, b, 4), THREE(a, b, 5), THREE(a, b, 6), THREE(a, b, 7), \
        THREE(a, b, 8), THREE(a, b, 9)

#define TENS(a) \
    ONES(a, 0), ONES(a, 1), ONES(a, 2), ONES(a, 3), ONES(a, 4), ONES(a, 5), \
        ONES(a, 6), ONES(a, 7), ONES(a, 8), ONES(a, 9)

const uint32_t digits_three[1000] = {TENS(0), TENS(1), TENS(2), TENS(3),
                                     TENS(4), TENS(5), TENS(6), TENS(7),
                                     TENS(8), TENS(9)};

char *digits_put_large(char *at, uint64_t value)
{
    at = digits_put(at, value / DIGITS_MILLION);
    digits_store(at, digits_six((uint32_t)(value % DIGITS_MILLION)));
    return at + 6;
}

/* A double between 1e-4 and 1e15, times the power of ten that leaves 15 digits
 * before the point, is a whole number of at most 117 bits divided by a power of
 * two. Integer arithmetic computes this quotient and rounds it once, ties to
 * even. printf does this for numbers of any length at ten times the cost;
 * doubles outside this range go to printf. */

enum { DIGITS = 15, FRACTION_BITS = 52, EXPONENT_BIAS = 1023 };

__extension__ typedef unsigned __int128 wide;

/* Returns mantissa / 2^shift * 10^power, rounded to the nearest whole number,
 * ties to even. */
static uint64_t out_scaled(uint64_t mantissa, unsigned shift, unsigned power)
{
    static const uint64_t powers[] = {1,    10,   100,  1000, 1e4,  1e5,  1e6,
                                      1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                      1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    wide product = (wide)mantissa * powers[power];
    wide half = (wide)1 << (shift - 1), rest = product & (2 * half - 1);
    uint64_t whole = (uint64_t)(product >> shift);
    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

/* Writes 15 digits without trailing zeroes after the point; the first digit
 * stands for 10^exponent. Returns the length of the text. */
static size_t put_decimal(char *out, uint64_t digits, int exponent)
{
    /* Three groups of six digits; the first three digits are "000". */
    char text[DIGITS + 3 + DIGITS_SPARE], *at = out;
    digits_store(text, digits_six((uint32_t)(digits / 1000000000000)));
    digits_store(text + 6, digits_six((uint32_t)(digits / 1000000 % 1000000)));
    digits_store(text + 12, digits_six((uint32_t)(digits % 1000000)));
    const char *first = text + 3;
    size_t n = DIGITS, whole = exponent < 0 ? 0 : (size_t)exponent + 1;
    while (n > whole && first[n - 1] == '0')
        n--;
    if (whole == 0)
        *at++ = '0';
    memcpy(at, first, whole);
    at += whole;
    if (n > whole)
        *at++ = '.';
    for (int zeroes = exponent + 1; zeroes < 0; zeroes++)
        *at++ = '0';
    memcpy(at, first + whole, n - whole);
    return (size_t)(at - out) + n - whole;
}

size_t real_to_text(double value, char out[REAL_TEXT_MAX])
{
    bool negative = value < 0;
    double size = negative ? -value : value;
    if (size >= 1e-4 && size < 1e15) {
        const uint64_t limit = UINT64_C(1000000000000000);
        uint64_t bits;
        memcpy(&bits, &size, sizeof bits);
        int binary = (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS;
        uint64_t implied = UINT64_C(1) << FRACTION_BITS;
        uint64_t mantissa = (bits & (implied - 1)) | implied;
        unsigned shift = (unsigned)(FRACTION_BITS - binary);
        /* rounded down; may be 1 too small */
        int exponent = binary * 1233 >> 12;
        uint64_t digits =
            out_scaled(mantissa, shift, (unsigned)(DIGITS - 1 - exponent));
        if (digits >= limit && ++exponent < DIGITS)
            digits =
                out_scaled(mantissa, shift, (unsigned)(DIGITS - 1 - exponent));
        if (exponent < DIGITS) {
            out[0] = '-';
            return put_decimal(out + negative, digits, exponent) + negative;
        }
    }
    char text[REAL_TEXT_MAX];
    int n = snprintf(text, sizeof text, "%.*g", DIGITS, value);
    memcpy(out, text, (size_t)n);
    return (size_t)n;
}
