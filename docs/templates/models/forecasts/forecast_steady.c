/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same number of submissions in every period. */
#include "models/forecasts/forecast.h"

struct steady_config {
    double jobs, gpus;
};

static const struct option steady_options[] = {
    OPT_DOUBLE(struct steady_config, jobs, "jobs", 5, 0, 1e6,
               "jobs submitted in a period of 10 minutes", "assumed"),
    OPT_DOUBLE(struct steady_config, gpus, "gpus", 20, 0, 1e6,
               "GPUs that they ask for together", "assumed"),
    {0},
};

struct steady {
    const struct steady_config *config;
};

static enum status steady_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    ((struct steady *)self)->config = config;
    return STATUS_OK;
}

static bool steady_expect(void *self, sim_time at, struct outlook *out)
{
    const struct steady_config *c = ((struct steady *)self)->config;
    *out = (struct outlook){
        .jobs = c->jobs, .gpus = c->gpus, .until = at + FORECAST_PERIOD};
    return true;
}

const struct forecast_ops forecast_steady = {
    .name = "steady",
    .summary = "the same in every period",
    .options = steady_options,
    .config_size = sizeof(struct steady_config),
    .state_size = sizeof(struct steady),
    .init = steady_init,
    .expect = steady_expect,
};
