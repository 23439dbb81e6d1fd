/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/rounds.h"

#include <stdlib.h>

void rounds_decide(struct rounds *rounds, const struct view *view,
                   struct plan *plan, rounds_run run, void *self)
{
    sim_span length = rounds->length;
    sim_time now = view_now(view), next = view_next_round(view, length);
    bool any = false, due = view_is_round(view, length);
    if (rounds->from_start) {
        due = now % length == 0;
        next = now - now % length + length;
    }
    for (uint16_t vc = 0; vc < view_cluster(view)->n_vcs; vc++) {
        if (view_n_pending(view, vc) == 0 && !view_first_running(view, vc))
            continue;
        any = true;
        if (due && rounds->last != now)
            run(self, view, plan, vc);
    }
    if (due)
        rounds->last = now;
    plan_rest_until(plan, next);
    if (any)
        plan_wake_at(plan, next);
}

static int rounds_by_id(const void *a, const void *b)
{
    const struct job *x = *(const struct job *const *)a;
    const struct job *y = *(const struct job *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

const struct job **rounds_jobs(const struct view *view, struct plan *plan,
                               uint16_t vc, uint32_t *n)
{
    size_t room = view_n_pending(view, vc);
    for (const struct job *j = view_first_running(view, vc); j;
         j = view_next_running(view, j))
        room++;
    const struct job **jobs = plan_scratch(plan, room * sizeof *jobs + 1);
    *n = 0;
    for (const struct job *j = view_first_pending(view, vc); j;
         j = view_next_pending(view, j))
        jobs[(*n)++] = j;
    for (const struct job *j = view_first_running(view, vc); j;
         j = view_next_running(view, j))
        jobs[(*n)++] = j;
    if (*n)
        qsort(jobs, *n, sizeof *jobs, rounds_by_id);
    return jobs;
}
