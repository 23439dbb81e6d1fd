/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of logs that cannot be read in place: pipes, packed files, UTF-16. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/source.h"
#include "schedmate/live/log_file_internal.h"

/* Largest number of bytes of a copy. A pipe may never end, and a small packed
 * file may hold much. */
#define COPY_MAX (INT64_C(4) << 30)
#define BLOCK (1u << 20)

static int nameless(void)
{
    const char *dir = getenv("TMPDIR");
    int fd =
        open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    /* not all file systems support nameless files */
    FILE *file = fd < 0 ? tmpfile() : NULL;
    if (file) {
        fd = dup(fileno(file));
        fclose(file);
    }
    return fd;
}

/* A copy of a log, while it is made. */
struct copy {
    const char *name; /* name of the log */
    int to;
    int64_t all; /* bytes written so far */
};

static enum status copy_begin(const struct log_file *file, struct copy *out,
                              struct error *err)
{
    *out = (struct copy){.name = file->name, .to = nameless()};
    if (out->to >= 0)
        return STATUS_OK;
    return error_set(err, STATUS_FAILED, "cannot make a copy of %s: %s",
                     file->name, strerror(errno));
}

static enum status copy_add(struct copy *copy, const char *at, size_t n,
                            struct error *err)
{
    copy->all += (int64_t)n;
    if (copy->all > COPY_MAX)
        return error_set(err, STATUS_BAD_INPUT, "%s: more than 4 GiB",
                         copy->name);
    while (n > 0) {
        ssize_t done = write(copy->to, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return error_set(err, STATUS_FAILED, "a copy of %s: %s", copy->name,
                             strerror(errno));
        at += done;
        n -= (size_t)done;
    }
    return STATUS_OK;
}

/* Replaces the log by the copy if `st` is STATUS_OK, otherwise drops the copy.
 * Returns `st`. */
static enum status copy_end(struct copy *copy, struct log_file *file,
                            enum status st)
{
    if (st != STATUS_OK) {
        close(copy->to);
        return st;
    }
    close(file->fd);
    file->fd = copy->to;
    file->begin = 0;
    file->named = false;
    return STATUS_OK;
}

/* Reads the next bytes of the log; *got is 0 at its end. */
static enum status next_block(const struct log_file *file, char *block,
                              size_t *got, struct error *err)
{
    ssize_t n;
    do {
        n = read(file->fd, block, BLOCK);
    } while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? log_file_failed(file->name, err) : STATUS_OK;
}

enum status log_file_spool(struct log_file *file, struct error *err)
{
    struct copy copy;
    enum status st = copy_begin(file, &copy, err);
    if (st != STATUS_OK)
        return st;
    char *block = mem_alloc(BLOCK);
    size_t got = 1;
    while (st == STATUS_OK && got > 0) {
        st = next_block(file, block, &got, err);
        if (st == STATUS_OK)
            st = copy_add(&copy, block, got, err);
    }
    free(block);
    return copy_end(&copy, file, st);
}

/* Unpacks gzip or zstd. What was unpacked before an error is kept, because the
 * log of a job that was killed is often cut off. */
static enum status unpack(struct log_file *file, struct error *err)
{
    struct source *source = NULL;
    struct copy copy;
    int fd = dup(file->fd);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0)
        return log_file_failed(file->name, err);
    enum status st = source_take(fd, file->name, &source, err);
    if (st != STATUS_OK)
        return st;
    st = copy_begin(file, &copy, err);
    if (st != STATUS_OK) {
        source_close(source);
        return st;
    }
    char *block = mem_alloc(BLOCK);
    size_t got = 1;
    while (st == STATUS_OK && got > 0) {
        st = source_read(source, block, BLOCK, &got, &file->damage);
        file->traits.damaged = st != STATUS_OK;
        if (st == STATUS_OK)
            st = copy_add(&copy, block, got, err);
    }
    free(block);
    source_close(source);
    if (file->traits.damaged && copy.all > 0)
        st = STATUS_OK;
    else if (file->traits.damaged)
        error_set(err, st, "%s: %s", file->name, file->damage.message);
    return copy_end(&copy, file, st);
}

/* Writes a character of Unicode to `out` as UTF-8; returns the number of bytes,
 * 1 to 4. */
static size_t put_utf8(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* The state of a conversion from UTF-16. */
struct utf16 {
    bool big; /* true if the text is big-endian */
    bool odd; /* true if half a unit is left over from the last block */
    unsigned char half;
    uint32_t high; /* first half of a surrogate pair; 0: none */
};

/* Converts one unit; returns the number of bytes written to `out`, at most 4.
 * Half a surrogate pair without the other half becomes '?'. */
static size_t put_unit(struct utf16 *u, uint32_t unit, char *out)
{
    uint32_t high = u->high;
    bool is_low = unit >= 0xdc00 && unit < 0xe000;
    u->high = 0;
    if (high && is_low)
        return put_utf8(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00),
                        out);
    size_t n = high ? put_utf8('?', out) : 0;
    if (unit >= 0xd800 && unit < 0xdc00) {
        u->high = unit;
        return n;
    }
    return n + put_utf8(is_low ? '?' : unit, out + n);
}

