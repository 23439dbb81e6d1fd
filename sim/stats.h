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

/* Nearest-rank percentiles: of each of `percents`, ascending, the smallest
 * value such that at least so many per cent of all values are not larger.
 * Reorders `values`; n > 0, and no value is NaN. */
enum { STATS_PERCENTILES = 4 };
void stats_percentiles(double *values, size_t n, const double *percents,
                       size_t n_percents, double *out);

/* The 95 % interval of the mean, from the moving-block bootstrap (Kuensch
 * 1989) over values in the order of submission, because waiting times of
 * neighbours resemble each other: blocks of at least the cube root of n values
 * (Hall, Horowitz, Jing 1995) and at most `max_blocks` of them (no more than
 * STATS_BLOCKS), 1000 resamples. Costs n + 1000 max_blocks. NaN if there are
 * fewer than 8 blocks, which says nothing. */
enum { STATS_BLOCKS = 200, STATS_BLOCKS_MIN = 8, STATS_RESAMPLES = 1000 };

/* The random numbers of all intervals, from the stream "bootstrap" of a seed:
 * they are the same for each. Those of few blocks, as groups have, are drawn
 * once; to keep those of many would cost more, in fresh pages, than to draw
 * them again. */
enum { STATS_BLOCKS_KEPT = 50 };
struct bootstrap {
    uint64_t stream;
    uint32_t *draws;
};
void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed);
void bootstrap_fini(struct bootstrap *bootstrap);

struct interval stats_mean_interval(const struct bootstrap *bootstrap,
                                    const double *values, size_t n,
                                    size_t max_blocks);
/* The same of several lists of n values each, which costs little more than of
 * one. */
enum { STATS_LISTS = 7 };
void stats_mean_intervals(const struct bootstrap *bootstrap,
                          const double *const *lists, size_t n_lists, size_t n,
                          size_t max_blocks, struct interval *out);

#endif
