/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the GPUs for a policy that decides in rounds how many GPUs of which
 * pool each job gets. Gangs go on as few nodes as possible, whole nodes first.
 * A job that keeps its shape stays where it is unless another job could not be
 * placed; then the whole pool is filled again, the largest gang first. If each
 * gang is a power of two up to the node width, or whole nodes, any set whose
 * GPUs add up can be placed. */
#ifndef POLICIES_GANGS_H
#define POLICIES_GANGS_H

#include "policies/policy.h"

/* How many GPUs a job gets from now on. */
struct gang {
    const struct job *job;
    const struct pool *pool; /* NULL: no GPUs */
    uint32_t gpus;
    bool stays; /* it already holds as many of this pool, on as few nodes */
};

/* Adds stops and starts to the plan. Jobs without a gang are left alone, and a
 * job that cannot be placed waits. Sorts `gangs`. */
void gangs_place(struct plan *plan, struct gang *gangs, size_t n);

#endif
