/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smallest job first: orders jobs by their number of GPUs alone and needs no
 * estimate of run times (Tiresias' simulator calls this policy sjf). */
#include "policies/queue/ranked.h"

static int64_t smallest_key(uint32_t gpus, sim_span remaining)
{
    (void)remaining;
    return gpus;
}

static enum status smallest_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    (void)err;
    ((struct ranked *)self)->order.blind = true;
    return ranked_init(self, config, view, smallest_key);
}

const struct policy_ops policy_smallest = {
    RANKED_HOOKS,
    .name = "smallest",
    .summary = "fewest GPUs first, preemptive",
    .needs = POLICY_PREEMPTS,
    .init = smallest_init,
};