static size_t convert_block(struct utf16 *u, const char *in, size_t n,
                            char *out)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)in[i];
        if (!u->odd) {
            u->half = byte;
            u->odd = true;
            continue;
        }
        u->odd = false;
        uint32_t unit = u->big ? (uint32_t)u->half << 8 | byte
                               : (uint32_t)byte << 8 | u->half;
        len += put_unit(u, unit, out + len);
    }
    return len;
}

/* Writes a '?' if the text ends within a character. Returns the number of bytes
 * written. */
static size_t convert_end(const struct utf16 *u, char *out)
{
    return u->high || u->odd ? put_utf8('?', out) : 0;
}

static enum status from_utf16(struct log_file *file, bool big,
                              struct error *err)
{
    struct copy copy;
    struct utf16 u = {.big = big};
    if (lseek(file->fd, 2, SEEK_SET) != 2)
        return log_file_failed(file->name, err);
    enum status st = copy_begin(file, &copy, err);
    if (st != STATUS_OK)
        return st;
    /* Two bytes of UTF-16 become at most three, and one more if the block
     * before ended within a pair. */
    char *block = mem_alloc(BLOCK), *utf8 = mem_alloc(2 * (size_t)BLOCK);
    size_t got = 1;
    while (st == STATUS_OK && got > 0) {
        st = next_block(file, block, &got, err);
        if (st != STATUS_OK)
            break;
        size_t len = got > 0 ? convert_block(&u, block, got, utf8)
                             : convert_end(&u, utf8);
        st = copy_add(&copy, utf8, len, err);
    }
    free(block);
    free(utf8);
    return copy_end(&copy, file, st);
}

/* Packings and encodings that are recognised but refused. */
static const struct {
    const char *bytes;
    size_t n;
    const char *name, *advice;
} refused[] = {
    {.bytes = "\xfd"
              "7zXZ",
     .n = 5,
     .name = "xz",
     .advice = "xz -dc"},
    {.bytes = "BZh", .n = 3, .name = "bzip2", .advice = "bzip2 -dc"},
    {.bytes = "PK\3\4", .n = 4, .name = "zip", .advice = "unzip -p"},
    {.bytes = "\xff\xfe\0\0",
     .n = 4,
     .name = "UTF-32",
     .advice = "iconv -f UTF-32 -t UTF-8"},
};

static enum status refuse(const struct log_file *file, const char *head,
                          size_t n, struct error *err)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (n >= refused[i].n &&
            memcmp(head, refused[i].bytes, refused[i].n) == 0)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: %s cannot be read directly; pipe the output "
                             "of '%s' to the log '-' (standard input)",
                             file->name, refused[i].name, refused[i].advice);
    }
    return STATUS_OK;
}

static size_t read_head(const struct log_file *file, char head[8])
{
    ssize_t n = pread(file->fd, head, 8, 0);
    return n > 0 ? (size_t)n : 0;
}

enum status log_file_convert(struct log_file *file, struct error *err)
{
    char head[8] = {0};
    size_t n = read_head(file, head);
    enum status st = STATUS_OK;
    file->traits.gzip = n >= 2 && memcmp(head, "\x1f\x8b", 2) == 0;
    file->traits.zstd = n >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0;
    if (file->traits.gzip || file->traits.zstd) {
        st = unpack(file, err);
        if (st != STATUS_OK)
            return st;
        n = read_head(file, head);
    }
    st = refuse(file, head, n, err);
    if (st != STATUS_OK)
        return st;
    bool little = n >= 2 && memcmp(head, "\xff\xfe", 2) == 0;
    bool big = n >= 2 && memcmp(head, "\xfe\xff", 2) == 0;
    file->traits.utf16 = little || big;
    if (file->traits.utf16)
        return from_utf16(file, big, err);
    file->traits.utf8_mark = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0;
    file->begin = file->traits.utf8_mark ? 3 : 0;
    return STATUS_OK;
}

void log_file_say(const struct log_file *file,
                  void (*say)(void *self, const char *remark), void *self)
{
    const struct log_traits *t = &file->traits;
    const struct {
        uint64_t lines;
        const char *words;
    } counts[] = {
        {t->zero_lines, "lines with zero bytes"},
        {t->other_lines, "lines that are not UTF-8, read byte by byte"},
        {t->return_ends, "lines that end in a carriage return, each counted"},
    };
    char words[ERROR_MAX + 64];
    if (t->gzip || t->zstd)
        say(self, t->gzip ? "gzip, unpacked" : "zstd, unpacked");
    if (t->damaged) {
        snprintf(words, sizeof words, "read up to an error: %s",
                 file->damage.message);
        say(self, words);
    }
    if (t->utf16)
        say(self, "UTF-16, converted to UTF-8");
    if (t->utf8_mark)
        say(self, "UTF-8 with a byte-order mark, which is left out");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].lines == 0)
            continue;
        snprintf(words, sizeof words, "%" PRIu64 " %s", counts[i].lines,
                 counts[i].words);
        say(self, words);
    }
}
