/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/log_file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "schedmate/llm/llm_text.h"
#include "schedmate/logs/log_lines.h"

#define BLOCK (1u << 20)

enum status log_file_failed(const char *name, struct error *err)
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
    file->name = strdup(name);
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

static enum status read_at(const struct log_file *file, uint64_t from,
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
    enum status st = read_at(file, from, buf, len, &got, err);
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
struct scan {
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
static void show_line(struct scan *s, struct text line, uint64_t at, char end,
                      bool open, log_file_line show, void *self)
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
static void show_lines(struct scan *s, size_t len, bool last,
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
    struct scan s = {.buf = mem_alloc(BLOCK + LOG_LINE_KEPT),
                     .traits = &file->traits};
    file->traits.zero_lines = file->traits.other_lines =
        file->traits.return_ends = 0;
    enum status st = STATUS_OK;
    bool last = false;
    while (!last && !s.stopped) {
        size_t got;
        st = read_at(file, s.offset + s.left, s.buf + s.left, BLOCK, &got, err);
        if (st != STATUS_OK)
            break;
        last = got < BLOCK;
        show_lines(&s, s.left + got, last, line, self);
    }
    free(s.buf);
    return st;
}
