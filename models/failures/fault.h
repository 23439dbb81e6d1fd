/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When nodes fail and for how long. A model is asked for one failure at a time,
 * in order of time; the engine puts it into the event queue. */
#ifndef MODELS_FAULT_H
#define MODELS_FAULT_H

#include "sim/base/error.h"
#include "sim/base/option.h"
#include "sim/state/cluster.h"

struct fault {
    sim_time at;
    node_id node;
    sim_span repair;   /* until the node is back */
    const char *cause; /* e.g. "NVLink"; borrowed for the run */
};

struct fault_ops {
    const char *name, *summary;
    const struct option *options;
    size_t config_size, state_size;
    enum status (*init)(void *self, const void *config,
                        const struct cluster *cluster, uint64_t seed,
                        struct error *err);
    /* Writes the next failure; false if there is none any more. Times never
     * fall. */
    bool (*next)(void *self, struct fault *out) MUST_USE;
    void (*fini)(void *self); /* optional */
};

struct fault_source {
    const struct fault_ops *ops;
    void *self;
    const void *config;
};

#endif
