/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/queue/runners.h"

#include <string.h>

void runners_add(struct runners *all, job_id job)
{
    all->at = mem_grow(all->at, &all->cap, all->n + 1, sizeof *all->at);
    all->at[all->n++] = (struct runner){.job = job};
    all->steady = 0;
}

void runners_drop(struct runners *all, job_id job)
{
    size_t i = 0;
    while (i < all->n && all->at[i].job != job)
        i++; /* from the front: the job that ends is the next to end */
    if (i < all->n)
        memmove(&all->at[i], &all->at[i + 1], (--all->n - i) * sizeof *all->at);
}

void runners_doubt(struct runners *all, job_id job)
{
    for (size_t i = 0; i < all->n; i++) {
        if (all->at[i].job == job)
            all->at[i].steady_until = all->steady = 0;
    }
}

static void ask_runner(const struct view *view, struct runner *runner)
{
    const struct job *job = view_job(view, runner->job);
    struct belief belief = {0};
    bool known = view_remaining(view, job, &belief);
    runner->end = known ? view_now(view) + belief.mean : TIME_NEVER;
    runner->steady_until = job->state == JOB_RUNNING ? belief.steady_until : 0;
}

static void sort_runners(struct runners *all)
{
    for (size_t i = 1; i < all->n; i++) { /* nearly sorted already */
        struct runner runner = all->at[i];
        size_t k = i;
        for (; k > 0 && all->at[k - 1].end > runner.end; k--)
            all->at[k] = all->at[k - 1];
        all->at[k] = runner;
    }
}

void runners_renew(struct runners *all, const struct view *view)
{
    sim_time now = view_now(view);
    if (now < all->steady)
        return;
    all->steady = TIME_NEVER;
    for (size_t i = 0; i < all->n; i++) {
        struct runner *runner = &all->at[i];
        if (now >= runner->steady_until)
            ask_runner(view, runner);
        if (runner->steady_until < all->steady)
            all->steady = runner->steady_until;
    }
    sort_runners(all);
}

sim_time runner_end(const struct view *view, const struct runner *runner)
{
    sim_time now = view_now(view);
    return runner->end > now ? runner->end : now;
}

sim_time runner_would_end(const struct view *view, const struct job *job)
{
    struct belief belief;
    if (!view_remaining(view, job, &belief))
        return TIME_NEVER;
    return view_now(view) + (belief.mean > 0 ? belief.mean : 0);
}
