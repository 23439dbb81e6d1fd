/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions of the metrics: mean with its interval, percentiles,
 * maximum. */
#ifndef SIM_STATISTICS_H
#define SIM_STATISTICS_H

#include <stddef.h>

#include "sim/results/summary.h"

/* Fills the distributions of a summary, over all jobs and by group, after the
 * sums are complete. Frees the arrays of `values` that only the distributions
 * over all jobs need. */
void distribution_describe(struct summary *summary, struct values *values);

/* Exact percentiles of many values, by nearest rank. The functions reorder
 * their input. No value may be NaN. */

/* Computes nearest-rank percentiles of n > 0 values. `percents`: ascending,
 * 0..100. Each percentile p is the smallest value such that at least p % of all
 * values are not larger. */
void stats_percentiles(double *values, size_t n, const double *percents,
                       size_t n_percents, double *out);

/* Returns the value that would have index `rank`, 0..n-1, if the values were
 * sorted. */
double stats_rank(double *values, size_t n, size_t rank);

#endif
