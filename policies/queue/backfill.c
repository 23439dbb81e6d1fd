/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EASY backfilling (Lifka 1995; Mu'alem and Feitelson 2001): fifo with one
 * reservation. The first job that does not fit (the head) gets the earliest
 * GPUs that it could have if running jobs end at their believed times. Jobs
 * after the head may start now if they are believed to end by that time or do
 * not use those GPUs. So a backfilled job does not delay the head beyond that
 * time unless it runs longer than it was believed to. If the time is not known,
 * all jobs that fit may start. With plan=conservative, more jobs have
 * reservations: conservative.c. */
#include "policies/queue/planner.h"

#include <stdlib.h>
#include <string.h>

struct backfill_config {
    struct planner_config planner;
};

static const char *const backfill_plans[] = {"easy", "conservative", "slurm",
                                             NULL};

static const struct option backfill_options[] = {
    OPT_CHOICE(struct backfill_config, planner.plan, "plan", PLANNER_NONE,
               backfill_plans,
               "easy: only the first job that does not fit has a reservation; "
               "conservative: each job has one that does not delay those of "
               "earlier jobs; slurm: so do whole nodes, as Slurm plans",
               "easy: Lifka 1995; conservative: Mu'alem and Feitelson 2001; "
               "slurm: what Slurm ships (22.05)"),
    PLANNER_OPTIONS(struct backfill_config, planner),
    {0},
};

struct backfill_waiter {
    uint64_t seq; /* waiters with smaller numbers began to wait earlier */
    job_id job;
};

/* A class: the jobs of a window that ask for equally many GPUs of one type. The
 * walk over the window starts jobs and frees no GPUs, so after the first job of
 * a class that does not fit, none of the class does. */
struct line {
    uint32_t gpus;
    uint8_t gpu_type;
    bool blocked; /* no job of the class fits in this walk any more */
    /* Until the walk starts another job, a job of the class would get GPUs that
     * the head needs. */
    bool overlaps;
    struct backfill_waiter *at; /* in the order in which they began to wait */
    size_t first, n;            /* the class has at[first] .. at[n - 1] */
    size_t next; /* index of the next job that the walk looks at */
    size_t cap;
};

/* The jobs of a virtual cluster that may start now: the head and `depth` jobs
 * after it, by class. */
struct window {
    struct line *lines; /* by GPUs */
    size_t n_lines, cap_lines;
    uint64_t seq;    /* seq of the last job that came into the window */
    uint32_t n_jobs; /* number of jobs in all lines */
    job_id after;    /* first waiting job after the window; JOB_NONE: none */
    /* The waiting jobs have changed otherwise than by starts and by jobs that
     * came last, so the window must be made again. */
    bool stale;
};

struct backfill {
    const struct backfill_config *config;
    struct planner planner;
    struct window *windows; /* by virtual cluster */
    uint32_t n_vcs;
};

static enum status backfill_init(void *state, const void *config,
                                 const struct run_env *env, struct error *err)
{
    struct backfill *self = state;
    (void)err;
    self->config = config;
    planner_init(&self->planner, &self->config->planner, env->view);
    self->n_vcs = view_cluster(env->view)->n_vcs;
    self->windows = mem_zalloc(self->n_vcs, sizeof *self->windows);
    for (uint32_t v = 0; v < self->n_vcs; v++)
        self->windows[v].stale = true;
    return STATUS_OK;
}

/* Finds the time and the GPUs of the head (TIME_NEVER: not known, such as when
 * no estimator answers for the running jobs): takes running jobs out of the
 * plan, in the order of their believed ends, until the head can be placed, also
 * when bookings end; then undoes that. */
static struct reservation reserve(struct backfill *self, struct plan *plan,
                                  const struct job *head)
{
    struct reservation found = {.at = TIME_NEVER};
    struct runners *all = &self->planner.vcs[head->vc];
    size_t mark = plan_mark(plan);
    sim_time now = view_now(plan->view);
    runners_renew(all, plan->view);
    for (size_t i = 0;;) {
        sim_time at = bookings_end(plan->bookings, now);
        if (i < all->n && runner_end(plan->view, &all->at[i]) < at)
            at = runner_end(plan->view, &all->at[i]);
        if (at == TIME_NEVER)
            break;
        /* jobs that end together leave together */
        for (; i < all->n && runner_end(plan->view, &all->at[i]) == at; i++)
            plan_imagine_gone(plan, view_job(plan->view, all->at[i].job));
        now = at;
        if (!plan_start_at(plan, head, at))
            continue;
        found.at = at;
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

static bool backfill_overlaps(struct gpu_set a, struct gpu_set b)
{
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t k = 0; k < b.count; k++) {
            if (a.at[i].node == b.at[k].node && (a.at[i].mask & b.at[k].mask))
                return true;
        }
    }
    return false;
}

/* Returns the class of a job, which is made if it is new. */
static struct line *window_line(struct window *w, const struct job *job)
{
    size_t i = 0;
    while (i < w->n_lines && w->lines[i].gpus < job->gpus)
        i++;
    for (; i < w->n_lines && w->lines[i].gpus == job->gpus; i++) {
        if (w->lines[i].gpu_type == job->gpu_type)
            return &w->lines[i];
    }
    w->lines =
        mem_grow(w->lines, &w->cap_lines, w->n_lines + 1, sizeof *w->lines);
    memmove(&w->lines[i + 1], &w->lines[i],
            (w->n_lines++ - i) * sizeof *w->lines);
    w->lines[i] = (struct line){.gpus = job->gpus, .gpu_type = job->gpu_type};
    return &w->lines[i];
}

static void window_add(struct window *w, const struct job *job)
{
    struct line *line = window_line(w, job);
    if (line->n == line->cap && line->first > line->n / 2) {
        line->n -= line->first;
        memmove(line->at, line->at + line->first, line->n * sizeof *line->at);
        line->first = 0;
    }
    line->at = mem_grow(line->at, &line->cap, line->n + 1, sizeof *line->at);
    line->at[line->n++] =
        (struct backfill_waiter){.seq = ++w->seq, .job = job->id};
    w->n_jobs++;
}

/* Removes entry `i` of a class; the entries before it move up by one. */
static void window_drop(struct window *w, struct line *line, size_t i)
{
    memmove(&line->at[line->first + 1], &line->at[line->first],
            (i - line->first) * sizeof *line->at);
    line->first++;
    w->n_jobs--;
}

/* Makes the window empty; all waiting jobs are after it. */
static void window_begin(struct window *w, const struct view *view, uint16_t vc)
{
    const struct job *first = view_first_pending(view, vc);
    for (size_t i = 0; i < w->n_lines; i++)
        w->lines[i].first = w->lines[i].n = 0;
    w->n_jobs = 0;
    w->after = first ? first->id : JOB_NONE;
    w->stale = false;
}

static void window_move_on(struct window *w, const struct view *view)
{
    const struct job *next = view_next_pending(view, view_job(view, w->after));
    w->after = next ? next->id : JOB_NONE;
}

/* The first waiting job starts. */
static void window_start_first(struct window *w, const struct view *view,
                               const struct job *job)
{
    struct line *line = window_line(w, job);
    if (w->after == job->id)
        window_move_on(w, view);
    else
        window_drop(w, line, line->first);
}

/* Prepares a walk over the jobs after the head: fills the window. `alike`: no
 * job of the head's class fits, because the head does not. */
static void window_fill(struct window *w, const struct view *view,
                        const struct job *head, bool alike, uint32_t depth)
{
    for (; w->n_jobs <= depth && w->after != JOB_NONE; window_move_on(w, view))
        window_add(w, view_job(view, w->after));
    for (size_t i = 0; i < w->n_lines; i++) {
        w->lines[i].next = w->lines[i].first;
        w->lines[i].blocked = w->lines[i].overlaps = false;
    }
    struct line *line = window_line(w, head);
    line->next++;
    line->blocked = alike;
}

/* Returns the class of the next job of the walk, among those that may fit into
 * `free_gpus`; NULL after the last. */
static struct line *window_next(const struct window *w, uint32_t free_gpus)
{
    struct line *best = NULL;
    for (size_t i = 0; i < w->n_lines && w->lines[i].gpus <= free_gpus; i++) {
        struct line *line = &w->lines[i];
        if (!line->blocked && line->next < line->n &&
            (!best || line->at[line->next].seq < best->at[best->next].seq))
            best = line;
    }
    return best;
}

/* True if jobs of one class get the same GPUs until the plan changes: not with
 * a placer that draws, nor if the GPUs depend on the model of the job or, for
 * bookings, on its length. */
static bool is_alike(const struct plan *plan, const struct job *job)
{
    return plan->placer->ops->state_size == 0 && !plan->bookings &&
           !view_learner(plan->view, job);
}

/* Tries the next job of a class. Returns true if it starts. The reservation of
 * the head is found when the first job fits, because most often none does. */
static bool try_behind(struct backfill *self, struct plan *plan,
                       const struct job *head, struct line *line,
                       struct reservation *reservation)
{
    const struct view *view = plan->view;
    const struct job *job = view_job(view, line->at[line->next].job);
    size_t mark = plan_mark(plan);
    bool alike = is_alike(plan, job);
    if (alike && line->overlaps &&
        runner_would_end(view, job) > reservation->at)
        return false;
    if (!plan_start(plan, job)) {
        line->blocked = true;
        return false;
    }
    if (reservation->at < 0) {
        plan_undo_to(plan, mark);
        *reservation = reserve(self, plan, head);
        if (!plan_start(plan, job))
            return false;
    }
    if (runner_would_end(view, job) <= reservation->at ||
        !backfill_overlaps(plan_where(plan, job), reservation->where))
        return true;
    plan_undo_to(plan, mark);
    line->overlaps = alike;
    return false;
}

/* Starts jobs after the head. */
static void fill_behind(struct backfill *self, struct plan *plan,
                        const struct job *head)
{
    struct window *w = &self->windows[head->vc];
    struct reservation reservation = {.at = -1};
    struct line *line;
    window_fill(w, plan->view, head, is_alike(plan, head), self->planner.depth);
    uint32_t free_gpus = plan_free_gpus(plan, head->vc);
    while (free_gpus && (line = window_next(w, free_gpus))) {
        bool starts = try_behind(self, plan, head, line, &reservation);
        size_t i = line->next++;
        if (!starts)
            continue;
        runners_add(&self->planner.vcs[head->vc], line->at[i].job);
        window_drop(w, line, i);
        for (size_t k = 0; k < w->n_lines; k++)
            w->lines[k].overlaps = false; /* other GPUs are free now */
        free_gpus = plan_free_gpus(plan, head->vc);
    }
}

static void easy_decide(struct backfill *self, struct plan *plan, uint16_t vc)
{
    const struct view *view = plan->view;
    struct window *w = &self->windows[vc];
    const struct job *head = view_first_pending(view, vc);
    if (w->stale)
        window_begin(w, view, vc);
    while (head && plan_start(plan, head)) {
        runners_add(&self->planner.vcs[vc], head->id);
        window_start_first(w, view, head);
        head = view_next_pending(view, head);
    }
    if (head && plan_free_gpus(plan, vc))
        fill_behind(self, plan, head);
}

/* The first waiting jobs, in the order in which they began to wait. */
static struct waiting_jobs backfill_waiters(struct plan *plan, uint16_t vc,
                                            uint32_t n)
{
    if (n == 0)
        return (struct waiting_jobs){0};
    const struct job **at = plan_scratch(plan, n * sizeof *at);
    struct waiting_jobs waiters = {.at = at};
    const struct job *job = view_first_pending(plan->view, vc);
    for (; job && waiters.n < n; job = view_next_pending(plan->view, job))
        at[waiters.n++] = job;
    return waiters;
}

static void backfill_decide(void *state, const struct view *view,
                            struct plan *plan)
{
    struct backfill *self = state;
    struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++) {
        uint16_t vc = touched.at[i];
        if (self->planner.kind == PLANNER_NONE) {
            easy_decide(self, plan, vc);
            continue;
        }
        uint32_t n = planner_reach(&self->planner, plan, vc);
        planner_decide(&self->planner, plan, vc, backfill_waiters(plan, vc, n));
    }
}

static void backfill_observe(void *state, const struct view *view,
                             const struct event *event)
{
    struct backfill *self = state;
    const struct job *job = event->job;
    (void)view;
    planner_observe(&self->planner, event);
    if (!job || event->kind == EVENT_BELIEF)
        return;
    struct window *w = &self->windows[job->vc];
    /* A job that an outage stops may get back its place in the queue. */
    w->stale |= event->kind == EVENT_STOPPED || job->state == JOB_REJECTED;
    if (job->state == JOB_PENDING && w->after == JOB_NONE)
        w->after = job->id;
}

static void backfill_adopt(void *state, const struct view *view,
                           const struct job *job)
{
    struct backfill *self = state;
    (void)view;
    planner_adopt(&self->planner, job);
}

static void backfill_fini(void *state)
{
    struct backfill *self = state;
    planner_fini(&self->planner);
    for (uint32_t v = 0; v < self->n_vcs; v++) {
        for (size_t i = 0; i < self->windows[v].n_lines; i++)
            free(self->windows[v].lines[i].at);
        free(self->windows[v].lines);
    }
    free(self->windows);
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
    .adopt = backfill_adopt,
    .decide = backfill_decide,
    .fini = backfill_fini,
};
