/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slurm's requeue (JobRequeue=1): the scheduler itself requeues a batch job
 * whose node went out of service. It leaves a job that fails on nodes that
 * stay in service to the layer below, because Slurm does not know why that
 * job ended. */
#include "models/failures/recovery.h"

struct requeue_config {
    sim_span timeout, wait;
    uint32_t attempts;
    bool resume;
};

static const struct option requeue_options[] = {
    OPT_SPAN(struct requeue_config, timeout, "timeout_s", 300, 0, 86400,
             "time after which the scheduler considers a silent node down",
             "Slurm's manual, SlurmdTimeout: 300 by default"),
    OPT_SPAN(struct requeue_config, wait, "wait_s", 120, 0, 86400,
             "time for which a requeued job must wait before it may start",
             "Slurm's manual, AuthInfo cred_expire: 120 by default"),
    OPT_U32(struct requeue_config, attempts, "attempts", 60000, 1, 60000,
            "number of failures at which the job is left to the layer below",
            "assumed: no limit, as in Slurm"),
    OPT_BOOL(struct requeue_config, resume, "resume", true,
             "go on from the last checkpoint; off: start from the beginning",
             "assumed: the job's script looks for a checkpoint"),
    {0},
};

static bool requeue_rule(const struct recovery *layer,
                         const struct failure *failure, struct ruling *out)
{
    const struct requeue_config *c = layer->config;
    if (failure->gone == NODE_NONE || failure->failures >= c->attempts)
        return false;
    out->verdict = c->resume ? VERDICT_RESUME : VERDICT_RESTART;
    out->detected = c->timeout;
    out->delay = c->timeout + c->wait;
    out->cause = "node failure";
    return true;
}

const struct recovery_ops recovery_requeue = {
    .name = "requeue",
    .summary = "requeue jobs whose node went out of service, as Slurm does",
    .options = requeue_options,
    .config_size = sizeof(struct requeue_config),
    .rule = requeue_rule,
};
