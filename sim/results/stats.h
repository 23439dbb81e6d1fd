/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact percentiles of many values, by nearest rank. The functions move the
 * values of their input. No value may be NaN. */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include <stddef.h>

/* Nearest-rank percentiles of n > 0 values: for each of `percents`, ascending,
 * 0..100, the smallest value such that at least that percentage of all values
 * is not larger. */
void stats_percentiles(double *values, size_t n, const double *percents,
                       size_t n_percents, double *out);

/* Returns the value that would have index `rank`, 0..n-1, if the values were
 * sorted. */
double stats_rank(double *values, size_t n, size_t rank);

#endif
