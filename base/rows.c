/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window on the source. It is filled here and cut into lines.
 * rows_split.c cuts a line into cells, or rows_quoted.c if the line holds a
 * quote. */
#include "base/rows_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define WINDOW (size_t)(256 * 1024)
/* Fills the error with the failure of the source, at the line that could not be
 * read. Returns the status of the failure. */
static enum status tell_failure(const struct rows *r, struct error *err)
{
    return error_set(err, r->failure.status, "%s:%" PRIu64 ":1: %s", r->path,
                     r->next_line, r->failure.message);
}

/* Makes room after the bytes that are kept and reads once. Once the source has
 * failed, each call returns its error again. */
static enum status refill(struct rows *r, struct error *err)
{
    enum status st = r->failure.status;
    size_t got = 0, kept = r->end - r->keep;
    if (st == STATUS_OK) {
        memmove(r->buf, r->buf + r->keep, kept);
        r->at -= r->keep;
        r->passed += r->keep;
        r->end = kept;
        r->keep = 0;
        if (kept == r->cap) {
            r->cap *= 2;
            r->buf = mem_resize(r->buf, r->cap + WORD);
        }
        st = source_read(r->source, r->buf + kept, r->cap - kept, &got,
                         &r->failure);
    }
    if (st != STATUS_OK) {
        r->source_ended = true;
        return tell_failure(r, err);
    }
    const char *fresh = r->buf + kept;
    r->source_ended = got == 0;
    r->has_quote = (kept && r->has_quote) || memchr(fresh, '"', got);
    r->has_nul = (kept && r->has_nul) || memchr(fresh, '\0', got);
    r->end += got;
    memset(r->buf + r->end, 0, WORD);
    return STATUS_OK;
}

enum status rows_bad_at(const struct rows *r, uint64_t line, size_t column,
                        const char *field, struct error *err, const char *fmt,
                        ...)
{
    char words[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    return error_set(err, STATUS_BAD_INPUT, "%s:%" PRIu64 ":%zu: %.64s: %s",
                     r->path, line, column, field, words);
}

static enum status check_head(const struct rows *r, struct error *err)
{
    const char *at = r->buf + r->at;
    size_t len = r->end - r->at;
    if (len == 0)
        return rows_bad_at(r, 1, 1, "file", err, "empty file");
    if (len >= 2 && (!memcmp(at, "\xff\xfe", 2) || !memcmp(at, "\xfe\xff", 2)))
        return rows_bad_at(r, 1, 1, "file", err,
                           "UTF-16 text; expected UTF-8 or ASCII");
    return STATUS_OK;
}

static enum status open_source(struct source *source, const char *path,
                               struct rows **out, struct error *err)
{
    enum status st = STATUS_OK;
    struct rows *r = mem_zalloc(1, sizeof *r);
    r->path = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    r->source = source;
    r->cap = WINDOW;
    r->buf = mem_alloc(r->cap + WORD);
    r->next_line = 1;
    r->separator = ',';
    csv_init(&r->csv, CSV_STRICT | CSV_STRICT_FINI);
    /* A failure here is not reported if some bytes were read: refill reports it
     * when the reader has used up those bytes. */
    while (r->end < ROWS_HEAD_MAX && !r->source_ended && st == STATUS_OK)
        st = refill(r, err);
    if (r->end >= 3 && memcmp(r->buf, "\xef\xbb\xbf", 3) == 0)
        r->at = r->keep = 3;
    if (st == STATUS_OK || r->end > r->at)
        st = check_head(r, err);
    if (st != STATUS_OK) {
        rows_close(r);
        return st;
    }
    *out = r;
    return STATUS_OK;
}

enum status rows_open(const char *path, struct rows **out, struct error *err)
{
    struct source *source;
    enum status st = source_open(path, &source, err);
    return st == STATUS_OK ? open_source(source, path, out, err) : st;
}

enum status rows_take(int fd, const char *name, struct rows **out,
                      struct error *err)
{
    struct source *source;
    enum status st = source_take(fd, name, &source, err);
    return st == STATUS_OK ? open_source(source, name, out, err) : st;
}

const char *rows_path(const struct rows *r)
{
    return r->path;
}

void rows_close(struct rows *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n_header; i++)
        free(r->header[i]);
    csv_free(&r->csv);
    source_close(r->source);
    free(r->cooking);
    free(r->buf);
    free(r->path);
    free(r);
}

struct text rows_head(const struct rows *r)
{
    size_t len = r->end - r->at;
    return (struct text){r->buf + r->at,
                         len < ROWS_HEAD_MAX ? len : ROWS_HEAD_MAX};
}

const char *rows_digest(const struct rows *r)
{
    return source_digest(r->source);
}

uint64_t rows_expected(const struct rows *r)
{
    uint64_t read = r->passed + r->at;
    return read ? source_size(r->source) / (read / r->next_line + 1) : 0;
}

static enum status skip_long_line(struct rows *r, struct error *err)
{
    uint64_t line = r->next_line;
    for (;;) {
        char *hit = memchr(r->buf + r->at, '\n', r->end - r->at);
        r->at = r->keep = hit ? (size_t)(hit - r->buf) + 1 : r->end;
        if (hit || r->source_ended)
            break;
        if (refill(r, NULL) != STATUS_OK)
            break;
    }
    r->next_line++;
    return rows_bad_at(r, line, 1, "line", err,
                       "longer than %zu bytes; is this a trace?",
                       ROWS_LINE_MAX);
}

