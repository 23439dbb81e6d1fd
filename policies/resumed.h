/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that wraps another policy in a run that begins from the present
 * state of a cluster. Up to the present it repeats what happened: it starts the
 * running jobs when and where they started, and closes the nodes that are out.
 * From the present on the wrapped policy decides. It learns of waiting jobs
 * when they are submitted, and of the running jobs, which it has not started
 * itself, through its hook `adopt`. */
#ifndef POLICIES_RESUMED_H
#define POLICIES_RESUMED_H

#include "policies/policy.h"

/* A running job: the present attempt. */
struct resumed_start {
    const char *id; /* identifier of the job in the trace */
    sim_time at;    /* us since 1970, before the present */
    struct gpu_set where;
};

/* A node that is out of service. The jobs that the state leaves on it run on,
 * and no other job starts there. */
struct resumed_out {
    node_id node;
    sim_time until; /* us since 1970; TIME_NEVER: not known, for good */
};

struct resumed {
    struct policy_ops ops; /* descriptor that the engine sees */
    const struct policy_ops *inner;
    const void *inner_config;
    sim_time present; /* us since 1970 */
    const struct resumed_start *starts;
    size_t n_starts;
    const struct resumed_out *outs;
    size_t n_outs;
};

/* Sets the descriptor and the wrapped policy of *resumed; the caller has filled
 * in the fields from `present` on. The engine must get `resumed` as the config
 * of resumed->ops. All pointers must stay valid for the run. */
void resumed_wrap(struct resumed *resumed, const struct policy_ops *inner,
                  const void *inner_config);

#endif
