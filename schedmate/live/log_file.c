/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/source.h"
#include "schedmate/llm/llm_text.h"
#include "schedmate/logs/log_stream.h"

/* How the bytes of a log were turned into lines. The counts are those of the
 * last log_file_scan. */
struct log_traits {
    bool gzip, zstd, utf16, utf8_mark, damaged;
    uint64_t zero_lines;  /* number of lines with zero bytes */
    uint64_t other_lines; /* number of lines that are not UTF-8, such as
                           * Latin-1 */
    uint64_t return_ends; /* number of lines that end in a carriage return
                           * alone */
};

struct log_file {
    int fd;
    /* true if `name` is the path of the file that is read, so that it may name
     * another file after a rotation */
    bool named;
    char *name;
    uint64_t begin; /* bytes at the front that are not part of the log */
    struct log_traits traits;
    /* why the unpacking ended early; set if traits.damaged is true */
    struct error damage;
};

/* Copies of logs that cannot be read in place: pipes, packed files, UTF-16. */

/* Largest number of bytes of a copy. A pipe may never end, and a small packed
 * file may hold much. */
#define COPY_MAX (INT64_C(4) << 30)

#define LOG_FILE_BLOCK (1u << 20)

static enum status log_file_failed(const char *name, struct error *err);
static struct text log_file_skip(struct text text, uint64_t lines);

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
static enum status log_file_copy_end(struct copy *copy, struct log_file *file,
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
        n = read(file->fd, block, LOG_FILE_BLOCK);
    } while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? log_file_failed(file->name, err) : STATUS_OK;
}

/* Copies the whole pipe to a nameless file, which then replaces the pipe.
 * STATUS_BAD_INPUT for more than 4 GiB. */
static enum status log_file_spool(struct log_file *file, struct error *err)
{
    struct copy copy;
    enum status st = copy_begin(file, &copy, err);
    if (st != STATUS_OK)
        return st;
    char *block = mem_alloc(LOG_FILE_BLOCK);
    size_t got = 1;
    while (st == STATUS_OK && got > 0) {
        st = next_block(file, block, &got, err);
        if (st == STATUS_OK)
            st = copy_add(&copy, block, got, err);
    }
    free(block);
    return log_file_copy_end(&copy, file, st);
}

/* Unpacks gzip or zstd. What was unpacked before an error is kept, because the
 * log of a job that was killed is often cut off. */
