/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and cells of CSV: the window on the source, which is filled here and
 * cut into lines; header, cells, cells with quotes; names of columns and what
 * is known of them. */
#include "base/rows.h"

#include <csv.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/source.h"

#ifdef __SSE2__ /* defined on every x86-64 */
#include <emmintrin.h>
#endif

/* number of bytes that rows_split looks at together */
#define ROWS_WORD (size_t)64

struct rows {
    char *path;
    struct source *source;
    /* The window: buf[0] .. buf[end - 1] were read from the source. buf has
     * room for cap + ROWS_WORD bytes, so that a whole word of ROWS_WORD bytes
     * can be read at the end. */
    char *buf;
    size_t cap, end;
    size_t at;       /* index of the next byte to be read */
    size_t keep;     /* index of the first byte that is still needed */
    uint64_t passed; /* number of bytes of the source before the window */
    bool source_ended, has_quote, has_nul;
    char separator;       /* the character between cells */
    bool told;            /* true once `failure` was reported */
    struct error failure; /* status OK until the source fails */

    uint64_t line, next_line; /* number of the record's line, and of the line
                               * after the record */
    /* number of bytes of the record, which begins at `keep`; number of cells of
     * the record and of the header */
    size_t record_len, n_cells, n_header;
    /* The cells of the record. A word of ROWS_WORD bytes holds at most
     * ROWS_WORD separators, so up to ROWS_WORD cells above the limit are stored
     * before the limit is checked. */
    struct text cells[ROWS_CELLS_MAX + ROWS_WORD];
    char *header[ROWS_CELLS_MAX]; /* names of the columns */

    /* True if the record has quotes. Its cells then lie without quotes, one
     * after another, in `cooking`; cell i ends at offsets[i + 1]. */
    bool cooked;
    struct csv_parser csv;
    char *cooking;
    size_t cooking_len, cooking_cap, offsets[ROWS_CELLS_MAX + 1];
    bool row_done;      /* true if libcsv has seen the end of the record */
    unsigned n_rescans; /* number of records with a stray quote so far */
};

/* Cuts records without quotes into cells, ROWS_WORD bytes at a time. A loop
 * over single bytes takes 6 % more CPU time on a trace of 100,000 jobs
 * (docs/speed.md); libcsv takes five times as long as this loop. */

static const char *rows_feed(struct rows *r, const char *from, size_t n);
static enum status rows_take_line(struct rows *r, size_t *len,
                                  struct error *err);

/* Returns a mask in which bit i is set if byte i of the word is `wanted`. */
static inline uint64_t places_of(char wanted, const char *at)
{
    uint64_t bits = 0;
#ifdef __SSE2__
    const __m128i sought = _mm_set1_epi8(wanted);
    for (unsigned i = 0; i < ROWS_WORD; i += sizeof sought) {
        __m128i bytes =
            _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        __m128i hits = _mm_cmpeq_epi8(bytes, sought);
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(hits) << i;
    }
#else
    for (unsigned i = 0; i < ROWS_WORD; i++)
        bits |= (uint64_t)(at[i] == wanted) << i;
#endif
    return bits;
}

/* ROWS_WORD is large, because the processor mispredicts the number of commas
 * about once per word. */
static const char *rows_split(struct rows *r)
{
    const char *const begin = r->buf + r->keep, *end = r->buf + r->end;
    const char *cell = begin;
    const char separator = r->separator;
    struct text *to = r->cells;
    uint64_t stop = 0;
    for (const char *at = begin; at < end && !stop; at += ROWS_WORD) {
        stop = places_of('\n', at);
        uint64_t hits = places_of(separator, at) & (stop - 1) & ~stop;
        for (; hits; hits &= hits - 1) {
            const char *comma = at + __builtin_ctzll(hits);
            *to++ = (struct text){cell, (size_t)(comma - cell)};
            cell = comma + 1;
        }
        if (stop)
            end = at + __builtin_ctzll(stop);
        if (to >= r->cells + ROWS_CELLS_MAX)
            break;
    }
    const char *const rows_feed = stop ? end : NULL;
    end -= end > cell && end[-1] == '\r';
    *to++ = (struct text){cell, (size_t)(end - cell)};
    r->n_cells = (size_t)(to - r->cells);
    r->record_len = (size_t)(end - begin);
    return r->n_cells <= ROWS_CELLS_MAX ? rows_feed : NULL;
}

