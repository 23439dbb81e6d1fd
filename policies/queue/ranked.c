/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/queue/ranked.h"

const struct option ranked_options[] = {
    OPT_CHOICE(struct ranked_config, ties, "ties", ORDER_TIES_SOUND,
               order_ties_names, "which job goes first at equal keys", NULL),
    OPT_CHOICE(
        struct ranked_config, preempt, "preempt", ORDER_PREEMPT_NEEDED,
        order_preempt_names,
        "which running jobs are stopped to make room: those needed, or all "
        "that are over the quota",
        "quota: Lucid's and Tiresias' simulators"),
    {0},
};

enum status ranked_init(struct ranked *ranked, const void *config,
                        const struct view *view, order_key key)
{
    const struct ranked_config *c = config;
    order_init(&ranked->order, view, key);
    ranked->order.ties = (enum order_ties)c->ties;
    ranked->order.preempt = (enum order_preempt)c->preempt;
    return STATUS_OK;
}

void ranked_observe(void *self, const struct view *view,
                    const struct event *event)
{
    order_observe(&((struct ranked *)self)->order, view, event);
}

void ranked_adopt(void *self, const struct view *view, const struct job *job)
{
    order_adopt(&((struct ranked *)self)->order, view, job);
}

void ranked_decide(void *self, const struct view *view, struct plan *plan)
{
    struct ranked *ranked = self;
    struct vc_list touched = view_touched(view);
    order_begin(&ranked->order, view);
    for (uint32_t i = 0; i < touched.count; i++)
        order_fill_preempting(&ranked->order, plan, touched.at[i]);
}

void ranked_fini(void *self)
{
    order_fini(&((struct ranked *)self)->order);
}

const struct option queued_options[] = {
    OPT_BOOL(struct queued_config, skip, "skip", false,
             "pass over a job that does not fit",
             "false: Helios and Lucid (Lucid, simulation/policy)"),
    {0},
};

void queued_init(struct queued *queued, const void *config,
                 const struct view *view, order_key key)
{
    queued->config = config;
    order_init(&queued->order, view, key);
}

void queued_observe(void *self, const struct view *view,
                    const struct event *event)
{
    order_observe(&((struct queued *)self)->order, view, event);
}

void queued_decide(void *self, const struct view *view, struct plan *plan)
{
    struct queued *queued = self;
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        if (queued->config->skip)
            order_fill_around(&queued->order, plan, touched.at[i]);
        else
            order_fill(&queued->order, plan, touched.at[i]);
    }
}

void queued_fini(void *self)
{
    order_fini(&((struct queued *)self)->order);
}
