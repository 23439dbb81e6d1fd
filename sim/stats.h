/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of many values: exact percentiles by nearest rank, and intervals
 * of means by the bootstrap. */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include <stddef.h>
#include <stdint.h>

struct interval {
    double lo, hi;
};

/* The nearest-rank percentile: the smallest value such that at least `percent`
 * of all values are not larger. Reorders `values`; n > 0. A call with a larger
 * percent afterwards may pass `from`, the rank returned in *rank before, since
 * everything below it is smaller already. */
double stats_percentile(double *values, size_t n, double percent, size_t *from);

/* How often the least of some values occurs. Where few jobs wait, that is what
 * most percentiles of delays and slowdowns are, without a search. */
struct least {
    double value;
    size_t count; /* 0: not counted */
};
static inline void least_add(struct least *least, double value)
{
    if (value < least->value)
        *least = (struct least){value, 1};
    else if (value == least->value)
        least->count++;
}
/* The same, given the least of the values. */
double stats_percentile_above(double *values, size_t n, double percent,
                              struct least least, size_t *from);

/* The 95 % interval of the mean, from the moving-block bootstrap (Kuensch
 * 1989) over values in the order of submission, because waiting times of
 * neighbours resemble each other: blocks of at least the cube root of n values
 * (Hall, Horowitz, Jing 1995) and at most `max_blocks` of them (no more than
 * STATS_BLOCKS), 1000 resamples. Costs n + 1000 max_blocks. NaN if there are
 * fewer than 8 blocks, which says nothing. */
enum { STATS_BLOCKS = 200, STATS_BLOCKS_MIN = 8, STATS_RESAMPLES = 1000 };

/* The random numbers of all intervals, from the stream "bootstrap" of a seed:
 * they are the same for each, so they are drawn once. */
struct bootstrap {
    uint32_t *draws;
};
void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed);
void bootstrap_fini(struct bootstrap *bootstrap);

struct interval stats_mean_interval(const struct bootstrap *bootstrap,
                                    const double *values, size_t n,
                                    size_t max_blocks);

#endif
