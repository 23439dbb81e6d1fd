/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the donor of a model: the job from which new elastic jobs of the same
 * model copy the learner. The donor is the job that finished last or, if none
 * has finished, the job that started first, because a running job has measured
 * speeds too. */
#ifndef SIM_SAME_APPLICATION_H
#define SIM_SAME_APPLICATION_H

#include "models/estimators/estimator.h"

struct donors {
    /* job that finished last, job that started first; JOB_NONE: none yet */
    job_id finished, started;
};

/* Returns an array with one element per model, by job.model, in env->arena. */
struct donors *donors_new(const struct run_env *env);

/* Updates the donors after a job has started or finished. Ignores other events
 * and jobs without a model. The event must have a job. */
void donors_note(struct donors *donors, const struct event *event);

/* Finds the donor for a new job. Returns false if the job has no model or no
 * job of its model has started. */
bool donors_find(const struct donors *donors, const struct job *job,
                 job_id *out) MUST_USE;

#endif
