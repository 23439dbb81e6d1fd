/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact percentiles of many values, by nearest rank. What they are taken from
 * is used up: the values are moved, and some of them written over. */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include <stddef.h>

/* Values that lie between two of them; none is NaN. */
struct stats_list {
    double *values;
    size_t n; /* > 0 */
    double least, most;
};
struct stats_list stats_list_of(double *values, size_t n);

/* Nearest-rank percentiles: of each of `percents`, ascending, the smallest
 * value such that at least so many per cent of all values are not larger. */
enum { STATS_PERCENTILES = 4 };
void stats_percentiles(struct stats_list list, const double *percents,
                       size_t n_percents, double *out);

/* What would be value number `rank`, from 0 on, if they were sorted; not above
 * n - 1. */
double stats_rank(double *values, size_t n, size_t rank);

#endif
