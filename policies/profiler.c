/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/profiler.h"

#include <stdlib.h>

/* Of a job. Who left the heap before its turn stays in it until it is at the
 * top: its stage tells. */
enum stage { STAGE_NEW, STAGE_WAITS, STAGE_PROFILED_NOW, STAGE_DONE };

void profiler_init(struct profiler *p, const struct profiler_config *config,
                   const struct view *view)
{
    *p = (struct profiler){
        .config = config,
        .stages = mem_zalloc(view_n_jobs(view), sizeof *p->stages),
    };
}

void profiler_fini(struct profiler *p)
{
    free(p->stages);
    free(p->heap);
    free(p->ready);
    *p = (struct profiler){0};
}

static bool before(const struct profiler_entry *a,
                   const struct profiler_entry *b)
{
    return a->job->gpus < b->job->gpus ||
           (a->job->gpus == b->job->gpus && a->seq < b->seq);
}

static void push(struct profiler *p, const struct job *job)
{
    struct profiler_entry entry = {job, p->seq++};
    p->heap = mem_grow(p->heap, &p->cap, p->n + 1, sizeof *p->heap);
    size_t at = p->n++;
    for (; at > 0 && before(&entry, &p->heap[(at - 1) / 2]); at = (at - 1) / 2)
        p->heap[at] = p->heap[(at - 1) / 2];
    p->heap[at] = entry;
    p->blocked = p->blocked && at > 0; /* a new head may be smaller */
}

static void pop(struct profiler *p)
{
    struct profiler_entry last = p->heap[--p->n];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < p->n) {
        if (child + 1 < p->n && before(&p->heap[child + 1], &p->heap[child]))
            child++;
        if (!before(&p->heap[child], &last))
            break;
        p->heap[at] = p->heap[child];
        at = child;
    }
    if (p->n)
        p->heap[at] = last;
}

static void hand_out(struct profiler *p, const struct job *job)
{
    p->stages[job->id] = STAGE_DONE;
    p->ready =
        mem_grow(p->ready, &p->cap_ready, p->n_ready + 1, sizeof *p->ready);
    p->ready[p->n_ready++] = job;
}

/* Some profiler node that is up is wide enough. */
static bool has_node(const struct view *view, const struct job *job)
{
    const struct cluster *c = view_cluster(view);
    for (uint32_t i = 0; i < c->n_pools; i++) {
        const struct pool *pool = &c->pools[i];
        if (!pool->profiler ||
            (job->gpu_type != GPU_TYPE_ANY && pool->type != job->gpu_type) ||
            !view_is_able(view, job, (uint8_t)pool->type, job->gpus))
            continue;
        for (uint32_t n = 0; n < pool->n_nodes; n++) {
            const struct node *node = &c->nodes[pool->first_node + n];
            if (node->up && node->gpus >= job->gpus)
                return true;
        }
    }
    return false;
}

static bool is_exempt(const struct profiler *p, const struct view *view,
                      const struct job *job)
{
    struct demand demand;
    return job->gpus > p->config->max_gpus || view_demand(view, job, &demand) ||
           !has_node(view, job);
}

/* The job is pending. */
static void enter(struct profiler *p, const struct view *view,
                  const struct job *job)
{
    if (p->stages[job->id] == STAGE_DONE || is_exempt(p, view, job)) {
        hand_out(p, job);
        return;
    }
    p->stages[job->id] = STAGE_WAITS;
    push(p, job);
}

void profiler_observe(struct profiler *p, const struct view *view,
                      const struct event *event)
{
    const struct job *job = event->job;
    struct demand demand;
    switch (event->kind) {
    case EVENT_PROFILED:
        p->stages[job->id] = STAGE_DONE;
        p->blocked = false;
        enter(p, view, job);
        break;
    case EVENT_FAILED:
    case EVENT_STOPPED:
    case EVENT_SUBMITTED:
        p->blocked = p->blocked && event->kind == EVENT_SUBMITTED;
        if (job->state == JOB_PENDING)
            enter(p, view, job);
        break;
    case EVENT_BELIEF:
        if (p->stages[job->id] == STAGE_WAITS &&
            view_demand(view, job, &demand))
            hand_out(p, job);
        break;
    case EVENT_FINISHED:
    case EVENT_NODE_DOWN:
    case EVENT_NODE_UP:
        p->blocked = false;
        break;
    case EVENT_PACED:
    case EVENT_WAKE:
    case EVENT_STARTED:
    case EVENT_N_KINDS:
        break;
    }
}

void profiler_decide(struct profiler *p, const struct view *view,
                     struct plan *plan)
{
    while (p->n && !p->blocked) {
        const struct job *job = p->heap[0].job;
        if (p->stages[job->id] == STAGE_WAITS) {
            if (plan_profile(plan, job, p->config->limit))
                p->stages[job->id] = STAGE_PROFILED_NOW;
            else if (has_node(view, job))
                p->blocked = true;
            else
                hand_out(p, job); /* its nodes are gone */
        }
        if (!p->blocked)
            pop(p);
    }
}

const struct job *profiler_take_ready(struct profiler *p)
{
    if (p->next_ready < p->n_ready)
        return p->ready[p->next_ready++];
    p->next_ready = p->n_ready = 0;
    return NULL;
}

size_t profiler_n_waiting(const struct profiler *p)
{
    return p->n;
}
