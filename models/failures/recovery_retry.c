/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person notices the failure after a lognormal delay and submits the job
 * again, by default from its last checkpoint. If the trace recorded when the
 * job was submitted again, that time is used. */
#include "base/rng.h"
#include "models/failures/recovery.h"

struct retry_config {
    sim_span median;
    double sigma;
    uint32_t attempts;
    bool resume;
};

static const struct option retry_options[] = {
    OPT_SPAN(struct retry_config, median, "delay_s", 3600, 0, SECONDS_MAX,
             "median time from the failure until the job is submitted again",
             "assumed; Minder (NSDI'25) says that diagnosis by hand takes over "
             "30 minutes"),
    OPT_DOUBLE(
        struct retry_config, sigma, "sigma", 1.2, 0, 5,
        "standard deviation of the logarithm of that time; 0: always the "
        "median",
        "assumed"),
    OPT_U32(struct retry_config, attempts, "attempts", 10, 1, 60000,
            "number of failures at which the job is left to the layer below, "
            "which gives it up by default; preemptions do not count",
            "assumed"),
    OPT_BOOL(struct retry_config, resume, "resume", true,
             "go on from the last checkpoint; off: start from the beginning",
             NULL),
    {0},
};

struct retry {
    const struct retry_config *config;
    uint64_t delays; /* stream of random numbers for the delays */
};

static enum status retry_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    (void)err;
    *(struct retry *)self = (struct retry){
        .config = config, .delays = rng_stream(env->seed, "recovery retry")};
    return STATUS_OK;
}

static bool retry_rule(const struct recovery *layer,
                       const struct failure *failure, struct ruling *out)
{
    const struct retry *s = layer->self;
    if (failure->failures >= s->config->attempts)
        return false;
    out->verdict = s->config->resume ? VERDICT_RESUME : VERDICT_RESTART;
    out->delay = failure->gap >= 0
                     ? failure->gap
                     : recovery_draw(s->delays, failure, 0, s->config->median,
                                     s->config->sigma);
    return true;
}

const struct recovery_ops recovery_retry = {
    .name = "retry",
    .summary = "submit the job again after a delay, from its last checkpoint",
    .options = retry_options,
    .config_size = sizeof(struct retry_config),
    .state_size = sizeof(struct retry),
    .init = retry_init,
    .rule = retry_rule,
};
