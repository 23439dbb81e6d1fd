/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast jobs run that share GPUs. Two models are configured: the engine's
 * (what happens) and the view's (what a policy believes). */
#ifndef MODELS_INTERFERENCE_H
#define MODELS_INTERFERENCE_H

#include "sim/base/option.h"
#include "sim/job.h"

struct interference_ops {
    const char *name, *summary;
    const struct option *options;
    size_t config_size;
    /* Rates of `count` jobs that share one set of GPUs, relative to each
     * running alone; each > 0, and 1.0 if count is 1. Pure and symmetric:
     * permuting the jobs permutes the rates. */
    void (*rates)(const void *config, const struct job *const *jobs,
                  size_t count, double *rates);
};

struct interference {
    const struct interference_ops *ops;
    const void *config;
};

#endif