/* The header of a CSV file: which cell belongs to which column. */

/* Returns the cell with the first of `names` that the header has; -1 if it has
 * none of them, -2 if two cells have that name. */
static int rows_find_column(const struct rows *r, const char *names)
{
    struct text rest = text_from(names);
    while (rest.len) {
        struct text name = text_split(rest, '|', &rest);
        int found = -1;
        for (size_t i = 0; i < r->n_header; i++) {
            if (text_equal(text_from(r->header[i]), name))
                found = found == -1 ? (int)i : -2;
        }
        if (found != -1)
            return found;
    }
    return -1;
}

/* Fills the error with the names of all required columns that are missing,
 * column `first` before the others. Returns STATUS_BAD_INPUT. */
static enum status lacks(const struct rows *r,
                         const struct rows_column *columns, size_t n,
                         size_t first, struct error *err)
{
    char more[512] = "";
    size_t len = 0;
    for (size_t i = first + 1; i < n && len < sizeof more; i++) {
        if (columns[i].required && rows_find_column(r, columns[i].names) == -1)
            len += (size_t)snprintf(more + len, sizeof more - len, "%s%s",
                                    len ? ", " : ", and ", columns[i].names);
    }
    return rows_bad_at(r, r->line, 1, columns[first].names, err,
                       "the header lacks this column%s", more);
}

enum status rows_header(struct rows *r, const struct rows_column *columns,
                        size_t n, int16_t *at, struct error *err)
{
    enum status st = rows_next(r, err);
    if (st == STATUS_END)
        return rows_bad_at(r, 1, 1, "header", err, "there is no header line");
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < r->n_cells; i++) {
        struct text name = text_trim(r->cells[i]);
        r->header[i] = mem_copy(name.at ? name.at : "", name.len);
    }
    r->n_header = r->n_cells;
    for (size_t i = 0; i < n; i++) {
        int found = rows_find_column(r, columns[i].names);
        if (found == -2)
            return rows_bad_at(r, r->line, 1, columns[i].names, err,
                               "the header names this column twice");
        if (found == -1 && columns[i].required)
            return lacks(r, columns, n, i, err);
        at[i] = (int16_t)found;
    }
    return STATUS_OK;
}

enum status rows_header_numbers(struct rows *r, struct error *err)
{
    enum status st = rows_next(r, err);
    if (st == STATUS_END)
        return rows_bad_at(r, 1, 1, "file", err, "expected at least one row");
    if (st != STATUS_OK)
        return st;
    for (size_t i = 0; i < r->n_cells; i++) {
        char name[32];
        snprintf(name, sizeof name, "#%zu", i + 1);
        r->header[i] = mem_text(name);
    }
    r->n_header = r->n_cells;
    /* The window still holds the record, so that it can be read again. */
    r->at = r->keep;
    r->next_line = r->line;
    return STATUS_OK;
}

const char *rows_header_name(const struct rows *r, size_t cell)
{
    return cell < r->n_header ? r->header[cell] : NULL;
}

bool rows_head_names(struct text head, const char *const *names)
{
    struct text rest, line = text_split(head, '\n', &rest);
    if (line.len && line.at[line.len - 1] == '\r')
        line.len--;
    for (size_t i = 0; names[i]; i++) {
        bool found = false;
        struct text wanted = text_from(names[i]);
        while (wanted.len && !found) {
            struct text name = text_split(wanted, '|', &wanted), cells = line;
            while (cells.len && !found) {
                struct text cell = text_trim(text_split(cells, ',', &cells));
                if (cell.len >= 2 && cell.at[0] == '"')
                    cell = (struct text){cell.at + 1, cell.len - 2};
                found = text_equal(cell, name);
            }
        }
        if (!found)
            return false;
    }
    return true;
}

