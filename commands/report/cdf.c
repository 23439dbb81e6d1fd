/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of times over jobs, as shares of jobs on a logarithmic grid. */
#include "commands/report/report_internal.h"

#include <math.h>

const char *const report_metric_names[REPORT_METRICS] = {
    [REPORT_JCT] = "jct_s",
    [REPORT_QUEUE_DELAY] = "queue_delay_s",
    [REPORT_SLOWDOWN] = "slowdown"};

bool report_metric_is_of(const struct report_run *run,
                         const struct verify_job *job,
                         enum report_metric metric)
{
    return report_run_counts(run, job) &&
           (metric != REPORT_SLOWDOWN || job->duration > 0);
}

sim_span report_metric_of(const struct verify_job *job,
                          enum report_metric metric)
{
    sim_span jct = job->finish - job->submitted;
    double slowdown = (double)jct / (double)job->duration;
    double most = (double)(INT64_MAX / SPAN_SECOND / 2);
    if (metric == REPORT_SLOWDOWN)
        return (sim_span)((slowdown < most ? slowdown : most) * SPAN_SECOND +
                          0.5);
    return metric == REPORT_JCT ? jct : job->queue_delay;
}

void cdf_grid(const struct report_runs *runs, enum report_metric metric,
              sim_span grid[CDF_POINTS])
{
    sim_span most = 10 * SPAN_SECOND;
    for (size_t i = 0; i < runs->n; i++) {
        const struct verify_data *d = &runs->at[i].data;
        for (size_t k = 0; k < d->n_jobs; k++) {
            const struct verify_job *job = &d->jobs[k];
            if (report_metric_is_of(&runs->at[i], job, metric) &&
                report_metric_of(job, metric) > most)
                most = report_metric_of(job, metric);
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
        if (!report_metric_is_of(run, &d->jobs[i], metric))
            continue;
        counts[first_point(grid, report_metric_of(&d->jobs[i], metric))]++;
        n++;
    }
    for (unsigned i = 0; i < CDF_POINTS; i++) {
        below += counts[i];
        shares[i] = n ? (double)below / (double)n : NAN;
    }
}
