/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GPUs of a result over time, for `explain`: which nodes are in service,
 * which GPUs are free, and whether a job of some size could be placed. A caller
 * applies the changes in order of time. */
#ifndef SIM_CLI_EXPLAIN_POOLS_H
#define SIM_CLI_EXPLAIN_POOLS_H

#include "commands/explain_sums.h"
#include "sim/verify/verify.h"

enum { EXPLAIN_WIDTH_MAX = 64 }; /* GPUs of the widest node */

/* The nodes of one virtual cluster and one GPU type that are not set aside for
 * profiling. A node is available if it is in service and not lent to the
 * profiler. */
struct explain_pool {
    uint32_t vc, type, widest;
    int64_t up, free; /* GPUs of the available nodes; those that nobody holds */
    int64_t lent;     /* GPUs of the nodes in service that are lent */
    uint32_t n_nodes[EXPLAIN_WIDTH_MAX + 1]; /* all nodes, by width */
    /* available nodes, by number of free GPUs */
    uint32_t n_level[EXPLAIN_WIDTH_MAX + 1];
    /* available nodes without a busy GPU, by width */
    uint32_t n_idle[EXPLAIN_WIDTH_MAX + 1];
    /* by rank of a job in its virtual cluster, in the order of submission: GPUs
     * of which this job is the holder that was submitted first */
    struct explain_sums held;
    uint64_t n_held; /* sum of `held` */
};

struct explain_pools {
    const struct verify_data *data;
    struct explain_pool *at;
    uint32_t n;
    uint32_t *of_node; /* by node: index in `at`; UINT32_MAX: set aside */
    struct explain_node *nodes;
    uint32_t *rank;     /* by job: its rank in its virtual cluster */
    uint32_t *holders;  /* by GPU and place: ranks of the jobs that hold it */
    uint8_t *n_holders; /* by GPU */
    bool scattered;     /* the placer takes free GPUs wherever they are */
};

/* Sets all GPUs free and all nodes in service. The memory is in `arena`. */
void explain_pools_init(struct explain_pools *pools,
                        const struct verify_data *data, struct arena *arena);
void explain_pools_start(struct explain_pools *pools,
                         const struct verify_attempt *attempt);
void explain_pools_end(struct explain_pools *pools,
                       const struct verify_attempt *attempt);
void explain_pools_change(struct explain_pools *pools,
                          const struct verify_change *change);
/* True if the placer of the run could place a job of this size in the pool now.
 * `consolidate`: on one node; a job wider than the widest node on idle nodes,
 * the widest first, and its remainder on one more. Racks are not in the result,
 * so its option one_rack is not considered. Other placers: on any free GPUs. */
bool explain_pools_fit(const struct explain_pools *pools,
                       const struct explain_pool *pool, uint32_t gpus);

#endif
