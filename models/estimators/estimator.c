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
