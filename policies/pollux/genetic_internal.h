/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the genetic search (policies/pollux/genetic.h). */
#ifndef POLICIES_GENETIC_INTERNAL_H
#define POLICIES_GENETIC_INTERNAL_H

#include <stddef.h>

#include "policies/pollux/genetic.h"

/* A member of the population: an allocation with its two objectives, both
 * maximised, and its rank. */
struct genetic_member {
    uint16_t *gpus; /* by job, then by node: number of GPUs */
    double value;   /* objective: power mean of the speed-ups */
    /* objective: sum of the speed-ups divided by the number of GPUs of the
     * nodes in use */
    double use;
    uint64_t digest; /* digest of `gpus`, to find equal members */
    /* crowding distance: distance to its neighbours on its front */
    double room;
    uint32_t front; /* index of its front; 0: no member dominates it */
};

/* A problem, and the scratch memory of the search. */
struct genetic_work {
    const struct genetic_options *options;
    const struct genetic_problem *problem;
    gsl_rng *rng;
    uint32_t *order; /* a permutation of the jobs */
    uint16_t *left;  /* by node: number of GPUs free after the last repair */
    /* by node: true if a job that spans several nodes uses it */
    bool *taken;
};

/* Crosses two allocations at a random job: `first` gets the jobs of `a` before
 * that job and the jobs of `b` from it on, `second` the reverse. */
void genetic_cross(const struct genetic_work *work, const uint16_t *a,
                   const uint16_t *b, uint16_t *first, uint16_t *second);
/* Changes an allocation at random. The result may break rules. */
void genetic_mutate(const struct genetic_work *work, uint16_t *gpus);
/* Takes GPUs away until the allocation keeps all rules of genetic_search. */
void genetic_repair(struct genetic_work *work, uint16_t *gpus);

/* Sorts members by front, and within a front by falling room, so that the
 * members to keep come first and the very first has the largest value. Members
 * with the same allocation as an earlier member go last. Returns the number of
 * members without these duplicates. n > 0. */
uint32_t genetic_rank(struct genetic_member *members, uint32_t n);

#endif
