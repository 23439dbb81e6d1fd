/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes all free GPUs of node after node until the job has as many as it asks
 * for. This never fails while enough GPUs are free, wherever they are. It is
 * Tiresias' scheme `count`, and Lucid's placer `random`, which is not random.
 */
#include "policies/decide/placer.h"

static uint32_t first_fit_place(void *self, const void *config,
                                const struct cluster *c,
                                const struct pool *pool, uint32_t gpus,
                                struct gpu_slice *out)
{
    uint32_t n = 0;
    (void)self;
    (void)config;
    for (uint32_t i = 0; gpus > 0 && i < pool->n_nodes; i++) {
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

const struct placer_ops placer_first_fit = {
    .name = "first-fit",
    .summary = "any free GPUs, node after node",
    .place = first_fit_place,
};
