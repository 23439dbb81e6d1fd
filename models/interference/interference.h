/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast jobs run that share GPUs. Two models are configured: the engine's
 * model (what happens) and the view's model (what a policy believes). */
#ifndef MODELS_INTERFERENCE_H
#define MODELS_INTERFERENCE_H

#include "sim/base/arena.h"
#include "sim/base/error.h"
#include "sim/base/option.h"
#include "sim/base/remarks.h"
#include "sim/state/job.h"

struct workloads; /* models/workloads/workloads.h */

/* The data that a model may use when it is bound to the jobs of a run. */
struct interference_env {
    const struct job *jobs;
    uint32_t n_jobs;
    const struct workloads *workloads;
    struct arena *arena; /* lives as long as the run */
    /* Adds an entry to the manifest; the value is copied. */
    void (*note)(void *self, const char *key, const char *value,
                 const char *help, const char *source);
    void *note_self;
    struct remarks
        *remarks; /* what the user must know; NULL: remarks are dropped */
};

struct interference_ops {
    const char *name, *summary;
    const struct option *options;
    size_t config_size;
    /* Optional. Called once, before the first question: completes the config
     * with what the model needs to know of the jobs. */
    enum status (*bind)(void *config, const struct interference_env *env,
                        struct error *err);
    /* Rates of `count` jobs that share one set of GPUs, relative to each
     * running alone, in the order in which the jobs came; each > 0, and 1.0 if
     * count is 1. A model may return a rate above 1, because measured pairs
     * have such rates. Pure and symmetric: permuting the jobs permutes the
     * rates. */
    void (*rates)(const void *config, const struct job *const *jobs,
                  size_t count, double *rates);
};

/* Sorts ascending. Models add or multiply the costs of several companions in
 * this order, so that the order of the jobs does not change the last bit. */
void interference_sort(double *values, size_t n);

struct interference {
    const struct interference_ops *ops;
    void *config;
};

#endif
