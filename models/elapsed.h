/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long jobs have held GPUs so far, as anybody who watches starts and ends
 * can tell; and the belief that follows from an estimate of the whole. */
#ifndef MODELS_ELAPSED_H
#define MODELS_ELAPSED_H

#include "models/estimator.h"

struct elapsed {
    sim_time *started; /* by job: start of the attempt, or -1 */
    sim_span *ran;     /* by job: in ended attempts           */
};

void elapsed_init(struct elapsed *elapsed, const struct estimator_env *env);
/* Call from observe, first. */
void elapsed_observe(struct elapsed *elapsed, const struct event *event);
sim_span elapsed_of(const struct elapsed *elapsed, const struct job *job,
                    sim_time now);

/* What is left of `total`. A job that outlives it is believed to need `overrun`
 * more, as an operator would say "any minute now". */
struct belief elapsed_belief(const struct elapsed *elapsed,
                             const struct job *job, sim_time now,
                             sim_span total, sim_span overrun);

#endif
