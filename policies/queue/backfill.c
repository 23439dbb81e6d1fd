/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EASY backfilling (Lifka 1995; Mu'alem and Feitelson 2001): fifo with one
 * reservation. The first job that does not fit (the head) gets the earliest
 * GPUs that it could have if running jobs end at their believed times. Jobs
 * after the head may start now if they are believed to end by that time or do
 * not use those GPUs. So a backfilled job does not delay the head beyond that
 * time unless it runs longer than it was believed to. If the time is not known,
 * all jobs that fit may start. */
#include "policies/policy.h"

#include <stdlib.h>
#include <string.h>

struct backfill_config {
    uint32_t depth;
};

static const struct option backfill_options[] = {
    OPT_U32(struct backfill_config, depth, "depth", 1000, 1, 1000000,
            "jobs after the head that may fill the gaps",
            "Slurm's bf_max_job_test has the same purpose"),
    {0},
};

/* A running job, or one that the plan starts before the head. */
struct runner {
    sim_time end;          /* believed end; TIME_NEVER: no estimator answers */
    sim_time steady_until; /* `end` holds until this time */
    job_id job;
};

/* The running jobs of a virtual cluster, kept from one decision to the next,
 * because asking and sorting all of them each time would take most of a run. */
struct runners {
    struct runner *at; /* by believed end, if no job must be asked */
    size_t n, cap;
    sim_time steady; /* lower bound on steady_until of all of them */
};

struct backfill {
    const struct backfill_config *config;
    struct runners *vcs; /* by virtual cluster */
    uint32_t n_vcs;
};

struct reservation {
    /* believed start of the head, when enough jobs have ended; TIME_NEVER: not
     * known, such as when no estimator answers for the running jobs */
    sim_time at;
    struct gpu_set where;
};

static enum status backfill_init(void *state, const void *config,
                                 const struct run_env *env, struct error *err)
{
    struct backfill *self = state;
    (void)err;
    self->config = config;
    self->n_vcs = view_cluster(env->view)->n_vcs;
    self->vcs = mem_zalloc(self->n_vcs, sizeof *self->vcs);
    return STATUS_OK;
}

static sim_time believed_end(const struct view *view, const struct job *job)
{
    struct belief belief;
    if (!view_remaining(view, job, &belief))
        return TIME_NEVER;
    return view_now(view) + (belief.mean > 0 ? belief.mean : 0);
}

static void add_runner(struct backfill *self, const struct job *job)
{
    struct runners *all = &self->vcs[job->vc];
    all->at = mem_grow(all->at, &all->cap, all->n + 1, sizeof *all->at);
    all->at[all->n++] = (struct runner){.job = job->id};
    all->steady = 0;
}

static void drop_runner(struct backfill *self, const struct job *job)
{
    struct runners *all = &self->vcs[job->vc];
    size_t i = 0;
    while (i < all->n && all->at[i].job != job->id)
        i++; /* from the front: the job that ends is the next to end */
    if (i < all->n)
        memmove(&all->at[i], &all->at[i + 1], (--all->n - i) * sizeof *all->at);
}

static void doubt_runner(struct backfill *self, const struct job *job)
{
    struct runners *all = &self->vcs[job->vc];
    for (size_t i = 0; i < all->n; i++) {
        if (all->at[i].job == job->id)
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

/* Brings the believed ends up to date. */
static void renew_runners(const struct view *view, struct runners *all)
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

/* A job that runs longer than believed is believed to end now. */
static sim_time backfill_end_of(const struct view *view,
                                const struct runner *runner)
{
    sim_time now = view_now(view);
    return runner->end > now ? runner->end : now;
}

/* Finds the time and the GPUs of the head: takes running jobs out of the plan,
 * in the order of their believed ends, until the head can be placed; then
 * undoes that. */
static struct reservation reserve(struct backfill *self, struct plan *plan,
                                  const struct job *head)
{
    struct reservation found = {.at = TIME_NEVER};
    struct runners *all = &self->vcs[head->vc];
    size_t mark = plan_mark(plan);
    renew_runners(plan->view, all);
    for (size_t i = 0; i < all->n && all->at[i].end != TIME_NEVER; i++) {
        sim_time end = backfill_end_of(plan->view, &all->at[i]);
        plan_imagine_gone(plan, view_job(plan->view, all->at[i].job));
        /* jobs that end together leave together */
        if (i + 1 < all->n &&
            backfill_end_of(plan->view, &all->at[i + 1]) == end)
            continue;
        if (!plan_start(plan, head))
            continue;
        found.at = end;
        struct gpu_set where = plan_where(plan, head);
        struct gpu_slice *copy = plan_scratch(plan, where.count * sizeof *copy);
        for (uint32_t k = 0; k < where.count; k++)
            copy[k] = where.at[k];
        found.where = (struct gpu_set){copy, where.count};
        break;
    }
    plan_undo_to(plan, mark);
    return found;
}

static bool overlaps(struct gpu_set a, struct gpu_set b)
{
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t k = 0; k < b.count; k++) {
            if (a.at[i].node == b.at[k].node && (a.at[i].mask & b.at[k].mask))
                return true;
        }
    }
    return false;
}

/* Sizes and GPU types of jobs that did not fit. The walk over the queue frees
 * no GPUs, so such jobs will not fit later in the walk either. Only the last
 * few are kept: forgetting one costs time but does not change the result. */
struct misfits {
    struct {
        uint32_t gpus;
        uint8_t type;
    } at[8];
    size_t next;
};

static bool is_misfit(const struct misfits *m, const struct job *job)
{
    for (size_t i = 0; i < 8; i++) {
        if (m->at[i].gpus == job->gpus && m->at[i].type == job->gpu_type)
            return true;
    }
    return false;
}

/* Starts jobs after the head. The reservation is found when the first of them
 * fits, because most often none does. */
static void fill_behind(struct backfill *self, struct plan *plan,
                        const struct job *head)
{
    const struct view *view = plan->view;
    const struct job *job = view_next_pending(view, head);
    struct misfits misfits = {0};
    struct reservation reservation = {0};
    bool reserved = false;
    uint32_t free_gpus = plan_free_gpus(plan, head->vc);
    for (uint32_t n = 0; job && free_gpus && n < self->config->depth; n++) {
        size_t mark = plan_mark(plan);
        if (job->gpus > free_gpus || is_misfit(&misfits, job)) {
            /* it does not fit, as an earlier job of its size and type */
        } else if (!plan_start(plan, job)) {
            misfits.at[misfits.next].gpus = job->gpus;
            misfits.at[misfits.next].type = job->gpu_type;
            misfits.next = (misfits.next + 1) % 8;
        } else {
            if (!reserved) {
                plan_undo_to(plan, mark);
                reservation = reserve(self, plan, head);
                reserved = plan_start(plan, job);
            }
            if (believed_end(view, job) > reservation.at &&
                overlaps(plan_where(plan, job), reservation.where))
                plan_undo_to(plan, mark);
            else
                add_runner(self, job);
            free_gpus = plan_free_gpus(plan, head->vc);
        }
        job = view_next_pending(view, job);
    }
}

static void backfill_decide(void *self, const struct view *view,
                            struct plan *plan)
{
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        uint16_t vc = touched.at[i];
        const struct job *head = view_first_pending(view, vc);
        while (head && plan_start(plan, head)) {
            add_runner(self, head);
            head = view_next_pending(view, head);
        }
        if (!head || plan_free_gpus(plan, vc) == 0)
            continue;
        fill_behind(self, plan, head);
    }
}

static void backfill_observe(void *self, const struct view *view,
                             const struct event *event)
{
    (void)view;
    if (!event->job || event->kind == EVENT_SUBMITTED)
        return;
    if (event->kind == EVENT_BELIEF)
        doubt_runner(self, event->job);
    else
        drop_runner(self, event->job);
}

static void backfill_fini(void *state)
{
    struct backfill *self = state;
    for (uint32_t v = 0; v < self->n_vcs; v++)
        free(self->vcs[v].at);
    free(self->vcs);
}

const struct policy_ops policy_backfill = {
    .name = "backfill",
    .summary = "EASY: fifo with one reservation, later jobs fill the gaps",
    .options = backfill_options,
    .config_size = sizeof(struct backfill_config),
    .state_size = sizeof(struct backfill),
    .needs = POLICY_NEEDS_DURATION,
    .init = backfill_init,
    .observe = backfill_observe,
    .decide = backfill_decide,
    .fini = backfill_fini,
};
