/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/recovery.h"

#include <math.h>

#include "base/rng.h"
#include "models/failures/failure_truth.h"

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

/* Draws a keyed lognormal time: `median` times exp(sigma x normal), at most
 * SECONDS_MAX. `k` is the number of the draw. */
static sim_span recovery_draw(uint64_t stream, const struct failure *failure,
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

/* Tests the nodes of a failed job, all at the same time, before the job goes
 * on, as operators do with nccl-tests: a node that fails the test is taken out
 * of service. The verdict and its delay are those of the layer below; the test
 * adds its time. There is no test if the job is given up, if the failure took
 * one of its nodes out of service, or if the option `all` excludes the failure.
 * How often the test is right is a model, not evidence, so this layer may know
 * which node is at fault. */

struct isolate_config {
    sim_span test;
    double finds, false_alarm;
    bool all;
};

static const struct option isolate_options[] = {
    OPT_SPAN(struct isolate_config, test, "test_s", 300, 0, 86400,
             "time that the test of the nodes takes",
             "assumed: five minutes for an all-reduce on all nodes"),
    OPT_DOUBLE(struct isolate_config, finds, "finds", 1, 0, 1,
               "chance that the test finds the node at fault", "assumed: 1"),
    OPT_DOUBLE(
        struct isolate_config, false_alarm, "false_alarm", 0, 0, 1,
        "chance that the test blames a healthy node if it finds none at fault",
        "assumed: 0"),
    OPT_BOOL(
        struct isolate_config, all, "all", false,
        "test after each failure; off: only after infrastructure failures, and "
        "not if the trace recorded when the job was submitted again",
        "assumed: the log shows whether the job's own code failed"),
    {0},
};

struct isolate {
    const struct isolate_config *config;
    uint64_t tests; /* stream of random numbers for the outcomes of tests */
};

static enum status isolate_init(void *self, const void *config,
                                const struct run_env *env, struct error *err)
{
    (void)err;
    *(struct isolate *)self = (struct isolate){
        .config = config, .tests = rng_stream(env->seed, "recovery isolate")};
    return STATUS_OK;
}

/* Returns the node that the test blames, or NODE_NONE. */
static node_id blamed(const struct isolate *s, const struct failure *failure)
{
    const struct isolate_config *c = s->config;
    uint64_t key = failure->key;
    if (failure->truth->node != NODE_NONE &&
        keyed_uniform(s->tests, key, 0) < c->finds)
        return failure->truth->node;
    if (keyed_uniform(s->tests, key, 1) >= c->false_alarm)
        return NODE_NONE;
    double at = keyed_uniform(s->tests, key, 2) * failure->where.count;
    return failure->where.at[(uint32_t)at].node;
}

static bool isolate_rule(const struct recovery *layer,
                         const struct failure *failure, struct ruling *out)
{
    const struct isolate *s = layer->self;
    bool hardware = failure->truth->kind == FAILURE_INFRASTRUCTURE;
    recovery_ask(layer->below, failure, out);
    if (out->verdict == VERDICT_GIVE_UP || failure->gone != NODE_NONE)
        return true;
    if (!s->config->all && (!hardware || failure->gap >= 0))
        return true;
    out->delay += s->config->test;
    if (out->suspect == NODE_NONE)
        out->suspect = blamed(s, failure);
    return true;
}

const struct recovery_ops recovery_isolate = {
    .name = "isolate",
    .summary = "test the nodes of a failed job and take out the one that fails",
    .options = isolate_options,
    .config_size = sizeof(struct isolate_config),
    .state_size = sizeof(struct isolate),
    .init = isolate_init,
    .rule = isolate_rule,
};

/* A person notices the failure (by day, unless somebody is on call), finds the
 * cause, takes the node at fault out of service if there is one and it is
 * found, and submits the job again. If the trace recorded when the job was
 * submitted again, that time is used. How often people find the node is a
 * model, not evidence, so this rule may know which node is at fault. */

struct person_config {
    sim_span detect, diagnose, fix, test;
    double detect_sigma, sigma, finds, begins, ends, utc_offset;
    uint32_t attempts;
    bool on_call, resume;
};

static const struct option person_options[] = {
    OPT_SPAN(struct person_config, detect, "detect_s", 600, 0, SECONDS_MAX,
             "median time until somebody notices the failure by day",
             "assumed: ten minutes"),
    OPT_DOUBLE(struct person_config, detect_sigma, "detect_sigma", 1, 0, 5,
               "standard deviation of the logarithm of that time", "assumed"),
    OPT_BOOL(struct person_config, on_call, "on_call", false,
             "somebody is woken at night; off: failures at night are noticed "
             "in the morning",
             "assumed"),
    OPT_DOUBLE(struct person_config, begins, "day_begins_h", 8, 0, 24,
               "hour at which the day begins", "assumed",
               OPT_WHEN("on_call=false")),
    OPT_DOUBLE(struct person_config, ends, "day_ends_h", 23, 0, 24,
               "hour at which the night begins", "assumed",
               OPT_WHEN("on_call=false")),
    OPT_DOUBLE(struct person_config, utc_offset, "utc_offset_h", 8, -12, 14,
               "hours by which local time is ahead of UTC",
               "assumed: China, as in Acme and Helios; -7 for Philly",
               OPT_WHEN("on_call=false")),
    OPT_SPAN(struct person_config, diagnose, "diagnose_s", 3600, 0, SECONDS_MAX,
             "median time to find out which hardware failed",
             "assumed; Minder (NSDI'25) says that diagnosis by hand takes over "
             "30 minutes"),
    OPT_SPAN(struct person_config, fix, "fix_s", 1800, 0, SECONDS_MAX,
             "median time to fix a script or its settings", "assumed"),
    OPT_DOUBLE(struct person_config, sigma, "sigma", 1.2, 0, 5,
               "standard deviation of the logarithm of these two times",
               "assumed"),
    OPT_DOUBLE(struct person_config, finds, "finds", 1, 0, 1,
               "chance that the person finds the node at fault", "assumed: 1"),
    OPT_SPAN(struct person_config, test, "test_s", 3600, 0, SECONDS_MAX,
             "time for which the node that the person takes out is tested",
             "assumed"),
    OPT_U32(struct person_config, attempts, "attempts", 10, 1, 60000,
            "number of failures at which the job is left to the layer below, "
            "which gives it up by default; preemptions do not count",
            "assumed"),
    OPT_BOOL(struct person_config, resume, "resume", true,
             "go on from the last checkpoint; off: start from the beginning",
             NULL),
    {0},
};

struct person {
    const struct person_config *config;
    uint64_t stream;
    sim_time zero; /* start of the run, microseconds since 1970 UTC */
};

enum { DRAW_DETECT, DRAW_DIAGNOSE, DRAW_FINDS };

static enum status person_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    const struct person_config *c = config;
    *(struct person *)self =
        (struct person){.config = config,
                        .stream = rng_stream(env->seed, "recovery person"),
                        .zero = env->zero};
    if (c->begins < c->ends)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "recovery person: day_begins_h must be below day_ends_h");
}

