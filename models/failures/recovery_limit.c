/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives up jobs that have failed too often or for too long; leaves all
 * others to the layer below. */
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

struct limit {
    const struct limit_config *config;
};

static enum status limit_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    *(struct limit *)self = (struct limit){config};
    return STATUS_OK;
}

static bool limit_rule(void *self, const struct recovery *below,
                       const struct failure *failure, struct ruling *out)
{
    const struct limit_config *c = ((struct limit *)self)->config;
    bool old = c->age > 0 && failure->at - failure->job->submitted > c->age;
    (void)below;
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
    .state_size = sizeof(struct limit),
    .init = limit_init,
    .rule = limit_rule,
};
