/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the GPUs of a gang for Horus: the cost of a GPU, and the search over
 * nodes. */
#ifndef POLICIES_HORUS_COST_H
#define POLICIES_HORUS_COST_H

#include "policies/policy.h"

struct horus_config {
    /* The option rows in horus.c describe these fields. */
    uint32_t lookahead;
    double headroom_mib, memory_weight, overload;
    unsigned cost; /* formula of the cost, enum horus_cost */
};

enum horus_cost { HORUS_COST_INTENDED, HORUS_COST_CODED };

/* The state that Horus keeps of each job. */
struct horus_mine {
    double util, mem_mib; /* believed demand on each GPU: percent, MiB */
    /* number of the job's entry in the queue; 0: the job is not in the queue */
    uint64_t entry;
    /* position of the job in the order in which jobs began to wait */
    uint64_t seq;
    /* value of the queue's `releases` when the job last did not fit; 0: the job
     * has not been tried since it was ranked */
    uint32_t refused;
};

/* Returns GPUs for a gang, all in one pool, in scratch memory of the plan; an
 * empty set if the gang fits in no pool. Takes the pool in which the gang needs
 * the fewest nodes, then the one with the lowest cost, then the first one. */
struct gpu_set horus_place(const struct horus_config *config, struct plan *plan,
                           const struct job *job);

#endif