enum status rows_take_line(struct rows *r, size_t *len, struct error *err)
{
    char *hit = memchr(r->buf + r->at, '\n', r->end - r->at);
    for (size_t seen = 0; !hit; seen = r->end - r->at) {
        if (r->end - r->keep > ROWS_LINE_MAX)
            return skip_long_line(r, err);
        if (r->source_ended && r->failure.status == STATUS_OK) {
            if (r->at == r->end)
                return STATUS_END;
            break;
        }
        enum status st = r->told ? STATUS_END : refill(r, err);
        if (st != STATUS_OK) {
            r->at = r->keep = r->end;
            r->told = true;
            return st;
        }
        hit = memchr(r->buf + r->at + seen, '\n', r->end - r->at - seen);
    }
    size_t n = hit ? (size_t)(hit - r->buf) - r->at : r->end - r->at;
    const char *line = r->buf + r->at;
    if (r->at + n - r->keep > ROWS_LINE_MAX)
        return skip_long_line(r, err);
    r->at += n + (hit != NULL);
    r->next_line++;
    *len = n && line[n - 1] == '\r' ? n - 1 : n;
    const char *nul = r->has_nul ? memchr(line, '\0', n) : NULL;
    if (nul)
        return rows_bad_at(r, r->next_line - 1, (size_t)(nul - line) + 1,
                           "byte", err, "a NUL byte; this is not a text file");
    return STATUS_OK;
}

static enum status begin_record(struct rows *r, struct error *err)
{
    r->keep = r->at;
    r->line = r->next_line;
    r->cooked = false;
    r->n_cells = 0;
    return rows_take_line(r, &r->record_len, err);
}

enum status rows_line(struct rows *r, struct text *line, struct error *err)
{
    enum status st = begin_record(r, err);
    if (st == STATUS_OK)
        *line = (struct text){r->buf + r->keep, r->record_len};
    return st;
}

int rows_byte(struct rows *r)
{
    if (r->at == r->end) {
        r->keep = r->at;
        if (r->source_ended || refill(r, NULL) != STATUS_OK || r->source_ended)
            return -1;
    }
    unsigned char c = (unsigned char)r->buf[r->at++];
    r->next_line += c == '\n';
    r->line = r->next_line;
    return c;
}

enum status rows_byte_status(const struct rows *r, struct error *err)
{
    return r->failure.status == STATUS_OK ? STATUS_OK : tell_failure(r, err);
}

static enum status cut_cells(struct rows *r, struct error *err)
{
    if (r->has_quote && memchr(r->buf + r->keep, '"', r->record_len)) {
        enum status st = rows_cook(r, err);
        if (st != STATUS_OK)
            return st;
        for (size_t i = 0; i < r->n_cells && i < ROWS_CELLS_MAX; i++)
            r->cells[i] = (struct text){r->cooking + r->offsets[i],
                                        r->offsets[i + 1] - r->offsets[i]};
    } else {
        rows_split(r);
    }
    if (r->n_cells > ROWS_CELLS_MAX)
        return rows_bad_at(r, r->line, 1, "row", err, "more than %d cells",
                           ROWS_CELLS_MAX);
    return STATUS_OK;
}

/* Takes a plain record, as most are: a line that ends inside the window and
 * needs no special handling. Returns false and takes nothing if the record
 * is not plain. */
static bool take_plain(struct rows *r)
{
    if (r->has_quote || r->has_nul)
        return false;
    r->keep = r->at;
    const char *feed = rows_split(r);
    if (!feed || feed - (r->buf + r->at) > (ptrdiff_t)ROWS_LINE_MAX)
        return false;
    r->at = (size_t)(feed - r->buf) + 1;
    r->line = r->next_line++;
    r->cooked = false;
    return true;
}

static enum status take_record(struct rows *r, struct error *err)
{
    if (take_plain(r))
        return STATUS_OK;
    enum status st = begin_record(r, err);
    return st == STATUS_OK ? cut_cells(r, err) : st;
}

static bool is_blank_record(const struct rows *r)
{
    const struct text record = {r->buf + r->keep, r->record_len};
    return r->n_cells == 1 && text_trim(record).len == 0;
}

enum status rows_next(struct rows *r, struct error *err)
{
    enum status st;
    do {
        st = take_record(r, err);
    } while (st == STATUS_OK && is_blank_record(r));
    if (st == STATUS_OK && r->n_header && r->n_cells != r->n_header)
        st = rows_bad_at(r, r->line, 1, "row", err,
                         "%zu cells, but the header names %zu columns",
                         r->n_cells, r->n_header);
    return st;
}

struct text rows_cell(const struct rows *r, int at)
{
    return at < 0 ? (struct text){NULL, 0} : r->cells[at];
}

const struct text *rows_cells(const struct rows *r)
{
    return r->cells;
}

void rows_set_cell(struct rows *r, int at, struct text value)
{
    r->cells[at] = value;
}

void rows_separate(struct rows *r, char separator)
{
    r->separator = separator;
}

uint64_t rows_line_number(const struct rows *r)
{
    return r->line;
}

enum status rows_bad(const struct rows *r, int at, struct error *err,
                     const char *fmt, ...)
{
    char words[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    size_t column = 1;
    if (at >= 0)
        column = r->cooked ? rows_cooked_column(r, at)
                           : (size_t)(r->cells[at].at - (r->buf + r->keep)) + 1;
    return rows_bad_at(r, r->line, column,
                       at >= 0 && (size_t)at < r->n_header ? r->header[at]
                                                           : "row",
                       err, "%s", words);
}
