/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first rows of a file, split into cells, and facts about the values of
 * each column. */
#include "traces/guess/guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/rows.h"
#include "traces/columns.h"
#include "traces/formats/csv.h"
#include "traces/formats/slurm_internal.h"

/* Formats of dates that are tried if the dates are not in ISO 8601. Of two
 * formats that differ in the order of month and day, the one with the month
 * first is tried first. */
static const char *const formats[] = {"%Y/%m/%d %H:%M:%S",
                                      "%Y/%m/%d %H:%M",
                                      "%Y.%m.%d %H:%M:%S",
                                      "%Y.%m.%d %H:%M",
                                      "%d.%m.%Y %H:%M:%S",
                                      "%d.%m.%Y %H:%M",
                                      "%d.%m.%Y, %H:%M:%S",
                                      "%d.%m.%Y, %H:%M",
                                      "%d.%m.%y %H:%M:%S",
                                      "%d.%m.%y %H:%M",
                                      "%m/%d/%Y %H:%M:%S",
                                      "%d/%m/%Y %H:%M:%S",
                                      "%m/%d/%Y %H:%M",
                                      "%d/%m/%Y %H:%M",
                                      "%m/%d/%Y, %H:%M:%S",
                                      "%d/%m/%Y, %H:%M:%S",
                                      "%m/%d/%Y, %H:%M",
                                      "%d/%m/%Y, %H:%M",
                                      "%m/%d/%Y %I:%M:%S %p",
                                      "%d/%m/%Y %I:%M:%S %p",
                                      "%m/%d/%Y %I:%M %p",
                                      "%d/%m/%Y %I:%M %p",
                                      "%m/%d/%Y, %I:%M:%S %p",
                                      "%m/%d/%Y, %I:%M %p",
                                      "%m/%d/%y %I:%M %p",
                                      "%m/%d/%y %I:%M:%S %p",
                                      "%m/%d/%y %H:%M:%S",
                                      "%d/%m/%y %H:%M:%S",
                                      "%m/%d/%y %H:%M",
                                      "%d/%m/%y %H:%M",
                                      "%m-%d-%Y %H:%M:%S",
                                      "%d-%m-%Y %H:%M:%S",
                                      "%m-%d-%Y %H:%M",
                                      "%d-%m-%Y %H:%M",
                                      "%Y-%m-%d %I:%M:%S %p",
                                      "%Y-%m-%d %I:%M %p",
                                      "%Y-%m-%d %H:%M:%S UTC",
                                      "%Y-%m-%d %H:%M:%S GMT",
                                      "%Y-%m-%d %H:%M UTC",
                                      "%Y-%m-%d-%H.%M.%S",
                                      "%Y-%m-%d_%H:%M:%S",
                                      "%Y-%m-%d_%H-%M-%S",
                                      "%Y-%m-%d-%H:%M:%S",
                                      "%Y/%m/%d-%H:%M:%S",
                                      "%Y/%m/%dT%H:%M:%S",
                                      "%d/%b/%Y:%H:%M:%S",
                                      "%Y%m%dT%H%M%S",
                                      "%Y%m%dT%H%M%SZ",
                                      "%Y%m%d %H:%M:%S",
                                      "%Y%m%d-%H%M%S",
                                      "%Y%m%d_%H%M%S",
                                      "%Y%m%d %H%M%S",
                                      "%a %b %d %H:%M:%S %Y",
                                      "%a %d %b %Y %H:%M:%S",
                                      "%a, %d %b %Y %H:%M:%S",
                                      "%a, %d %b %Y %H:%M:%S GMT",
                                      "%a %b %d %H:%M %Y",
                                      "%b %d %H:%M:%S %Y",
                                      "%b %d %H:%M %Y",
                                      "%b %d %Y %H:%M:%S",
                                      "%b %d %Y %H:%M",
                                      "%b %d, %Y %H:%M:%S",
                                      "%b %d, %Y %H:%M",
                                      "%b %d, %Y %I:%M:%S %p",
                                      "%b %d, %Y %I:%M %p",
                                      "%b %d, %Y, %I:%M %p",
                                      "%B %d, %Y %I:%M %p",
                                      "%d %b %Y %H:%M:%S",
                                      "%d %b %Y %H:%M",
                                      "%d %b %Y, %H:%M:%S",
                                      "%d %b %Y, %H:%M",
                                      "%d %b %y %H:%M",
                                      "%d-%b-%Y %H:%M:%S",
                                      "%d-%b-%Y %H:%M",
                                      "%d-%b-%y %H:%M:%S",
                                      "%d-%b-%y %H:%M",
                                      "%Y年%m月%d日 %H:%M:%S",
                                      "%Y年%m月%d日 %H:%M",
                                      "%Y年%m月%d日 %H時%M分%S秒",
                                      "%Y年%m月%d日 %H时%M分%S秒",
                                      "%Y/%m/%d",
                                      "%m/%d/%Y",
                                      "%d/%m/%Y",
                                      "%d.%m.%Y"};

