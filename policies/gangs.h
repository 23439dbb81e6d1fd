/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which GPUs, for policies that decide in rounds how many of which pool every
 * job is to have: on as few nodes as possible, whole nodes first. Who keeps its
 * shape stays where it is unless others could not be placed otherwise; then the
 * pool is filled anew, the largest first. Of powers of two up
 * to the width of a node and of whole nodes everything fits that adds up. */
#ifndef POLICIES_GANGS_H
#define POLICIES_GANGS_H

#include "policies/policy.h"

/* What a job is to have from now on. */
struct gang {
    const struct job *job;
    const struct pool *pool; /* NULL: no GPUs */
    uint32_t gpus;
    bool stays; /* it has just that already, on as few nodes */
};

/* Fills the plan; jobs without a gang are not touched. Sorts `gangs`. Who could
 * not be placed waits. */
void gangs_place(struct plan *plan, struct gang *gangs, size_t n);

#endif
