/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the GPUs for a policy that decides in rounds how many GPUs of which
 * pool each job gets. Gangs go on the fewest nodes, whole nodes
 * first; if a gang still does not fit when the pool is filled anew, on any
 * nodes of its GPU type. A job that keeps its shape stays where it is unless
 * another job could not be placed; then the whole pool is filled anew, the
 * largest gang first. If all nodes of a pool have one width, which is a power
 * of two, and each gang takes a power of two within a node or a number of whole
 * nodes, then gangs that together need no more GPUs than the pool has free can
 * all be placed. */
#ifndef POLICIES_GANGS_H
#define POLICIES_GANGS_H

#include "policies/decide/plan.h"

/* The GPUs that a job gets from now on. */
struct gang {
    const struct job *job;
    /* pool that gives the GPUs; NULL: the job gets none */
    const struct pool *pool;
    uint32_t gpus;
    /* true if the job already holds this many GPUs of the pool, on the fewest
     * nodes possible */
    bool stays;
};

/* Adds stops and starts to the plan. Jobs that are in no gang are left alone,
 * and a job that cannot be placed waits. Sorts `gangs`. */
void gangs_place(struct plan *plan, struct gang *gangs, size_t n);

#endif
