/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast jobs run that share GPUs. Two models are configured: the engine's
 * model (what happens) and the view's model (what a policy believes). */
#ifndef MODELS_INTERFERENCE_H
#define MODELS_INTERFERENCE_H

#include "sim/base/arena.h"
#include "sim/state/plugin.h"

struct interference;

struct interference_ops {
    PLUGIN_HEAD;
    /* Rates of `count` jobs that share one set of GPUs, relative to each
     * running alone, in the order in which the jobs came; each > 0, and 1.0 if
     * count is 1. A model may return a rate above 1, because measured pairs
     * have such rates. Pure and symmetric: permuting the jobs permutes the
     * rates. */
    void (*rates)(const struct interference *model,
                  const struct job *const *jobs, size_t count, double *rates);
};

/* Sorts ascending. Models add or multiply the costs of several companions in
 * this order, so that the order of the jobs does not change the last bit. */
void interference_sort(double *values, size_t n);

struct interference {
    PART_OF(interference_ops);
};

#endif
