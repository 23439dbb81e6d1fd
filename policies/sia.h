/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sia (SOSP 2023) in its parts: sia.c runs the rounds,
 * sia_costs.c says what each configuration would cost each job, gangs.c finds
 * the GPUs. */
#ifndef POLICIES_SIA_H
#define POLICIES_SIA_H

#include "policies/choice.h"
#include "policies/policy.h"

struct sia_config {
    sim_span round, profile, penalty;
    double power, lambda;
    uint32_t gpus_most, labels;
    bool project, occupies;
    unsigned first;
};
enum { SIA_FIRST_TIE, SIA_FIRST_PROFILED };

/* A job's goodputs, kept until its agent learns, and how far its profiling has
 * come if that takes GPUs. */
struct sia_row {
    double *goodput; /* by configuration; owned */
    uint32_t n_goodput, version, limit;
    uint32_t profiled; /* pools of its virtual cluster */
    sim_time until;    /* the end of this one; 0: not begun */
    bool seen;
};

/* A configuration: GPUs of one type on so many nodes. */
struct sia_shape {
    uint32_t pool; /* of the cluster */
    uint8_t type;
    uint32_t gpus, nodes;
};

/* One virtual cluster at one round. Everything lives in the plan's scratch. */
struct sia_round {
    const struct sia_config *config;
    const struct view *view;
    struct plan *plan;
    struct sia_row *rows; /* by job id */
    const struct pool *pools;
    uint32_t n_pools, gpus;
    const struct job **jobs; /* by id */
    uint32_t n_jobs;
    struct sia_shape *shapes;
    /* Shapes that any job may take come first; the others are the sizes of
     * rigid jobs. */
    uint32_t n_shapes, n_common;
    uint32_t *current; /* by job: its shape, CHOICE_NONE */
    int32_t *cost;     /* by job, then shape: hundredths */
};

/* The pool of the virtual cluster on one GPU of which the job is to be profiled
 * now; CHOICE_NONE: none. */
/* Why a job that scales has no shape that anybody could ever choose; NULL: it
 * has one, or does not scale. */
const char *sia_never(const void *self, const struct view *view,
                      const struct job *job);
uint32_t sia_profiles_on(const struct sia_round *round, const struct job *job);

/* Which part of its goodput a job of this age, seconds, keeps that restarts
 * now, if it goes on as it has; 1 before it has been served for as long as a
 * restart takes. */
double sia_restart_factor(double age, double served, double restarts,
                          double penalty);
/* Hundredths; of a utility <= 0, the most that anything costs. */
int32_t sia_cost(double utility, double power);

/* Fills in shapes, current and cost. */
void sia_costs(struct sia_round *round);

#endif