/* Reports the first column of a header that schedsim's own format does not
 * define. */

/* True if `name` is one of `names`, which `bar` separates. */
static bool rows_is_among(struct text name, const char *names, char bar)
{
    struct text rest = text_from(names);
    while (rest.len) {
        if (text_equal(text_split(rest, bar, &rest), name))
            return true;
    }
    return false;
}

/* Fills `names` with the names of the columns, as many as fit into `room`,
 * where the texts live. Returns their number. */
static size_t list_names(const struct rows_column *columns, size_t n,
                         char *room, size_t size, const char **names)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < n; i++) {
        struct text rest = text_from(columns[i].names);
        while (rest.len && count < ROWS_CELLS_MAX) {
            struct text name = text_split(rest, '|', &rest);
            if (used + name.len + 1 > size)
                return count;
            memcpy(room + used, name.at, name.len);
            room[used + name.len] = '\0';
            names[count++] = room + used;
            used += name.len + 1;
        }
    }
    return count;
}

static enum status nobody_reads(const struct rows *r, int cell,
                                const struct rows_column *columns, size_t n,
                                const char *ask, struct error *err)
{
    char room[4096];
    const char *names[ROWS_CELLS_MAX];
    struct text name = text_from(rows_header_name(r, (size_t)cell));
    size_t count = list_names(columns, n, room, sizeof room, names);
    const char *near = text_nearest(name, names, count);
    return rows_bad(r, cell, err, "no such column%s%s%s%.*s",
                    text_suggest(near).words, ask ? "; to skip it, say " : "",
                    ask ? ask : "", ask ? (int)name.len : 0, name.at);
}

enum status rows_header_known(const struct rows *r,
                              const struct rows_column *columns, size_t n,
                              const char *skip, const char *ask,
                              struct error *err)
{
    if (skip && strcmp(skip, "*") == 0)
        return STATUS_OK;
    for (size_t cell = 0; rows_header_name(r, cell); cell++) {
        struct text name = text_from(rows_header_name(r, cell));
        bool known = skip && rows_is_among(name, skip, '+');
        for (size_t i = 0; i < n && !known; i++)
            known = rows_is_among(name, columns[i].names, '|') ||
                    (name.len == 0 && columns[i].names[0] == '\0');
        if (!known)
            return nobody_reads(r, (int)cell, columns, n, ask, err);
    }
    return STATUS_OK;
}

/* Records that hold a quote go through libcsv. They are rare in traces. */

static void rows_on_cell(void *data, size_t len, void *self)
{
    struct rows *r = self;
    if (r->n_cells >= ROWS_CELLS_MAX) {
        r->n_cells = ROWS_CELLS_MAX + 1;
        return;
    }
    /* one spare byte: the cells of a record "" are empty but need an address */
    r->cooking =
        mem_grow(r->cooking, &r->cooking_cap, r->cooking_len + len + 1, 1);
    if (len)
        memcpy(r->cooking + r->cooking_len, data, len);
    r->cooking_len += len;
    r->offsets[++r->n_cells] = r->cooking_len;
}

static void rows_on_row(int c, void *self)
{
    (void)c;
    ((struct rows *)self)->row_done = true;
}

/* True for a carriage return, the only character that libcsv is to take for a
 * blank; only a line feed is to end a record. So lines may end in LF or CR LF,
 * and cells keep their spaces. */
static int rows_is_blank(unsigned char c)
{
    return c == '\r';
}

static int is_end(unsigned char c)
{
    return c == '\n';
}

