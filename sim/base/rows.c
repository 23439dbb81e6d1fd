/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window of 256 KiB is cut into lines and cells, 64 bytes at a time. libcsv
 * looks at each byte through a state machine and is five times slower; only a
 * record that holds a quote goes through libcsv, and such records are rare in
 * traces. */
#include "sim/base/rows.h"

#include <csv.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__ /* on every x86-64 */
#include <emmintrin.h>
#endif

#include "sim/base/arena.h"
#include "sim/base/source.h"

#define WINDOW (size_t)(256 * 1024)
#define WORD (size_t)64

struct rows {
    char *path;
    struct source *source;
    char *buf; /* WORD bytes longer than cap, so that a word may be read at its
                  end */
    size_t cap, end;
    size_t at;       /* the next byte to be read */
    size_t keep;     /* the first byte that is still needed */
    uint64_t passed; /* bytes before the window */
    bool source_ended, has_quote, has_nul, told;
    struct error failure; /* status OK until the source fails */

    uint64_t line, next_line;
    size_t record_len, n_cells, n_header; /* the record begins at `keep` */
    struct text
        cells[ROWS_CELLS_MAX + WORD]; /* a word holds at most WORD commas */
    char *header[ROWS_CELLS_MAX];

    bool cooked; /* the cells lie in `cooking`, filled by libcsv */
    struct csv_parser csv;
    char *cooking;
    size_t cooking_len, cooking_cap, offsets[ROWS_CELLS_MAX + 1];
    bool row_done;
    unsigned n_rescans;
};

/* Reports the failure of the source at the line that cannot be read, when the
 * reader comes to that line. */
static enum status tell_failure(const struct rows *r, struct error *err)
{
    return error_set(err, r->failure.status, "%s:%" PRIu64 ":1: %s", r->path,
                     r->next_line, r->failure.message);
}

/* Makes room after the bytes that are kept and reads once. */
static enum status refill(struct rows *r, struct error *err)
{
    enum status st = r->failure.status;
    size_t got = 0, kept = r->end - r->keep;
    source_release(r->source);
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
                           "UTF-16 text; UTF-8 or ASCII is read");
    return STATUS_OK;
}

