/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fault models: when nodes fail, and for how long. The engine asks the model
 * for one failure at a time, in order of time, and queues it as an event. */
#ifndef MODELS_FAULT_H
#define MODELS_FAULT_H

#include "sim/state/cluster.h"
#include "sim/state/plugin.h"

struct fault {
    sim_time at; /* when the node fails */
    node_id node;
    sim_span repair;   /* time from the failure until the node is back, >= 0 */
    const char *cause; /* such as "NVLink"; lives as long as the run */
};

struct fault_ops {
    PLUGIN_HEAD;
    /* Writes the next failure, which is never earlier than the one before it.
     * Returns false if no more failures follow. */
    bool (*next)(void *self, struct fault *out) MUST_USE;
};

struct fault_source {
    PART_OF(fault_ops); /* ops is NULL in a run without failures */
};

#endif
