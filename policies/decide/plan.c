/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan without its starts: stops, nodes that leave and return, wakes,
 * queries of the plan so far, and undo. */
#include <stdlib.h>

#include "policies/decide/plan_internal.h"

const char *plan_kind_name(enum plan_kind kind)
{
    static const char *const words[] = {
        [PLAN_START] = "start",         [PLAN_SHARE] = "share",
        [PLAN_PROFILE] = "profile",     [PLAN_STOP] = "stop",
        [PLAN_IMAGINE] = "imagine",     [PLAN_CLOSE] = "close",
        [PLAN_OPEN] = "open",           [PLAN_LEND] = "lend",
        [PLAN_TAKE_BACK] = "take-back",
    };
    return words[kind];
}

void plan_init(struct plan *plan, const struct view *view,
               struct cluster *cluster, const struct placer *placer,
               uint8_t *planned, struct arena *scratch)
{
    uint32_t largest = 1;
    for (uint32_t p = 0; p < cluster->n_pools; p++) {
        if (cluster->pools[p].n_gpus > largest)
            largest = cluster->pools[p].n_gpus;
    }
    *plan = (struct plan){
        .view = view,
        .cluster = cluster,
        .placer = placer,
        .scratch = scratch,
        .planned = planned,
        .slices = mem_alloc(largest * sizeof *plan->slices),
        .wake = TIME_NEVER,
        .broken_job = JOB_NONE,
    };
}

void plan_fini(struct plan *plan)
{
    free(plan->actions);
    free(plan->slices);
    *plan = (struct plan){0};
}

void plan_clear(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_actions; i++) {
        if (plan->actions[i].job)
            plan->planned[plan->actions[i].job->id] = 0;
    }
    plan->n_actions = 0;
    plan->wake = TIME_NEVER;
    plan->rest = 0;
}

bool plan_broken(struct plan *plan, const struct job *job, const char *rule)
{
    if (plan->broken.status != STATUS_OK)
        return false;
    plan->broken_job = job->id;
    error_set(&plan->broken, STATUS_BAD_PLAN, "at %.6f s: job %u %s",
              span_seconds(view_now(plan->view)), job->id, rule);
    return false;
}

void plan_refuse(struct plan *plan, enum status status, job_id job,
                 const char *why)
{
    if (plan->broken.status != STATUS_OK)
        return;
    plan->broken_job = job;
    error_set(&plan->broken, status, "at %.6f s: %s",
              span_seconds(view_now(plan->view)), why);
}

struct plan_action *plan_act(struct plan *plan, enum plan_kind kind,
                             const struct job *job)
{
    plan->actions = mem_grow(plan->actions, &plan->cap_actions,
                             plan->n_actions + 1, sizeof *plan->actions);
    struct plan_action *action = &plan->actions[plan->n_actions++];
    *action = (struct plan_action){.kind = kind, .job = job};
    return action;
}

bool plan_close(struct plan *plan, node_id id)
{
    const struct node *node = &plan->cluster->nodes[id];
    if (plan->broken.status != STATUS_OK ||
        (node->up && node->n_free < node->gpus))
        return false;
    struct plan_action *action = plan_act(plan, PLAN_CLOSE, NULL);
    action->node = id;
    action->moves = cluster_close(plan->cluster, id);
    return true;
}

void plan_open(struct plan *plan, node_id id)
{
    if (plan->broken.status != STATUS_OK || plan->cluster->nodes[id].up)
        return;
    struct plan_action *action = plan_act(plan, PLAN_OPEN, NULL);
    action->node = id;
    action->moves = cluster_open(plan->cluster, id);
}

static bool is_idle(const struct plan *plan, node_id id)
{
    const struct node *node = &plan->cluster->nodes[id];
    return plan->broken.status == STATUS_OK && node->up &&
           node->n_free == node->gpus;
}

bool plan_lend(struct plan *plan, node_id id)
{
    const struct cluster *c = plan->cluster;
    if (!is_idle(plan, id) || c->pools[c->nodes[id].pool].profiler)
        return false;
    cluster_lend(plan->cluster, id);
    plan_act(plan, PLAN_LEND, NULL)->node = id;
    return true;
}

bool plan_take_back(struct plan *plan, node_id id)
{
    if (!is_idle(plan, id) || !cluster_is_lent(plan->cluster, id))
        return false;
    cluster_take_back(plan->cluster, id);
    plan_act(plan, PLAN_TAKE_BACK, NULL)->node = id;
    return true;
}

