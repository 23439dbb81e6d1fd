/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortest remaining service first: remaining time x GPUs, the order of
 * Tiresias' `shortest-gpu` and Muri's SRSF. */
#include "policies/queue/ranked.h"

static enum status srsf_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    const struct view *view = env->view;
    (void)err;
    return ranked_init(self, config, view, order_by_service);
}

const struct policy_ops policy_srsf = {
    RANKED_HOOKS,
    .name = "srsf",
    .summary = "shortest believed remaining GPU time first, preemptive",
    .needs = POLICY_NEEDS_DURATION | POLICY_PREEMPTS,
    .init = srsf_init,
};
