/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Earliest deadline first, without preemption: the waiting job whose deadline
 * comes first is started first; jobs without a deadline come last. The first
 * job that does not fit blocks its virtual cluster; with the option `skip`,
 * later jobs may start before it. Ties: by submission, then id. */
#include "policies/queue/ranked.h"

struct edf {
    struct queued queued;
    bool has_deadline; /* some job so far had a deadline */
};

/* order_own: the deadline, which never changes. */
static int64_t edf_key(void *self, const struct view *view,
                       const struct job *job, struct order_runner *runner)
{
    sim_time deadline = view_deadline(view, job);
    ((struct edf *)self)->has_deadline |= deadline != TIME_NEVER;
    if (runner)
        runner->steady_until = TIME_NEVER;
    return deadline;
}

static enum status edf_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    struct edf *s = self;
    (void)err;
    queued_init(&s->queued, config, env->view, NULL);
    s->queued.order.own = edf_key;
    s->queued.order.own_self = s;
    return STATUS_OK;
}

static void edf_remark(const void *self, struct remarks *remarks)
{
    if (!((const struct edf *)self)->has_deadline)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "no job has a deadline, so the order is that of "
                    "fifo; a column deadline_s gives them");
}

const struct policy_ops policy_edf = {
    QUEUED_HOOKS,
    .name = "edf",
    .summary = "earliest deadline first, no preemption",
    .state_size = sizeof(struct edf),
    .init = edf_init,
    .remark = edf_remark,
};
