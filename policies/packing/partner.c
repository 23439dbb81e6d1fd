/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/packing/partner.h"

struct partner_walk partner_walk(const struct plan *plan, uint16_t vc)
{
    return (struct partner_walk){
        .plan = plan, .running = view_first_running(plan->view, vc), .vc = vc};
}

const struct job *partner_next(struct partner_walk *walk)
{
    const struct plan *plan = walk->plan;
    while (walk->running) {
        const struct job *job = walk->running;
        walk->running = view_next_running(plan->view, job);
        if (!plan_is_stopped(plan, job))
            return job;
    }
    while (walk->action < plan->n_actions) {
        const struct plan_action *a = &plan->actions[walk->action++];
        if ((a->kind == PLAN_START || a->kind == PLAN_SHARE) &&
            a->job->vc == walk->vc)
            return a->job;
    }
    return NULL;
}

bool partner_suits(const struct plan *plan, const struct job *job,
                   const struct job *resident)
{
    const struct cluster *c = plan->cluster;
    /* First of all, because most residents differ: jobs that these policies
     * start hold as many GPUs as they ask for. */
    if (resident->gpus != job->gpus || !view_may_share(plan->view, job) ||
        !view_may_share(plan->view, resident))
        return false;
    struct gpu_set where = plan_where(plan, resident);
    for (uint32_t i = 0; i < where.count; i++) {
        const struct node *node = &c->nodes[where.at[i].node];
        const struct pool *pool = &c->pools[node->pool];
        if (pool->profiler ||
            (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != pool->type))
            return false;
        for (struct gpu_walk w = gpu_walk(node->first_gpu, where.at[i].mask);
             gpu_walk_next(&w);) {
            gpu_id gpu = w.gpu;
            if (c->n_holders[gpu] != 1)
                return false;
        }
    }
    return true;
}

bool partner_start(struct plan *plan, const struct job *job, partner_join join,
                   void *self)
{
    return plan_start(plan, job) || join(self, plan, job);
}

bool partner_fill(struct plan *plan, uint16_t vc, partner_join join, void *self)
{
    const struct job *job = view_first_pending(plan->view, vc);
    while (job && partner_start(plan, job, join, self))
        job = view_next_pending(plan->view, job);
    return job == NULL;
}
