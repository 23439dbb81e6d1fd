/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the GPUs of a gang for Horus: the cost of a GPU and the search over
 * nodes. */
#ifndef POLICIES_HORUS_COST_H
#define POLICIES_HORUS_COST_H

#include "policies/policy.h"

struct horus_config {
    uint32_t lookahead;
    double headroom_mib, memory_weight, overload;
    unsigned cost;
};

enum horus_cost { HORUS_COST_INTENDED, HORUS_COST_CODED };

/* The policy's bytes of a job: believed demand, 0..100 and MiB per GPU. */
struct horus_mine {
    double util, mem_mib;
    uint32_t refused; /* `releases` when the job was last found not to fit */
    bool waits;
};

/* The cheapest GPUs for the whole gang on the fewest nodes of one GPU type, in
 * scratch memory of the plan; empty if it does not fit. Of equal places the one
 * whose GPU type the cluster names first. */
struct gpu_set horus_place(const struct horus_config *config, struct plan *plan,
                           const struct job *job);

#endif