static struct text sample_keep(struct arena *arena, struct text t)
{
    return (struct text){arena_copy(arena, t.at ? t.at : "", t.len), t.len};
}

/* Returns true if the line is not a header: one of its cells is a number or a
 * date. */
static bool sample_is_row(const struct rows *rows, size_t n)
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
        struct rows *made;
        st = records_open(*rows, &made, out->layout, err);
        if (st != STATUS_OK)
            return st;
        if (made) {
            rows_close(*rows);
            *rows = made;
        }
        out->separator = csv_likely_separator(rows_head(*rows));
        rows_separate(*rows, out->separator);
        st = numbers ? rows_header_numbers(*rows, err)
                     : rows_header(*rows, NULL, 0, NULL, err);
        out->n_columns = count_columns(*rows);
        numbers = st == STATUS_OK && sample_is_row(*rows, out->n_columns);
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

/* Returns true for a list of whole numbers such as "0,1,2" or "[0, 1]". */
static bool sample_is_list(struct text t)
{
    bool digits = false, marks = false;
    for (size_t i = 0; i < t.len; i++) {
        digits |= ascii_is_digit(t.at[i]);
        marks |= strchr(",;[", t.at[i]) != NULL;
        if (!ascii_is_digit(t.at[i]) && !strchr(" ,;[]", t.at[i]))
            return false;
    }
    return digits && marks;
}

/* Returns the number "1.234,5" as "1234.5"; an empty text if it is another
 * text. */
static struct text with_point(struct arena *arena, struct text t)
{
    char copy[64];
    size_t n = 0, commas = 0;
    if (t.len >= sizeof copy)
        return (struct text){"", 0};
    for (size_t i = 0; i < t.len; i++) {
        commas += t.at[i] == ',';
        if (!ascii_is_digit(t.at[i]) && !strchr(".,-", t.at[i]))
            return (struct text){"", 0};
        if (t.at[i] != '.')
            copy[n++] = t.at[i] == ',' ? '.' : t.at[i];
    }
    return commas == 1 ? sample_keep(arena, (struct text){copy, n})
                       : (struct text){"", 0};
}

/* Finds out whether numbers have a decimal comma: at least nine of ten values
 * of some column have one. Then writes all such numbers with a point. */
static void look_for_commas(struct sample *s)
{
    for (size_t k = 0; k < s->n_columns && s->separator != ','; k++) {
        size_t n = 0, m = 0;
        for (size_t i = 0; i < s->n_rows; i++) {
            const struct text t = sample_cell(s, i, k);
            n += t.len > 0;
            m += with_point(&s->arena, t).len > 0;
        }
        s->decimal_comma |= m >= 3 && m * 10 >= n * 9;
    }
    for (size_t i = 0; s->decimal_comma && i < s->n_rows * s->n_columns; i++) {
        const struct text t = with_point(&s->arena, s->cells[i]);
        if (t.len)
            s->cells[i] = t;
    }
}

