/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/live/log_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "schedmate/logs/log_lines.h"

/* Largest numbers of bytes that are read for a window. WINDOW_BYTES: from the
 * error on, or for the last lines. BEFORE_BYTES: before the error. 200 lines
 * seldom exceed 100 KiB. The limits keep a log with endless lines from being
 * read whole. */
#define WINDOW_BYTES (1u << 20)
#define BEFORE_BYTES (128u << 10)

static bool feed(void *self, struct text line, uint64_t offset)
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
static struct text skip(struct text text, uint64_t lines)
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
    struct text from = skip(c->held, line % c->index->stride);
    struct text rest = skip(from, c->chunk);
    *out = (struct text){from.at, (size_t)(rest.at - from.at)};
    c->offset = c->index->at[entry] + (uint64_t)(from.at - c->held.at);
    return true;
}

static enum status search(struct log_file *file,
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

static enum status locate(struct log_file *file,
                          const struct locator_config *config,
                          struct log_classifier *classifier,
                          const struct log_knowledge *knowledge,
                          struct located *out, struct error *err)
{
    struct locator l;
    if (config->method == LOCATE_BINARY)
        return search(file, config, classifier, out, err);
    locator_start(&l, config, classifier, knowledge);
    enum status st = log_file_scan(file, feed, &l, err);
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
    enum status st =
        locate(file, locator, classifier, knowledge, &out->located, err);
    if (st == STATUS_OK && out->located.found)
        st = read_around(file, handler->window, out, err);
    return st;
}

void log_window_fini(struct log_window *window)
{
    free((char *)(uintptr_t)window->text.at);
    *window = (struct log_window){0};
}