enum status rows_open(const char *path, struct rows **out, struct error *err)
{
    struct source *source;
    enum status st = source_open(path, &source, err);
    if (st != STATUS_OK)
        return st;
    struct rows *r = mem_zalloc(1, sizeof *r);
    r->path = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
    r->source = source;
    r->cap = WINDOW;
    r->buf = mem_alloc(r->cap + WORD);
    r->next_line = 1;
    csv_init(&r->csv, CSV_STRICT | CSV_STRICT_FINI);
    /* A failure here is not reported: the source fails again where its earlier
     * bytes are used. */
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

/* Cuts the line at r->at; *len leaves out the line end. The record of the line
 * begins at r->keep. */
static enum status take_line(struct rows *r, size_t *len, struct error *err)
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
    source_digest_block(r->source);
    return take_line(r, &r->record_len, err);
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

/* Returns a bit set: bit i is set if byte i of WORD is `wanted`. */
static inline uint64_t places_of(char wanted, const char *at)
{
    uint64_t bits = 0;
#ifdef __SSE2__
    const __m128i sought = _mm_set1_epi8(wanted);
    for (unsigned i = 0; i < WORD; i += sizeof sought) {
        __m128i bytes =
            _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        __m128i hits = _mm_cmpeq_epi8(bytes, sought);
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(hits) << i;
    }
#else
    for (unsigned i = 0; i < WORD; i++)
        bits |= (uint64_t)(at[i] == wanted) << i;
#endif
    return bits;
}

/* Cuts the record at r->keep into cells. Returns its line feed; NULL if the
 * window ends first, or there are more cells than ROWS_CELLS_MAX. WORD is
 * large, because the processor guesses the number of commas wrong about once a
 * word. */
static const char *split(struct rows *r)
{
    const char *const begin = r->buf + r->keep, *end = r->buf + r->end;
    const char *cell = begin;
    struct text *to = r->cells;
    uint64_t stop = 0;
    for (const char *at = begin; at < end && !stop; at += WORD) {
        stop = places_of('\n', at);
        uint64_t hits = places_of(',', at) & (stop - 1) & ~stop;
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
    const char *const feed = stop ? end : NULL;
    end -= end > cell && end[-1] == '\r';
    *to++ = (struct text){cell, (size_t)(end - cell)};
    r->n_cells = (size_t)(to - r->cells);
    r->record_len = (size_t)(end - begin);
    return r->n_cells <= ROWS_CELLS_MAX ? feed : NULL;
}

static void on_cell(void *data, size_t len, void *self)
{
    struct rows *r = self;
    if (r->n_cells >= ROWS_CELLS_MAX) {
        r->n_cells = ROWS_CELLS_MAX + 1;
        return;
    }
    /* one byte more: the cells of a record "" are empty, but need an address */
    r->cooking =
        mem_grow(r->cooking, &r->cooking_cap, r->cooking_len + len + 1, 1);
    if (len)
        memcpy(r->cooking + r->cooking_len, data, len);
    r->cooking_len += len;
    r->offsets[++r->n_cells] = r->cooking_len;
}

static void on_row(int c, void *self)
{
    (void)c;
    ((struct rows *)self)->row_done = true;
}

/* A carriage return is a blank and only a line feed ends a record, so that both
 * kinds of line end are read and other blanks are kept. */
static int is_blank(unsigned char c)
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
    csv_set_space_func(&r->csv, is_blank);
    csv_set_term_func(&r->csv, is_end);
    r->n_cells = r->cooking_len = 0;
    r->row_done = false;
}

/* Parses a record with quotes, whose first line has been taken; takes more
 * lines while a quote is open. */
static enum status cook(struct rows *r, struct error *err)
{
    size_t first = r->at - r->keep, fed = 0;
    const char *wrong = NULL;
    reset_csv(r);
    r->cooked = true;
    while (!r->row_done && !wrong) {
        size_t n = r->at - r->keep - fed, len;
        const char *from = r->buf + r->keep + fed;
        bool ended = n == 0 || from[n - 1] != '\n';
        if (csv_parse(&r->csv, from, n, on_cell, on_row, r) != n ||
            (ended && csv_fini(&r->csv, on_cell, on_row, r) != 0))
            wrong = ended ? "a quote that is not closed"
                          : "a quote inside an unquoted cell, or text after a "
                            "closing quote";
        fed += n;
        if (!r->row_done && !wrong && !ended) {
            enum status st = take_line(r, &len, err);
            if (st == STATUS_BAD_INPUT && r->failure.status != STATUS_OK)
                return st;
            if (st == STATUS_BAD_INPUT)
                wrong = "a quote that is not closed";
        }
    }
    r->record_len = r->at - r->keep;
    if (!wrong)
        return STATUS_OK;
    /* The quote is most likely stray: go on after its line. Only 1000 times,
     * because each time may read up to ROWS_LINE_MAX bytes again. */
    if (r->at - r->keep >= first && r->n_rescans++ < 1000) {
        r->at = r->keep + first;
        r->next_line = r->line + 1;
    }
    return rows_bad_at(r, r->line, 1, "row", err, "%s", wrong);
}

static enum status cut_cells(struct rows *r, struct error *err)
{
    if (r->has_quote && memchr(r->buf + r->keep, '"', r->record_len)) {
        enum status st = cook(r, err);
        if (st != STATUS_OK)
            return st;
        for (size_t i = 0; i < r->n_cells && i < ROWS_CELLS_MAX; i++)
            r->cells[i] = (struct text){r->cooking + r->offsets[i],
                                        r->offsets[i + 1] - r->offsets[i]};
    } else {
        split(r);
    }
    if (r->n_cells > ROWS_CELLS_MAX)
        return rows_bad_at(r, r->line, 1, "row", err, "more than %d cells",
                           ROWS_CELLS_MAX);
    return STATUS_OK;
}

/* Takes a plain record, as most are: a line that ends inside a window and has
 * nothing special. False, with nothing taken, if the record is not plain. */
static bool take_plain(struct rows *r)
{
    if (r->has_quote || r->has_nul)
        return false;
    r->keep = r->at;
    const char *feed = split(r);
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
    source_digest_block(r->source);
    if (st == STATUS_OK && r->n_header && r->n_cells != r->n_header)
        st = rows_bad_at(r, r->line, 1, "row", err,
                         "has %zu cells where the header names %zu", r->n_cells,
                         r->n_header);
    return st;
}

struct text rows_cell(const struct rows *r, int at)
{
    return at < 0 ? (struct text){NULL, 0} : r->cells[at];
}

uint64_t rows_line_number(const struct rows *r)
{
    return r->line;
}

/* Returns the cell of the header that has one of `names`; -1 if none has, -2 if
 * two have. */
static int find_column(const struct rows *r, const char *names)
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

/* Names all columns that are missing at once, column `first` before the
 * others. */
static enum status lacks(const struct rows *r,
                         const struct rows_column *columns, size_t n,
                         size_t first, struct error *err)
{
    char more[512] = "";
    size_t len = 0;
    for (size_t i = first + 1; i < n && len < sizeof more; i++) {
        if (columns[i].required && find_column(r, columns[i].names) == -1)
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
        r->header[i] = strndup(name.at ? name.at : "", name.len);
    }
    r->n_header = r->n_cells;
    for (size_t i = 0; i < n; i++) {
        int found = find_column(r, columns[i].names);
        if (found == -2)
            return rows_bad_at(r, r->line, 1, columns[i].names, err,
                               "the header names this column twice");
        if (found == -1 && columns[i].required)
            return lacks(r, columns, n, i, err);
        at[i] = (int16_t)found;
    }
    return STATUS_OK;
}

const char *rows_header_name(const struct rows *r, size_t cell)
{
    return cell < r->n_header ? r->header[cell] : NULL;
}

static void count_cell(void *data, size_t len, void *self)
{
    (void)data;
    (void)len;
    ++*(int *)self;
}

/* libcsv does not report where a cell began, so the record is read again, one
 * byte at a time. */
static size_t cooked_column(const struct rows *r, int at)
{
    struct csv_parser csv;
    int n = 0;
    size_t i = 0;
    csv_init(&csv, 0);
    csv_set_space_func(&csv, is_blank);
    csv_set_term_func(&csv, is_end);
    for (; i < r->record_len && n < at; i++)
        csv_parse(&csv, r->buf + r->keep + i, 1, count_cell, NULL, &n);
    csv_free(&csv);
    return i + 1;
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
        column = r->cooked ? cooked_column(r, at)
                           : (size_t)(r->cells[at].at - (r->buf + r->keep)) + 1;
    return rows_bad_at(r, r->line, column,
                       at >= 0 && (size_t)at < r->n_header ? r->header[at]
                                                           : "row",
                       err, "%s", words);
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
