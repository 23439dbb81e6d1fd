/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the nodes of a pool by their number of free GPUs, and free GPUs of a
 * node. */
#include "base/state/cluster.h"

/* Returns the first set bit at or after `from`; UINT32_MAX if there is none. */
static uint32_t next_bit(const uint64_t *words, uint32_t n_words, uint32_t from)
{
    for (uint32_t w = from / 64; w < n_words; w++) {
        uint64_t word = words[w];
        if (w == from / 64)
            word &= ~UINT64_C(0) << (from % 64);
        if (word)
            return w * 64 + (uint32_t)__builtin_ctzll(word);
    }
    return UINT32_MAX;
}

node_id pool_next_at(const struct cluster *c, const struct pool *pool,
                     uint32_t n_free, node_id after)
{
    uint32_t from = after == NODE_NONE ? 0 : c->nodes[after].local + 1u;
    if (n_free > pool->widest)
        return NODE_NONE;
    uint32_t bit = next_bit(pool->bits[n_free], pool->n_words, from);
    return bit == UINT32_MAX ? NODE_NONE : pool->first_node + bit;
}

node_id pool_tightest(const struct cluster *c, const struct pool *pool,
                      uint32_t gpus)
{
    if (gpus == 0 || gpus > pool->widest)
        return NODE_NONE;
    uint64_t fit = pool->levels >> (gpus - 1);
    if (!fit)
        return NODE_NONE;
    return pool_next_at(c, pool, gpus + (uint32_t)__builtin_ctzll(fit),
                        NODE_NONE);
}

uint64_t node_lowest(const struct node *node, uint32_t count)
{
    uint64_t rest = node->free, mask = 0;
    if (count == node->n_free)
        return rest;
    for (; count; count--) {
        mask |= rest & -rest;
        rest &= rest - 1;
    }
    return mask;
}
