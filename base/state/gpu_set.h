/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of GPUs. The GPUs of one node are a mask; the GPUs of a gang are a list
 * of such masks, one per node. */
#ifndef SIM_GPU_SET_H
#define SIM_GPU_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

struct gpu_slice {
    node_id node;
    uint64_t mask; /* GPUs of the node, bit 0 = its first; never 0 */
};

/* The GPUs of a gang: one slice per node, in the order in which the slices were
 * chosen. */
struct gpu_set {
    const struct gpu_slice *at;
    uint32_t count;
};

static inline uint32_t mask_count(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

static inline uint32_t gpu_set_size(struct gpu_set set)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < set.count; i++)
        n += mask_count(set.at[i].mask);
    return n;
}

/* True if both sets have the same slices in the same order. */
static inline bool gpu_set_equal(struct gpu_set a, struct gpu_set b)
{
    if (a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++) {
        if (a.at[i].node != b.at[i].node || a.at[i].mask != b.at[i].mask)
            return false;
    }
    return true;
}

/* Walks the GPUs of a mask, lowest first. `first` is the id of the node's first
 * GPU; with 0, `gpu` counts within the node.
 *
 *     for (struct gpu_walk w = gpu_walk(first, mask); gpu_walk_next(&w);)
 *         use(w.gpu); */
struct gpu_walk {
    uint64_t rest; /* GPUs that the walk has not reached yet */
    gpu_id first, gpu;
};

static inline struct gpu_walk gpu_walk(gpu_id first, uint64_t mask)
{
    return (struct gpu_walk){.rest = mask, .first = first, .gpu = 0};
}

/* Moves to the next GPU; false if there is none. */
static inline bool gpu_walk_next(struct gpu_walk *walk)
{
    if (walk->rest == 0)
        return false;
    walk->gpu = walk->first + (uint32_t)__builtin_ctzll(walk->rest);
    walk->rest &= walk->rest - 1;
    return true;
}

#endif
