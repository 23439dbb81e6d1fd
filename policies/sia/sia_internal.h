/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of Sia (SOSP 2023): sia.c runs the rounds, sia_costs.c computes the
 * cost of each configuration for each job, gangs.c finds the GPUs. */
#ifndef POLICIES_SIA_INTERNAL_H
#define POLICIES_SIA_INTERNAL_H

#include "policies/policy.h"
#include "policies/sia/choice.h"

struct sia_config {
    /* The option rows in sia.c describe each of these. */
    sim_span round, profile, penalty;
    double power, lambda;
    uint32_t gpus_most, labels;
    bool project, occupies;
    unsigned first; /* SIA_FIRST_TIE or SIA_FIRST_PROFILED */
};
enum { SIA_FIRST_TIE, SIA_FIRST_PROFILED };

/* The goodputs of a job, and its profiling if that takes GPUs. */
struct sia_row {
    /* Goodput by common shape, owned; valid while the learner's version and the
     * limit of its GPUs are these. */
    double *goodput;
    uint32_t n_goodput, version, limit;
    uint32_t profiled; /* number of pools on which profiling is over */
    sim_time until;    /* end of the profiling on the next pool; 0: not begun */
    bool seen;         /* it took part in a round */
};

/* A configuration: GPUs of one type on a number of nodes. */
struct sia_shape {
    uint32_t pool; /* index in sia_round.pools */
    uint8_t type;
    uint32_t gpus, nodes;
};

/* One virtual cluster at one round. All its arrays live in the scratch of the
 * plan. */
struct sia_round {
    const struct sia_config *config;
    const struct view *view;
    struct plan *plan;
    struct sia_row *rows;     /* by job id */
    const struct pool *pools; /* of the virtual cluster */
    uint32_t n_pools;
    uint32_t gpus;           /* of the virtual cluster */
    const struct job **jobs; /* ordered by id */
    uint32_t n_jobs;
    struct sia_shape *shapes;
    /* The n_common shapes that any job may take come first; the others are the
     * sizes of rigid jobs. */
    uint32_t n_shapes, n_common;
    uint32_t *current; /* by job: its shape, or CHOICE_NONE */
    int32_t *cost;     /* by job, then shape, in hundredths */
};

/* The hook `never`: returns why a job that scales can start in no round,
 * because no shape suits it. NULL if some shape does, or if the job does not
 * scale. */
const char *sia_never(const void *self, const struct view *view,
                      const struct job *job);
/* Returns the pool of the virtual cluster on one GPU of which the job must be
 * profiled next; CHOICE_NONE if there is none. */
uint32_t sia_profiles_on(const struct sia_round *round, const struct job *job);

/* Returns the factor on the goodput of a job if it restarts now and goes on to
 * restart as often as it has so far: 0..1, and 1 until it has been served for
 * as long as a restart takes. All times are seconds. */
double sia_restart_factor(double age, double served, double restarts,
                          double penalty);
/* Returns utility^power in hundredths; the highest cost for a utility <= 0. */
int32_t sia_cost(double utility, double power);

/* Fills in shapes, current and cost. */
void sia_costs(struct sia_round *round);

#endif
