/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that wraps another policy in a run that begins from the present
 * state of a cluster. From the present on the wrapped policy decides. How the
 * run gets there:
 *
 * 1. Only the present is known. The running jobs start when and where they
 *    started. The wrapped policy learns
 *    of waiting jobs when they are submitted, and of the running jobs, which it
 *    has not started itself, through its hook `adopt`.
 * 2. A run with equal settings wrote the state, and has left all its plans. The
 *    wrapped policy is asked as in that run, so it has the same state and has
 *    learned the same; each of its plans must be the one in the log.
 * 3. A run with other settings did. Its plans are repeated, and the wrapped
 *    policy learns of the jobs as under 1.
 *
 * Under 2 and 3, it is an error if the jobs at the present are not those of the
 * state. */
#ifndef POLICIES_RESUMED_H
#define POLICIES_RESUMED_H

#include "policies/policy.h"
#include "policies/redo.h"

/* A running job: the present attempt. */
struct resumed_start {
    const char *id; /* identifier of the job in the trace */
    sim_time at;    /* us since 1970, before the present */
    struct gpu_set where;
};

struct resumed {
    struct policy_ops ops; /* descriptor that the engine sees */
    const struct policy_ops *inner;
    const void *inner_config;
    sim_time present; /* us since 1970 */
    const struct resumed_start *starts;
    size_t n_starts;
    struct bookings bookings;    /* hold from the present on; n 0: none */
    const struct redo_log *past; /* NULL: only the present is known */
    const char *differs;   /* settings that differ from those of the past; NULL:
                            * none does */
    const job_id *waiting; /* with a past: the jobs that wait at the present */
    size_t n_waiting;
};

/* Sets the descriptor and the wrapped policy of *resumed; the caller has filled
 * in the fields from `present` on, but may still set `differs`. The engine must
 * get `resumed` as the config of resumed->ops. All pointers must stay valid for
 * the run. */
void resumed_wrap(struct resumed *resumed, const struct policy_ops *inner,
                  const void *inner_config);

#endif
