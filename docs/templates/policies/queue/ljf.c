/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Largest job first: by GPUs asked for, without preemption. */
#include "policies/queue/order.h"

struct ljf_config {
    bool skip;
};

static const struct option ljf_options[] = {
    OPT_BOOL(struct ljf_config, skip, "skip", false,
             "go on after a job that does not fit", NULL),
    {0},
};

struct ljf {
    struct order order;
    const struct ljf_config *config;
};

static int64_t ljf_key(uint32_t gpus, sim_span remaining)
{
    (void)remaining;
    return -(int64_t)gpus;
}

static enum status ljf_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    struct ljf *s = self;
    (void)err;
    s->config = config;
    order_init(&s->order, env->view, ljf_key);
    return STATUS_OK;
}

static void ljf_observe(void *self, const struct view *view,
                        const struct event *event)
{
    order_observe(&((struct ljf *)self)->order, view, event);
}

static void ljf_decide(void *self, const struct view *view, struct plan *plan)
{
    struct ljf *s = self;
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        if (s->config->skip)
            order_fill_around(&s->order, plan, touched.at[i]);
        else
            order_fill(&s->order, plan, touched.at[i]);
    }
}

static void ljf_fini(void *self)
{
    order_fini(&((struct ljf *)self)->order);
}

const struct policy_ops policy_ljf = {
    .name = "ljf",
    .summary = "largest job first, no preemption",
    .options = ljf_options,
    .config_size = sizeof(struct ljf_config),
    .state_size = sizeof(struct ljf),
    .job_size = sizeof(struct order_mine),
    .init = ljf_init,
    .fini = ljf_fini,
    .observe = ljf_observe,
    .decide = ljf_decide,
};
