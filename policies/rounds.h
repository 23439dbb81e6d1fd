/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls the decisions of policies that act in rounds. Such a policy decides at
 * whole multiples of a length, for one virtual cluster after another, and rests
 * in between. The policy keeps a struct rounds in its state and calls
 * rounds_decide from its decide hook. */
#ifndef POLICIES_ROUNDS_H
#define POLICIES_ROUNDS_H

#include "policies/policy.h"

struct rounds {
    sim_span length; /* length of a round, us, > 0 */
    /* True: rounds count from the start of the run. False: from 1970 UTC
     * (view_is_round). */
    bool from_start;
    sim_time last; /* start of the last round; -1: no round yet */
};

/* Decides one round of one virtual cluster. `self` is the policy's state. */
typedef void (*rounds_run)(void *self, const struct view *view,
                           struct plan *plan, uint16_t vc);

/* If a round begins now, calls `run` for each virtual cluster with pending or
 * running jobs, once per instant. The plan then rests until the next round, and
 * asks for a wake at that time if any job is pending or runs. */
void rounds_decide(struct rounds *rounds, const struct view *view,
                   struct plan *plan, rounds_run run, void *self);

/* Returns the pending and running jobs of a virtual cluster, ordered by id, in
 * the scratch of the plan. *n becomes their number. */
const struct job **rounds_jobs(const struct view *view, struct plan *plan,
                               uint16_t vc, uint32_t *n);

#endif
