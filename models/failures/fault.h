/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When nodes fail and for how long. A model is asked for one failure at a time,
 * in order of time; the engine puts it into the event queue. */
#ifndef MODELS_FAULT_H
#define MODELS_FAULT_H

#include "sim/state/cluster.h"
#include "sim/state/plugin.h"

struct fault {
    sim_time at;
    node_id node;
    sim_span repair;   /* until the node is back */
    const char *cause; /* e.g. "NVLink"; borrowed for the run */
};

struct fault_ops {
    PLUGIN_HEAD;
    /* Writes the next failure; false if there is none any more. Times never
     * fall. */
    bool (*next)(void *self, struct fault *out) MUST_USE;
};

struct fault_source {
    PART_OF(fault_ops); /* ops NULL: nothing fails */
};

#endif
