/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures how bursty the submissions of a trace are. */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "traces/fidelity/measures.h"
#include "traces/fidelity/series.h"

static void add_dispersion(const struct fidelity_job *jobs, size_t n,
                           struct measures *out)
{
    static const struct {
        const char *name;
        double width;
    } scales[] = {
        {"minute", 60}, {"10_minutes", 600}, {"hour", 3600}, {"day", 86400}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        struct bins bins =
            bins_of(jobs, n, jobs[0].at, jobs[n - 1].at, scales[i].width);
        measures_add(out, bins_dispersion(&bins), "arrivals.dispersion_%s",
                     scales[i].name);
        bins_fini(&bins);
    }
}

static void add_days(const struct fidelity_job *jobs, size_t n,
                     struct measures *out)
{
    double from = ceil(jobs[0].at / 86400) * 86400;
    struct bins days = bins_of(jobs, n, from, jobs[n - 1].at, 86400);
    measures_add(out, bins_variation(&days), "arrivals.day_cv");
    bins_fini(&days);
}

static void add_hours(const struct fidelity_job *jobs, size_t n,
                      struct measures *out)
{
    double from = floor(jobs[0].at / 3600) * 3600;
    struct bins hours = bins_of(jobs, n, from, jobs[n - 1].at + 3600, 3600);
    double most = NAN, mean = NAN, median = NAN;
    if (hours.n) {
        mean = gsl_stats_mean(hours.count, 1, hours.n);
        most = gsl_stats_max(hours.count, 1, hours.n);
        median = series_median(hours.count, hours.n);
    }
    measures_add(out, most / mean, "arrivals.busiest_hour_by_mean");
    measures_add(out, median > 0 ? most / median : NAN,
                 "arrivals.busiest_hour_by_median");
    bins_fini(&hours);
}

void measure_arrivals(const struct fidelity_job *jobs, size_t n,
                      struct measures *out)
{
    double *gaps = mem_alloc(n * sizeof *gaps);
    double *logs = mem_alloc(n * sizeof *logs);
    for (size_t i = 1; i < n; i++) {
        gaps[i - 1] = jobs[i].at - jobs[i - 1].at;
        logs[i - 1] = log1p(gaps[i - 1]);
    }
    add_dispersion(jobs, n, out);
    add_days(jobs, n, out);
    add_hours(jobs, n, out);
    measures_add(out, series_autocorrelation(logs, n - 1, 1),
                 "arrivals.gap_autocorrelation");
    measures_add(out,
                 n > 2 ? gsl_stats_sd(gaps, 1, n - 1) /
                             gsl_stats_mean(gaps, 1, n - 1)
                       : NAN,
                 "arrivals.gap_cv");
    free(gaps);
    free(logs);
}
