/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A state that is simulated again and again under the same settings, each time
 * with other run times. */
#ifndef SIM_WHEN_WORLD_H
#define SIM_WHEN_WORLD_H

#include "sim/when/dependents.h"

struct when_world {
    const struct state *state; /* borrowed */
    struct dependents dependents;
    /* by job of the last run: its index in the state, or JOB_NONE */
    uint32_t *state_job;
};

void when_world_init(struct when_world *world, const struct state *state);
void when_world_fini(struct when_world *world);

/* Simulates the state with these run times, and times that a scheduler plans
 * with, by job of the state; more than once if jobs wait for the ends of
 * others. Jobs that can never start are no error. The caller frees the run. */
enum status when_world_run(struct when_world *world,
                           const struct run_config *config,
                           const sim_span *runs, const sim_span *plans,
                           struct run **out, struct error *err) MUST_USE;

#endif
