/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that hold a quote go through libcsv. They are rare in traces. */
#include <string.h>

#include "base/arena.h"
#include "base/rows_internal.h"

static void on_cell(void *data, size_t len, void *self)
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

static void on_row(int c, void *self)
{
    (void)c;
    ((struct rows *)self)->row_done = true;
}

/* True for a carriage return, the only character that libcsv is to take for a
 * blank; only a line feed is to end a record. So lines may end in LF or CR LF,
 * and cells keep their spaces. */
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
    csv_set_delim(&r->csv, (unsigned char)r->separator);
    csv_set_space_func(&r->csv, is_blank);
    csv_set_term_func(&r->csv, is_end);
    r->n_cells = r->cooking_len = 0;
    r->row_done = false;
}

/* Gives libcsv the n bytes at `from`, which belong to the record. Returns what
 * is wrong with them, or NULL. */
static const char *feed(struct rows *r, const char *from, size_t n)
{
    /* true if the source has ended */
    bool ended = n == 0 || from[n - 1] != '\n';
    if (csv_parse(&r->csv, from, n, on_cell, on_row, r) == n &&
        (!ended || csv_fini(&r->csv, on_cell, on_row, r) == 0))
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

enum status rows_cook(struct rows *r, struct error *err)
{
    size_t first = r->at - r->keep, fed = 0;
    const char *wrong = NULL;
    reset_csv(r);
    r->cooked = true;
    while (!r->row_done && !wrong) {
        size_t n = r->at - r->keep - fed, len;
        const char *from = r->buf + r->keep + fed;
        bool ended = n == 0 || from[n - 1] != '\n';
        wrong = feed(r, from, n);
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
size_t rows_cooked_column(const struct rows *r, int at)
{
    struct csv_parser csv;
    int n = 0;
    size_t i = 0;
    csv_init(&csv, 0);
    csv_set_delim(&csv, (unsigned char)r->separator);
    csv_set_space_func(&csv, is_blank);
    csv_set_term_func(&csv, is_end);
    for (; i < r->record_len && n < at; i++)
        csv_parse(&csv, r->buf + r->keep + i, 1, count_cell, NULL, &n);
    csv_free(&csv);
    return i + 1;
}
