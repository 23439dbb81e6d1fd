/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortest job first: orders jobs by believed run time, without preemption. As
 * in Helios and Lucid the first job that does not fit blocks its virtual
 * cluster; with the option `skip`, later jobs may start before it. Ties: by
 * submission, then id. */
#include "policies/queue/ranked.h"

static int64_t sjf_key(uint32_t gpus, sim_span remaining)
{
    (void)gpus;
    return remaining;
}

static enum status sjf_init(void *self, const void *config,
                            const struct run_env *env, struct error *err)
{
    (void)err;
    queued_init(self, config, env->view, sjf_key);
    return STATUS_OK;
}

const struct policy_ops policy_sjf = {
    QUEUED_HOOKS,
    .name = "sjf",
    .summary = "shortest believed run time first, no preemption",
    .state_size = sizeof(struct queued),
    .needs = POLICY_NEEDS_DURATION,
    .init = sjf_init,
};
