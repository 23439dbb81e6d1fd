/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives up jobs that fail too often or too long after their submission; leaves
 * all others to the layer below. */
#include "models/failures/recovery.h"

struct limit_config {
    uint32_t attempts;
    sim_span age;
};

static const struct option limit_options[] = {
    OPT_U32(struct limit_config, attempts, "attempts", 10, 1, 60000,
            "number of failures at which the job is given up; preemptions do "
            "not count",
            "assumed"),
    OPT_SPAN(struct limit_config, age, "age_s", 0, 0, SECONDS_MAX,
             "a job that fails later than this after its submission is given "
             "up; 0: no limit",
             NULL),
    {0},
};

static bool limit_rule(const struct recovery *layer,
                       const struct failure *failure, struct ruling *out)
{
    const struct limit_config *c = layer->config;
    bool old = c->age > 0 && failure->at - failure->job->submitted > c->age;
    if (failure->failures < c->attempts && !old)
        return false;
    out->verdict = VERDICT_GIVE_UP;
    return true;
}

const struct recovery_ops recovery_limit = {
    .name = "limit",
    .summary = "give up jobs that have failed too often or for too long",
    .options = limit_options,
    .config_size = sizeof(struct limit_config),
    .rule = limit_rule,
};