static void give_up(struct plan *plan, enum plan_kind kind,
                    const struct job *job, struct gpu_set where)
{
    struct plan_action *action = plan_act(plan, kind, job);
    action->where = where;
    for (uint32_t i = 0; i < where.count; i++)
        cluster_give(plan->cluster, where.at[i], job->id);
}

void plan_stop(struct plan *plan, const struct job *job)
{
    if (plan->broken.status != STATUS_OK)
        return;
    if (job->state != JOB_RUNNING) {
        plan_broken(plan, job, "stopped while not running");
        return;
    }
    if (plan->planned[job->id] & PLANNED_STOP) {
        plan_broken(plan, job, "stopped twice in one plan");
        return;
    }
    give_up(plan, PLAN_STOP, job, view_where(plan->view, job));
    plan->planned[job->id] |= PLANNED_STOP;
}

void plan_imagine_gone(struct plan *plan, const struct job *job)
{
    struct gpu_set where = plan_where(plan, job);
    if (where.count == 0)
        plan_broken(plan, job, "imagined gone while it does not run");
    else
        give_up(plan, PLAN_IMAGINE, job, where);
}

void plan_wake_at(struct plan *plan, sim_time at)
{
    if (plan->broken.status != STATUS_OK)
        return;
    if (at <= view_now(plan->view)) {
        error_set(&plan->broken, STATUS_BAD_PLAN,
                  "at %.6f s: a wake at %.6f s does not lie after now",
                  span_seconds(view_now(plan->view)), span_seconds(at));
        return;
    }
    if (at < plan->wake)
        plan->wake = at;
}

void plan_rest_until(struct plan *plan, sim_time at)
{
    plan->rest = at;
}

uint32_t plan_free_gpus(const struct plan *plan, uint16_t vc)
{
    return cluster_vc_free(plan->cluster, vc);
}

bool plan_is_started(const struct plan *plan, const struct job *job)
{
    return plan->planned[job->id] & PLANNED_START;
}

bool plan_is_stopped(const struct plan *plan, const struct job *job)
{
    return plan->planned[job->id] & PLANNED_STOP;
}

struct gpu_set plan_where(const struct plan *plan, const struct job *job)
{
    uint8_t flags = plan->planned[job->id];
    if (flags & PLANNED_START) {
        for (size_t i = plan->n_actions; i-- > 0;) {
            const struct plan_action *a = &plan->actions[i];
            if (a->job == job && a->kind != PLAN_STOP &&
                a->kind != PLAN_IMAGINE)
                return a->where;
        }
    }
    if (job->state == JOB_RUNNING && !(flags & PLANNED_STOP))
        return view_where(plan->view, job);
    return (struct gpu_set){0};
}

size_t plan_mark(const struct plan *plan)
{
    return plan->n_actions;
}

static void undo(struct plan *plan, const struct plan_action *action)
{
    uint8_t none = 0;
    uint8_t *flags = action->job ? &plan->planned[action->job->id] : &none;
    switch (action->kind) {
    case PLAN_START:
    case PLAN_SHARE:
    case PLAN_PROFILE:
        for (uint32_t i = action->where.count; i-- > 0;)
            cluster_give(plan->cluster, action->where.at[i], action->job->id);
        *flags &= (uint8_t)~PLANNED_START;
        break;
    case PLAN_STOP:
    case PLAN_IMAGINE:
        for (uint32_t i = action->where.count; i-- > 0;)
            cluster_join(plan->cluster, action->where.at[i], action->job->id);
        if (action->kind == PLAN_STOP)
            *flags &= (uint8_t)~PLANNED_STOP;
        break;
    case PLAN_CLOSE:
        cluster_open(plan->cluster, action->node);
        break;
    case PLAN_OPEN:
        cluster_close(plan->cluster, action->node);
        break;
    case PLAN_LEND:
        cluster_take_back(plan->cluster, action->node);
        break;
    case PLAN_TAKE_BACK:
        cluster_lend(plan->cluster, action->node);
        break;
    }
}

void plan_undo_to(struct plan *plan, size_t mark)
{
    while (plan->n_actions > mark)
        undo(plan, &plan->actions[--plan->n_actions]);
}

void *plan_scratch(struct plan *plan, size_t bytes)
{
    return arena_alloc(plan->scratch, bytes);
}
