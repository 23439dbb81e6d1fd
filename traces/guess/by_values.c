/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the columns of keys by their values alone, for files whose names say
 * nothing or that have no header. */
#include "traces/columns.h"
#include "traces/guess/guess_internal.h"

/* Reads a cell of a column of times: a number in the unit of the column, or a
 * date in seconds since 1970. Returns false for any other text. */
static bool values_read_time(const struct sample *s, size_t row, size_t column,
                             double *out)
{
    struct clock clock = {.format = s->columns[column].format};
    const struct text t = sample_cell(s, row, column);
    sim_time at;
    if (text_to_double(t, out))
        return true;
    if (!clock_read(&clock, t, &at))
        return false;
    *out = span_seconds(at);
    return true;
}

static bool is_time(const struct sample_column *c)
{
    return c->n &&
           (c->n_dates == c->n || c->format ||
            (c->n_numbers == c->n && values_epoch_unit(c->least) &&
             values_epoch_unit(c->least) == values_epoch_unit(c->most)));
}

/* Returns true if at least one row has both times and column `a` is not after
 * column `b` in any of these rows. Takes the units of the two columns to be
 * equal. */
static bool is_never_after(const struct sample *s, size_t a, size_t b)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        double x, y;
        if (!values_read_time(s, i, a, &x) || !values_read_time(s, i, b, &y))
            continue;
        if (x > y)
            return false;
        n++;
    }
    return n > 0;
}

/* Sorts up to three columns of times by their values. Returns false if two
 * columns are in different orders in different rows, or if no row has both. */
static bool put_in_order(const struct sample *s, size_t at[3], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (is_never_after(s, at[i], at[k]))
                continue;
            if (!is_never_after(s, at[k], at[i]))
                return false;
            const size_t other = at[i];
            at[i] = at[k];
            at[k] = other;
        }
    }
    return true;
}

void by_values_times(struct guessing *g)
{
    static const enum csv_key keys[3] = {CSV_SUBMIT, CSV_START, CSV_END};
    const struct sample *s = &g->out->sample;
    size_t at[3], n = 0;
    if (g->column_of[CSV_SUBMIT] >= 0 || g->column_of[CSV_START] >= 0 ||
        g->column_of[CSV_END] >= 0)
        return;
    for (size_t k = 0; k < s->n_columns; k++) {
        if (!is_time(&s->columns[k]) || guess_takes(g, k))
            continue;
        if (n == 3)
            return;
        at[n++] = k;
    }
    if ((n != 1 && n != 3) || !put_in_order(s, at, n))
        return;
    for (size_t i = 0; i < n; i++)
        g->column_of[keys[i]] = (int)at[i];
    g->why_times = n == 1 ? "the only column of times"
                          : "three columns of times, in this order in all rows";
}

/* Returns true if all values are whole numbers up to 8192, at least two of them
 * differ, and at least nine of ten are powers of two. */
static bool looks_like_gpus(const struct sample *s, size_t column)
{
    const struct sample_column *c = &s->columns[column];
    size_t n_powers = 0;
    if (!c->n || c->n_whole != c->n || c->most > 8192 || c->n_words < 2)
        return false;
    for (size_t i = 0; i < s->n_rows; i++) {
        uint32_t value;
        const struct text t = sample_cell(s, i, column);
        if (!t.len)
            continue;
        if (!text_to_u32(t, &value))
            return false;
        n_powers += value && (value & (value - 1)) == 0;
    }
    return n_powers * 10 >= c->n * 9;
}

void by_values_gpus(struct guessing *g)
{
    const struct sample *s = &g->out->sample;
    int only = -1;
    if (g->column_of[CSV_GPUS] >= 0 || g->column_of[GUESS_GPUS_EACH] >= 0)
        return;
    for (size_t k = 0; k < s->n_columns; k++) {
        const struct sample_column *c = &s->columns[k];
        if (!guess_takes(g, k) && c->n && (c->n_gres * 2 > c->n)) {
            g->column_of[CSV_GPUS] = (int)k;
            g->why_gpus = "its values are Slurm's lists of GPUs";
            return;
        }
    }
    for (size_t k = 0; k < s->n_columns; k++) {
        const struct sample_column *c = &s->columns[k];
        if (!guess_takes(g, k) && c->n_asked * 10 > c->n) {
            g->column_of[CSV_GPUS] = (int)k;
            g->why_gpus = "its values are requests that name GPUs";
            return;
        }
    }
    for (size_t k = 0; k < s->n_columns; k++) {
        if (guess_takes(g, k) || !looks_like_gpus(s, k))
            continue;
        if (only >= 0)
            return;
        only = (int)k;
    }
    if (only < 0)
        return;
    g->column_of[CSV_GPUS] = only;
    g->why_gpus = "the only column of powers of two; no name says it";
}
