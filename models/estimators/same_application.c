/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets an elastic job learn from an earlier job of its application. A submitted
 * job gets a copy of the samples and models of the job of its application that
 * finished last or, if none has finished, of the job that started first. This
 * shows how much Sia would gain if SchedMate's advisor always found a matching
 * job. This layer gives no run times and no demand. */

#include "models/estimators/same_application.h"
#include "base/arena.h"

struct donors *donors_new(const struct run_env *env)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < env->n_jobs; i++)
        n = env->jobs[i].model >= n ? env->jobs[i].model + 1 : n;
    struct donors *donors = ARENA_ARRAY(env->arena, struct donors, n);
    for (uint32_t i = 0; i < n; i++)
        donors[i] = (struct donors){JOB_NONE, JOB_NONE};
    return donors;
}

void donors_note(struct donors *donors, const struct event *event)
{
    const struct job *job = event->job;
    struct donors *own = &donors[job->model];
    if (job->model == 0)
        return;
    if (event->kind == EVENT_FINISHED)
        own->finished = job->id;
    else if (event->kind == EVENT_STARTED && own->started == JOB_NONE)
        own->started = job->id;
}

bool donors_find(const struct donors *donors, const struct job *job,
                 job_id *out)
{
    const struct donors *own = &donors[job->model];
    job_id donor = own->finished != JOB_NONE ? own->finished : own->started;
    if (job->model == 0 || donor == JOB_NONE)
        return false;
    *out = donor;
    return true;
}

struct same_application {
    struct donors *donors; /* by job.model */
};

static enum status same_application_init(void *self, const void *config,
                                         const struct run_env *env,
                                         struct error *err)
{
    (void)config;
    (void)err;
    ((struct same_application *)self)->donors = donors_new(env);
    return STATUS_OK;
}

static void same_application_observe(void *self, const struct event *event,
                                     struct wakeups *wakeups)
{
    (void)wakeups;
    if (event->job)
        donors_note(((struct same_application *)self)->donors, event);
}

static bool same_application_donor(void *self, const struct estimator *below,
                                   const struct job *job, job_id *out)
{
    (void)below;
    return donors_find(((struct same_application *)self)->donors, job, out);
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
