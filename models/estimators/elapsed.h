/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long jobs have held GPUs so far, counted from starts and ends, which
 * every policy sees. From it and from an estimate of a whole run time follows
 * the belief of what remains. */
#ifndef MODELS_ELAPSED_H
#define MODELS_ELAPSED_H

#include "models/estimators/estimator.h"

struct elapsed {
    sim_time *started; /* by job: start of its attempt; -1: it does not run */
    sim_span *ran;     /* by job: time on GPUs in ended attempts */
};

void elapsed_init(struct elapsed *elapsed, const struct run_env *env);
/* Call this first in observe. */
void elapsed_observe(struct elapsed *elapsed, const struct event *event);
/* Returns the time for which the job has held GPUs up to now. */
sim_span elapsed_of(const struct elapsed *elapsed, const struct job *job,
                    sim_time now);

/* Returns what remains of `total`. A job that outlives `total` is believed to
 * need `overrun` more. */
struct belief elapsed_belief(const struct elapsed *elapsed,
                             const struct job *job, sim_time now,
                             sim_span total, sim_span overrun);

#endif
