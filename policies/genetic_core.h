/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the genetic search (policies/genetic.h) share. */
#ifndef POLICIES_GENETIC_CORE_H
#define POLICIES_GENETIC_CORE_H

#include <stddef.h>

#include "policies/genetic.h"

/* One allocation. Both objectives are to be large. */
struct genetic_member {
    uint16_t *gpus; /* by job, then node */
    double value, use;
    uint64_t digest; /* of gpus: equal members are not kept twice */
    double room;     /* distance from its neighbours on its front */
    uint32_t front;  /* 0: dominated by none */
};

/* A problem and the room to work on it. */
struct genetic_work {
    const struct genetic_options *options;
    const struct genetic_problem *problem;
    gsl_rng *rng;
    uint32_t *order; /* by job: a permutation */
    uint16_t *left;  /* by node: GPUs that the last repair left */
    bool *taken;     /* by node: by a job of several nodes */
};

/* Jobs before a random one are a's and the others b's in `first`, the other way
 * round in `second`. */
void genetic_cross(const struct genetic_work *work, const uint16_t *a,
                   const uint16_t *b, uint16_t *first, uint16_t *second);
void genetic_mutate(const struct genetic_work *work, uint16_t *gpus);
/* Takes away what breaks a rule. */
void genetic_repair(struct genetic_work *work, uint16_t *gpus);

/* Sorts into fronts (0 is not dominated), those on one front by the room they
 * have, so that the first are those to keep and the very first has the largest
 * value. Members that are equal to another go behind all; returns how many are
 * not. n > 0. */
uint32_t genetic_rank(struct genetic_member *members, uint32_t n);

#endif