/* Moves a time at night to the next morning; other times stay. */
static sim_time recovery_by_day(const struct person *s, sim_time at)
{
    const struct person_config *c = s->config;
    sim_time local =
        s->zero + at + (sim_span)(c->utc_offset * (double)SPAN_HOUR);
    sim_span day = local % SPAN_DAY;
    if (day < 0)
        day += SPAN_DAY;
    sim_span begins = (sim_span)(c->begins * (double)SPAN_HOUR);
    sim_span ends = (sim_span)(c->ends * (double)SPAN_HOUR);
    if (day < begins)
        return at + begins - day;
    return day < ends ? at : at + SPAN_DAY - day + begins;
}

static sim_span noticed_after(const struct person *s,
                              const struct failure *failure)
{
    const struct person_config *c = s->config;
    sim_span after = recovery_draw(s->stream, failure, DRAW_DETECT, c->detect,
                                   c->detect_sigma);
    return c->on_call ? after
                      : recovery_by_day(s, failure->at + after) - failure->at;
}

static bool person_rule(const struct recovery *layer,
                        const struct failure *failure, struct ruling *out)
{
    const struct person *s = layer->self;
    const struct person_config *c = s->config;
    const struct failure_truth *truth = failure->truth;
    bool hardware = truth->kind == FAILURE_INFRASTRUCTURE;
    if (failure->failures >= c->attempts)
        return false;
    out->verdict = c->resume ? VERDICT_RESUME : VERDICT_RESTART;
    out->detected = noticed_after(s, failure);
    out->delay = out->detected +
                 recovery_draw(s->stream, failure, DRAW_DIAGNOSE,
                               hardware ? c->diagnose : c->fix, c->sigma);
    if (failure->gap >= 0) {
        out->delay = failure->gap;
        if (out->detected > out->delay)
            out->detected = out->delay;
    }
    out->test = c->test;
    if (keyed_uniform(s->stream, failure->key, DRAW_FINDS) < c->finds)
        out->suspect = truth->node;
    out->cause = truth->cause;
    return true;
}

const struct recovery_ops recovery_person = {
    .name = "person",
    .summary =
        "a person notices by day, finds the cause and submits the job again",
    .options = person_options,
    .config_size = sizeof(struct person_config),
    .state_size = sizeof(struct person),
    .init = person_init,
    .rule = person_rule,
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
