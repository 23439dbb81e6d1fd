/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interference models: how fast jobs run that share GPUs. A run has two models:
 * the engine's model determines the true rates, the view's model determines
 * what a policy believes. */
#ifndef MODELS_INTERFERENCE_H
#define MODELS_INTERFERENCE_H

#include "base/arena.h"
#include "base/state/plugin.h"

struct interference;

struct interference_ops {
    PLUGIN_HEAD;
    /* Writes the rates of the `count` jobs that hold one GPU. `jobs` and
     * `rates` are in the order in which the jobs started. `count` is at most
     * SHARE_LIMIT_MAX. A rate is > 0 and relative to the job running alone; it
     * is 1.0 if count is 1. It may exceed 1, because some measured rates do.
     * The rates must depend on the arguments only. */
    void (*rates)(const struct interference *model,
                  const struct job *const *jobs, size_t count, double *rates);
};

/* Sorts in ascending order. Models combine the costs of several co-located jobs
 * in this order, so that the order of the jobs does not change the last bit. */
void interference_sort(double *values, size_t n);

struct interference {
    PART_OF(interference_ops);
};

#endif
