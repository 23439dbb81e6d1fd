/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fault models: which hardware fails, when and for how long, and which jobs a
 * fault hits. The engine asks a model for one fault at a time, in order of
 * time, and keeps it in the event queue. A model does not see the decisions of
 * a policy, so the list of faults of one seed is the same under every
 * policy. The code is in causes.c. */
#ifndef MODELS_FAULT_H
#define MODELS_FAULT_H

#include "base/state/cluster.h"
#include "base/state/plugin.h"

/* The running jobs that a fault hits. */
enum fault_scope {
    FAULT_NODE,   /* the jobs that hold any GPU of the node */
    FAULT_GPU,    /* the jobs that hold GPU fault.gpu of the node */
    FAULT_NVLINK, /* the jobs that hold two or more GPUs of the node */
    FAULT_NIC,    /* the jobs that hold GPUs of the node and of another one */
    /* each running job of a virtual cluster, with the chance fault.share */
    FAULT_STORAGE,
    FAULT_N_SCOPES
};
/* Returns the word for the scope: "node", "gpu", "nvlink", "nic", "storage". */
const char *fault_scope_name(enum fault_scope scope);

/* What happens to the node after the fault. */
enum fault_after {
    FAULT_PASSES, /* the node is healthy again at once */
    FAULT_DOWN, /* the node is out of service until its repair; jobs on it that
                   the fault does not hit are stopped and keep their work */
    /* the node stays in service: jobs that start on it can fail again, until it
     * is isolated or the repair time is over */
    FAULT_HIDDEN,
    FAULT_N_AFTER
};
/* Returns the word for what happens to the node: "passes", "down", "hidden". */
const char *fault_after_name(enum fault_after after);

struct fault {
    sim_time at;
    sim_span repair; /* time until the node is repaired, >= 0 */
    /* FAULT_HIDDEN: mean of the exponentially distributed time until a job that
     * starts on the node fails, > 0 */
    sim_span relapse;
    const char *cause; /* for the results, such as "NVLink"; lives as long as
                          the run */
    /* key of the draws about this fault; equal under every policy */
    uint64_t key;
    node_id node;  /* node that fails; NODE_NONE for FAULT_STORAGE */
    uint16_t vc;   /* for FAULT_STORAGE: the virtual cluster that is hit */
    uint8_t scope; /* jobs that the fault hits, enum fault_scope */
    /* state of the node after the fault, enum fault_after; FAULT_PASSES for
     * FAULT_STORAGE */
    uint8_t after;
    /* FAULT_GPU: number of the GPU on the node, from 0; the engine takes it
     * modulo the number of GPUs of the node */
    uint8_t gpu;
    /* true for an act of an operator that makes no job fail: if the node goes
     * out of service, its jobs are stopped and keep their work */
    bool harmless;
    float share; /* FAULT_STORAGE: the chance that a job is hit, 0..1 */
};

struct fault_ops {
    PLUGIN_HEAD;
    /* Writes the next fault; returns false if no fault is left. Times are >= 0
     * and never decrease. The engine ignores a fault of a node that is out of
     * service. */
    bool (*next)(void *self, struct fault *out) MUST_USE;
    /* Optional. Returns the mean number of faults per second that a job on one
     * node meets; 0 if it is unknown. Called before init; checkpoint intervals
     * are computed from it. */
    double (*rate)(const void *config, const struct cluster *cluster);
};

struct fault_source {
    PART_OF(fault_ops); /* ops NULL: nothing fails */
};

#endif
