/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of times over jobs, as shares of jobs on a logarithmic grid. */
#include "commands/report/report_internal.h"

#include <math.h>
#include <stdlib.h>

const char *const report_metric_names[REPORT_METRICS] = {
    [REPORT_JCT] = "jct_s", [REPORT_QUEUE_DELAY] = "queue_delay_s"};

static int cdf_ascending(const void *a, const void *b)
{
    sim_span x = *(const sim_span *)a, y = *(const sim_span *)b;
    return (x > y) - (x < y);
}

sim_span *cdf_values(const struct report_run *run, enum report_metric metric,
                     size_t *n)
{
    const struct verify_data *d = &run->data;
    sim_span *values = mem_alloc((d->n_jobs + 1) * sizeof *values);
    *n = 0;
    for (size_t i = 0; i < d->n_jobs; i++) {
        const struct verify_job *job = &d->jobs[i];
        if (report_run_counts(run, job))
            values[(*n)++] =
                metric == REPORT_JCT ? job->turnaround : job->queue_delay;
    }
    qsort(values, *n, sizeof *values, cdf_ascending);
    return values;
}

void cdf_grid(const struct report_runs *runs, enum report_metric metric,
              sim_span grid[CDF_POINTS])
{
    sim_span most = 10 * SPAN_SECOND;
    for (size_t i = 0; i < runs->n; i++) {
        size_t n;
        sim_span *values = cdf_values(&runs->at[i], metric, &n);
        if (n && values[n - 1] > most)
            most = values[n - 1];
        free(values);
    }
    grid[0] = 0;
    double step = log((double)most / (double)SPAN_SECOND) / (CDF_POINTS - 2);
    for (unsigned i = 1; i < CDF_POINTS - 1; i++)
        grid[i] = (sim_span)(1000 * exp(step * (i - 1)) + 0.5) * 1000;
    grid[CDF_POINTS - 1] = most;
}

void cdf_shares(const sim_span *sorted, size_t n,
                const sim_span grid[CDF_POINTS], double shares[CDF_POINTS])
{
    size_t below = 0;
    for (unsigned i = 0; i < CDF_POINTS; i++) {
        while (below < n && sorted[below] <= grid[i])
            below++;
        shares[i] = n ? (double)below / (double)n : NAN;
    }
}
