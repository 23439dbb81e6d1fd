/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with the run time that the submitter declared, less the time run so
 * far. A job that has run for the declared time or longer is believed to need
 * `overrun_s` more. */
#include "models/estimators/elapsed.h"

struct declared_config {
    sim_span overrun;
    sim_span step; /* 0: none */
};

static const struct option declared_options[] = {
    OPT_SPAN(struct declared_config, overrun, "overrun_s", 60, 0, 86400,
             "believed remaining time of a job that outlives its declared time",
             "assumed"),
    OPT_SPAN(struct declared_config, step, "step_s", 0, 0, 86400,
             "declared times are rounded up to multiples of it; 0: not rounded",
             "time limits of Slurm are whole minutes"),
    {0},
};

struct declared {
    const struct declared_config *config;
    struct elapsed elapsed;
};

static enum status declared_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    struct declared *s = self;
    (void)err;
    s->config = config;
    elapsed_init(&s->elapsed, env);
    return STATUS_OK;
}

static void declared_observe(void *self, const struct event *event,
                             struct wakeups *wakeups)
{
    (void)wakeups;
    elapsed_observe(&((struct declared *)self)->elapsed, event);
}

static bool declared_remaining(void *self, const struct estimator *below,
                               const struct job *job, sim_time now,
                               struct belief *out)
{
    struct declared *s = self;
    (void)below;
    if (job->declared <= 0)
        return false;
    sim_span step = s->config->step ? s->config->step : 1;
    sim_span total = (job->declared + step - 1) / step * step;
    *out = elapsed_belief(&s->elapsed, job, now, total, s->config->overrun);
    out->source = "declared";
    return true;
}

const struct estimator_ops estimator_declared = {
    .name = "declared",
    .summary =
        "the run time that the submitter declared, less the time run so far",
    .options = declared_options,
    .config_size = sizeof(struct declared_config),
    .basis = BASIS_DECLARED,
    .state_size = sizeof(struct declared),
    .init = declared_init,
    .observe = declared_observe,
    .remaining = declared_remaining,
};
