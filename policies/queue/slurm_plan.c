/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/queue/slurm_plan.h"

#include <stdlib.h>
#include <string.h>

#define BATCH_SPAN (30 * SPAN_SECOND) /* of the first batch */

/* A try to place a job from a time on. */
struct attempt {
    const struct job *job;
    sim_span length; /* TIME_NEVER: not known */
    sim_time from;
    /* the next reservation or booking that ends after `from`; TIME_NEVER: none
     */
    sim_time later;
    sim_time start; /* when the job would start */
    bool at_once;   /* true: all its GPUs are free now */
};

/* Returns the last multiple of `step` since 1970 that is not after `at`. */
static sim_time slurm_floor(const struct view *view, sim_time at, sim_span step)
{
    return at == TIME_NEVER ? at : at - (view_zero(view) + at) % step;
}

static sim_time slurm_end(sim_time at, sim_span length)
{
    return length == TIME_NEVER ? TIME_NEVER : at + length;
}

/* Finds the nodes that the job cannot use, and when the next reservation ends.
 */
static void attempt_begin(struct slurm_plan *self, const struct plan *plan,
                          struct attempt *try)
{
    const struct cluster *c = view_cluster(plan->view);
    sim_time end = slurm_end(try->from, try->length);
    memset(self->barred, 0, c->n_nodes * sizeof *self->barred);
    try->later = bookings_end(plan->bookings, try->from);
    for (size_t i = 0; i < self->n_reserved; i++) {
        const struct reservation *r = &self->reserved[i];
        if (r->until <= try->from)
            continue;
        if (r->until < try->later)
            try->later = r->until;
        /* one that begins when the job ends is in its way, too */
        for (uint32_t k = 0; r->at <= end && k < r->where.count; k++)
            self->barred[r->where.at[k].node] = true;
    }
}

/* Tries to place the job on the nodes that it can use, as they are in the plan
 * now. Returns true with the job started in the plan. */
static bool attempt_fits(const struct slurm_plan *self, struct plan *plan,
                         const struct attempt *try)
{
    size_t mark = plan_mark(plan);
    for (node_id n = 0; n < view_cluster(plan->view)->n_nodes; n++) {
        struct gpu_slice whole = {n, UINT64_MAX};
        if (self->barred[n])
            plan_bar(plan, try->job, (struct gpu_set){&whole, 1});
    }
    if (plan_start_at(plan, try->job,
                      try->start > try->from ? try->start : try->from))
        return true;
    plan_undo_to(plan, mark);
    return false;
}

static bool slurm_may_use(const struct slurm_plan *self, struct gpu_set where)
{
    for (uint32_t i = 0; i < where.count; i++) {
        if (!self->barred[where.at[i].node])
            return true;
    }
    return false;
}

/* Removes running jobs from the plan, batch after batch, until the job fits. */
static bool attempt_after_others(const struct slurm_plan *self,
                                 struct plan *plan, const struct runners *all,
                                 struct attempt *try)
{
    const struct view *view = plan->view;
    sim_span span = BATCH_SPAN;
    sim_time first = -1;
    for (size_t i = 0; i < all->n && all->at[i].end != TIME_NEVER; i++) {
        const struct job *job = view_job(view, all->at[i].job);
        sim_time end = runner_end(view, &all->at[i]);
        sim_time next =
            i + 1 < all->n ? runner_end(view, &all->at[i + 1]) : TIME_NEVER;
        if (!slurm_may_use(self, plan_where(plan, job)))
            continue;
        if (first < 0)
            first = slurm_floor(view, end, BATCH_SPAN) + BATCH_SPAN;
        plan_imagine_gone(plan, job);
        if (next <= first + span)
            continue;
        do
            span *= 2;
        while (next != TIME_NEVER && next > first + span);
        /* a job that has outlived its believed time ends in a second */
        try->start = end > view_now(view) ? end : end + SPAN_SECOND;
        if (attempt_fits(self, plan, try))
            return true;
    }
    return false;
}

/* Finds the first start from try->from on. Returns false if there is none;
 * otherwise the job is started in the plan. */
static bool attempt_find(const struct slurm_plan *self, struct plan *plan,
                         const struct runners *all, struct attempt *try)
{
    try->start = view_now(plan->view);
    try->at_once = attempt_fits(self, plan, try);
    if (!try->at_once && !attempt_after_others(self, plan, all, try))
        return false;
    if (try->start < try->from) {
        try->start = try->from;
        try->at_once = false;
    }
    return true;
}

