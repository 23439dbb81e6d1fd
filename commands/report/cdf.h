/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of times over jobs, as shares of jobs on a logarithmic grid. */
#ifndef REPORT_CDF_H
#define REPORT_CDF_H

#include "commands/report/runs.h"

enum { CDF_POINTS = 400 };

enum report_metric {
    REPORT_JCT,         /* time from the submission of a job to its end */
    REPORT_QUEUE_DELAY, /* total time for which a job was pending */
    REPORT_METRICS,
};
/* Names of the metrics in summary.json. */
extern const char *const report_metric_names[REPORT_METRICS];

/* Returns the values of the metric in ascending order, one for each job for
 * which report_run_counts is true, and sets *n to their number. The caller
 * frees the array. */
sim_span *cdf_values(const struct report_run *run, enum report_metric metric,
                     size_t *n);

/* Fills a grid for all runs: 0, then from 1 s in equal ratios, rounded to
 * milliseconds, to the largest value of any run or to 10 s if that is more. */
void cdf_grid(const struct report_runs *runs, enum report_metric metric,
              sim_span grid[CDF_POINTS]);
/* Sets shares[i] to the share of the n values that are at most grid[i]; NaN if
 * n is 0. The values are in ascending order. */
void cdf_shares(const sim_span *sorted, size_t n,
                const sim_span grid[CDF_POINTS], double shares[CDF_POINTS]);

#endif
