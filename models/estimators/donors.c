/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/estimators/donors.h"

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
