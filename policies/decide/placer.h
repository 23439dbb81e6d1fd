/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of placers, which choose the GPUs of a job that a policy
 * starts. To add a placer, write one file with a descriptor, and add the
 * descriptor to the array of placers in policies/registry.c. */
#ifndef POLICIES_PLACER_H
#define POLICIES_PLACER_H

#include "base/state/cluster.h"
#include "base/state/plugin.h"

struct placer_ops {
    PLUGIN_HEAD;
    /* Chooses `gpus` free GPUs of the pool, which has at least that many free.
     * Writes slices, one per node, to `out`, which has room for `gpus` slices.
     * Returns the number of slices; 0 if no placement satisfies this placer. */
    uint32_t (*place)(void *self, const void *config, const struct cluster *c,
                      const struct pool *pool, uint32_t gpus,
                      struct gpu_slice *out);
    /* Optional. False only if `place` cannot place `gpus` GPUs on nodes of
     * `width` GPUs, of which nodes[f] have at most f free, f in 0..width. */
    bool (*could_place)(const uint32_t *nodes, uint32_t width, uint32_t gpus);
};

struct placer {
    PART_OF(placer_ops);
};

#endif
