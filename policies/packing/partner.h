/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts jobs first in, first out. A job that does not fit on free GPUs joins
 * another job of its size on that job's GPUs. Shared by the policies gandiva
 * and random-pack. */
#ifndef POLICIES_PARTNER_H
#define POLICIES_PARTNER_H

#include "policies/policy.h"

/* A walk over the jobs that would run in a virtual cluster if the plan were
 * committed now: first the running jobs that the plan does not stop, then the
 * jobs that it starts. */
struct partner_walk {
    const struct plan *plan;
    const struct job *running; /* next running job; NULL after the last */
    size_t action;             /* index of the next action of the plan */
    uint16_t vc;
};
struct partner_walk partner_walk(const struct plan *plan, uint16_t vc);
/* Returns the next job of the walk; NULL after the last job. */
const struct job *partner_next(struct partner_walk *walk);

/* True if `job` can be put beside `resident`: no other job is on the resident's
 * GPUs, they are as many as the job asks for and of a type that the job
 * accepts, the resident is not being profiled, and neither is barred from
 * sharing. plan_share checks the memory, and whether the model can run. */
bool partner_suits(const struct plan *plan, const struct job *job,
                   const struct job *resident);

/* Callback that puts a job, which does not fit on free GPUs, beside another
 * job. Returns false if no job suits. */
typedef bool (*partner_join)(void *self, struct plan *plan,
                             const struct job *job);
/* Starts a job on free GPUs, or else through `join`. Returns false if neither
 * works. */
bool partner_start(struct plan *plan, const struct job *job, partner_join join,
                   void *self);
/* Starts the waiting jobs of a virtual cluster in the order in which they began
 * to wait. The first one that cannot start blocks the rest. Returns false if a
 * job could not start. */
bool partner_fill(struct plan *plan, uint16_t vc, partner_join join,
                  void *self);

#endif
