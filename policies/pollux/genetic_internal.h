/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the genetic search (policies/pollux/genetic.h) share. */
#ifndef POLICIES_GENETIC_INTERNAL_H
#define POLICIES_GENETIC_INTERNAL_H

#include <stddef.h>

#include "policies/pollux/genetic.h"

/* One allocation. Both objectives are maximised. */
struct genetic_member {
    uint16_t *gpus;  /* by job, then node */
    double value;    /* power mean of the speed-ups */
    double use;      /* sum of the speed-ups over the GPUs of nodes in use */
    uint64_t digest; /* of `gpus`, to find equal members */
    double room;     /* distance from its neighbours on its front */
    uint32_t front;  /* number of its front; 0: no member dominates it */
};

/* A problem, and the scratch memory of the search. */
struct genetic_work {
    const struct genetic_options *options;
    const struct genetic_problem *problem;
    gsl_rng *rng;
    uint32_t *order; /* by job: a permutation */
    uint16_t *left;  /* by node: GPUs that the last repair left free */
    bool *taken;     /* by node: a job that spans several nodes uses it */
};

/* Crosses two allocations at a random job: `first` gets the jobs of `a` before
 * it and those of `b` from it on, `second` the reverse. */
void genetic_cross(const struct genetic_work *work, const uint16_t *a,
                   const uint16_t *b, uint16_t *first, uint16_t *second);
/* Changes an allocation at random; it may then break rules. */
void genetic_mutate(const struct genetic_work *work, uint16_t *gpus);
/* Takes GPUs away until the allocation keeps all rules. */
void genetic_repair(struct genetic_work *work, uint16_t *gpus);

/* Sorts members by front, and on a front by falling room, so that the first
 * members are those to keep and the very first has the largest value. Members
 * that equal an earlier one go last. Returns how many do not. n > 0. */
uint32_t genetic_rank(struct genetic_member *members, uint32_t n);

#endif
