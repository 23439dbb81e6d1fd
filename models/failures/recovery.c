/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/recovery.h"

#include <math.h>

#include "base/rng.h"

void recovery_ask(const struct recovery *first, const struct failure *failure,
                  struct ruling *out)
{
    for (const struct recovery *r = first; r; r = r->below) {
        if (!r->ops->rule(r, failure, out))
            continue;
        if (!out->by)
            out->by = r->ops->name;
        return;
    }
}

sim_span recovery_draw(uint64_t stream, const struct failure *failure,
                       uint32_t k, sim_span median, double sigma)
{
    double seconds = span_seconds(median) *
                     exp(sigma * keyed_normal(stream, failure->key, k));
    return span_from_seconds(seconds < SECONDS_MAX ? seconds : SECONDS_MAX);
}

/* Gives up each failed job: the default rule. A chain without it gives up the
 * jobs for which none of its rules decides. */

static bool none_rule(const struct recovery *layer,
                      const struct failure *failure, struct ruling *out)
{
    (void)layer;
    (void)failure;
    (void)out; /* *out already holds VERDICT_GIVE_UP */
    return true;
}

const struct recovery_ops recovery_none = {
    .name = "none",
    .summary = "give up a job that fails",
    .rule = none_rule,
};

/* Gives up jobs that fail too often or too long after their submission; leaves
 * all others to the layer below. */

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

/* Automatic retry with a delay that grows, as a Kubernetes Job does: this rule
 * starts the job again, whatever failed, until the limit of attempts is
 * reached; from then on the layer below decides. */

struct backoff_config {
    sim_span detect, first, most;
    double factor;
    uint32_t attempts;
    bool resume;
};

static const struct option backoff_options[] = {
    OPT_SPAN(struct backoff_config, detect, "detect_s", 0, 0, 86400,
             "time until the failure is noticed",
             "assumed: 0, the process that starts the job sees it end"),
    OPT_SPAN(struct backoff_config, first, "delay_s", 10, 0, 86400,
             "delay before the first retry", "Kubernetes' manual, Job: 10"),
    OPT_DOUBLE(struct backoff_config, factor, "factor", 2, 1, 10,
               "factor by which the delay grows with each retry",
               "Kubernetes' manual, Job: 10 s, 20 s, 40 s"),
    OPT_SPAN(struct backoff_config, most, "delay_max_s", 360, 0, 86400,
             "longest delay", "Kubernetes' manual, Job: six minutes"),
    OPT_U32(struct backoff_config, attempts, "attempts", 7, 1, 60000,
            "number of failures at which the job is left to the layer below",
            "Kubernetes' manual, Job: backoffLimit 6, so the 7th is final"),
    OPT_BOOL(struct backoff_config, resume, "resume", true,
             "go on from the last checkpoint; off: start from the beginning",
             "assumed: the job's script looks for a checkpoint"),
    {0},
};

static bool backoff_rule(const struct recovery *layer,
                         const struct failure *failure, struct ruling *out)
{
    const struct backoff_config *c = layer->config;
    if (failure->failures >= c->attempts)
        return false;
    double delay =
        span_seconds(c->first) * pow(c->factor, (double)failure->failures - 1);
    double most = span_seconds(c->most);
    out->verdict = c->resume ? VERDICT_RESUME : VERDICT_RESTART;
    out->detected = c->detect;
    out->delay = c->detect + span_from_seconds(delay < most ? delay : most);
    return true;
}

const struct recovery_ops recovery_backoff = {
    .name = "backoff",
    .summary = "retry at once, with a delay that grows, as Kubernetes does",
    .options = backoff_options,
    .config_size = sizeof(struct backoff_config),
    .rule = backoff_rule,
};

/* A person notices the failure after a lognormal delay and submits the job
 * again, by default from its last checkpoint. If the trace recorded when the
 * job was submitted again, that time is used. */

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

/* Slurm's requeue (JobRequeue=1): the scheduler itself requeues a batch job
 * whose node went out of service. It leaves a job that fails on nodes that
 * stay in service to the layer below, because Slurm does not know why that
 * job ended. */

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

/* A job whose number of GPUs may change goes on when one of its nodes goes out
 * of service. Its processes notice the loss, and the policy gives it GPUs
 * again, fewer if fewer are left. Jobs of fixed shape and all other failures
 * are left to the layer below. */

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
