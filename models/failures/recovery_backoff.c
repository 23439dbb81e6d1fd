/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Automatic retry with a delay that grows, as a Kubernetes Job does: this rule
 * starts the job again, whatever failed, until the limit of attempts is
 * reached; from then on the layer below decides. */
#include <math.h>

#include "models/failures/recovery.h"

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