static enum status log_file_unpack(struct log_file *file, struct error *err)
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
    char *block = mem_alloc(LOG_FILE_BLOCK);
    size_t got = 1;
    while (st == STATUS_OK && got > 0) {
        st = source_read(source, block, LOG_FILE_BLOCK, &got, &file->damage);
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
    return log_file_copy_end(&copy, file, st);
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
static size_t log_file_put_unit(struct utf16 *u, uint32_t unit, char *out)
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
        len += log_file_put_unit(u, unit, out + len);
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
    char *block = mem_alloc(LOG_FILE_BLOCK),
         *utf8 = mem_alloc(2 * (size_t)LOG_FILE_BLOCK);
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
    return log_file_copy_end(&copy, file, st);
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

static enum status log_file_refuse(const struct log_file *file,
                                   const char *head, size_t n,
                                   struct error *err)
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

static size_t log_file_read_head(const struct log_file *file, char head[8])
{
    ssize_t n = pread(file->fd, head, 8, 0);
    return n > 0 ? (size_t)n : 0;
}

/* Unpacks the log and converts it to UTF-8 if its first bytes demand it, and
 * sets `begin` and the traits that are not counts. Refuses xz, bzip2, zip and
 * UTF-32. */
static enum status log_file_convert(struct log_file *file, struct error *err)
{
    char head[8] = {0};
    size_t n = log_file_read_head(file, head);
    enum status st = STATUS_OK;
    file->traits.gzip = n >= 2 && memcmp(head, "\x1f\x8b", 2) == 0;
    file->traits.zstd = n >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0;
    if (file->traits.gzip || file->traits.zstd) {
        st = log_file_unpack(file, err);
        if (st != STATUS_OK)
            return st;
        n = log_file_read_head(file, head);
    }
    st = log_file_refuse(file, head, n, err);
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

/* Sets the message to NAME and the words of errno. Returns STATUS_BAD_INPUT. */
static enum status log_file_failed(const char *name, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%s: %s", name, strerror(errno));
}

enum status log_file_open(const char *path, struct log_file **out,
                          struct error *err)
{
    bool input = strcmp(path, "-") == 0;
    const char *name = input ? "standard input" : path;
    struct stat about;
    int fd =
        input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return log_file_failed(name, err);
    enum status st = STATUS_OK;
    if (fstat(fd, &about) != 0)
        st = log_file_failed(name, err);
    else if (S_ISDIR(about.st_mode))
        st = error_set(err, STATUS_BAD_INPUT, "%s: is a directory", name);
    if (st != STATUS_OK) {
        close(fd);
        return st;
    }
    struct log_file *file = mem_zalloc(1, sizeof *file);
    file->fd = fd;
    file->name = mem_text(name);
    file->named = !input && S_ISREG(about.st_mode);
    if (!S_ISREG(about.st_mode))
        st = log_file_spool(file, err);
    if (st == STATUS_OK)
        st = log_file_convert(file, err);
    if (st != STATUS_OK) {
        log_file_close(file);
        return st;
    }
    *out = file;
    return STATUS_OK;
}

void log_file_close(struct log_file *file)
{
    if (!file)
        return;
    close(file->fd);
    free(file->name);
    free(file);
}

bool log_file_renew(struct log_file *file)
{
    struct stat is, other;
    if (!file->named)
        return false;
    int fd = open(file->name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (fstat(file->fd, &is) != 0 || fstat(fd, &other) != 0 ||
        !S_ISREG(other.st_mode) ||
        (is.st_dev == other.st_dev && is.st_ino == other.st_ino)) {
        close(fd);
        return false;
    }
    close(file->fd);
    file->fd = fd;
    file->begin = 0;
    return true;
}

bool log_file_is_copy(const struct log_file *file)
{
    return !file->named;
}

enum status log_file_size(const struct log_file *file, uint64_t *out,
                          struct error *err)
{
    struct stat about;
    if (fstat(file->fd, &about) != 0)
        return log_file_failed(file->name, err);
    uint64_t size = (uint64_t)about.st_size;
    *out = size > file->begin ? size - file->begin : 0;
    return STATUS_OK;
}

static enum status log_file_read_at(const struct log_file *file, uint64_t from,
                                    char *buf, size_t len, size_t *got,
                                    struct error *err)
{
    *got = 0;
    while (*got < len) {
        ssize_t n = pread(file->fd, buf + *got, len - *got,
                          (off_t)(file->begin + from + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return log_file_failed(file->name, err);
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return STATUS_OK;
}

enum status log_file_piece(const struct log_file *file, uint64_t from,
                           size_t len, struct text *out, struct error *err)
{
    char *buf = mem_alloc(len + 1);
    size_t got;
    enum status st = log_file_read_at(file, from, buf, len, &got, err);
    if (st != STATUS_OK) {
        free(buf);
        return st;
    }
    buf[got] = 0;
    *out = (struct text){buf, got};
    return STATUS_OK;
}

/* A walk over the file. The buffer holds the unfinished line of the last block,
 * then the next block. */
struct log_file_scan {
    char *buf;
    size_t left;     /* bytes of the unfinished line */
    uint64_t offset; /* position of buf in the file */
    bool skip;       /* true inside a long line whose beginning was shown */
    bool stopped;    /* true after a callback returned false */
    struct log_traits *traits;
};

/* Drops zero bytes at the front of a line. A log that was truncated while it
 * was written begins with a hole of them. */
static struct text skip_zeroes(struct text line)
{
    size_t n = 0;
    while (n < line.len && line.at[n] == '\0')
        n++;
    return text_skip(line, n);
}

static bool has_high_bytes(struct text t)
{
    unsigned char all = 0;
    for (size_t i = 0; i < t.len; i++)
        all |= (unsigned char)t.at[i];
    return all >= 0x80;
}

/* Counts what is unusual about a line. */
static void note_line(struct log_traits *traits, struct text line, char end)
{
    char copy[1024];
    traits->return_ends += end == '\r';
    traits->zero_lines += line.len && memchr(line.at, 0, line.len);
    if (!has_high_bytes(line))
        return;
    /* The cut may lie inside a character: up to 3 bytes then do not count. */
    size_t spared = line.len > sizeof copy ? 3 : 0;
    if (spared)
        line.len = sizeof copy;
    memcpy(copy, line.at, line.len);
    traits->other_lines += llm_utf8_clean(copy, line.len) > spared;
}

/* Shows one line that begins at offset `at`, unless it is the rest of a long
 * line whose beginning was shown. `end`: the byte after it, 0 if there is none.
 * `open`: true if more of the line is to come. */
static void show_line(struct log_file_scan *s, struct text line, uint64_t at,
                      char end, bool open, log_file_line show, void *self)
{
    if (line.len > LOG_LINE_KEPT)
        line.len = LOG_LINE_KEPT;
    struct text shown = skip_zeroes(line);
    bool hole = open && shown.len == 0;
    if (!s->skip && !hole) {
        note_line(s->traits, line, end);
        s->stopped = !show(self, shown, at + (uint64_t)(shown.at - line.at));
    }
    s->skip = open && (s->skip || !hole);
}

/* Shows the whole lines of the buffer and moves the rest to its front. */
static void log_file_show_lines(struct log_file_scan *s, size_t len, bool last,
                                log_file_line show, void *self)
{
    struct text rest = {s->buf, len}, line;
    uint64_t at = s->offset;
    while (!s->stopped) {
        struct text before = rest;
        if (!log_first_line(&rest, &line))
            break;
        size_t used = before.len - rest.len;
        /* a final "\r" may be the first half of "\r\n" */
        bool open =
            rest.len == 0 && (used == line.len || before.at[used - 1] == '\r');
        bool huge = open && used >= LOG_LINE_KEPT;
        if (open && !last && !huge) {
            rest = before;
            break;
        }
        char end = used == line.len + 1 ? before.at[line.len] : '\0';
        show_line(s, line, at, end, huge && !last, show, self);
        at += used;
    }
    memmove(s->buf, rest.at, rest.len);
    s->left = rest.len;
    s->offset = at;
}

enum status log_file_scan(struct log_file *file, log_file_line line, void *self,
                          struct error *err)
{
    struct log_file_scan s = {.buf = mem_alloc(LOG_FILE_BLOCK + LOG_LINE_KEPT),
                              .traits = &file->traits};
    file->traits.zero_lines = file->traits.other_lines =
        file->traits.return_ends = 0;
    enum status st = STATUS_OK;
    bool last = false;
    while (!last && !s.stopped) {
        size_t got;
        st = log_file_read_at(file, s.offset + s.left, s.buf + s.left,
                              LOG_FILE_BLOCK, &got, err);
        if (st != STATUS_OK)
            break;
        last = got < LOG_FILE_BLOCK;
        log_file_show_lines(&s, s.left + got, last, line, self);
    }
    free(s.buf);
    return st;
}

/* Largest numbers of bytes that are read for a window. WINDOW_BYTES: from the
 * error on, or for the last lines. BEFORE_BYTES: before the error. 200 lines
 * seldom exceed 100 KiB. The limits keep a log with endless lines from being
 * read whole. */
#define WINDOW_BYTES (1u << 20)

#define BEFORE_BYTES (128u << 10)

static bool log_file_feed(void *self, struct text line, uint64_t offset)
{
    locator_feed(self, line, offset);
    return true;
}

/* Offsets in the file of every `stride`-th line. When the index is full, every
 * second offset is dropped and `stride` doubles. */
#define INDEX_MAX (1u << 20)

struct index {
    uint64_t *at;
    size_t n, cap;
    uint64_t lines, stride; /* lines read so far; lines between two entries */
};

static bool index_line(void *self, struct text line, uint64_t offset)
{
    struct index *x = self;
    (void)line;
    if (x->lines++ % x->stride != 0)
        return true;
    if (x->n == INDEX_MAX) {
        for (size_t i = 0; i < x->n / 2; i++)
            x->at[i] = x->at[2 * i];
        x->n /= 2;
        x->stride *= 2;
        if ((x->lines - 1) % x->stride != 0)
            return true;
    }
    x->at = mem_grow(x->at, &x->cap, x->n + 1, sizeof *x->at);
    x->at[x->n++] = offset;
    return true;
}

struct chunks {
    struct log_file *file;
    const struct index *index;
    uint64_t chunk; /* number of lines in a chunk */
    struct text held;
    uint64_t offset; /* offset in the file of the chunk shown last */
    enum status st;
    struct error *err;
};

/* Drops the first `lines` lines. */
static struct text log_file_skip(struct text text, uint64_t lines)
{
    struct text line;
    while (lines-- > 0 && log_first_line(&text, &line))
        ;
    return text;
}

static bool show_chunk(void *self, uint64_t i, struct text *out)
{
    struct chunks *c = self;
    uint64_t line = i * c->chunk, entry = line / c->index->stride;
    if (entry >= c->index->n)
        return false;
    free((char *)(uintptr_t)c->held.at);
    c->held = (struct text){0};
    c->st = log_file_piece(c->file, c->index->at[entry], WINDOW_BYTES, &c->held,
                           c->err);
    if (c->st != STATUS_OK)
        return false;
    struct text from = log_file_skip(c->held, line % c->index->stride);
    struct text rest = log_file_skip(from, c->chunk);
    *out = (struct text){from.at, (size_t)(rest.at - from.at)};
    c->offset = c->index->at[entry] + (uint64_t)(from.at - c->held.at);
    return true;
}

static enum status log_file_search(struct log_file *file,
                                   const struct locator_config *config,
                                   struct log_classifier *classifier,
                                   struct located *out, struct error *err)
{
    struct index index = {.stride = config->chunk};
    struct chunks chunks = {.file = file,
                            .index = &index,
                            .chunk = config->chunk,
                            .st = STATUS_OK,
                            .err = err};
    enum status st = log_file_scan(file, index_line, &index, err);
    if (st == STATUS_OK) {
        uint64_t n = (index.lines + config->chunk - 1) / config->chunk;
        locator_search(config, classifier, n, show_chunk, &chunks, out);
        st = chunks.st;
        out->offset += chunks.offset;
        out->lines = index.lines;
    }
    free((char *)(uintptr_t)chunks.held.at);
    free(index.at);
    return st;
}

static enum status log_file_locate(struct log_file *file,
                                   const struct locator_config *config,
                                   struct log_classifier *classifier,
                                   const struct log_knowledge *knowledge,
                                   struct located *out, struct error *err)
{
    struct locator l;
    if (config->method == LOCATE_BINARY)
        return log_file_search(file, config, classifier, out, err);
    locator_start(&l, config, classifier, knowledge);
    enum status st = log_file_scan(file, log_file_feed, &l, err);
    if (st == STATUS_OK)
        locator_end(&l, out);
    return st;
}

static bool count_line(void *self, struct text line, uint64_t offset)
{
    (void)line;
    (void)offset;
    ++*(uint64_t *)self;
    return true;
}

static void drop_front(struct text *text, size_t n)
{
    memmove((char *)(uintptr_t)text->at, text->at + n, text->len - n);
    text->len -= n;
}

enum status log_window_last(struct log_file *file, uint32_t lines,
                            struct log_window *out, struct error *err)
{
    uint64_t size = 0, all = 0;
    struct text rest, line;
    enum status st = log_file_size(file, &size, err);
    if (st == STATUS_OK)
        st = log_file_scan(file, count_line, &all, err);
    uint64_t from = size > WINDOW_BYTES ? size - WINDOW_BYTES : 0;
    if (st == STATUS_OK)
        st = log_file_piece(file, from, WINDOW_BYTES, &out->text, err);
    if (st != STATUS_OK)
        return st;
    rest = out->text;
    while (out->lines < lines && log_last_line(&rest, &line))
        out->lines++;
    drop_front(&out->text, rest.len);
    out->first_line = all - out->lines + 1;
    out->located.lines = all;
    return STATUS_OK;
}

/* Reads the lines before the error, the error, and the lines after it. */
static enum status read_around(struct log_file *file, uint32_t lines,
                               struct log_window *out, struct error *err)
{
    uint64_t at = out->located.offset, before = lines / HANDLER_BEFORE_SHARE;
    uint64_t from = at > BEFORE_BYTES ? at - BEFORE_BYTES : 0;
    enum status st = log_file_piece(file, from, BEFORE_BYTES + WINDOW_BYTES,
                                    &out->text, err);
    if (st != STATUS_OK)
        return st;
    size_t error_at = (size_t)(at - from);
    if (error_at > out->text.len) /* the file was truncated meanwhile */
        error_at = out->text.len;
    struct text front = {out->text.at, error_at}, line;
    uint64_t n = 0;
    while (n < before && log_last_line(&front, &line))
        n++;
    struct text rest = {out->text.at + error_at, out->text.len - error_at};
    out->first_line = out->located.line - n;
    out->error_at = front.len;
    for (; n < lines && log_first_line(&rest, &line); n++)
        ;
    out->lines = n;
    out->text.len = (size_t)(rest.at - out->text.at);
    drop_front(&out->text, out->error_at);
    out->error_at = error_at - out->error_at;
    return STATUS_OK;
}

enum status log_window_find(struct log_file *file,
                            const struct locator_config *locator,
                            const struct handler_config *handler,
                            struct log_classifier *classifier,
                            const struct log_knowledge *knowledge,
                            struct log_window *out, struct error *err)
{
    *out = (struct log_window){0};
    if (locator->method == LOCATE_LAST)
        return log_window_last(file, handler->window, out, err);
    enum status st = log_file_locate(file, locator, classifier, knowledge,
                                     &out->located, err);
    if (st == STATUS_OK && out->located.found)
        st = read_around(file, handler->window, out, err);
    return st;
}

enum status log_window_failed(struct log_file *file,
                              const struct handler_config *handler,
                              const struct job_end *end,
                              struct log_window *window, struct error *err)
{
    struct located located = window->located;
    if (window->text.len > 0 || job_end_verdict(end) != END_SAYS_FAILED)
        return STATUS_OK;
    enum status st = log_window_last(file, handler->window, window, err);
    window->located = located;
    return st;
}

/* Number of lines of the end of a log that a question may show. */
#define LOG_FILE_TAIL_LINES 200

enum status log_window_tail(struct log_file *file,
                            const struct diagnosis_sources *from,
                            struct log_window *tail, struct error *err)
{
    bool wanted = from->client && from->config->ask != ASK_NEVER;
    return wanted ? log_window_last(file, LOG_FILE_TAIL_LINES, tail, err)
                  : STATUS_OK;
}

void log_window_judged(const struct log_window *window,
                       struct diagnosis_sources *out)
{
    out->window = window->text;
    out->first_line = window->first_line;
    out->error_at = window->error_at;
    out->sure = window->located.sure;
    out->is_end = !window->located.found;
}

void log_window_fini(struct log_window *window)
{
    free((char *)(uintptr_t)window->text.at);
    *window = (struct log_window){0};
}
