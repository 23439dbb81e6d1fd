/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As many nodes as possible: one GPU at a time from the node that has the most
 * free ones left, the first of them. The opposite of consolidate, to see what
 * consolidation is worth. */
#include "policies/placer.h"

/* Free GPUs a node would have left. */
static uint32_t left(const struct cluster *c, node_id node,
                     const struct gpu_slice *out, uint32_t n, uint32_t *at)
{
    uint32_t taken = 0;
    *at = n;
    for (uint32_t i = 0; i < n; i++) {
        if (out[i].node == node) {
            taken = mask_count(out[i].mask);
            *at = i;
        }
    }
    return c->nodes[node].n_free - taken;
}

static uint32_t spread_place(void *self, const void *config,
                             const struct cluster *c, const struct pool *pool,
                             uint32_t gpus, struct gpu_slice *out)
{
    uint32_t n = 0;
    (void)self;
    (void)config;
    for (; gpus > 0; gpus--) {
        uint32_t most = 0, slice = 0, at;
        node_id best = NODE_NONE;
        for (uint32_t i = 0; i < pool->n_nodes; i++) {
            uint32_t free = left(c, pool->first_node + i, out, n, &at);
            if (free > most) {
                most = free;
                best = pool->first_node + i;
                slice = at;
            }
        }
        if (best == NODE_NONE)
            return 0;
        if (slice == n)
            out[n++] = (struct gpu_slice){best, 0};
        uint64_t rest = c->nodes[best].free & ~out[slice].mask;
        out[slice].mask |= rest & -rest;
    }
    return n;
}

const struct placer_ops placer_spread = {
    .name = "spread",
    .summary = "one GPU at a time from the emptiest node",
    .place = spread_place,
};
