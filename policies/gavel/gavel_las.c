/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's max-min fairness (LAS): maximises the smallest throughput of any job,
 * relative to an equal share of the cluster and weighted by GPUs. */
#include "policies/gavel/gavel_internal.h"

static void las_allocate(struct gavel *gavel, const struct view *view,
                         const struct gavel_jobs *jobs, struct share_lp *lp)
{
    double total = 0;
    (void)gavel;
    (void)view;
    (void)jobs;
    for (uint32_t p = 0; p < lp->n_pools; p++)
        total += lp->capacity[p];
    for (uint32_t j = 0; j < lp->n_jobs; j++) {
        double equal = 0;
        for (uint32_t p = 0; p < lp->n_pools; p++)
            equal += lp->rate[j * lp->n_pools + p] * lp->capacity[p] / total;
        lp->need[j] = equal / lp->gpus[j];
    }
    share_lp_solve(lp);
}

static enum status las_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    return gavel_init(self, config, view, las_allocate, err);
}

const struct policy_ops policy_gavel_las = {
    GAVEL_HOOKS,
    .name = "gavel-las",
    .summary = "max-min fairness by linear program, in rounds",
    .options = gavel_options,
    .needs = POLICY_PREEMPTS | POLICY_OWNS_NODES,
    .init = las_init,
};
