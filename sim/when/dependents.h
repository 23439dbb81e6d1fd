/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs of a state that may start only after others have ended. A run knows no
 * such condition, so in each draw the ends of the other jobs become submission
 * times: the state is simulated again until these no longer change, or
 * DEPENDENTS_RUNS times. A run first lacks the jobs that depend on waiting
 * ones. A job submitted at an end changes nothing before it, so a chain of n
 * waiting jobs needs about n + 1 runs. */
#ifndef SIM_WHEN_DEPENDENTS_H
#define SIM_WHEN_DEPENDENTS_H

#include "sim/present/state.h"
#include "sim/run/run.h"

enum { DEPENDENTS_RUNS = 8 };

struct dependents {
    struct state state; /* the state with other submission times; borrows all
                         * but `jobs` */
    const struct state *whole;
    const sim_span *runs; /* of the draw, by job of the state */
    size_t n;             /* number of jobs that wait for others */
    size_t *jobs;         /* their indices */
    size_t **after;       /* of each: indices of those it waits for */
    sim_time *starts; /* by job of the state; TIME_NEVER: it has not started */
    uint32_t n_runs;  /* of this draw */
};

/* Borrows the state, whose jobs must all have identifiers of its own. */
void dependents_init(struct dependents *d, const struct state *state);
void dependents_fini(struct dependents *d);

/* Begins a draw with these run times, by job of the state. */
void dependents_begin(struct dependents *d, const sim_span *runs);

/* Learns from a run of d->state; state_job[]: by job of the run, its index in
 * the state. Returns true if d->state has changed and is to be run again. */
bool dependents_learn(struct dependents *d, const struct run_result *run,
                      const uint32_t *state_job);

#endif
