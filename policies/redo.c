/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/redo.h"

#include <stdlib.h>
#include <string.h>

struct redo_state {
    const struct redo *redo;
    void *inner; /* state of the wrapped policy, stored after this struct */
};

void redo_begin_plan(struct redo_log *log, sim_time at)
{
    log->plans = mem_grow(log->plans, &log->cap_plans, log->n_plans + 1,
                          sizeof *log->plans);
    log->plans[log->n_plans++] =
        (struct redo_plan){.at = at, .first = log->n_actions};
}

void redo_add_action(struct redo_log *log, const struct redo_action *action)
{
    const uint32_t count = action->where.count;
    log->actions = mem_grow(log->actions, &log->cap_actions, log->n_actions + 1,
                            sizeof *log->actions);
    struct redo_action *own = &log->actions[log->n_actions++];
    *own = *action;
    if (count) {
        struct gpu_slice *where =
            ARENA_ARRAY(log->arena, struct gpu_slice, count);
        memcpy(where, action->where.at, count * sizeof *where);
        own->where.at = where;
    }
    log->plans[log->n_plans - 1].n++;
}

void redo_add_refusal(struct redo_log *log, job_id job, const char *why)
{
    log->refusals = mem_grow(log->refusals, &log->cap_refusals,
                             log->n_refusals + 1, sizeof *log->refusals);
    log->refusals[log->n_refusals++] = (struct redo_refusal){job, why};
}

static enum status redo_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    struct redo_state *s = self;
    s->redo = config;
    s->inner = s + 1;
    if (!s->redo->inner->init)
        return STATUS_OK;
    return s->redo->inner->init(s->inner, s->redo->inner_config, env, err);
}

static void redo_observe(void *self, const struct view *view,
                         const struct event *event)
{
    struct redo_state *s = self;
    if (s->redo->inner->observe)
        s->redo->inner->observe(s->inner, view, event);
}

static const char *redo_never(const void *self, const struct view *view,
                              const struct job *job)
{
    const struct redo_state *s = self;
    const char *why = s->redo->inner->never(s->inner, view, job);
    if (why && view_now(view) < s->redo->until)
        redo_add_refusal(s->redo->log, job->id, why);
    return why;
}

static void redo_decide(void *self, const struct view *view, struct plan *plan)
{
    struct redo_state *s = self;
    s->redo->inner->decide(s->inner, view, plan);
    if (view_now(view) >= s->redo->until || plan->n_actions == 0)
        return;
    redo_begin_plan(s->redo->log, view_now(view));
    for (size_t i = 0; i < plan->n_actions; i++) {
        const struct plan_action *a = &plan->actions[i];
        const bool starts = a->job && a->kind != PLAN_STOP;
        redo_add_action(s->redo->log,
                        &(struct redo_action){
                            .kind = a->kind,
                            .job = a->job ? a->job->id : JOB_NONE,
                            .node = a->job ? NODE_NONE : a->node,
                            .where = starts ? a->where : (struct gpu_set){0},
                            .limit = a->kind == PLAN_PROFILE ? a->limit : 0,
                        });
    }
}

static size_t redo_count(const void *self, struct policy_count *out)
{
    const struct redo_state *s = self;
    return s->redo->inner->count ? s->redo->inner->count(s->inner, out) : 0;
}

static void redo_remark(const void *self, struct remarks *remarks)
{
    const struct redo_state *s = self;
    if (s->redo->inner->remark)
        s->redo->inner->remark(s->inner, remarks);
}

static void redo_fini_inner(void *self)
{
    struct redo_state *s = self;
    if (s->redo && s->redo->inner->fini)
        s->redo->inner->fini(s->inner);
}

void redo_wrap(struct redo *redo, const struct policy_ops *inner,
               const void *inner_config, sim_time until, struct redo_log *log)
{
    *redo = (struct redo){.ops = *inner,
                          .inner = inner,
                          .inner_config = inner_config,
                          .until = until,
                          .log = log};
    redo->ops.state_size = sizeof(struct redo_state) + inner->state_size;
    redo->ops.init = redo_init;
    redo->ops.never = inner->never ? redo_never : NULL;
    redo->ops.observe = redo_observe;
    redo->ops.adopt = NULL;
    redo->ops.decide = redo_decide;
    redo->ops.count = redo_count;
    redo->ops.remark = redo_remark;
    redo->ops.fini = redo_fini_inner;
}

void redo_fini(struct redo_log *log)
{
    free(log->plans);
    free(log->actions);
    free(log->refusals);
    *log = (struct redo_log){0};
}
