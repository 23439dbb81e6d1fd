/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the genetic search (policies/pollux/genetic.h) share. */
#ifndef POLICIES_GENETIC_INTERNAL_H
#define POLICIES_GENETIC_INTERNAL_H

#include <stddef.h>

#include "policies/pollux/genetic.h"

/* One allocation. Both objectives are maximised. */
struct genetic_member {
    uint16_t *gpus; /* by job, then node */
    double value, use;
    uint64_t digest; /* digest of gpus: equal members are not kept twice */
    double room;     /* distance from its neighbours on its front */
    uint32_t front;  /* number of its front; 0: no member dominates it */
};

/* A problem and the scratch to work on it. */
struct genetic_work {
    const struct genetic_options *options;
    const struct genetic_problem *problem;
    gsl_rng *rng;
    uint32_t *order; /* by job: a permutation */
    uint16_t *left;  /* by node: GPUs that the last repair left free */
    bool *taken;     /* by node: a job of several nodes has it */
};

/* `first` gets a's jobs up to a random one and b's after it, `second` the other
 * way round. */
void genetic_cross(const struct genetic_work *work, const uint16_t *a,
                   const uint16_t *b, uint16_t *first, uint16_t *second);
void genetic_mutate(const struct genetic_work *work, uint16_t *gpus);
/* Takes away GPUs until the allocation breaks no rule. */
void genetic_repair(struct genetic_work *work, uint16_t *gpus);

/* Sorts members into fronts (front 0 is not dominated) and the members of one
 * front by their room, so that the first members are those to keep and the very
 * first has the largest value. Members that equal another go after all others;
 * returns how many do not. n > 0. */
uint32_t genetic_rank(struct genetic_member *members, uint32_t n);

#endif
