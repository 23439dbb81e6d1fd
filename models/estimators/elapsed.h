/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long jobs have held GPUs so far, counted from their starts and ends,
 * which every policy sees; and the belief that follows from an estimate of the
 * whole. */
#ifndef MODELS_ELAPSED_H
#define MODELS_ELAPSED_H

#include "models/estimators/estimator.h"

struct elapsed {
    sim_time *started; /* by job: start of the attempt, or -1 */
    sim_span *ran;     /* by job: sum of the ended attempts */
};

void elapsed_init(struct elapsed *elapsed, const struct run_env *env);
/* Call this first in observe. */
void elapsed_observe(struct elapsed *elapsed, const struct event *event);
sim_span elapsed_of(const struct elapsed *elapsed, const struct job *job,
                    sim_time now);

/* Returns what is left of `total`. A job that outlives `total` is believed to
 * need `overrun` more, as an operator would say "any minute now". */
struct belief elapsed_belief(const struct elapsed *elapsed,
                             const struct job *job, sim_time now,
                             sim_span total, sim_span overrun);

#endif
