/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/probes/packer.h"

#include <stdlib.h>

#include "policies/packing/partner.h"

static const struct option packer_options[] = {
    PROFILER_OPTIONS(struct packer_config, profiler),
    OPT_DOUBLE(struct packer_config, most, "most", 1, -1, 2,
               "believed utilisation of both", NULL),
    {0},
};

struct packer {
    const struct packer_config *config;
    struct profiler profiler;
    const struct job **queue;
    size_t n, cap;
};

static enum status packer_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    struct packer *s = self;
    (void)err;
    s->config = config;
    profiler_init(&s->profiler, &s->config->profiler, view);
    return STATUS_OK;
}

static void packer_fini(void *self)
{
    struct packer *s = self;
    profiler_fini(&s->profiler);
    free(s->queue);
}

static void packer_observe(void *self, const struct view *view,
                           const struct event *event)
{
    profiler_observe(&((struct packer *)self)->profiler, view, event);
}

static bool join(void *self, struct plan *plan, const struct job *job)
{
    const struct packer *s = self;
    struct partner_walk walk = partner_walk(plan, job->vc);
    struct demand mine, other;
    const struct job *resident;
    if (!view_demand(plan->view, job, &mine))
        return false;
    while ((resident = partner_next(&walk))) {
        if (partner_suits(plan, job, resident) &&
            view_demand(plan->view, resident, &other) &&
            mine.compute + other.compute <= s->config->most &&
            plan_share(plan, job, resident))
            return true;
    }
    return false;
}

static void packer_decide(void *self, const struct view *view,
                          struct plan *plan)
{
    struct packer *s = self;
    const struct job *job;
    size_t n = 0;
    profiler_decide(&s->profiler, view, plan);
    while ((job = profiler_take_ready(&s->profiler))) {
        s->queue = mem_grow(s->queue, &s->cap, s->n + 1, sizeof *s->queue);
        s->queue[s->n++] = job;
    }
    for (size_t i = 0; i < s->n; i++) {
        if (!join(s, plan, s->queue[i]) && !plan_start(plan, s->queue[i]))
            s->queue[n++] = s->queue[i];
    }
    s->n = n;
}

const struct policy_ops packer_policy = {
    .name = "packer",
    .summary = "fifo with profiles",
    .options = packer_options,
    .config_size = sizeof(struct packer_config),
    .state_size = sizeof(struct packer),
    .needs = POLICY_NEEDS_DEMAND | POLICY_SHARES | POLICY_PROFILES,
    .init = packer_init,
    .observe = packer_observe,
    .decide = packer_decide,
    .fini = packer_fini,
};
