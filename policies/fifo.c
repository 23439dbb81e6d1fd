/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strict first in, first out: in each virtual cluster, the first job that does
 * not fit blocks all jobs after it. Most papers on schedulers use this policy
 * as a baseline. */
#include "policies/policy.h"

static void fifo_decide(void *self, const struct view *view, struct plan *plan)
{
    (void)self;
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        const struct job *job = view_first_pending(view, touched.at[i]);
        /* a job that advance reservations keep out blocks no other (Slurm) */
        while (job && (plan_start(plan, job) || plan_is_booked_out(plan, job)))
            job = view_next_pending(view, job);
    }
}

const struct policy_ops policy_fifo = {
    .name = "fifo",
    .summary = "first in, first out; the first job that does not fit blocks",
    .decide = fifo_decide,
};
