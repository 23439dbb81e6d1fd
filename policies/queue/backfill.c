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

struct backfill_config {
    uint32_t depth;
};

static const struct option backfill_options[] = {
    OPT_U32(struct backfill_config, depth, "depth", 1000, 1, 1000000,
            "jobs after the head that may fill the gaps",
            "Slurm's bf_max_job_test has the same purpose"),
    {0},
};

struct candidate {
    sim_time end;
    uint32_t place; /* index in the list of running jobs, which settles ties */
    const struct job *job;
};

struct backfill {
    const struct backfill_config *config;
    struct candidate *running;
    size_t cap;
};

struct reservation {
    /* believed start of the head, when enough jobs have ended; TIME_NEVER: not
     * known, such as when no estimator answers for the running jobs */
    sim_time at;
    struct gpu_set where;
};

static enum status backfill_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    ((struct backfill *)self)->config = config;
    return STATUS_OK;
}

static sim_time believed_end(const struct view *view, const struct job *job)
{
    struct belief belief;
    if (!view_remaining(view, job, &belief))
        return TIME_NEVER;
    return view_now(view) + (belief.mean > 0 ? belief.mean : 0);
}

static int by_end(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void list_job(struct backfill *self, const struct view *view,
                     const struct job *job, size_t n)
{
    self->running =
        mem_grow(self->running, &self->cap, n + 1, sizeof *self->running);
    self->running[n] =
        (struct candidate){believed_end(view, job), (uint32_t)n, job};
}

/* Lists the jobs that would run if the plan were committed now, by believed
 * end. The jobs that the plan starts are those before the head. Returns the
 * length of the list. */
static size_t list_running(struct backfill *self, const struct view *view,
                           const struct job *head)
{
    size_t n = 0;
    for (const struct job *job = view_first_running(view, head->vc); job;
         job = view_next_running(view, job))
        list_job(self, view, job, n++);
    for (const struct job *job = view_first_pending(view, head->vc);
         job != head; job = view_next_pending(view, job))
        list_job(self, view, job, n++);
    if (n) /* an empty list has no array to sort */
        qsort(self->running, n, sizeof *self->running, by_end);
    return n;
}

/* Finds the time and the GPUs of the head: takes running jobs out of the plan,
 * in the order of their believed ends, until the head can be placed; then
 * undoes that. */
static struct reservation reserve(struct backfill *self, struct plan *plan,
                                  const struct job *head)
{
    struct reservation found = {.at = TIME_NEVER};
    size_t n = list_running(self, plan->view, head), mark = plan_mark(plan);
    for (size_t i = 0; i < n; i++) {
        plan_imagine_gone(plan, self->running[i].job);
        /* jobs that end together leave together */
        if (i + 1 < n && self->running[i + 1].end == self->running[i].end)
            continue;
        if (self->running[i].end == TIME_NEVER || !plan_start(plan, head))
            continue;
        found.at = self->running[i].end;
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

static void fill_behind(struct backfill *self, struct plan *plan,
                        const struct job *head,
                        const struct reservation *reservation)
{
    const struct view *view = plan->view;
    const struct job *job = view_next_pending(view, head);
    struct misfits misfits = {0};
    for (uint32_t n = 0; job && n < self->config->depth; n++) {
        size_t mark = plan_mark(plan);
        if (plan_free_gpus(plan, head->vc) == 0)
            return;
        if (is_misfit(&misfits, job)) {
            /* an earlier job of this size and type did not fit: go on */
        } else if (!plan_start(plan, job)) {
            misfits.at[misfits.next].gpus = job->gpus;
            misfits.at[misfits.next].type = job->gpu_type;
            misfits.next = (misfits.next + 1) % 8;
        } else if (believed_end(view, job) > reservation->at &&
                   overlaps(plan_where(plan, job), reservation->where)) {
            plan_undo_to(plan, mark);
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
        while (head && plan_start(plan, head))
            head = view_next_pending(view, head);
        if (!head || plan_free_gpus(plan, vc) == 0)
            continue;
        struct reservation reservation = reserve(self, plan, head);
        fill_behind(self, plan, head, &reservation);
    }
}

static void backfill_fini(void *self)
{
    free(((struct backfill *)self)->running);
}

const struct policy_ops policy_backfill = {
    .name = "backfill",
    .summary = "EASY: fifo with one reservation, later jobs fill the gaps",
    .options = backfill_options,
    .config_size = sizeof(struct backfill_config),
    .state_size = sizeof(struct backfill),
    .needs = POLICY_NEEDS_DURATION,
    .init = backfill_init,
    .decide = backfill_decide,
    .fini = backfill_fini,
};
