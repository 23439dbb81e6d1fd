/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person notices the failure (by day, unless somebody is on call), finds the
 * cause, takes the node at fault out of service if there is one and it is
 * found, and submits the job again. If the trace recorded when the job was
 * submitted again, that time is used. How often people find the node is a
 * model, not evidence, so this rule may know which node is at fault. */
#include "base/rng.h"
#include "models/failures/failure_truth.h"
#include "models/failures/recovery.h"

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

struct recovery_person {
    const struct person_config *config;
    uint64_t stream;
    sim_time zero; /* start of the run, microseconds since 1970 UTC */
};

enum {
    RECOVERY_PERSON_DRAW_DETECT,
    RECOVERY_PERSON_DRAW_DIAGNOSE,
    RECOVERY_PERSON_DRAW_FINDS
};

static enum status person_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    const struct person_config *c = config;
    *(struct recovery_person *)self = (struct recovery_person){
        .config = config,
        .stream = rng_stream(env->seed, "recovery person"),
        .zero = env->zero};
    if (c->begins < c->ends)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "recovery person: day_begins_h must be below day_ends_h");
}

/* Moves a time at night to the next morning; other times stay. */
static sim_time recovery_by_day(const struct recovery_person *s, sim_time at)
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

static sim_span noticed_after(const struct recovery_person *s,
                              const struct failure *failure)
{
    const struct person_config *c = s->config;
    sim_span after =
        recovery_draw(s->stream, failure, RECOVERY_PERSON_DRAW_DETECT,
                      c->detect, c->detect_sigma);
    return c->on_call ? after
                      : recovery_by_day(s, failure->at + after) - failure->at;
}

static bool person_rule(const struct recovery *layer,
                        const struct failure *failure, struct ruling *out)
{
    const struct recovery_person *s = layer->self;
    const struct person_config *c = s->config;
    const struct failure_truth *truth = failure->truth;
    bool hardware = truth->kind == FAILURE_INFRASTRUCTURE;
    if (failure->failures >= c->attempts)
        return false;
    out->verdict = c->resume ? VERDICT_RESUME : VERDICT_RESTART;
    out->detected = noticed_after(s, failure);
    out->delay = out->detected + recovery_draw(s->stream, failure,
                                               RECOVERY_PERSON_DRAW_DIAGNOSE,
                                               hardware ? c->diagnose : c->fix,
                                               c->sigma);
    if (failure->gap >= 0) {
        out->delay = failure->gap;
        if (out->detected > out->delay)
            out->detected = out->delay;
    }
    out->test = c->test;
    if (keyed_uniform(s->stream, failure->key, RECOVERY_PERSON_DRAW_FINDS) <
        c->finds)
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
    .state_size = sizeof(struct recovery_person),
    .init = person_init,
    .rule = person_rule,
};
