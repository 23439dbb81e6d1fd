/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the genetic search (policies/pollux/genetic.h).
 *
 * Inside the search an allocation has a row for each job, and a row has
 * `stride` numbers, the number of nodes rounded up to a multiple of eight:
 * those beyond the last node are always 0. So rows are handled eight nodes at a
 * time, without a rest. */
#ifndef POLICIES_GENETIC_INTERNAL_H
#define POLICIES_GENETIC_INTERNAL_H

#include <stddef.h>

#include "policies/pollux/genetic.h"

/* Numbers of GPUs on eight nodes. None is above NODE_GPUS_MAX, so they are
 * compared as signed numbers, which all processors with SSE2 can do. */
typedef int16_t genetic_eight
    __attribute__((vector_size(16), aligned(2), may_alias));
enum { GENETIC_LANES = 8 };

/* A member of the population: an allocation with its two objectives, both
 * maximised, and its rank. */
struct genetic_member {
    uint16_t *gpus; /* by job, then by node: number of GPUs */
    double value;   /* objective: power mean of the speed-ups */
    /* objective: sum of the speed-ups divided by the number of GPUs of the
     * nodes in use */
    double use;
    /* digest of `gpus`, computed only if other members have the same value */
    uint64_t digest;
    bool has_digest;
    /* crowding distance: distance to its neighbours on its front */
    double room;
    uint32_t front; /* index of its front; 0: no member dominates it */
};

/* A problem, and the scratch memory of the search. */
struct genetic_work {
    const struct genetic_options *options;
    const struct genetic_problem *problem;
    struct rng_inline *rng;
    uint32_t stride, blocks; /* length of a row; eighths of it */
    uint32_t *order;         /* a permutation of the jobs */
    /* By number n of jobs: 1 / (UINT32_MAX / n), to draw a number below n
     * without a division. */
    double *per_draw;
    /* problem->capacity and problem->held, in rows of this length */
    uint16_t *capacity, *held;
    uint16_t *left; /* by node: number of GPUs free after the last repair */
    /* by node: all bits set if a job that spans several nodes uses it */
    uint16_t *taken;
    /* by job, after the last repair: where its speed-up is in the table */
    uint32_t *cell;
    /* By job, from at[job]: 0, then by number of GPUs, 1 and up, and of nodes,
     * 1 to width[job]: the speed-up if no GPUs move; NAN: not asked yet. */
    double *table;
    size_t *at;
    uint32_t *width;
    /* A draw below this number means that the event happens: options->reset,
     * change and drop. */
    uint64_t reset, change, drop;
};

/* Prepares a search for a problem. All arguments but `work` are borrowed until
 * genetic_work_fini. */
void genetic_work_init(struct genetic_work *work,
                       const struct genetic_options *options,
                       const struct genetic_problem *problem,
                       struct rng_inline *rng);
void genetic_work_fini(struct genetic_work *work);

/* Crosses two allocations at a random job: `first` gets the jobs of `a` before
 * that job and the jobs of `b` from it on, `second` the reverse. */
void genetic_cross(const struct genetic_work *work, const uint16_t *a,
                   const uint16_t *b, uint16_t *first, uint16_t *second);
/* Changes an allocation at random. The result may break rules. */
void genetic_mutate(const struct genetic_work *work, uint16_t *gpus);
/* Takes GPUs away until the allocation keeps all rules of genetic_search. Sets
 * work->left and work->cell. */
void genetic_repair(struct genetic_work *work, uint16_t *gpus);

/* Sorts members by front, and within a front by falling room, so that the
 * members to keep come first and the very first has the largest value. Members
 * with the same allocation as an earlier member go last. Returns the number of
 * members without these duplicates. n > 0. Ties are
 * decided by the allocations of the members alone. */
uint32_t genetic_rank(const struct genetic_work *work,
                      struct genetic_member *members, uint32_t n);

#endif
