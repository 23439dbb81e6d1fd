/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiresias' promotion: a job that has waited too long, compared with how long
 * it has run, goes back to the first queue as if it had not run. Its waiting
 * time is the sum of all waits after its first start since the last promotion.
 *
 * The waiting jobs that may be promoted are kept in a heap, ordered by the time
 * of promotion. A job that starts stays in the heap until that time comes. */
#include "base/heap.h"
#include "policies/tiresias/tiresias.h"

static bool is_earlier(const void *a, const void *b)
{
    return ((const struct watched *)a)->at < ((const struct watched *)b)->at;
}

static const struct heap_kind earliest_first = {
    .size = sizeof(struct watched),
    .before = is_earlier,
};

static struct watched watch_take(struct tiresias_vc *vc)
{
    struct watched first = vc->watch[0];
    heap_take(&earliest_first, NULL, vc->watch, vc->n_watch--, 0);
    return first;
}

/* Returns the time at which a job that begins to wait now may be promoted. This
 * time may lie in the past. TIME_NEVER: later than any time of a run. */
static sim_time promoted_at(const struct tiresias *t, const struct view *view,
                            const struct job *job)
{
    const struct tiresias_mine *mine = view_mine(view, job);
    int64_t ran =
        tiresias_service(t, view, job) / tiresias_gpu_rate(t, job->gpus);
    double patience = span_seconds(ran) * t->config->promote;
    if (patience > SECONDS_MAX)
        return TIME_NEVER;
    return view_now(view) + (int64_t)patience * SPAN_SECOND -
           (tiresias_waited(view, job) - mine->waited);
}

void tiresias_watch(struct tiresias *t, const struct view *view,
                    const struct job *job)
{
    struct tiresias_vc *vc = &t->vcs[job->vc];
    struct tiresias_mine *mine = view_mine(view, job);
    if (t->config->promote == 0 || mine->queue == 0 || mine->in_watch ||
        mine->order.at == 0 || tiresias_service(t, view, job) == 0)
        return;
    sim_time at = promoted_at(t, view, job);
    if (at <= view_now(view)) {
        vc->overdue = mem_grow(vc->overdue, &vc->cap_overdue, vc->n_overdue + 1,
                               sizeof *vc->overdue);
        vc->overdue[vc->n_overdue++] = job->id;
        return;
    }
    vc->watch =
        mem_grow(vc->watch, &vc->cap_watch, vc->n_watch + 1, sizeof *vc->watch);
    mine->in_watch = true;
    heap_put(&earliest_first, NULL, vc->watch, vc->n_watch++,
             &(struct watched){at, job->id});
}

/* A job that has run since it was added to the heap is due later than the heap
 * says, so it is added again. */
sim_time tiresias_next_promotion(struct tiresias *t, const struct view *view,
                                 struct tiresias_vc *vc)
{
    while (vc->n_watch) {
        const struct job *job = view_job(view, vc->watch[0].job);
        struct tiresias_mine *mine = view_mine(view, job);
        if (mine->order.at && promoted_at(t, view, job) == vc->watch[0].at)
            return vc->watch[0].at;
        watch_take(vc);
        mine->in_watch = false;
        tiresias_watch(t, view, job);
    }
    return TIME_NEVER;
}

static void promote(struct tiresias *t, const struct view *view, job_id id)
{
    const struct job *job = view_job(view, id);
    struct tiresias_mine *mine = view_mine(view, job);
    if (mine->order.at == 0)
        return;
    mine->queue = 0;
    mine->whole = 0;
    mine->promoted = true;
    t->promotions++;
    mine->before += tiresias_service(t, view, job);
    order_requeue(&t->order, view, job);
}

void tiresias_promote(struct tiresias *t, const struct view *view,
                      struct tiresias_vc *vc)
{
    for (size_t i = 0; i < vc->n_overdue; i++)
        promote(t, view, vc->overdue[i]);
    vc->n_overdue = 0;
    while (tiresias_next_promotion(t, view, vc) <= view_now(view)) {
        job_id id = watch_take(vc).job;
        ((struct tiresias_mine *)view_mine(view, view_job(view, id)))
            ->in_watch = false;
        promote(t, view, id);
    }
}
