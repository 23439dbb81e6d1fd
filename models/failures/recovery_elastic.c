/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job whose number of GPUs may change goes on when one of its nodes goes out
 * of service. Its processes notice the loss, and the policy gives it GPUs
 * again, fewer if fewer are left. Jobs of fixed shape and all other failures
 * are left to the layer below. */
#include "models/failures/recovery.h"

struct elastic_config {
    sim_span detect;
    uint32_t attempts;
};

static const struct option elastic_options[] = {
    OPT_SPAN(struct elastic_config, detect, "detect_s", 30, 0, 86400,
             "time until the other processes notice that one has died",
             "assumed; torchrun's agents look every 5 s and NCCL's watchdog "
             "may need minutes"),
    OPT_U32(struct elastic_config, attempts, "attempts", 60000, 1, 60000,
            "number of failures at which the job is left to the layer below",
            "assumed: no limit"),
    {0},
};

static bool elastic_rule(const struct recovery *layer,
                         const struct failure *failure, struct ruling *out)
{
    const struct elastic_config *c = layer->config;
    if (failure->job->elasticity == JOB_RIGID || failure->gone == NODE_NONE ||
        failure->failures >= c->attempts)
        return false;
    out->verdict = VERDICT_RESUME;
    out->detected = out->delay = c->detect;
    out->cause = "a process is gone";
    return true;
}

const struct recovery_ops recovery_elastic = {
    .name = "elastic",
    .summary = "let elastic jobs go on with the GPUs that are left",
    .options = elastic_options,
    .config_size = sizeof(struct elastic_config),
    .rule = elastic_rule,
};
