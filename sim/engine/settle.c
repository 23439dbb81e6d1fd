/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests rule 5 of plan.h: a policy that is asked again at the same instant
 * plans nothing but a wake. */
#include <stdio.h>

#include "sim/engine/engine_internal.h"

/* Writes the first action of a plan in words. */
static void name_action(const struct plan *plan, char *out, size_t room)
{
    const struct plan_action *a = &plan->actions[0];
    const char *kind = plan_kind_name(a->kind);
    if (a->job)
        snprintf(out, room, "%s of job %u", kind, a->job->id);
    else
        snprintf(out, room, "%s of node %u", kind, a->node);
}

enum status settle_ask(struct engine *e, struct error *err)
{
    char what[64];
    struct plan *plan = &e->plan;
    e->parts.policy.ops->decide(e->parts.policy.self, &e->view, plan);
    if (plan->broken.status != STATUS_OK)
        return error_set(err, plan->broken.status, "%s %s",
                         e->parts.policy.ops->name, plan->broken.message);
    if (plan->n_actions == 0) {
        plan_clear(plan);
        return STATUS_OK;
    }
    name_action(plan, what, sizeof what);
    return error_set(err, STATUS_BROKEN,
                     "%s at %.6f s: asked again at the same instant, it plans "
                     "%s (rule 5 of plan.h)",
                     e->parts.policy.ops->name, span_seconds(e->board.now),
                     what);
}
