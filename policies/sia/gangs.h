/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the GPUs for policies that decide in rounds how many GPUs of which
 * pool every job gets: on as few nodes as possible, whole nodes first. A job
 * that keeps its shape stays where it is unless others could not be placed
 * otherwise; then the pool is filled anew, the largest gang first. If each gang
 * is a power of two up to the node width, or whole nodes, any set whose GPUs
 * add up can be placed. */
#ifndef POLICIES_GANGS_H
#define POLICIES_GANGS_H

#include "policies/policy.h"

/* The GPUs that a job gets from now on. */
struct gang {
    const struct job *job;
    const struct pool *pool; /* NULL: no GPUs */
    uint32_t gpus;
    /* it holds GPUs of this shape already, on as few nodes as possible */
    bool stays;
};

/* Fills the plan; jobs without a gang are not touched. Sorts `gangs`. A job
 * that could not be placed waits. */
void gangs_place(struct plan *plan, struct gang *gangs, size_t n);

#endif
