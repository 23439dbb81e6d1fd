/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Earliest deadline first, without preemption: the waiting job whose deadline
 * comes first is started first; jobs without a deadline come last. The first
 * job that does not fit blocks its virtual cluster; with the option `skip`,
 * later jobs may start before it. Ties: by submission, then id. */
#include "policies/queue/order.h"

struct edf_config {
    bool skip;
};

static const struct option edf_options[] = {
    OPT_BOOL(struct edf_config, skip, "skip", false,
             "pass over a job that does not fit",
             "false: as the other policies that order a queue"),
    {0},
};

struct edf {
    struct order order;
    const struct edf_config *config;
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
    s->config = config;
    order_init(&s->order, env->view, NULL);
    s->order.own = edf_key;
    s->order.own_self = s;
    return STATUS_OK;
}

static void edf_observe(void *self, const struct view *view,
                        const struct event *event)
{
    order_observe(&((struct edf *)self)->order, view, event);
}

static void edf_decide(void *self, const struct view *view, struct plan *plan)
{
    struct edf *s = self;
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        if (s->config->skip)
            order_fill_around(&s->order, plan, touched.at[i]);
        else
            order_fill(&s->order, plan, touched.at[i]);
    }
}

static void edf_remark(const void *self, struct remarks *remarks)
{
    if (!((const struct edf *)self)->has_deadline)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "no job has a deadline, so the order is that of "
                    "fifo; a column deadline_s gives them");
}

static void edf_fini(void *self)
{
    order_fini(&((struct edf *)self)->order);
}

const struct policy_ops policy_edf = {
    .name = "edf",
    .summary = "earliest deadline first, no preemption",
    .options = edf_options,
    .config_size = sizeof(struct edf_config),
    .state_size = sizeof(struct edf),
    .job_size = sizeof(struct order_mine),
    .init = edf_init,
    .observe = edf_observe,
    .decide = edf_decide,
    .remark = edf_remark,
    .fini = edf_fini,
};
