/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/queue/conservative.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index of the step that begins at `at`, which is made if it is
 * new. This is never the first: that is now as it is, and a job that has
 * outlived its believed time leaves in a step after it. */
static size_t step_from(struct conservative *self, sim_time at)
{
    size_t i = self->n_steps;
    while (i > 1 && self->steps[i - 1].at > at)
        i--;
    if (i > 1 && self->steps[i - 1].at == at)
        return i - 1;
    self->steps = mem_grow(self->steps, &self->cap_steps, self->n_steps + 1,
                           sizeof *self->steps);
    memmove(&self->steps[i + 1], &self->steps[i],
            (self->n_steps++ - i) * sizeof *self->steps);
    self->steps[i] = (struct step){at, self->steps[i - 1].free};
    return i;
}

static void steps_add(struct conservative *self, sim_time at, uint32_t gpus)
{
    size_t i = at == TIME_NEVER ? self->n_steps : step_from(self, at);
    for (; i < self->n_steps; i++)
        self->steps[i].free += gpus;
}

static void steps_take(struct conservative *self, size_t i, sim_time until,
                       uint32_t gpus)
{
    for (size_t k = i; k < self->n_steps; k++)
        self->steps[k].free -= gpus;
    steps_add(self, until, gpus);
}

/* The steps of a virtual cluster on which nothing is reserved. */
static void steps_begin(struct conservative *self, const struct plan *plan,
                        uint16_t vc, const struct runners *all)
{
    const struct view *view = plan->view;
    self->steps =
        mem_grow(self->steps, &self->cap_steps, 1, sizeof *self->steps);
    self->steps[0] = (struct step){view_now(view), plan_free_gpus(plan, vc)};
    self->n_steps = 1;
    for (size_t i = 0; i < all->n && all->at[i].end != TIME_NEVER; i++)
        steps_add(self, runner_end(view, &all->at[i]),
                  view_job(view, all->at[i].job)->gpus);
    for (sim_time at = view_now(view);
         (at = bookings_end(plan->bookings, at)) != TIME_NEVER;)
        (void)step_from(self, at);
}

static sim_time step_until(const struct step *step, sim_span length)
{
    return length == TIME_NEVER ? TIME_NEVER : step->at + length;
}

/* Returns the first step, from step `i` on, in which a job could start if it
 * does not matter where its GPUs are; n_steps if there is none. */
static size_t step_with_room(const struct conservative *self, size_t i,
                             uint32_t gpus, sim_span length)
{
    for (size_t k = i; k < self->n_steps; k++) {
        if (self->steps[k].at >= step_until(&self->steps[i], length))
            break;
        if (self->steps[k].free < gpus)
            i = k + 1;
    }
    return i;
}

/* Tries to place the job in a step. Returns true, with the plan as it would be
 * then, if it finds GPUs. */
static bool step_fits(const struct conservative *self, struct plan *plan,
                      const struct runners *all, size_t i,
                      const struct job *job, sim_time until)
{
    size_t mark = plan_mark(plan);
    sim_time at = self->steps[i].at;
    for (size_t k = 0; i > 0 && k < all->n; k++) {
        if (runner_end(plan->view, &all->at[k]) > at)
            break;
        plan_imagine_gone(plan, view_job(plan->view, all->at[k].job));
    }
    for (size_t k = 0; k < self->n_reserved; k++) {
        const struct reservation *r = &self->reserved[k];
        if (r->at < until && r->until > at)
            plan_bar(plan, r->job, r->where);
    }
    if (plan_start_at(plan, job, at))
        return true;
    plan_undo_to(plan, mark);
    return false;
}

static void conservative_reserve(struct conservative *self, struct plan *plan,
                                 const struct job *job, sim_time at,
                                 sim_time until, struct gpu_set where)
{
    struct gpu_slice *copy = plan_scratch(plan, where.count * sizeof *copy);
    for (uint32_t i = 0; i < where.count; i++)
        copy[i] = where.at[i];
    self->reserved = mem_grow(self->reserved, &self->cap_reserved,
                              self->n_reserved + 1, sizeof *self->reserved);
    self->reserved[self->n_reserved++] =
        (struct reservation){at, until, job, {copy, where.count}};
}

/* Starts the job now, or reserves GPUs for it at the earliest time. Returns
 * true if it starts. */
static bool conservative_serve(struct conservative *self, struct plan *plan,
                               struct runners *all, const struct job *job)
{
    const struct view *view = plan->view;
    size_t mark = plan_mark(plan), i = 0;
    sim_time now = view_now(view), end = runner_would_end(view, job);
    sim_span length = end == TIME_NEVER ? end : end - now;
    for (;; i++) {
        i = step_with_room(self, i, job->gpus, length);
        if (i == self->n_steps)
            return false;
        if (step_fits(self, plan, all, i, job,
                      step_until(&self->steps[i], length)))
            break;
    }
    struct gpu_set where = plan_where(plan, job);
    sim_time at = self->steps[i].at,
             until = step_until(&self->steps[i], length);
    plan_undo_to(plan, mark);
    const bool starts = i == 0 && plan_start_on(plan, job, where);
    if (starts) {
        runners_add(all, job->id);
        runners_renew(all, view);
    } else {
        conservative_reserve(self, plan, job, at, until, where);
    }
    steps_take(self, i, until, job->gpus);
    return starts;
}

struct waiting_jobs waiters_in_reach(const struct plan *plan,
                                     struct waiting_jobs waiters,
                                     uint32_t depth)
{
    uint32_t reach = 0, n = 0;
    if (waiters.n == 0)
        return waiters;
    uint32_t free_gpus = plan_free_gpus(plan, waiters.at[0]->vc);
    for (uint32_t i = 0; i < waiters.n && n <= depth; i++) {
        if (plan_is_started(plan, waiters.at[i]))
            continue;
        n++;
        if (waiters.at[i]->gpus <= free_gpus)
            reach = i + 1;
    }
    waiters.n = reach;
    return waiters;
}

bool conservative_plan(struct conservative *self, struct plan *plan,
                       struct waiting_jobs waiters, struct runners *all)
{
    bool has_passed = false;
    self->n_reserved = 0;
    runners_renew(all, plan->view);
    steps_begin(self, plan, waiters.at[0]->vc, all);
    for (uint32_t i = 0; i < waiters.n; i++) {
        const struct job *job = waiters.at[i];
        if (!plan_is_started(plan, job) &&
            conservative_serve(self, plan, all, job))
            has_passed |= self->n_reserved > 0;
    }
    return has_passed;
}

void conservative_decide(struct conservative *self, struct plan *plan,
                         struct waiting_jobs waiters, struct runners *all)
{
    struct waiting_jobs near;
    /* A start takes GPUs, so the placer may put the reservations of earlier
     * jobs elsewhere, and later jobs may then start, too. */
    do
        near = waiters_in_reach(plan, waiters, self->depth);
    while (near.n > 0 && conservative_plan(self, plan, near, all));
}

void conservative_fini(struct conservative *self)
{
    free(self->reserved);
    free(self->steps);
}