/* Counts the ways in which a text can name GPUs. */
static void look_at_gpus(struct sample_column *c, struct text t)
{
    struct slurm_tres tres;
    struct text type;
    double number;
    const bool pairs = memchr(t.at, '=', t.len) != NULL;
    const bool listed = pairs && slurm_tres_read(t, &tres);
    if (!c->n_dates && !c->n_clocks) {
        c->n_worded += csv_worded_gpus(t, &number, &type);
        c->n_lists += sample_is_list(t);
    }
    c->n_gres += slurm_gres(t, &type) > 0;
    c->n_tres += listed;
    c->n_asked += pairs && !(listed && tres.gpus) && csv_asked_gpus(t, &number);
}

static void sample_look_at(struct sample_column *c, struct text t)
{
    double number;
    sim_time at;
    bool zoned = false;
    c->n++;
    look_at_words(c, t);
    if (text_to_double(t, &number)) {
        c->least =
            c->n_numbers ? (number < c->least ? number : c->least) : number;
        c->most = c->n_numbers ? (number > c->most ? number : c->most) : number;
        c->n_numbers++;
        const bool whole_number = number >= 0 && number <= UINT32_MAX &&
                                  number == (double)(uint32_t)number;
        c->n_whole += whole_number;
        c->n_fractions += number != floor(number);
    } else if (text_to_time(t, &at, &zoned)) {
        c->n_dates++;
        c->n_zoned += zoned;
    } else if (cells_is_clock(t)) {
        c->n_clocks++;
        const char *colon = memchr(t.at, ':', t.len);
        c->n_two += colon &&
                    !memchr(colon + 1, ':', (size_t)(t.at + t.len - colon) - 1);
    }
    look_at_gpus(c, t);
}

/* Numbers such as 20240501093000 are dates. */
static void look_for_digits(struct sample_column *c)
{
    static const char *const digits[] = {"%Y%m%d%H%M%S", "%Y%m%d%H%M"};
    for (size_t f = 0; f < 2 && c->n_numbers == c->n; f++) {
        const double least = f ? 1.99e11 : 1.99e13;
        if (c->least >= least && c->most < least * 1.05)
            c->format = digits[f];
    }
    if (c->format)
        c->n_numbers = c->n_whole = 0;
}

/* Finds the first two known formats of dates that fit all values of a column.
 */
static void look_for_formats(const struct sample *s, size_t column)
{
    struct sample_column *c = &s->columns[column];
    if (!c->n || c->n_dates)
        return;
    look_for_digits(c);
    if (c->n_numbers || c->format)
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
    look_for_commas(s);
    for (size_t k = 0; k < s->n_columns; k++) {
        for (size_t i = 0; i < s->n_rows; i++) {
            struct text t = sample_cell(s, i, k);
            if (t.len)
                sample_look_at(&s->columns[k], t);
        }
        look_for_formats(s, k);
    }
}

static void sample_add_row(struct sample *out, const struct rows *rows,
                           const struct csv_missing *missing)
{
    const size_t first = out->n_rows++ * out->n_columns;
    out->cells = mem_grow(out->cells, &out->cap_cells, first + out->n_columns,
                          sizeof *out->cells);
    for (size_t k = 0; k < out->n_columns; k++) {
        const struct text t = text_trim(rows_cell(rows, (int)k));
        out->cells[first + k] = csv_is_missing(missing, t)
                                    ? (struct text){"", 0}
                                    : sample_keep(&out->arena, t);
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
            sample_keep(&out->arena, text_from(rows_header_name(rows, k)));
    while (out->n_rows < SAMPLE_ROWS_MAX &&
           (st = rows_next(rows, err)) == STATUS_OK) {
        sample_add_row(out, rows, &missing);
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
