/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/live/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/logs/log_lines.h"
#include "sim/base/arena.h"

/* Largest number of bytes copied from a pipe. A pipe may never end. */
#define SPOOL_MAX (INT64_C(4) << 30)
#define BLOCK (1u << 20)

struct log_file {
    int fd;
    /* true if `name` can mean another file later, after rotation of the log */
    bool named;
    char *name;
};

static enum status failed(const char *name, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%s: %s", name, strerror(errno));
}

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

/* Copies the whole pipe to a nameless file, which then replaces the pipe. */
static enum status spool(struct log_file *file, struct error *err)
{
    int to = nameless();
    if (to < 0)
        return error_set(err, STATUS_FAILED, "no place for a copy of %s: %s",
                         file->name, strerror(errno));
    enum status st = STATUS_OK;
    char *block = mem_alloc(BLOCK);
    int64_t all = 0;
    while (st == STATUS_OK) {
        ssize_t n = read(file->fd, block, BLOCK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            st = n < 0 ? failed(file->name, err) : STATUS_END;
            break;
        }
        all += n;
        if (all > SPOOL_MAX)
            st = error_set(err, STATUS_BAD_INPUT, "%s: more than 4 GiB",
                           file->name);
        for (ssize_t at = 0, done; at < n && st == STATUS_OK; at += done) {
            done = write(to, block + at, (size_t)(n - at));
            if (done < 0)
                st = error_set(err, STATUS_FAILED, "a copy of %s: %s",
                               file->name, strerror(errno));
        }
    }
    free(block);
    close(file->fd);
    file->fd = to;
    return st == STATUS_END ? STATUS_OK : st;
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
        return failed(name, err);
    if (fstat(fd, &about) != 0 || S_ISDIR(about.st_mode)) {
        close(fd);
        return error_set(err, STATUS_BAD_INPUT, "%s: is a directory", name);
    }
    struct log_file *file = mem_zalloc(1, sizeof *file);
    file->fd = fd;
    file->name = strdup(name);
    file->named = !input && S_ISREG(about.st_mode);
    enum status st = STATUS_OK;
    if (!S_ISREG(about.st_mode))
        st = spool(file, err);
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
    return true;
}

enum status log_file_size(const struct log_file *file, uint64_t *out,
                          struct error *err)
{
    struct stat about;
    if (fstat(file->fd, &about) != 0)
        return failed(file->name, err);
    *out = (uint64_t)about.st_size;
    return STATUS_OK;
}

static enum status read_at(const struct log_file *file, uint64_t from,
                           char *buf, size_t len, size_t *got,
                           struct error *err)
{
    *got = 0;
    while (*got < len) {
        ssize_t n =
            pread(file->fd, buf + *got, len - *got, (off_t)(from + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed(file->name, err);
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
};

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
        if (line.len > LOG_LINE_KEPT)
            line.len = LOG_LINE_KEPT;
        if (!s->skip)
            s->stopped = !show(self, line, at);
        s->skip = huge && !last;
        at += used;
    }
    memmove(s->buf, rest.at, rest.len);
    s->left = rest.len;
    s->offset = at;
}

enum status log_file_scan(const struct log_file *file, log_file_line line,
                          void *self, struct error *err)
{
    struct scan s = {.buf = mem_alloc(BLOCK + LOG_LINE_KEPT)};
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
