/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets the caller be the policy: shows it the view of an open question, and
 * fills the plan for it. */
#include <math.h>
#include <string.h>

#include "lib/handle_internal.h"

static struct plan *question(const struct schedsim *s)
{
    return s->phase == HANDLE_RUNS ? run_question(s->replay.run) : NULL;
}

static const struct cluster *cluster_of(const struct schedsim *s)
{
    return s->replay.run ? &run_result(s->replay.run)->cluster : NULL;
}

static void decision_tell(const struct view *view, const struct job *job,
                          bool runs, struct schedsim_job *out)
{
    struct belief belief;
    bool known = view_remaining(view, job, &belief);
    *out = (struct schedsim_job){
        .job = job->id,
        .gpus = job->gpus,
        .vc = job->vc,
        .user = job->user,
        .name = job->name,
        .attempts = job->attempts,
        .submitted = span_seconds(job->submitted),
        .started = runs ? span_seconds(view_started(view, job)) : NAN,
        .attained = (double)view_attained(view, job) * 1e-6,
        .remaining = known ? span_seconds(belief.mean) : NAN,
    };
}

size_t schedsim_waiting(schedsim *s, struct schedsim_job *out, size_t max)
{
    const struct plan *plan = question(s);
    size_t n = 0;
    for (uint16_t vc = 0; plan && vc < cluster_of(s)->n_vcs; vc++) {
        for (const struct job *job = view_first_pending(plan->view, vc); job;
             job = view_next_pending(plan->view, job), n++) {
            if (n < max)
                decision_tell(plan->view, job, false, &out[n]);
        }
    }
    return n;
}

size_t schedsim_running(schedsim *s, struct schedsim_job *out, size_t max)
{
    const struct plan *plan = question(s);
    size_t n = 0;
    for (uint16_t vc = 0; plan && vc < cluster_of(s)->n_vcs; vc++) {
        for (const struct job *job = view_first_running(plan->view, vc); job;
             job = view_next_running(plan->view, job), n++) {
            if (n < max)
                decision_tell(plan->view, job, true, &out[n]);
        }
    }
    return n;
}

size_t schedsim_vcs(const schedsim *s)
{
    return cluster_of(s) ? cluster_of(s)->n_vcs : 0;
}

const char *schedsim_vc_name(const schedsim *s, uint32_t vc)
{
    return vc < schedsim_vcs(s) ? cluster_of(s)->vcs[vc] : NULL;
}

uint32_t schedsim_gpus(const schedsim *s, uint32_t vc)
{
    return vc < schedsim_vcs(s) ? cluster_vc_gpus(cluster_of(s), (uint16_t)vc)
                                : 0;
}

uint32_t schedsim_free_gpus(const schedsim *s, uint32_t vc)
{
    const struct plan *plan = question(s);
    return plan && vc < schedsim_vcs(s) ? plan_free_gpus(plan, (uint16_t)vc)
                                        : 0;
}

/* Returns job `number` if it is in `state`; NULL if it is not or no question is
 * open. */
static const struct job *job_in(const struct schedsim *s, uint32_t number,
                                enum job_state state)
{
    const struct plan *plan = question(s);
    if (!plan || number >= view_n_jobs(plan->view))
        return NULL;
    const struct job *job = view_job(plan->view, number);
    return job->state == state ? job : NULL;
}

int schedsim_start(schedsim *s, uint32_t number)
{
    const struct job *job = job_in(s, number, JOB_PENDING);
    if (!job)
        /* or a job that this plan stops */
        job = job_in(s, number, JOB_RUNNING);
    if (!job)
        return 0;
    struct plan *plan = question(s);
    if (plan_is_started(plan, job) ||
        (job->state == JOB_RUNNING && !plan_is_stopped(plan, job)))
        return 0;
    return plan_start(plan, job);
}

int schedsim_fits(schedsim *s, uint32_t number)
{
    struct plan *plan = question(s);
    if (!plan)
        return 0;
    size_t mark = plan_mark(plan);
    int fits = schedsim_start(s, number);
    plan_undo_to(plan, mark);
    return fits;
}

/* Fills one row of schedsim_observe. Returns true if the job fits. */
static bool observe_job(struct schedsim *s, const struct job *job, double *row)
{
    struct schedsim_job told;
    const struct view *view = question(s)->view;
    decision_tell(view, job, false, &told);
    bool fits = schedsim_fits(s, job->id);
    row[0] = told.gpus;
    row[1] = span_seconds(view_now(view)) - told.submitted;
    row[2] = isnan(told.remaining) ? -1 : told.remaining;
    row[3] = told.attained;
    row[4] = fits;
    return fits;
}

size_t schedsim_observe(schedsim *s, size_t k, double *rows,
                        unsigned char *fits, uint32_t *jobs)
{
    const struct plan *plan = question(s);
    size_t shown = 0, waiting = 0;
    uint32_t free_gpus = 0;
    memset(rows, 0, 5 * (k + 1) * sizeof *rows);
    memset(fits, 0, k);
    for (uint16_t vc = 0; plan && vc < cluster_of(s)->n_vcs; vc++) {
        free_gpus += plan_free_gpus(plan, vc);
        for (const struct job *job = view_first_pending(plan->view, vc); job;
             job = view_next_pending(plan->view, job)) {
            if (plan_is_started(plan, job))
                continue;
            waiting++;
            if (shown == k)
                continue;
            fits[shown] = observe_job(s, job, rows + 5 * shown);
            jobs[shown++] = job->id;
        }
    }
    double *last = rows + 5 * k;
    last[0] = schedsim_now(s);
    last[1] = free_gpus;
    last[2] = (double)waiting;
    return shown;
}

int schedsim_share(schedsim *s, uint32_t number, uint32_t resident)
{
    const struct job *job = job_in(s, number, JOB_PENDING);
    const struct job *host = job_in(s, resident, JOB_RUNNING);
    struct plan *plan = question(s);
    if (!job || !host || plan_is_started(plan, job) ||
        plan_is_stopped(plan, host))
        return 0;
    return plan_share(plan, job, host);
}

int schedsim_stop(schedsim *s, uint32_t number)
{
    const struct job *job = job_in(s, number, JOB_RUNNING);
    if (!job || plan_is_stopped(question(s), job))
        return 0;
    plan_stop(question(s), job);
    return 1;
}

int schedsim_wake(schedsim *s, double at)
{
    struct plan *plan = question(s);
    if (!plan || !(at > 0 && at < span_seconds(TIME_NEVER)))
        return 0;
    sim_time time = span_from_seconds(at);
    if (time <= view_now(plan->view))
        return 0;
    plan_wake_at(plan, time);
    return 1;
}
