/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes, GPUs, virtual clusters, and the jobs that hold GPUs.
 *
 * A node has up to 64 GPUs of one type. A virtual cluster is a set of nodes;
 * every node belongs to one. The nodes of one virtual cluster, one GPU type and
 * one use (for jobs, for profiling, or lent to the profiler) form a *pool*: a
 * gang never crosses pools. Nodes of a pool keep the order of the description,
 * and that order decides every tie between nodes.
 *
 * A GPU is *free* when no job holds it. Each pool is indexed by the number of
 * free GPUs of its nodes (by one set of nodes for each number, kept as bits),
 * so finding the node with the fewest, but at least g, free GPUs takes few
 * instructions even in a large cluster (measured: 17 ns). */
#ifndef SIM_CLUSTER_H
#define SIM_CLUSTER_H

#include "base/arena.h"
#include "base/state/cluster_spec.h"
#include "base/state/gpu_set.h"

#define SHARE_LIMIT_MAX 4

struct node {
    uint64_t free;    /* mask of the GPUs that no job holds; 0 if the node is
                       * down or drains */
    gpu_id first_gpu; /* id of the node's first GPU; the others have the next
                       * ids */
    uint32_t rack;    /* number of the node's rack; nodes of one rack share a
                       * switch */
    /* grows whenever the node goes up or down or to another pool, or a job
     * comes to it or leaves it; what was found out about its GPUs holds until
     * then */
    uint32_t changes;
    uint16_t pool;  /* index of cluster.pools */
    uint16_t local; /* index of the node within its pool */
    uint16_t downs; /* number of reasons for which the node is down */
    /* its virtual cluster, also if all share the nodes (cluster.merged);
     * UINT16_MAX: none */
    uint16_t home;
    uint8_t gpus;   /* number of GPUs of the node, 1..NODE_GPUS_MAX */
    uint8_t n_free; /* number of bits that are set in `free` */
    bool up;
    /* true: no job starts here. GPUs that no job holds are out of service */
    bool drains;
    /* true: the policy lends the node to the profiler as long as no job needs
     * it (policies/lucid/lucid.h) */
    bool lends;
};

struct pool {
    uint16_t vc, type; /* indices of cluster.vcs and cluster.types */
    bool profiler;     /* true: only plan_profile uses the nodes */
    bool loan;         /* true: pool `home` lends the nodes to the profiler */
    uint16_t home;     /* if `loan`: index of the pool that lends */
    /* The nodes of a pool have consecutive numbers. A lent node is in the range
     * of the loan pool and of its home pool: call pool_has to test. */
    uint32_t n_nodes, first_node;
    /* number of GPUs of nodes that are up; of draining ones, those that jobs
     * hold */
    uint32_t n_gpus;
    /* number of GPUs that no job holds, on nodes that are up */
    uint32_t n_free;
    uint32_t n_idle; /* number of GPUs of nodes that are up and wholly free */
    /* largest and smallest number of GPUs of one node */
    uint32_t widest, narrowest;
    uint64_t levels;  /* bit f-1: some node has exactly f free GPUs */
    uint64_t **bits;  /* bits[f]: set of the nodes with f free GPUs, by local
                         index */
    uint32_t n_words; /* number of words of each set */
};

/* The pools first .. end - 1. */
struct pool_range {
    uint32_t first, end;
};

struct cluster {
    struct node *nodes;
    /* ordered by virtual cluster, type and use; loan pools come last */
    struct pool *pools;
    struct gpu_type_spec *types;
    const char **vcs;
    struct pool_range *vc_pools; /* by virtual cluster: pools of its nodes */
    /* true: all virtual clusters run on the same nodes, whose pools name
     * virtual cluster 0 (cluster_spec.merged) */
    bool merged;
    const uint32_t
        *nominal;         /* if merged: by virtual cluster, its quota, GPUs */
    uint32_t n_own_pools; /* pools below this number are no loan pools */
    job_id *holders;      /* share_limit entries per GPU: the jobs that hold it,
                             in ascending order */
    uint8_t *n_holders;   /* by GPU: number of jobs that hold it */
    /* largest number of jobs on one GPU, 1..SHARE_LIMIT_MAX */
    uint32_t share_limit;
    uint32_t n_nodes, n_gpus, n_pools, n_types, n_vcs;
    /* number of GPUs that no job holds, on nodes that are up */
    uint32_t n_free;
    struct arena arena;
};

