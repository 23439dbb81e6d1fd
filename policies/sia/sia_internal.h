/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of Sia (SOSP 2023): sia.c runs the rounds, sia_costs.c computes the
 * cost of each configuration for each job, gangs.c finds the GPUs. */
#ifndef POLICIES_SIA_INTERNAL_H
#define POLICIES_SIA_INTERNAL_H

#include "policies/policy.h"
#include "policies/sia/choice.h"

struct sia_config {
    /* The option rows in sia.c describe these fields. */
    sim_span round, profile, penalty;
    double power, lambda;
    uint32_t gpus_most, labels;
    bool project, occupies;
    unsigned first; /* SIA_FIRST_TIE or SIA_FIRST_PROFILED */
};
enum { SIA_FIRST_TIE, SIA_FIRST_PROFILED };

/* The state of a job that is kept between rounds: its goodputs and its
 * profiling. */
struct sia_row {
    /* Goodput by common shape, for n_goodput shapes; the row owns the array.
     * Valid while the learner has the version `version` and the limit of GPUs
     * `limit`. */
    double *goodput;
    uint32_t n_goodput, version, limit;
    sim_time answered; /* time of the answer that the job waited for before its
                          profiling; 0: it waited for none */
    bool waits;        /* true while the job waits for this answer */
    /* number of pools on which profiling is done or not needed */
    uint32_t profiled;
    sim_time until; /* end of the profiling on the next pool; 0: not begun */
    /* true if the job has taken part in a round; used only with the option
     * profile_occupies */
    bool seen;
};

/* A shape, also called configuration: GPUs of one pool on a number of nodes. */
struct sia_shape {
    uint32_t pool; /* index in sia_round.pools */
    uint8_t type;
    uint32_t gpus, nodes;
};

/* The problem of one virtual cluster in one round. All arrays but rows and
 * pools live in the scratch of the plan. */
struct sia_round {
    const struct sia_config *config;
    const struct view *view;
    struct plan *plan;
    struct sia_row *rows;     /* state by job id */
    const struct pool *pools; /* pools of the virtual cluster */
    uint32_t n_pools;
    uint32_t gpus;           /* number of GPUs of the virtual cluster */
    const struct job **jobs; /* jobs of the round, ordered by id */
    uint32_t n_jobs;
    struct sia_shape *shapes;
    /* The first n_common shapes are for any job; the others are the sizes of
     * rigid jobs. */
    uint32_t n_shapes, n_common;
    /* by job: index of the shape that it holds; CHOICE_NONE: it holds none that
     * is on offer */
    uint32_t *current;
    int32_t *cost; /* by job, then by shape: hundredths, or CHOICE_NEVER */
};

/* The hook `never` of the policy. Returns why no shape ever suits a job that
 * scales, so that it can start in no round. Returns NULL if some shape suits,
 * or if the job does not scale. */
const char *sia_never(const void *self, const struct view *view,
                      const struct job *job);
/* Returns the index in sia_round.pools of the pool in which the job must be
 * profiled next, on one GPU; CHOICE_NONE if no profiling is left. */
uint32_t sia_profiles_on(const struct sia_round *round, const struct job *job);

/* Returns the factor, 0..1, on the goodput of a job that would restart now. The
 * factor assumes that the job keeps restarting as often as it has until now; it
 * is 1 until the job has been served for as long as a restart takes. All times
 * are in seconds. */
double sia_restart_factor(double age, double served, double restarts,
                          double penalty);
/* Returns utility^power in hundredths, for a power < 0; at most 300000, which
 * is also the cost of a utility of 0 or less. */
int32_t sia_cost(double utility, double power);

/* Fills in shapes, current and cost of a round. */
void sia_costs(struct sia_round *round);

#endif
