/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortest job first: orders jobs by believed run time, without preemption. As
 * in Helios and Lucid the first job that does not fit blocks its virtual
 * cluster; with the option `skip`, later jobs may start before it. Ties: by
 * submission, then id. */
#include "policies/queue/order.h"

struct sjf_config {
    bool skip;
};

static const struct option sjf_options[] = {
    OPT_BOOL(struct sjf_config, skip, "skip", false,
             "pass over a job that does not fit",
             "false: Helios and Lucid (Lucid, simulation/policy)"),
    {0},
};

struct sjf {
    struct order order;
    const struct sjf_config *config;
};

static int64_t sjf_key(uint32_t gpus, sim_span remaining)
{
    (void)gpus;
    return remaining;
}

static enum status sjf_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    struct sjf *s = self;
    (void)err;
    s->config = config;
    order_init(&s->order, view, sjf_key);
    return STATUS_OK;
}

static void sjf_observe(void *self, const struct view *view,
                        const struct event *event)
{
    order_observe(&((struct sjf *)self)->order, view, event);
}

static void sjf_decide(void *self, const struct view *view, struct plan *plan)
{
    struct sjf *s = self;
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        if (s->config->skip)
            order_fill_around(&s->order, plan, touched.at[i]);
        else
            order_fill(&s->order, plan, touched.at[i]);
    }
}

static void sjf_fini(void *self)
{
    order_fini(&((struct sjf *)self)->order);
}

const struct policy_ops policy_sjf = {
    .name = "sjf",
    .summary = "shortest believed run time first, no preemption",
    .options = sjf_options,
    .config_size = sizeof(struct sjf_config),
    .state_size = sizeof(struct sjf),
    .job_size = sizeof(struct order_mine),
    .needs = POLICY_NEEDS_DURATION,
    .init = sjf_init,
    .observe = sjf_observe,
    .decide = sjf_decide,
    .fini = sjf_fini,
};
