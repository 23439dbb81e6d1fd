/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes from the last to the first, all free GPUs of each. */
#include "policies/decide/placer.h"

static uint32_t last_fit_place(void *self, const void *config,
                               const struct cluster *c, const struct pool *pool,
                               uint32_t gpus, struct gpu_slice *out)
{
    uint32_t n = 0;
    (void)self;
    (void)config;
    for (uint32_t i = pool->n_nodes; gpus > 0 && i-- > 0;) {
        const struct node *node = &c->nodes[pool->first_node + i];
        uint32_t take = node->n_free < gpus ? node->n_free : gpus;
        if (take == 0 || !pool_has(c, pool, pool->first_node + i))
            continue;
        out[n++] =
            (struct gpu_slice){pool->first_node + i, node_lowest(node, take)};
        gpus -= take;
    }
    return gpus == 0 ? n : 0;
}

const struct placer_ops placer_last_fit = {
    .name = "last-fit",
    .summary = "any free GPUs, nodes from the last to the first",
    .place = last_fit_place,
};
