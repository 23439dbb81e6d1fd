/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

const char *const interval_lack_words[] = {
    [INTERVAL_FEW_JOBS] = "few-jobs",
    [INTERVAL_FEW_STRETCHES] = "few-stretches",
};

/* Fills cells[c] with the mean of the values of cell c. */
static void interval_cut(const double *values, size_t n, double *cells,
                         size_t n_cells)
{
    size_t i = 0;
    for (size_t c = 0; c < n_cells; c++) {
        const size_t from = i, to = (c + 1) * n / n_cells;
        double sum = 0;
        for (; i < to; i++)
            sum += values[i];
        cells[c] = sum / (double)(to - from);
    }
}

/* Returns the variance of the mean of the values, cut into at most `n` cells,
 * with the correlation of neighbouring cells, and sets *stretches to the number
 * of independent cells that would have it. */
static double variance_of(const double *values, size_t n_values, size_t n,
                          double *stretches)
{
    double cells[INTERVAL_CELLS], mean = 0, squares = 0, products = 0;
    n = n_values < n ? n_values : n;
    interval_cut(values, n_values, cells, n);
    for (size_t i = 0; i < n; i++)
        mean += cells[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double d = cells[i] - mean;
        squares += d * d;
        products += i ? d * (cells[i - 1] - mean) : 0;
    }
    *stretches = (double)n;
    if (!(squares > 0))
        return 0;
    double r = products / squares;
    r = fmin(fmax(r + (1 + 3 * r) / (double)n, 0), 0.999);
    *stretches *= (1 - r) / (1 + r);
    return squares / (double)n / *stretches;
}

/* Returns how many of the parts make up the sum: all if they are equal, 1 if
 * all but one are 0. */
static double interval_parts_of(const double *values, size_t n)
{
    double parts[INTERVAL_PARTS], sum = 0, squares = 0;
    interval_cut(values, n, parts, INTERVAL_PARTS);
    for (size_t i = 0; i < INTERVAL_PARTS; i++) {
        sum += fabs(parts[i]);
        squares += parts[i] * parts[i];
    }
    return squares > 0 ? sum * sum / squares : INTERVAL_PARTS;
}

static bool interval_are_equal(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (values[i] != values[0])
            return false;
    }
    return true;
}

/* Returns the mean and sets *any_negative if a value is. */
static double interval_mean_of(const double *values, size_t n,
                               bool *any_negative)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        *any_negative |= values[i] < 0;
    }
    return sum / (double)n;
}

struct job_interval interval_of_jobs(const double *values, size_t n,
                                     bool are_signed)
{
    double stretches, stretches_wide;
    if (n < INTERVAL_JOBS_MIN)
        return (struct job_interval){{NAN, NAN}, INTERVAL_FEW_JOBS};
    if (interval_are_equal(values, n))
        return (struct job_interval){{values[0], values[0]}, INTERVAL_IS_THERE};
    double variance = variance_of(values, n, INTERVAL_CELLS, &stretches);
    double wide = variance_of(values, n, INTERVAL_CELLS_WIDE, &stretches_wide);
    if (wide > variance) {
        variance = wide;
        stretches = stretches_wide;
    }
    const double parts = interval_parts_of(values, n);
    double freedom = stretches / 2;
    if (parts < INTERVAL_PARTS_EVEN) {
        stretches = fmin(stretches, parts);
        freedom = fmin(freedom, parts - 1);
    }
    if (stretches < INTERVAL_STRETCHES_MIN)
        return (struct job_interval){{NAN, NAN}, INTERVAL_FEW_STRETCHES};
    const double half = gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(variance);
    const double mean = interval_mean_of(values, n, &are_signed);
    struct job_interval out = {{mean - half, mean + half}, INTERVAL_IS_THERE};
    if (are_signed)
        return out;
    const double factor = exp(half / mean);
    out.interval = (struct interval){mean / factor, mean * factor};
    if (factor > INTERVAL_FACTOR_MAX)
        return (struct job_interval){{NAN, NAN}, INTERVAL_FEW_STRETCHES};
    return out;
}

int interval_side(const double *values, size_t n)
{
    double parts[INTERVAL_PARTS];
    unsigned less = 0, more = 0;
    if (n < INTERVAL_JOBS_MIN)
        return 0;
    interval_cut(values, n, parts, INTERVAL_PARTS);
    for (size_t i = 0; i < INTERVAL_PARTS; i++) {
        less += parts[i] < 0;
        more += parts[i] > 0;
    }
    const unsigned fewer = less < more ? less : more;
    if (gsl_cdf_binomial_P(fewer, 0.5, less + more) >= 0.025)
        return 0;
    return less > more ? -1 : 1;
}
