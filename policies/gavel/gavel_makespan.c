/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's minimum makespan: throughputs in proportion to the work left, so that
 * all jobs would end at the same time, as early as possible. Gavel searches for
 * this common end. Here the objective of the linear program is the inverse of
 * the common end, so that one solution is enough.
 *
 * The linear program can divide jobs into any fractions, but rounds run whole
 * gangs: a gang that does not fit beside the gangs granted earlier has to wait,
 * and each change costs a restart. So the makespan of a run is longer than that
 * of the program, and can be longer than that of other policies. The makespan
 * of a run of this policy is therefore no lower bound for other policies. */
#include "policies/gavel/gavel_internal.h"

static void makespan_allocate(struct gavel *gavel, const struct view *view,
                              const struct gavel_jobs *jobs,
                              struct share_lp *lp)
{
    for (uint32_t j = 0; j < lp->n_jobs; j++)
        lp->need[j] = gavel_left(gavel, view, jobs->at[j]);
    share_lp_solve(lp);
}

static enum status makespan_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    return gavel_init(self, config, view, makespan_allocate, err);
}

const struct policy_ops policy_gavel_makespan = {
    GAVEL_HOOKS,
    .name = "gavel-makespan",
    .summary = "shares in proportion to the work left, by linear program, in "
               "rounds; aims at a short makespan, is no bound on it",
    .options = gavel_left_options,
    .needs = POLICY_NEEDS_DURATION | POLICY_PREEMPTS | POLICY_OWNS_NODES,
    .init = makespan_init,
};
