/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of Sia (SOSP 2023): sia.c runs the rounds, sia_costs.c computes the
 * cost of each configuration for each job, gangs.c finds the GPUs. */
#ifndef POLICIES_SIA_INTERNAL_H
#define POLICIES_SIA_INTERNAL_H

#include "policies/policy.h"
#include "policies/sia/choice.h"

struct sia_config {
    sim_span round, profile, penalty;
    double power, lambda;
    uint32_t gpus_most, labels;
    bool project, occupies;
    unsigned first;
};
enum { SIA_FIRST_TIE, SIA_FIRST_PROFILED };

/* A job's goodputs, kept until its learner learns, and the state of its
 * profiling if that takes GPUs. */
struct sia_row {
    double *goodput; /* by configuration; owned */
    uint32_t n_goodput, version, limit;
    /* pools of its virtual cluster on which it was profiled */
    uint32_t profiled;
    sim_time until; /* end of the current profiling; 0: not begun */
    bool seen;
};

/* A configuration: GPUs of one type on a number of nodes. */
struct sia_shape {
    uint32_t pool; /* index in the cluster */
    uint8_t type;
    uint32_t gpus, nodes;
};

/* One virtual cluster at one round. All its arrays live in the scratch of the
 * plan. */
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
    /* The n_common shapes that any job may take come first; the others are the
     * sizes of rigid jobs. */
    uint32_t n_shapes, n_common;
    uint32_t *current; /* by job: its shape, or CHOICE_NONE */
    int32_t *cost;     /* by job, then shape: hundredths */
};

/* The pool of the virtual cluster on one GPU of which the job must be profiled
 * now; CHOICE_NONE if there is none. */
/* Says why a job that scales can never start: no shape of this policy suits it,
 * in any round. NULL: some shape does, or the job does not scale. */
const char *sia_never(const void *self, const struct view *view,
                      const struct job *job);
uint32_t sia_profiles_on(const struct sia_round *round, const struct job *job);

/* The factor on the goodput of a job of this age (seconds) if it restarts now
 * and goes on as it has so far; 1 until it has been served for as long as a
 * restart takes. */
double sia_restart_factor(double age, double served, double restarts,
                          double penalty);
/* Cost in hundredths; for a utility <= 0 the highest cost. */
int32_t sia_cost(double utility, double power);

/* Fills in shapes, current and cost. */
void sia_costs(struct sia_round *round);

#endif
