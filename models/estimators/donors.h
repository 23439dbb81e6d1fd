/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which elastic job of an application lends its learner to new jobs of that
 * application: the one that finished last, or, if none has finished, the one
 * that started first, because it has measured speeds too. */
#ifndef MODELS_DONORS_H
#define MODELS_DONORS_H

#include "models/estimators/estimator.h"

struct donors {
    job_id finished, started; /* JOB_NONE: none yet */
};

/* Returns one element per model, in env->arena. */
struct donors *donors_new(const struct run_env *env);
/* Learns from an event of a job. */
void donors_note(struct donors *donors, const struct event *event);
/* Finds the job that lends to this one. */
bool donors_find(const struct donors *donors, const struct job *job,
                 job_id *out) MUST_USE;

#endif
