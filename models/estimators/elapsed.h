/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts how long jobs have held GPUs so far, less the work that they have
 * lost, for example by a failure, an eviction or profiling. The counts need
 * only events, which every estimator may see. An estimate of the total run
 * time, minus this time, is a belief of the remaining time. The code is in
 * history.c. */
#ifndef MODELS_ELAPSED_H
#define MODELS_ELAPSED_H

#include "models/estimators/estimator.h"

struct elapsed {
    /* by job: start of the current attempt; -1: the job is not running */
    sim_time *started;
    /* by job: time on GPUs in ended attempts, less lost work, us */
    sim_span *ran;
};

void elapsed_init(struct elapsed *elapsed, const struct run_env *env);
/* Updates the counts. An estimator calls this at the beginning of its observe
 * hook. */
void elapsed_observe(struct elapsed *elapsed, const struct event *event);
/* Returns how long the job has held GPUs up to now, less lost work, us. */
sim_span elapsed_of(const struct elapsed *elapsed, const struct job *job,
                    sim_time now);

/* Returns the belief of the remaining time of a job that has held GPUs for
 * `ran`, less lost work. `waits`: true if the job waits now, false if it runs.
 * For `total` and `overrun` see elapsed_belief. */
struct belief elapsed_belief_of(sim_span ran, bool waits, sim_time now,
                                sim_span total, sim_span overrun);
/* Returns the belief of the remaining time, from the total run time `total`. A
 * job that has run for `total` or longer is believed to need `overrun` more; a
 * job that has not run keeps `total`, even if that is negative. The caller sets
 * the source and, if it is known, the spread. */
struct belief elapsed_belief(const struct elapsed *elapsed,
                             const struct job *job, sim_time now,
                             sim_span total, sim_span overrun);

#endif
