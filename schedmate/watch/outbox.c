/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the lines of the watch to a file or to standard output. */
#include "schedmate/watch/watch_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/out.h"

#define LINE_BEGIN "{\"seq\":"
/* Number of bytes at the end of the file that are searched for its last line. A
 * line has at most a few KiB, because its texts are cut. */
#define OUTBOX_TAIL (1u << 20)

struct outbox {
    struct store *store;
    char *path; /* path of the file; NULL: standard output */
    int fd;
    int64_t told;
    char *buf; /* lines to write; owned */
    size_t len, cap;
};

static enum status outbox_failed(const struct outbox *o, struct error *err)
{
    return error_set(err, STATUS_FAILED, "%s: cannot write: %s",
                     o->path ? o->path : "standard output", strerror(errno));
}

/* Returns the number in a line that was written for this state; 0 for any other
 * line. */
static int64_t outbox_number_of(const struct outbox *o, struct text line)
{
    char id[64];
    int64_t number;
    struct text rest;
    if (!text_starts(line, LINE_BEGIN))
        return 0;
    line = text_skip(line, strlen(LINE_BEGIN));
    struct text digits = text_split(line, ',', &rest);
    snprintf(id, sizeof id, "\"watch\":\"%s\",", store_id(o->store));
    return text_starts(rest, id) && text_to_i64(digits, &number) ? number : 0;
}

/* Removes an unfinished line at the end of the file. Refuses one that does not
 * begin as the lines of a watch do, because it belongs to another program. */
static enum status cut_unfinished(struct outbox *o, uint64_t size,
                                  struct text *tail, struct error *err)
{
    const char *newline = memrchr(tail->at, '\n', tail->len);
    size_t whole = newline ? (size_t)(newline - tail->at) + 1 : 0;
    struct text rest = text_skip(*tail, whole);
    size_t begin = strlen(LINE_BEGIN);
    if (rest.len == 0)
        return STATUS_OK;
    if (memcmp(rest.at, LINE_BEGIN, rest.len < begin ? rest.len : begin) != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: its last line was not written by schedsim "
                         "watch, so nothing is appended; name another file "
                         "with --out",
                         o->path);
    if (ftruncate(o->fd, (off_t)(size - rest.len)) != 0)
        return outbox_failed(o, err);
    tail->len = whole;
    return STATUS_OK;
}

/* Returns the number of the last line of this state in `tail`; 0 if there is
 * none. */
static int64_t last_number(const struct outbox *o, struct text tail)
{
    while (tail.len > 0) {
        const char *before =
            tail.len > 1 ? memrchr(tail.at, '\n', tail.len - 1) : NULL;
        size_t from = before ? (size_t)(before - tail.at) + 1 : 0;
        int64_t number = outbox_number_of(o, text_skip(tail, from));
        if (number)
            return number;
        tail.len = from;
    }
    return 0;
}

static enum status outbox_read_tail(struct outbox *o, struct error *err)
{
    struct stat about;
    if (fstat(o->fd, &about) != 0)
        return outbox_failed(o, err);
    if (!S_ISREG(about.st_mode))
        return STATUS_OK; /* a pipe or /dev/null: nothing to compare with */
    uint64_t size = (uint64_t)about.st_size;
    uint64_t from = size > OUTBOX_TAIL ? size - OUTBOX_TAIL : 0;
    char *buf = mem_alloc(OUTBOX_TAIL);
    ssize_t n = pread(o->fd, buf, OUTBOX_TAIL, (off_t)from);
    struct text tail = {buf, n > 0 ? (size_t)n : 0};
    enum status st = n < 0 ? outbox_failed(o, err) : STATUS_OK;
    if (st == STATUS_OK)
        st = cut_unfinished(o, size, &tail, err);
    if (st == STATUS_OK) {
        int64_t number = last_number(o, tail);
        if (number > store_last(o->store))
            st = error_set(err, STATUS_BAD_INPUT,
                           "%s: holds line %" PRId64
                           " of this state, whose last line is %" PRId64
                           ": the state is older than the output",
                           o->path, number, store_last(o->store));
        else if (number > o->told)
            o->told = number;
    }
    free(buf);
    return st;
}

static enum status outbox_open_file(struct outbox *o, struct error *err)
{
    if (!o->path)
        return STATUS_OK;
    o->fd =
        open(o->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0640);
    if (o->fd < 0)
        return outbox_failed(o, err);
    if (flock(o->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return error_set(err, STATUS_FAILED,
                         "%s: another program writes this output", o->path);
    return outbox_read_tail(o, err);
}

enum status outbox_open(const char *path, struct store *store,
                        struct outbox **out, struct error *err)
{
    struct outbox *o = mem_zalloc(1, sizeof *o);
    o->store = store;
    o->path = path ? mem_text(path) : NULL;
    o->fd = path ? -1 : STDOUT_FILENO;
    o->told = store_told(store);
    enum status st = outbox_open_file(o, err);
    if (st != STATUS_OK) {
        outbox_close(o);
        o = NULL;
    }
    *out = o;
    return st;
}

void outbox_close(struct outbox *o)
{
    if (!o)
        return;
    if (o->path && o->fd >= 0)
        close(o->fd);
    free(o->path);
    free(o->buf);
    free(o);
}

enum status outbox_renew(struct outbox *o, struct error *err)
{
    if (!o->path)
        return STATUS_OK;
    close(o->fd);
    return outbox_open_file(o, err);
}

static enum status outbox_add_line(void *self, int64_t number, struct text line,
                                   struct error *err)
{
    struct outbox *o = self;
    (void)err;
    o->buf = mem_grow(o->buf, &o->cap, o->len + line.len + 1, 1);
    memcpy(o->buf + o->len, line.at, line.len);
    o->buf[o->len + line.len] = '\n';
    o->len += line.len + 1;
    o->told = number;
    return STATUS_OK;
}

enum status outbox_flush(struct outbox *o, struct error *err)
{
    o->len = 0;
    if (o->told == store_last(o->store))
        return STATUS_OK;
    enum status st =
        store_each_line(o->store, o->told, outbox_add_line, o, err);
    for (size_t at = 0; at < o->len && st == STATUS_OK;) {
        ssize_t n = write(o->fd, o->buf + at, o->len - at);
        if (n < 0 && errno != EINTR)
            st = outbox_failed(o, err);
        at += n > 0 ? (size_t)n : 0;
    }
    if (st == STATUS_OK && o->path && !out_sync(o->fd))
        st = outbox_failed(o, err);
    return st;
}

int64_t outbox_told(const struct outbox *o)
{
    return o->told;
}
