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

/* What the GPUs of a node would cost the job that asked last. Most jobs are
 * like the one before, and most nodes have not changed since. */
struct horus_offer {
    /* The offer holds for jobs of this demand and right to share, */
    double util, mem_mib;
    bool may_share;
    /* and until the node or the beliefs about its jobs change. */
    uint32_t node_changes, news;
    uint64_t search;            /* the last search that took the node */
    uint32_t n;                 /* number of GPUs that can take the job */
    double cost[NODE_GPUS_MAX]; /* cost[i]: of the cheapest i + 1 together */
    uint8_t gpu[NODE_GPUS_MAX]; /* cheapest first, then by number */
};

struct horus_offers {
    const struct horus_config *config;
    struct horus_offer *nodes; /* by node */
    /* Grows when the belief about a running job, or whether it may share, may
     * have changed. From 1, so that no offer holds at first. */
    uint32_t news;
    uint64_t n_searches; /* searches of a pool so far */
};
void horus_offers_init(struct horus_offers *offers,
                       const struct horus_config *config,
                       const struct cluster *cluster);
void horus_offers_fini(struct horus_offers *offers); /* accepts all zeroes */

/* Returns GPUs for a gang, all in one pool, in scratch memory of the plan; an
 * empty set if the gang fits in no pool. Takes the pool in which the gang needs
 * the fewest nodes, then the one with the lowest cost, then the first one. */
struct gpu_set horus_place(struct horus_offers *offers, struct plan *plan,
                           const struct job *job);

#endif
