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

/* Random numbers that all intervals of a run share. They come from the stream
 * "bootstrap" of the seed and are drawn once. */
struct bootstrap {
    uint32_t *draws; /* BOOTSTRAP_RESAMPLES times BOOTSTRAP_BLOCKS numbers */
};
void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed);
void bootstrap_fini(struct bootstrap *bootstrap);

/* Returns the 95 % interval of the mean of n values, one for each job, in the
 * order of submission. Draws blocks of neighbours instead of single values,
 * because waiting times of neighbours resemble each other. A block has at least
 * as many values as the cube root of n (Hall, Horowitz, Jing 1995), and each of
 * 1000 resamples has at most `max_blocks` blocks. max_blocks:
 * BOOTSTRAP_BLOCKS_MIN .. BOOTSTRAP_BLOCKS. The cost grows with n + 1000
 * max_blocks. NaN if there are fewer than BOOTSTRAP_BLOCKS_MIN blocks. */
struct interval bootstrap_interval(const struct bootstrap *bootstrap,
                                   const double *values, size_t n,
                                   size_t max_blocks);

enum { INTERVALS_TOGETHER = 3 };
struct intervals_block; /* private to bootstrap.c */
/* The intervals of several samples. Up to INTERVALS_TOGETHER samples of equal
 * size that are added one after another are resampled together, because each
 * draw names the same block in all of them. */
struct intervals {
    const struct bootstrap *bootstrap;
    size_t max_blocks;
    /* the samples that wait: number of samples and of values in each, and
     * where their intervals go */
    size_t n_samples, n;
    struct interval *to[INTERVALS_TOGETHER];
    struct intervals_block *blocks;
    double (*means)[BOOTSTRAP_RESAMPLES]; /* by sample */
};
/* `max_blocks`: see bootstrap_interval. The bootstrap must outlive the
 * intervals. */
void intervals_init(struct intervals *intervals,
                    const struct bootstrap *bootstrap, size_t max_blocks);
/* Sets *to to the interval that bootstrap_interval returns for these values, at
 * the latest in intervals_finish. The values are not needed after the call. */
void intervals_add(struct intervals *intervals, const double *values, size_t n,
                   struct interval *to);
/* Completes all intervals. More samples may be added after that. */
void intervals_finish(struct intervals *intervals);
void intervals_fini(struct intervals *intervals);

#endif
