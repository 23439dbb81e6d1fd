/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortest remaining time first: the job with the least time left runs, and
 * running jobs with more time left are stopped to make room. With exact
 * beliefs, one GPU and free preemption no policy has a lower mean JCT. */
#include "policies/queue/ranked.h"

static int64_t srtf_key(uint32_t gpus, sim_span remaining)
{
    (void)gpus;
    return remaining;
}

static enum status srtf_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    (void)err;
    ((struct ranked *)self)->order.falls = true;
    return ranked_init(self, config, view, srtf_key);
}

const struct policy_ops policy_srtf = {
    RANKED_HOOKS,
    .name = "srtf",
    .summary = "shortest believed remaining time first, preemptive",
    .needs = POLICY_NEEDS_DURATION | POLICY_PREEMPTS,
    .init = srtf_init,
};
