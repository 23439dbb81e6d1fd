/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/queue/planner.h"

#include <stdlib.h>

void planner_init(struct planner *self, const struct planner_config *config,
                  const struct view *view)
{
    self->kind = config->plan;
    self->depth = self->conservative.depth = config->depth;
    self->slurm_config = config->slurm;
    self->slurm_config.depth = config->depth;
    slurm_plan_init(&self->slurm, &self->slurm_config, view_cluster(view));
    self->n_vcs = view_cluster(view)->n_vcs;
    self->vcs = mem_zalloc(self->n_vcs, sizeof *self->vcs);
}

void planner_fini(struct planner *self)
{
    for (uint32_t v = 0; v < self->n_vcs; v++)
        free(self->vcs[v].at);
    free(self->vcs);
    conservative_fini(&self->conservative);
    slurm_plan_fini(&self->slurm);
}

void planner_observe(struct planner *self, const struct event *event)
{
    const struct job *job = event->job;
    if (!job)
        return;
    if (event->kind == EVENT_BELIEF)
        runners_doubt(&self->vcs[job->vc], job->id);
    else if (event->kind != EVENT_SUBMITTED)
        runners_drop(&self->vcs[job->vc], job->id);
}

void planner_adopt(struct planner *self, const struct job *job)
{
    runners_add(&self->vcs[job->vc], job->id);
}

uint32_t planner_reach(const struct planner *self, const struct plan *plan,
                       uint16_t vc)
{
    uint32_t free_gpus = plan_free_gpus(plan, vc); /* as many may start */
    if (free_gpus == 0 && self->kind == PLANNER_CONSERVATIVE)
        return 0;
    return self->depth + 1 + free_gpus;
}

void planner_decide(struct planner *self, struct plan *plan, uint16_t vc,
                    struct waiting_jobs waiters)
{
    if (self->kind == PLANNER_CONSERVATIVE)
        conservative_decide(&self->conservative, plan, waiters, &self->vcs[vc]);
    else
        slurm_plan_decide(&self->slurm, plan, vc, waiters, &self->vcs[vc]);
}
