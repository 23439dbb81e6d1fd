/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/guess/sample.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/rows.h"
#include "traces/cells.h"
#include "traces/formats/csv_cells.h"
#include "traces/formats/slurm_internal.h"

/* Formats of dates that are tried if the dates are not in ISO 8601. Of two
 * formats that differ in the order of month and day, the one with the month
 * first is tried first. */
static const char *const formats[] = {
    "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M",
    "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M",
    "%m/%d/%Y %H:%M:%S", "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",    "%d/%m/%Y %H:%M",
    "%Y%m%dT%H%M%S",     "%a %b %d %H:%M:%S %Y",
    "%b %d %Y %H:%M:%S", "%Y/%m/%d",
    "%m/%d/%Y",          "%d/%m/%Y"};

static struct text keep(struct arena *arena, struct text t)
{
    return (struct text){arena_copy(arena, t.at ? t.at : "", t.len), t.len};
}

/* Returns true if the line is not a header: one of its cells is a number or a
 * date. */
static bool is_row(const struct rows *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct text t = text_trim(text_from(rows_header_name(rows, i)));
        double number;
        sim_time at;
        if (text_to_double(t, &number) || text_to_time(t, &at, NULL))
            return true;
    }
    return false;
}

static size_t count_columns(const struct rows *rows)
{
    size_t n = 0;
    while (rows_header_name(rows, n))
        n++;
    return n;
}

/* Opens the file and reads its header. If the first line is not a header,
 * numbers the columns and reads that line as a row. */
static enum status open_rows(const char *path, struct sample *out,
                             struct rows **rows, struct error *err)
{
    bool numbers = false;
    for (int attempt = 0; attempt < 2; attempt++) {
        enum status st = rows_open(path, rows, err);
        if (st != STATUS_OK)
            return st;
        out->separator = csv_likely_separator(rows_head(*rows));
        rows_separate(*rows, out->separator);
        st = numbers ? rows_header_numbers(*rows, err)
                     : rows_header(*rows, NULL, 0, NULL, err);
        out->n_columns = count_columns(*rows);
        numbers = st == STATUS_OK && is_row(*rows, out->n_columns);
        if (st != STATUS_OK || attempt || !numbers) {
            out->has_header = !attempt;
            return st;
        }
        rows_close(*rows);
        *rows = NULL;
    }
    return STATUS_OK;
}

static void look_at_words(struct sample_column *c, struct text t)
{
    for (size_t i = 0; i < c->n_words && i < SAMPLE_WORDS_MAX; i++) {
        if (text_equal(c->words[i], t))
            return;
    }
    if (c->n_words < SAMPLE_WORDS_MAX)
        c->words[c->n_words] = t;
    c->n_words += c->n_words <= SAMPLE_WORDS_MAX;
}

static void look_at(struct sample_column *c, struct text t)
{
    struct slurm_tres tres;
    struct text type;
    double number;
    sim_time at;
    uint32_t whole;
    bool zoned = false;
    c->n++;
    look_at_words(c, t);
    if (text_to_double(t, &number)) {
        c->least =
            c->n_numbers ? (number < c->least ? number : c->least) : number;
        c->most = c->n_numbers ? (number > c->most ? number : c->most) : number;
        c->n_numbers++;
        c->n_whole += number >= 0 && number <= UINT32_MAX &&
                      number == (double)(uint32_t)number;
    } else if (text_to_time(t, &at, &zoned)) {
        c->n_dates++;
        c->n_zoned += zoned;
    } else if (cells_is_clock(t)) {
        c->n_clocks++;
    }
    whole = slurm_gres(t, &type);
    c->n_gres += whole > 0;
    c->n_tres += memchr(t.at, '=', t.len) && slurm_tres_read(t, &tres);
}

/* Finds the first two known formats of dates that fit all values of a column.
 */
static void look_for_formats(const struct sample *s, size_t column)
{
    struct sample_column *c = &s->columns[column];
    if (!c->n || c->n_numbers || c->n_dates)
        return;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        struct clock clock = {.format = formats[f]};
        bool all = true;
        for (size_t i = 0; i < s->n_rows && all; i++) {
            struct text t = sample_cell(s, i, column);
            sim_time at;
            all = !t.len || clock_read(&clock, t, &at);
        }
        if (all && !c->format)
            c->format = formats[f];
        else if (all && !c->or_format)
            c->or_format = formats[f];
    }
}

static void look_at_columns(struct sample *s)
{
    for (size_t k = 0; k < s->n_columns; k++) {
        for (size_t i = 0; i < s->n_rows; i++) {
            struct text t = sample_cell(s, i, k);
            if (t.len)
                look_at(&s->columns[k], t);
        }
        look_for_formats(s, k);
    }
}

static void add_row(struct sample *out, const struct rows *rows,
                    const struct csv_missing *missing)
{
    const size_t first = out->n_rows++ * out->n_columns;
    out->cells = mem_grow(out->cells, &out->cap_cells, first + out->n_columns,
                          sizeof *out->cells);
    for (size_t k = 0; k < out->n_columns; k++) {
        const struct text t = text_trim(rows_cell(rows, (int)k));
        out->cells[first + k] = csv_is_missing(missing, t)
                                    ? (struct text){"", 0}
                                    : keep(&out->arena, t);
    }
}

enum status sample_read(const char *path, struct sample *out, struct error *err)
{
    struct rows *rows = NULL;
    struct csv_missing missing = {0};
    *out = (struct sample){0};
    arena_init(&out->arena);
    enum status st = open_rows(path, out, &rows, err);
    if (st == STATUS_OK)
        st = csv_missing_set(&missing, NULL, err);
    if (st != STATUS_OK)
        goto out;
    out->columns =
        ARENA_ARRAY(&out->arena, struct sample_column, out->n_columns + 1);
    for (size_t k = 0; k < out->n_columns; k++)
        out->columns[k].name =
            keep(&out->arena, text_from(rows_header_name(rows, k)));
    while (out->n_rows < SAMPLE_ROWS_MAX &&
           (st = rows_next(rows, err)) == STATUS_OK) {
        add_row(out, rows, &missing);
    }
    st = st == STATUS_END ? STATUS_OK : st;
    look_at_columns(out);
out:
    rows_close(rows);
    return st;
}

void sample_free(struct sample *sample)
{
    free(sample->cells);
    arena_fini(&sample->arena);
}

struct text sample_cell(const struct sample *s, size_t row, size_t column)
{
    return s->cells[row * s->n_columns + column];
}
