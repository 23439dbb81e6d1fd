/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses as many nodes as possible: takes one GPU at a time from the node that
 * has the most free GPUs left; among equal nodes, from the first. This is the
 * opposite of consolidate, and measures what consolidation gains.
 *
 * The GPUs are taken in passes. In the pass of level n each node that has at
 * least n free GPUs gives one GPU. The last pass may end early. The index of
 * the pool finds the nodes of each level, so the cost depends on the number of
 * nodes that give GPUs, not on the size of the cluster. */
#include "policies/decide/placer.h"

/* Adds the nodes with exactly `level` free GPUs. Returns the new number of
 * slices, or UINT32_MAX if it would exceed `most`. */
static uint32_t add_level(const struct cluster *c, const struct pool *pool,
                          uint32_t level, struct gpu_slice *out, uint32_t n,
                          uint32_t most)
{
    if (!(pool->levels >> (level - 1) & 1))
        return n;
    for (node_id node = pool_next_at(c, pool, level, NODE_NONE);
         node != NODE_NONE; node = pool_next_at(c, pool, level, node)) {
        if (n == most)
            return UINT32_MAX;
        out[n++] = (struct gpu_slice){node, 0};
    }
    return n;
}

/* Chooses the nodes that give a GPU in the last pass: the first `count` nodes
 * that have at least `floor` free GPUs. Nodes with exactly `floor` are not in
 * the list yet and are added. Returns the last of the `count` nodes. */
static node_id add_first(const struct cluster *c, const struct pool *pool,
                         uint32_t floor, uint32_t count, struct gpu_slice *out,
                         uint32_t *n)
{
    node_id next[NODE_GPUS_MAX + 1], last = NODE_NONE;
    for (uint32_t level = floor; level <= pool->widest; level++)
        next[level] = pool_next_at(c, pool, level, NODE_NONE);
    for (; count > 0; count--) {
        uint32_t at = floor;
        for (uint32_t level = floor + 1; level <= pool->widest; level++) {
            if (next[level] < next[at])
                at = level;
        }
        last = next[at];
        if (at == floor)
            out[(*n)++] = (struct gpu_slice){last, 0};
        next[at] = pool_next_at(c, pool, at, last);
    }
    return last;
}

static uint32_t spread_place(void *self, const void *config,
                             const struct cluster *c, const struct pool *pool,
                             uint32_t gpus, struct gpu_slice *out)
{
    uint32_t n = 0, floor = pool->widest;
    (void)self;
    (void)config;
    for (; floor > 0; floor--) {
        uint32_t all =
            n > gpus ? UINT32_MAX : add_level(c, pool, floor, out, n, gpus);
        if (all == UINT32_MAX)
            break; /* there are more nodes than GPUs to take */
        n = all;
        gpus -= n;
    }
    if (gpus > 0 && floor == 0)
        return 0;
    node_id last = gpus ? add_first(c, pool, floor, gpus, out, &n) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct node *node = &c->nodes[out[i].node];
        bool gives_more = gpus > 0 && out[i].node <= last;
        out[i].mask = node_lowest(node, node->n_free - floor + gives_more);
    }
    return n;
}

const struct placer_ops placer_spread = {
    .name = "spread",
    .summary = "one GPU at a time from the emptiest node",
    .place = spread_place,
};
