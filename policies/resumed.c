/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/resumed.h"

#include <stdlib.h>

#include "traces/load.h"

/* A start to repeat. */
struct resumed_job {
    job_id job;
    sim_time at; /* on the clock of the run, before the present */
    const struct resumed_start *start;
};

struct resumed_state {
    const struct resumed *resumed;
    void *inner;              /* state of the wrapped policy, after this */
    struct resumed_job *jobs; /* by `at`, then number of the job */
    size_t n_done;            /* number of starts that were repeated */
    bool *is_ours;            /* by job: its start is repeated */
    enum resumed_node { RESUMED_OPEN, RESUMED_CLOSED, RESUMED_BACK } * nodes;
    uint32_t n_left; /* nodes that are still to be closed or opened */
    sim_time present;
    bool has_begun; /* the wrapped policy has begun to decide */
};

static int resumed_by_time(const void *a, const void *b)
{
    const struct resumed_job *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* Finds the jobs of the starts in the run. */
static enum status resumed_find(struct resumed_state *s,
                                const struct run_env *env, struct error *err)
{
    const struct resumed *r = s->resumed;
    struct job_ids ids;
    enum status st = STATUS_OK;
    job_ids_init(&ids, env);
    for (size_t i = 0; i < r->n_starts && st == STATUS_OK; i++) {
        const struct resumed_start *start = &r->starts[i];
        const job_id job = job_ids_find(&ids, text_from(start->id));
        sim_time at = start->at - env->zero;
        if (job == JOB_NONE) {
            st = error_set(err, STATUS_BAD_INPUT,
                           "state: job %.60s runs, but the run has no such job",
                           start->id);
            break;
        }
        /* a job whose submission was written again when it was requeued */
        if (at < env->jobs[job].submitted)
            at = env->jobs[job].submitted;
        s->jobs[i] = (struct resumed_job){job, at, start};
        s->is_ours[job] = true;
    }
    job_ids_fini(&ids);
    if (st == STATUS_OK && r->n_starts)
        qsort(s->jobs, r->n_starts, sizeof *s->jobs, resumed_by_time);
    return st;
}

static enum status resumed_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    struct resumed_state *s = self;
    const struct resumed *r = config;
    s->resumed = r;
    s->inner = s + 1;
    s->present = r->present - env->zero;
    s->jobs = mem_zalloc(r->n_starts, sizeof *s->jobs);
    s->is_ours = mem_zalloc(env->n_jobs, sizeof *s->is_ours);
    s->nodes = mem_zalloc(r->n_outs, sizeof *s->nodes);
    s->n_left = (uint32_t)r->n_outs;
    enum status st = resumed_find(s, env, err);
    if (st == STATUS_OK && r->inner->init)
        st = r->inner->init(s->inner, r->inner_config, env, err);
    return st;
}

static void resumed_fini(void *self)
{
    struct resumed_state *s = self;
    if (s->resumed && s->resumed->inner->fini)
        s->resumed->inner->fini(s->inner);
    free(s->jobs);
    free(s->is_ours);
    free(s->nodes);
}

static void resumed_observe(void *self, const struct view *view,
                            const struct event *event)
{
    struct resumed_state *s = self;
    const bool is_hidden =
        !s->has_begun && event->job && s->is_ours[event->job->id];
    if (s->resumed->inner->observe && !is_hidden)
        s->resumed->inner->observe(s->inner, view, event);
}

static const char *resumed_never(const void *self, const struct view *view,
                                 const struct job *job)
{
    const struct resumed_state *s = self;
    return s->resumed->inner->never(s->inner, view, job);
}

/* Repeats the starts that are due. */
static void repeat_starts(struct resumed_state *s, const struct view *view,
                          struct plan *plan)
{
    for (; s->n_done < s->resumed->n_starts; s->n_done++) {
        const struct resumed_job *due = &s->jobs[s->n_done];
        const struct job *job = view_job(view, due->job);
        if (due->at > view_now(view)) {
            plan_wake_at(plan, due->at);
            return;
        }
        if (job->state != JOB_PENDING ||
            (!plan_start_on(plan, job, due->start->where) &&
             !plan_share_on(plan, job, due->start->where))) {
            plan_refuse(plan, STATUS_BAD_INPUT, due->job,
                        "state: cannot run on the GPUs that the state gives "
                        "it, such as GPUs that another job holds");
            return;
        }
    }
}

/* Closes the nodes that are out and opens those that are back. A node with jobs
 * is closed when the last of them has ended. */
static void change_nodes(struct resumed_state *s, const struct view *view,
                         struct plan *plan)
{
    const struct resumed *r = s->resumed;
    for (size_t i = 0; i < r->n_outs && s->n_left; i++) {
        const sim_time until = r->outs[i].until == TIME_NEVER
                                   ? TIME_NEVER
                                   : r->outs[i].until - view_zero(view);
        const bool is_back = until <= view_now(view);
        if (s->nodes[i] == RESUMED_OPEN && !is_back) {
            if (!plan_close(plan, r->outs[i].node))
                continue;
            s->nodes[i] = RESUMED_CLOSED;
            s->n_left -= until == TIME_NEVER;
        } else if (s->nodes[i] != RESUMED_BACK && is_back) {
            if (s->nodes[i] == RESUMED_CLOSED)
                plan_open(plan, r->outs[i].node);
            s->nodes[i] = RESUMED_BACK;
            s->n_left--;
            continue;
        }
        if (until != TIME_NEVER && s->nodes[i] == RESUMED_CLOSED)
            plan_wake_at(plan, until);
    }
}

static void resumed_begin(struct resumed_state *s, const struct view *view)
{
    const struct policy_ops *inner = s->resumed->inner;
    s->has_begun = true;
    for (size_t i = 0; i < s->n_done && inner->adopt; i++) {
        const struct job *job = view_job(view, s->jobs[i].job);
        if (job->state == JOB_RUNNING)
            inner->adopt(s->inner, view, job);
    }
}

static void resumed_decide(void *self, const struct view *view,
                           struct plan *plan)
{
    struct resumed_state *s = self;
    if (view_now(view) < s->present) {
        repeat_starts(s, view, plan);
        plan_wake_at(plan, s->present);
        return;
    }
    if (s->n_left)
        change_nodes(s, view, plan);
    if (!s->has_begun)
        resumed_begin(s, view);
    s->resumed->inner->decide(s->inner, view, plan);
}

static size_t resumed_count(const void *self, struct policy_count *out)
{
    const struct resumed_state *s = self;
    const struct policy_ops *inner = s->resumed->inner;
    return inner->count ? inner->count(s->inner, out) : 0;
}

static void resumed_remark(const void *self, struct remarks *remarks)
{
    const struct resumed_state *s = self;
    if (s->resumed->inner->remark)
        s->resumed->inner->remark(s->inner, remarks);
}

void resumed_wrap(struct resumed *resumed, const struct policy_ops *inner,
                  const void *inner_config)
{
    resumed->inner = inner;
    resumed->inner_config = inner_config;
    resumed->ops = *inner;
    resumed->ops.state_size = sizeof(struct resumed_state) + inner->state_size;
    resumed->ops.init = resumed_init;
    resumed->ops.never = inner->never ? resumed_never : NULL;
    resumed->ops.observe = resumed_observe;
    resumed->ops.adopt = NULL;
    resumed->ops.decide = resumed_decide;
    resumed->ops.count = resumed_count;
    resumed->ops.remark = resumed_remark;
    resumed->ops.fini = resumed_fini;
}
