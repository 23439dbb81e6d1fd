/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts each job when the trace says that it started, so that a recorded
 * cluster stands beside policies in one table. A job whose GPUs are not free
 * then starts as soon as they are; it blocks no other. A job without a recorded
 * wait, and one that returns after a failure, starts as soon as it fits. Ties:
 * by recorded start, then submission. The GPUs are the placer's, because traces
 * seldom tell them. */
#include <inttypes.h>
#include <stdlib.h>

#include "policies/policy.h"

struct recorded {
    uint64_t n_jobs, n_unknown; /* started first; of these without a wait */
    uint64_t n_late;            /* of these after the recorded start */
    double late_s;              /* sum of their delays, s */
};

/* A job that should run by now. */
struct due_job {
    sim_time start; /* when the trace says that it started */
    const struct job *job;
};

static int recorded_compare(const void *a, const void *b)
{
    const struct due_job *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->job->id < y->job->id ? -1 : x->job->id > y->job->id;
}

/* Returns when the trace says that the job started; its submission if it does
 * not say. */
static sim_time recorded_start(const struct view *view, const struct job *job)
{
    const sim_span wait = view_recorded_wait(view, job);
    return job->submitted + (wait == TIME_NEVER ? 0 : wait);
}

static void recorded_note_start(struct recorded *s, const struct view *view,
                                const struct due_job *due)
{
    const bool known = view_recorded_wait(view, due->job) != TIME_NEVER;
    const sim_span late = view_now(view) - due->start;
    if (due->job->attempts)
        return;
    s->n_jobs++;
    s->n_unknown += !known;
    if (known && late > 0) {
        s->n_late++;
        s->late_s += span_seconds(late);
    }
}

static void recorded_decide_in(struct recorded *s, const struct view *view,
                               struct plan *plan, uint16_t vc)
{
    struct due_job *due =
        plan_scratch(plan, (view_n_pending(view, vc) + 1) * sizeof *due);
    size_t n = 0;
    for (const struct job *job = view_first_pending(view, vc); job;
         job = view_next_pending(view, job)) {
        const sim_time start = recorded_start(view, job);
        if (start <= view_now(view))
            due[n++] = (struct due_job){start, job};
        else
            plan_wake_at(plan, start);
    }
    if (n)
        qsort(due, n, sizeof *due, recorded_compare);
    for (size_t i = 0; i < n && plan_free_gpus(plan, vc); i++) {
        if (plan_start(plan, due[i].job))
            recorded_note_start(s, view, &due[i]);
    }
}

static void recorded_decide(void *self, const struct view *view,
                            struct plan *plan)
{
    const struct vc_list touched = view_touched(view);
    for (uint32_t i = 0; i < touched.count; i++)
        recorded_decide_in(self, view, plan, touched.at[i]);
}

static size_t recorded_count(const void *self, struct policy_count *out)
{
    const struct recorded *s = self;
    out[0] = (struct policy_count){
        "late_starts", "jobs that started after the recorded time", s->n_late};
    out[1] = (struct policy_count){"unknown_starts",
                                   "jobs whose start the trace does not tell",
                                   s->n_unknown};
    return 2;
}

static void recorded_remark(const void *self, struct remarks *remarks)
{
    const struct recorded *s = self;
    if (s->n_unknown)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "the trace does not tell when %" PRIu64 " of %" PRIu64
                    " jobs started; they start as soon as they fit",
                    s->n_unknown, s->n_jobs);
    if (s->n_late)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "%" PRIu64 " of %" PRIu64 " jobs start later than the "
                    "trace says, by %.3g s on average: their GPUs were not "
                    "free in the simulated cluster",
                    s->n_late, s->n_jobs, s->late_s / (double)s->n_late);
}

const struct policy_ops policy_recorded = {
    .name = "recorded",
    .summary = "starts each job when the trace says that it started",
    .needs = POLICY_REPLAYS,
    .state_size = sizeof(struct recorded),
    .decide = recorded_decide,
    .count = recorded_count,
    .remark = recorded_remark,
};
