/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of times over jobs, as shares of jobs on a logarithmic grid. */
#include "commands/report/report_internal.h"

#include <math.h>

const char *const report_metric_names[REPORT_METRICS] = {
    [REPORT_JCT] = "jct_s", [REPORT_QUEUE_DELAY] = "queue_delay_s"};

sim_span report_metric_of(const struct verify_job *job,
                          enum report_metric metric)
{
    return metric == REPORT_JCT ? job->finish - job->submitted
                                : job->queue_delay;
}

void cdf_grid(const struct report_runs *runs, enum report_metric metric,
              sim_span grid[CDF_POINTS])
{
    sim_span most = 10 * SPAN_SECOND;
    for (size_t i = 0; i < runs->n; i++) {
        const struct verify_data *d = &runs->at[i].data;
        for (size_t k = 0; k < d->n_jobs; k++) {
            sim_span value = report_metric_of(&d->jobs[k], metric);
            if (value > most && report_run_counts(&runs->at[i], &d->jobs[k]))
                most = value;
        }
    }
    grid[0] = 0;
    double step = log((double)most / (double)SPAN_SECOND) / (CDF_POINTS - 2);
    for (unsigned i = 1; i < CDF_POINTS - 1; i++)
        grid[i] = (sim_span)(1000 * exp(step * (i - 1)) + 0.5) * 1000;
    grid[CDF_POINTS - 1] = most;
}

/* Returns the first point of the grid that is not below a value. */
static unsigned first_point(const sim_span grid[CDF_POINTS], sim_span value)
{
    unsigned lo = 0, hi = CDF_POINTS - 1;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (grid[mid] < value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void cdf_shares(const struct report_run *run, enum report_metric metric,
                const sim_span grid[CDF_POINTS], double shares[CDF_POINTS])
{
    const struct verify_data *d = &run->data;
    size_t counts[CDF_POINTS] = {0}, n = 0, below = 0;
    for (size_t i = 0; i < d->n_jobs; i++) {
        if (!report_run_counts(run, &d->jobs[i]))
            continue;
        counts[first_point(grid, report_metric_of(&d->jobs[i], metric))]++;
        n++;
    }
    for (unsigned i = 0; i < CDF_POINTS; i++) {
        below += counts[i];
        shares[i] = n ? (double)below / (double)n : NAN;
    }
}
