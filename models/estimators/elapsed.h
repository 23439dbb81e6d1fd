/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long jobs have held GPUs so far, counted from starts and ends, which all
 * policies may see. With an estimate of the whole run time, this gives a belief
 * of the remaining time. */
#ifndef MODELS_ELAPSED_H
#define MODELS_ELAPSED_H

#include "models/estimators/estimator.h"

struct elapsed {
    /* by job: start of its attempt; -1: the job does not run */
    sim_time *started;
    sim_span *ran; /* by job: time on GPUs in ended attempts, us */
};

void elapsed_init(struct elapsed *elapsed, const struct run_env *env);
/* Counts an event. An estimator calls it at the beginning of its observe
 * hook. */
void elapsed_observe(struct elapsed *elapsed, const struct event *event);
/* Returns the time for which the job has held GPUs up to now. */
sim_span elapsed_of(const struct elapsed *elapsed, const struct job *job,
                    sim_time now);

/* Returns the belief of what remains of `total`. A job that has run longer than
 * `total` is believed to need `overrun` more. */
struct belief elapsed_belief(const struct elapsed *elapsed,
                             const struct job *job, sim_time now,
                             sim_span total, sim_span overrun);

#endif