/* Checks the description as cluster_spec_check does and builds an empty
 * cluster, all nodes up. The caller owns the cluster. Nodes are numbered as
 * cluster_spec_number says. */
enum status cluster_init(struct cluster *c, const struct cluster_spec *spec,
                         uint32_t share_limit, struct error *err) MUST_USE;
void cluster_fini(struct cluster *c); /* accepts all zeroes */

/* Return the number of GPUs, and of free GPUs, on the nodes of a virtual
 * cluster that are up, without its profiler nodes and the nodes that are
 * lent. */
uint32_t cluster_vc_gpus(const struct cluster *c, uint16_t vc);
uint32_t cluster_vc_free(const struct cluster *c, uint16_t vc);
/* Returns the name of the virtual cluster of a node, also if all virtual
 * clusters share the nodes; "all": it has none. */
const char *cluster_home(const struct cluster *c, node_id node);
/* Returns the index of a virtual cluster; UINT16_MAX if none has this name. */
uint16_t cluster_vc_find(const struct cluster *c, const char *name);

/* Gives the GPUs of the slice to `job`. All of them must be free and the node
 * up. */
void cluster_take(struct cluster *c, struct gpu_slice slice, job_id job);
/* Makes `job` one more holder of the GPUs, whether other jobs hold them or not;
 * undoes cluster_give. The node must be up, and each GPU have fewer than
 * share_limit holders. */
void cluster_join(struct cluster *c, struct gpu_slice slice, job_id job);
/* Removes `job`, which must hold the slice; a GPU without holders is free
 * again. */
void cluster_give(struct cluster *c, struct gpu_slice slice, job_id job);

/* Add or remove one reason for a node to be down. Return true if the node
 * thereby went down or came up. A node that goes down must have no holders. */
bool cluster_close(struct cluster *c, node_id node);
bool cluster_open(struct cluster *c, node_id node);
/* Sets the node up or down without counting reasons. A node that goes down must
 * have no holders. */
void cluster_set_up(struct cluster *c, node_id node, bool up);

/* Begins or ends to drain a node that is up: while it drains, its free GPUs and
 * those that jobs leave are out of service. Ends it before the node goes down.
 */
void cluster_drain(struct cluster *c, node_id node, bool drains);

/* cluster_lend lends a node of a pool for jobs to the profiler;
 * cluster_take_back ends the loan. Both times the node must be up and have no
 * holders. */
void cluster_lend(struct cluster *c, node_id node);
void cluster_take_back(struct cluster *c, node_id node);
static inline bool cluster_is_lent(const struct cluster *c, node_id node)
{
    return c->pools[c->nodes[node].pool].loan;
}

/* True if jobs of the virtual cluster may run on the nodes of the pool. */
static inline bool cluster_serves(const struct cluster *c,
                                  const struct pool *pool, uint16_t vc)
{
    return pool->vc == vc || c->merged;
}

static inline bool pool_has(const struct cluster *c, const struct pool *pool,
                            node_id node)
{
    return &c->pools[c->nodes[node].pool] == pool;
}
/* Returns the node with the fewest free GPUs among those that have at least
 * `gpus`; among nodes with equally many, the first in the pool's order.
 * NODE_NONE if no node has enough or `gpus` is 0. */
node_id pool_tightest(const struct cluster *c, const struct pool *pool,
                      uint32_t gpus);
/* Returns the first node after `after` (NODE_NONE: from the start) that has
 * exactly `n_free` free GPUs; NODE_NONE if there is none. */
node_id pool_next_at(const struct cluster *c, const struct pool *pool,
                     uint32_t n_free, node_id after);
/* Returns how many nodes have exactly `n_free` free GPUs; at most pool->widest.
 */
uint32_t pool_count_at(const struct pool *pool, uint32_t n_free);
/* Returns the mask of the `count` lowest free GPUs. The node must have at least
 * `count` free GPUs. */
uint64_t node_lowest(const struct node *node, uint32_t count);

#endif
