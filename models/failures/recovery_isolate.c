/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the nodes of a failed job, all at the same time, before the job goes
 * on, as operators do with nccl-tests: a node that fails the test is taken out
 * of service. The verdict and its delay are those of the layer below; the test
 * adds its time. There is no test if the job is given up, if the failure took
 * one of its nodes out of service, or if the option `all` excludes the failure.
 * How often the test is right is a model, not evidence, so this layer may know
 * which node is at fault. */
#include "base/rng.h"
#include "models/failures/failure_truth.h"
#include "models/failures/recovery.h"

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
