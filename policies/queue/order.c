/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the keys of waiting jobs up to date, and starts waiting jobs without
 * preemption. */
#include <stdlib.h>
#include <string.h>

#include "policies/queue/order_internal.h"

const char *const order_preempt_names[] = {"needed", "quota", NULL};

void order_init(struct order *order, const struct view *view, order_key key)
{
    order->key = key;
    order->n_vcs = view_cluster(view)->n_vcs;
    order->vcs = mem_zalloc(order->n_vcs, sizeof *order->vcs);
    order->n_types = view_cluster(view)->n_types;
    order->quota = mem_zalloc(order->n_types, sizeof *order->quota);
    order->instant = -1;
}

void order_fini(struct order *order)
{
    for (uint32_t v = 0; v < order->n_vcs; v++) {
        for (size_t g = 0; g < order->vcs[v].n_groups; g++)
            free(order->vcs[v].groups[g].heap);
        free(order->vcs[v].groups);
        free(order->vcs[v].filled);
        free(order->vcs[v].running.at);
    }
    free(order->vcs);
    free(order->chosen.at);
    free(order->victims.at);
    free(order->room);
    free(order->stopped);
    free(order->quota);
    *order = (struct order){0};
}

int64_t order_by_service(uint32_t gpus, sim_span remaining)
{
    int64_t service;
    if (__builtin_mul_overflow(remaining, (int64_t)gpus, &service))
        return remaining < 0 ? INT64_MIN : INT64_MAX;
    return service;
}

static struct order_entry extract(struct order *order, const struct view *view,
                                  const struct job *job)
{
    struct order_mine *mine = view_mine(view, job);
    struct order_vc *vc = &order->vcs[job->vc];
    return order_take(view, vc, &vc->groups[mine->group], mine->at - 1);
}

static int64_t key_of(const struct order *order, const struct view *view,
                      const struct job *job)
{
    struct belief belief;
    if (order->own)
        return order->own(order->own_self, view, job, NULL);
    sim_span remaining = !order->blind && view_remaining(view, job, &belief)
                             ? belief.mean
                             : INT64_MAX;
    return order->key(job->gpus, remaining);
}

void order_enter(struct order *order, const struct view *view,
                 const struct job *job, bool arrives)
{
    struct order_entry entry = {
        .key = key_of(order, view, job),
        .tie = order_rule(order)->enter(order, view, job, arrives),
        .job = job->id,
    };
    order_insert(order, view, entry);
}

static void renew_key(struct order *order, const struct view *view,
                      const struct job *job)
{
    const struct order_mine *mine = view_mine(view, job);
    const struct order_group *group = &order->vcs[job->vc].groups[mine->group];
    int64_t key = key_of(order, view, job);
    if (group->heap[mine->at - 1].key == key)
        return;
    struct order_entry entry = extract(order, view, job);
    entry.key = key;
    order_insert(order, view, entry);
}

void order_renew(struct order *order, const struct view *view)
{
    for (uint32_t v = 0; v < order->n_vcs; v++) {
        for (size_t g = 0; g < order->vcs[v].n_groups; g++) {
            struct order_group *group = &order->vcs[v].groups[g];
            for (size_t i = 0; i < group->n; i++)
                group->heap[i].key =
                    key_of(order, view, view_job(view, group->heap[i].job));
            order_heapify(view, group);
        }
    }
}

uint64_t order_tail(struct order *order, const struct view *view,
                    const struct job *job)
{
    return order_rule(order)->enter(order, view, job, false);
}

void order_requeue(struct order *order, const struct view *view,
                   const struct job *job)
{
    extract(order, view, job);
    order_enter(order, view, job, false);
}

void order_renew_stopped(struct order *order, const struct view *view)
{
    for (size_t i = 0; i < order->n_stopped; i++) {
        const struct job *job = view_job(view, order->stopped[i]);
        const struct order_mine *mine = view_mine(view, job);
        if (mine->at)
            renew_key(order, view, job);
    }
    order->n_stopped = 0;
}

void order_observe(struct order *order, const struct view *view,
                   const struct event *event)
{
    const struct job *job = event->job;
    if (!job)
        return;
    if (event->kind == EVENT_BELIEF && job->state == JOB_RUNNING)
        order_doubt(order, job);
    else if (event->kind != EVENT_BELIEF && event->kind != EVENT_SUBMITTED)
        order_left(order, job);
    const struct order_mine *mine = view_mine(view, job);
    if (job->state == JOB_REJECTED && mine->at)
        extract(order, view, job);
    if (job->state != JOB_PENDING)
        return;
    if (mine->at)
        renew_key(order, view, job);
    else
        order_enter(order, view, job, true);
}

void order_set_quota(struct order *order, const struct cluster *cluster,
                     uint16_t vc, bool free)
{
    memset(order->quota, 0, order->n_types * sizeof *order->quota);
    for (uint32_t p = cluster->vc_first[vc]; p < cluster->vc_first[vc + 1];
         p++) {
        const struct pool *pool = &cluster->pools[p];
        if (!pool->profiler)
            order->quota[pool->type] += free ? pool->n_free : pool->n_gpus;
    }
}

void order_fill(struct order *order, struct plan *plan, uint16_t id)
{
    struct order_vc *vc = &order->vcs[id];
    struct order_group *first;
    while ((first = order_head_of_line(vc))) {
        if (!plan_start(plan, view_job(plan->view, first->heap[0].job)))
            return;
        order_take(plan->view, vc, first, 0);
    }
}

void order_start_fitting(struct order *order, struct plan *plan, uint16_t id,
                         struct order_list *started, size_t before)
{
    struct order_vc *vc = &order->vcs[id];
    const struct cluster *cluster = view_cluster(plan->view);
    struct order_group *first;
    order_set_quota(order, cluster, id, true);
    while ((first = order_first(order, vc))) {
        if (!plan_start(plan, view_job(plan->view, first->heap[0].job))) {
            first->blocked = true;
            continue;
        }
        struct order_entry entry = order_take(plan->view, vc, first, 0);
        if (started)
            *order_push(started) = (struct order_runner){
                .entry = entry, .gpus = first->gpus, .before = before};
        order_set_quota(order, cluster, id, true);
    }
    order_unblock(vc);
}

void order_fill_around(struct order *order, struct plan *plan, uint16_t id)
{
    order_start_fitting(order, plan, id, NULL, 0);
}

void order_fill_by_size(struct order *order, struct plan *plan, uint16_t id)
{
    const struct view *view = plan->view;
    struct order_vc *vc = &order->vcs[id];
    for (size_t g = 0; g < vc->n_groups; g++) {
        const struct job *job = view_first_pending(view, id);
        for (; job && vc->groups[g].n; job = view_next_pending(view, job)) {
            const struct order_mine *mine = view_mine(view, job);
            if (!mine->at || mine->group != g)
                continue;
            if (!plan_start(plan, job))
                return;
            extract(order, view, job);
        }
    }
}