static void reset_csv(struct rows *r)
{
    csv_free(&r->csv);
    csv_init(&r->csv, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(&r->csv, (unsigned char)r->separator);
    csv_set_space_func(&r->csv, rows_is_blank);
    csv_set_term_func(&r->csv, is_end);
    r->n_cells = r->cooking_len = 0;
    r->row_done = false;
}

/* Gives libcsv the n bytes at `from`, which belong to the record. Returns what
 * is wrong with them, or NULL. */
static const char *rows_feed(struct rows *r, const char *from, size_t n)
{
    /* true if the source has ended */
    bool ended = n == 0 || from[n - 1] != '\n';
    if (csv_parse(&r->csv, from, n, rows_on_cell, rows_on_row, r) == n &&
        (!ended || csv_fini(&r->csv, rows_on_cell, rows_on_row, r) == 0))
        return NULL;
    return ended ? "a quote that is not closed"
                 : "a quote inside an unquoted cell, or text after a closing "
                   "quote";
}

/* Reports a record with quotes that cannot be parsed; its first line has
 * `first` bytes. The quote is most likely stray, so reading resumes after
 * that line. This happens at most 1000 times, because each time may read up
 * to ROWS_LINE_MAX bytes again. Returns STATUS_BAD_INPUT. */
static enum status stray_quote(struct rows *r, size_t first, const char *wrong,
                               struct error *err)
{
    if (r->at - r->keep >= first && r->n_rescans++ < 1000) {
        r->at = r->keep + first;
        r->next_line = r->line + 1;
    }
    return rows_bad_at(r, r->line, 1, "row", err, "%s", wrong);
}

/* Parses a record with quotes, whose first line has been taken; takes more
 * lines while a quote is open. STATUS_BAD_INPUT if a quote is not closed or
 * stands in a wrong place, or if the source fails. */
static enum status rows_cook(struct rows *r, struct error *err)
{
    size_t first = r->at - r->keep, fed = 0;
    const char *wrong = NULL;
    reset_csv(r);
    r->cooked = true;
    while (!r->row_done && !wrong) {
        size_t n = r->at - r->keep - fed, len;
        const char *from = r->buf + r->keep + fed;
        bool ended = n == 0 || from[n - 1] != '\n';
        wrong = rows_feed(r, from, n);
        fed += n;
        if (r->row_done || wrong || ended)
            continue;
        enum status st = rows_take_line(r, &len, err);
        if (st == STATUS_BAD_INPUT && r->failure.status != STATUS_OK)
            return st;
        if (st == STATUS_BAD_INPUT)
            wrong = "a quote that is not closed";
    }
    r->record_len = r->at - r->keep;
    return wrong ? stray_quote(r, first, wrong, err) : STATUS_OK;
}

static void count_cell(void *data, size_t len, void *self)
{
    (void)data;
    (void)len;
    ++*(int *)self;
}

/* libcsv does not report where a cell began, so the record is read again, one
 * byte at a time. */
static size_t rows_cooked_column(const struct rows *r, int at)
{
    struct csv_parser csv;
    int n = 0;
    size_t i = 0;
    csv_init(&csv, 0);
    csv_set_delim(&csv, (unsigned char)r->separator);
    csv_set_space_func(&csv, rows_is_blank);
    csv_set_term_func(&csv, is_end);
    for (; i < r->record_len && n < at; i++)
        csv_parse(&csv, r->buf + r->keep + i, 1, count_cell, NULL, &n);
    csv_free(&csv);
    return i + 1;
}

#define ROWS_WINDOW (size_t)(256 * 1024)

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
            r->buf = mem_resize(r->buf, r->cap + ROWS_WORD);
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
    memset(r->buf + r->end, 0, ROWS_WORD);
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

static enum status rows_check_head(const struct rows *r, struct error *err)
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
    r->path = mem_text(strcmp(path, "-") == 0 ? "standard input" : path);
    r->source = source;
    r->cap = ROWS_WINDOW;
    r->buf = mem_alloc(r->cap + ROWS_WORD);
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
        st = rows_check_head(r, err);
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

void rows_skip_digest(struct rows *r)
{
    source_skip_digest(r->source);
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

/* Cuts the line at r->at and moves r->at past it. *len leaves out the line end.
 * The record of the line begins at r->keep. Returns what rows_line returns. */
static enum status rows_take_line(struct rows *r, size_t *len,
                                  struct error *err)
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

static enum status rows_take_record(struct rows *r, struct error *err)
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
        st = rows_take_record(r, err);
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
