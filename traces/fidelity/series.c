/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fidelity/series.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "traces/fidelity/jobs.h"

/* Largest number of bins, 30 years of minutes: a trace with one job of another
 * century must not make the program allocate memory without limit. */
#define BINS_MAX 16e6

struct bins bins_of(const struct fidelity_job *jobs, size_t n, double from,
                    double to, double width)
{
    struct bins bins = {0};
    double room = floor((to - from) / width + 1e-9);
    if (!(room >= 1) || room > BINS_MAX)
        return bins;
    bins.n = (size_t)room;
    bins.count = mem_zalloc(bins.n, sizeof *bins.count);
    for (size_t i = 0; i < n; i++) {
        double bin = floor((jobs[i].at - from) / width);
        if (bin >= 0 && bin < room)
            bins.count[(size_t)bin]++;
    }
    return bins;
}

void bins_fini(struct bins *bins)
{
    free(bins->count);
    *bins = (struct bins){0};
}

double bins_dispersion(const struct bins *bins)
{
    if (bins->n < 2)
        return NAN;
    double mean = gsl_stats_mean(bins->count, 1, bins->n);
    return mean > 0 ? gsl_stats_variance_m(bins->count, 1, bins->n, mean) / mean
                    : NAN;
}

double bins_variation(const struct bins *bins)
{
    if (bins->n < 2)
        return NAN;
    double mean = gsl_stats_mean(bins->count, 1, bins->n);
    return mean > 0 ? gsl_stats_sd_m(bins->count, 1, bins->n, mean) / mean
                    : NAN;
}

double series_autocorrelation(const double *values, size_t n, size_t lag)
{
    if (n < lag + 3)
        return NAN;
    double r = gsl_stats_correlation(values, 1, values + lag, 1, n - lag);
    return isfinite(r) ? r : NAN;
}

double series_median(double *values, size_t n)
{
    if (n == 0)
        return NAN;
    gsl_sort(values, 1, n);
    return gsl_stats_median_from_sorted_data(values, 1, n);
}
