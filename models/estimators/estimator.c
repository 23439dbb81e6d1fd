/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks a chain of estimators: the first layer that can answer a question
 * answers it. */
#include "models/estimators/estimator.h"

void wakeups_add(struct wakeups *wakeups, sim_time at, const struct job *job)
{
    wakeups->at = mem_grow(wakeups->at, &wakeups->cap, wakeups->count + 1,
                           sizeof *wakeups->at);
    wakeups->at[wakeups->count++] = (struct wakeup){at, job};
}

bool estimator_remaining(const struct estimator *top, const struct job *job,
                         sim_time now, struct belief *out)
{
    for (; top; top = top->below) {
        if (top->ops->remaining &&
            top->ops->remaining(top->self, top->below, job, now, out))
            return true;
    }
    return false;
}

bool estimator_demand(const struct estimator *top, const struct job *job,
                      struct demand *out)
{
    for (; top; top = top->below) {
        if (top->ops->demand &&
            top->ops->demand(top->self, top->below, job, out))
            return true;
    }
    return false;
}

bool estimator_donor(const struct estimator *top, const struct job *job,
                     job_id *out)
{
    for (; top; top = top->below) {
        if (top->ops->donor && top->ops->donor(top->self, top->below, job, out))
            return true;
    }
    return false;
}

sim_time estimator_due(const struct estimator *top, const struct job *job,
                       sim_time now)
{
    sim_time due = TIME_NEVER;
    for (; top; top = top->below) {
        sim_time at =
            top->ops->due ? top->ops->due(top->self, job, now) : TIME_NEVER;
        due = at < due ? at : due;
    }
    return due;
}

static int estimator_by_end(const void *a, const void *b)
{
    const struct past_job *x = *(const struct past_job *const *)a;
    const struct past_job *y = *(const struct past_job *const *)b;
    if (x->ended != y->ended)
        return x->ended < y->ended ? -1 : 1;
    return x < y ? -1 : x > y;
}

const struct past_job **past_by_end(const struct run_env *env)
{
    const struct past_job **past =
        mem_alloc((env->n_past + (size_t)1) * sizeof(void *));
    for (uint32_t i = 0; i < env->n_past; i++)
        past[i] = &env->past[i];
    qsort(past, env->n_past, sizeof *past, estimator_by_end);
    return past;
}
