/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes experience between jobs of the same application: a job that arrives
 * takes over what the job that finished last has learned of itself; while none
 * has finished, what the job that started first has learned (this shows what a
 * perfect match by SchedMate's advisor is worth to Sia). This layer gives no
 * run times and no demand. */
#include <string.h>

#include "models/estimators/estimator.h"
#include "sim/base/arena.h"

struct kin_row {
    job_id finished, started; /* JOB_NONE: no job did */
};

struct kin {
    struct kin_row *rows; /* by symbol of the workload */
    uint32_t n_rows;
};

static enum status kin_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    struct kin *kin = self;
    (void)config;
    (void)err;
    for (uint32_t i = 0; i < env->n_jobs; i++) {
        if (env->jobs[i].workload >= kin->n_rows)
            kin->n_rows = env->jobs[i].workload + 1;
    }
    size_t bytes = (kin->n_rows + (size_t)1) * sizeof *kin->rows;
    kin->rows = arena_alloc(env->arena, bytes);
    for (uint32_t i = 0; i < kin->n_rows; i++)
        kin->rows[i] = (struct kin_row){JOB_NONE, JOB_NONE};
    return STATUS_OK;
}

static void kin_observe(void *self, const struct event *event,
                        struct wakeups *wakeups)
{
    struct kin *kin = self;
    (void)wakeups;
    if (!event->job || event->job->workload == 0)
        return;
    struct kin_row *row = &kin->rows[event->job->workload];
    if (event->kind == EVENT_FINISHED)
        row->finished = event->job->id;
    else if (event->kind == EVENT_STARTED && row->started == JOB_NONE)
        row->started = event->job->id;
}

static bool kin_donor(void *self, const struct estimator *below,
                      const struct job *job, job_id *out)
{
    const struct kin *kin = self;
    (void)below;
    const struct kin_row *row = &kin->rows[job->workload];
    job_id donor = row->finished != JOB_NONE ? row->finished : row->started;
    if (job->workload == 0 || donor == JOB_NONE)
        return false;
    *out = donor;
    return true;
}

const struct estimator_ops estimator_kin = {
    .name = "kin",
    .summary = "no run times; a job takes over what an earlier job of its "
               "application learned",
    .state_size = sizeof(struct kin),
    .init = kin_init,
    .observe = kin_observe,
    .donor = kin_donor,
};
