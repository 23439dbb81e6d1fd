/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of means by the moving-block bootstrap (Kuensch 1989), for several
 * lists of values at a time. Resampling adds up rows picked at random, and a
 * row that holds a value of each list costs little more than a row with one
 * value. */
#ifndef SIM_BOOTSTRAP_H
#define SIM_BOOTSTRAP_H

#include "sim/results/value_rows.h"

struct interval {
    double lo, hi;
};

/* Largest and smallest number of blocks in a resample. */
enum { BOOTSTRAP_BLOCKS = 200, BOOTSTRAP_BLOCKS_MIN = 8 };
enum { BOOTSTRAP_RESAMPLES = 1000 };

/* The random numbers of all intervals, from the stream "bootstrap" of a seed;
 * all intervals use the same ones. The draws that groups need (groups have few
 * blocks) are made once and kept. Keeping all draws would cost more, in fresh
 * memory pages, than drawing them again. */
enum { BOOTSTRAP_DRAWS_KEPT = BOOTSTRAP_RESAMPLES * 50 };
struct bootstrap {
    uint64_t stream;
    uint32_t *draws;
    double *means, *tail; /* work space of 72 kB; too much for a stack whose
                             pages are not mapped yet */
};
void bootstrap_init(struct bootstrap *bootstrap, uint64_t seed);
void bootstrap_fini(struct bootstrap *bootstrap);

/* The 95 % intervals of the means of values in the order of submission, because
 * waiting times of neighbours resemble each other: blocks of at least the cube
 * root of n values (Hall, Horowitz, Jing 1995) and at most `max_blocks` of them
 * (no more than BOOTSTRAP_BLOCKS), 1000 resamples. Costs n + 1000 max_blocks.
 * NaN if there are fewer than 8 blocks, which says nothing. Of the lists in the
 * lanes that are bits of `wanted`, each into out[its lane]; what is in the
 * other lanes does not matter. `out` has room for LANES. */
void bootstrap_intervals(const struct bootstrap *bootstrap,
                         const struct value_rows *rows, unsigned wanted,
                         size_t max_blocks, struct interval *out);
/* The interval of one list; see bootstrap_intervals. */
struct interval bootstrap_interval(const struct bootstrap *bootstrap,
                                   const double *values, size_t n,
                                   size_t max_blocks);

#endif
