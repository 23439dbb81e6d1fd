/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact percentiles of many values, by nearest rank. The functions destroy
 * their input: they move the values and overwrite some of them. */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include <stddef.h>

/* Values between `least` and `most`. None is NaN. */
struct stats_list {
    double *values;
    size_t n; /* > 0 */
    double least, most;
};
struct stats_list stats_list_of(double *values, size_t n);

/* Nearest-rank percentiles: for each of `percents`, ascending, the smallest
 * value such that at least that percentage of all values is not larger. */
enum { STATS_PERCENTILES = 4 };
void stats_percentiles(struct stats_list list, const double *percents,
                       size_t n_percents, double *out);

/* Returns the value that would have index `rank`, from 0, if the values were
 * sorted. A rank above n - 1 counts as n - 1. */
double stats_rank(double *values, size_t n, size_t rank);

#endif
