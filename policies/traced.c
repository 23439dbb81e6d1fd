/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forwards each hook to the wrapped policy. After a decision, writes the plan
 * to the log, one line per action: "time action job node:gpus ...", with GPUs
 * as a bit mask in hexadecimal, or "time action node" for an action on a whole
 * node. Times are in seconds; jobs and nodes are numbers from 0. */
#include "policies/traced.h"

#include <inttypes.h>

struct traced_state {
    const struct traced *traced;
    void *inner; /* state of the wrapped policy, stored after this struct */
};

static enum status traced_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    struct traced_state *s = self;
    s->traced = config;
    s->inner = s + 1;
    if (!s->traced->inner->init)
        return STATUS_OK;
    return s->traced->inner->init(s->inner, s->traced->inner_config, env, err);
}

static void traced_observe(void *self, const struct view *view,
                           const struct event *event)
{
    struct traced_state *s = self;
    if (s->traced->inner->observe)
        s->traced->inner->observe(s->inner, view, event);
}

static const char *traced_never(const void *self, const struct view *view,
                                const struct job *job)
{
    const struct traced_state *s = self;
    return s->traced->inner->never(s->inner, view, job);
}

static void write_action(struct out *log, sim_time now,
                         const struct plan_action *action)
{
    const char *kind = plan_kind_name(action->kind);
    out_span(log, now);
    if (!action->job) {
        out_printf(log, " %s %" PRIu32 "\n", kind, action->node);
        return;
    }
    out_printf(log, " %s %" PRIu32, kind, action->job->id);
    for (uint32_t i = 0; i < action->where.count; i++)
        out_printf(log, " %" PRIu32 ":%" PRIx64, action->where.at[i].node,
                   action->where.at[i].mask);
    out_char(log, '\n');
}

static void traced_decide(void *self, const struct view *view,
                          struct plan *plan)
{
    struct traced_state *s = self;
    s->traced->inner->decide(s->inner, view, plan);
    for (size_t i = 0; i < plan->n_actions; i++)
        write_action(s->traced->log, view_now(view), &plan->actions[i]);
}

static size_t traced_count(const void *self, struct policy_count *out)
{
    const struct traced_state *s = self;
    return s->traced->inner->count ? s->traced->inner->count(s->inner, out) : 0;
}

static void traced_remark(const void *self, struct remarks *remarks)
{
    const struct traced_state *s = self;
    if (s->traced->inner->remark)
        s->traced->inner->remark(s->inner, remarks);
}

static void traced_fini(void *self)
{
    struct traced_state *s = self;
    if (s->traced && s->traced->inner->fini)
        s->traced->inner->fini(s->inner);
}

void traced_wrap(struct traced *traced, const struct policy_ops *inner,
                 const void *inner_config, struct out *log)
{
    *traced = (struct traced){.ops = *inner,
                              .inner = inner,
                              .inner_config = inner_config,
                              .log = log};
    traced->ops.state_size = sizeof(struct traced_state) + inner->state_size;
    traced->ops.init = traced_init;
    traced->ops.never = inner->never ? traced_never : NULL;
    traced->ops.observe = traced_observe;
    traced->ops.decide = traced_decide;
    traced->ops.count = traced_count;
    traced->ops.remark = traced_remark;
    traced->ops.fini = traced_fini;
}
