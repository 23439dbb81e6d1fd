/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 95 % intervals of means, by a moving-block bootstrap. */
#ifndef SIM_BOOTSTRAP_H
#define SIM_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

/* A 95 % interval. NaN: too few values to compute one. */
struct interval {
    double lo, hi;
};

enum {
    BOOTSTRAP_BLOCKS = 200, /* largest number of blocks in a resample */
    BOOTSTRAP_BLOCKS_MIN = 8,
    BOOTSTRAP_RESAMPLES = 1000,
};

/* Random numbers and work space that all intervals of a run share. The numbers
 * come from the stream "bootstrap" of the seed, are drawn once and are used for
 * each interval. */
struct bootstrap {
    uint32_t *draws; /* BOOTSTRAP_RESAMPLES times BOOTSTRAP_BLOCKS numbers */
    double *means;   /* the means of the resamples of the current interval */
};
void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed);
void bootstrap_fini(struct bootstrap *bootstrap);

/* Returns the 95 % interval of the mean of n values in the order of submission.
 * Draws blocks of neighbours instead of single values, because waiting times of
 * neighbours resemble each other. A block has at least as many values as the
 * cube root of n (Hall, Horowitz, Jing 1995), and each of 1000 resamples has at
 * most `max_blocks` blocks. max_blocks: BOOTSTRAP_BLOCKS_MIN ..
 * BOOTSTRAP_BLOCKS. The cost grows with n + 1000 max_blocks. NaN if there are
 * fewer than BOOTSTRAP_BLOCKS_MIN blocks. */
struct interval bootstrap_interval(const struct bootstrap *bootstrap,
                                   const double *values, size_t n,
                                   size_t max_blocks);

#endif