/* Returns true if a node is reserved while the job would hold it. */
static bool attempt_meets(const struct slurm_plan *self,
                          const struct reservation *own)
{
    for (size_t i = 0; i < self->n_reserved; i++) {
        const struct reservation *r = &self->reserved[i];
        for (uint32_t k = 0;
             r->until > own->at && r->at < own->until && k < r->where.count;
             k++) {
            for (uint32_t n = 0; n < own->where.count; n++) {
                if (r->where.at[k].node == own->where.at[n].node)
                    return true;
            }
        }
    }
    return false;
}

static struct reservation attempt_reservation(const struct slurm_plan *self,
                                              struct plan *plan,
                                              const struct attempt *try,
                                              struct gpu_set where)
{
    const struct view *view = plan->view;
    sim_span step = self->config->resolution;
    struct gpu_slice *nodes = plan_scratch(plan, where.count * sizeof *nodes);
    for (uint32_t i = 0; i < where.count; i++)
        nodes[i] = where.at[i];
    sim_time at = slurm_floor(view, try->start, step);
    sim_time until =
        slurm_floor(view, slurm_end(try->start, try->length), step);
    if (at < view_now(view))
        at = view_now(view);
    if (until < at + step)
        until = at + step;
    return (struct reservation){at, until, try->job, {nodes, where.count}};
}

/* Starts the job now, or reserves nodes for it. */
static void slurm_serve(struct slurm_plan *self, struct plan *plan,
                        struct runners *all, const struct job *job)
{
    const struct slurm_plan_config *config = self->config;
    const struct view *view = plan->view;
    size_t mark = plan_mark(plan);
    sim_time now = view_now(view), end = runner_would_end(view, job);
    struct attempt try = {
        .job = job, .length = end == TIME_NEVER ? end : end - now, .from = now};
    for (;; try.from = try.later) {
        attempt_begin(self, plan, &try);
        bool found = attempt_find(self, plan, all, &try);
        struct reservation own = {0};
        if (found)
            own = attempt_reservation(self, plan, &try, plan_where(plan, job));
        plan_undo_to(plan, mark);
        if (found && try.at_once) {
            plan_start_on(plan, job, own.where);
            runners_add(all, job->id);
            runners_renew(all, view);
            return;
        }
        if (config->reserve && self->n_reserved >= config->reserve)
            return;
        if (found && try.start <= try.later) {
            if (try.start > now + config->window)
                return;
            if (!attempt_meets(self, &own)) {
                self->reserved =
                    mem_grow(self->reserved, &self->cap_reserved,
                             self->n_reserved + 1, sizeof *self->reserved);
                self->reserved[self->n_reserved++] = own;
                return;
            }
            /* at least a step later, or this would go on for ever */
            try.later = try.start > try.from ? try.start
                                             : try.from + config->resolution;
        }
        if (try.later == TIME_NEVER)
            return;
    }
}

void slurm_plan_make(struct slurm_plan *self, struct plan *plan,
                     struct waiting_jobs waiters, struct runners *all)
{
    self->n_reserved = 0;
    runners_renew(all, plan->view);
    for (uint32_t i = 0; i < waiters.n; i++)
        slurm_serve(self, plan, all, waiters.at[i]);
}

/* Returns true if a plan is due. If not, there is one at `due`, because
 * something has happened. */
static bool slurm_is_due(struct slurm_plan *self, sim_time now, uint16_t vc)
{
    struct slurm_cycle *cycle = &self->cycles[vc];
    if (cycle->has_news && now > cycle->due)
        cycle->due += self->config->interval; /* no job waited then */
    cycle->has_news = now < cycle->due;
    if (!cycle->has_news)
        cycle->due = now + self->config->interval;
    return !cycle->has_news;
}

void slurm_plan_decide(struct slurm_plan *self, struct plan *plan, uint16_t vc,
                       struct waiting_jobs waiters, struct runners *all)
{
    for (; waiters.n && plan_start(plan, waiters.at[0]);
         waiters.at++, waiters.n--)
        runners_add(all, waiters.at[0]->id);
    if (!slurm_is_due(self, view_now(plan->view), vc)) {
        if (waiters.n > 0)
            plan_wake_at(plan, self->cycles[vc].due);
        return;
    }
    waiters = waiters_in_reach(plan, waiters, self->config->depth);
    if (waiters.n > 0)
        slurm_plan_make(self, plan, waiters, all);
}

void slurm_plan_init(struct slurm_plan *self,
                     const struct slurm_plan_config *config,
                     const struct cluster *cluster)
{
    self->config = config;
    self->cycles = mem_zalloc(cluster->n_vcs, sizeof *self->cycles);
    self->barred = mem_zalloc(cluster->n_nodes, sizeof *self->barred);
}

void slurm_plan_fini(struct slurm_plan *self)
{
    free(self->cycles);
    free(self->barred);
    free(self->reserved);
}
