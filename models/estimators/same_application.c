/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets an elastic job learn from an earlier job of its application. When a job
 * is submitted, it gets a copy of the samples and models of the job of that
 * application that finished last, or, if none has finished, of the one that
 * started first. This shows how much Sia would gain if SchedMate's advisor
 * always found a matching job. This layer gives no run times and no demand. */
#include <string.h>

#include "models/estimators/estimator.h"
#include "sim/base/arena.h"

struct application_row {
    job_id finished; /* job that finished last; JOB_NONE: none yet */
    job_id started;  /* job that started first; JOB_NONE: none yet */
};

struct same_application {
    struct application_row *rows; /* by symbol of the application */
    uint32_t n_rows;
};

static enum status same_application_init(void *self, const void *config,
                                         const struct run_env *env,
                                         struct error *err)
{
    struct same_application *s = self;
    (void)config;
    (void)err;
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        if (env->jobs[i].model >= s->n_rows)
            s->n_rows = env->jobs[i].model + 1;
    }
    size_t bytes = (s->n_rows + (size_t)1) * sizeof *s->rows;
    s->rows = arena_alloc(env->arena, bytes);
    for (uint32_t i = 0; i < s->n_rows; i++)
        s->rows[i] = (struct application_row){JOB_NONE, JOB_NONE};
    return STATUS_OK;
}

static void same_application_observe(void *self, const struct event *event,
                                     struct wakeups *wakeups)
{
    struct same_application *s = self;
    (void)wakeups;
    if (!event->job || event->job->model == 0)
        return;
    struct application_row *row = &s->rows[event->job->model];
    if (event->kind == EVENT_FINISHED)
        row->finished = event->job->id;
    else if (event->kind == EVENT_STARTED && row->started == JOB_NONE)
        row->started = event->job->id;
}

static bool same_application_donor(void *self, const struct estimator *below,
                                   const struct job *job, job_id *out)
{
    const struct same_application *s = self;
    (void)below;
    const struct application_row *row = &s->rows[job->model];
    job_id donor = row->finished != JOB_NONE ? row->finished : row->started;
    if (job->model == 0 || donor == JOB_NONE)
        return false;
    *out = donor;
    return true;
}

const struct estimator_ops estimator_same_application = {
    .name = "same-application",
    .old_name = "kin",
    .summary = "no run times; an elastic job takes over what an earlier job of "
               "its application has learned",
    .state_size = sizeof(struct same_application),
    .init = same_application_init,
    .observe = same_application_observe,
    .donor = same_application_donor,
};
