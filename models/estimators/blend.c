/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with the weighted mean of two beliefs: that of the chain below, and
 * that of the chain below without its top layer. The chain `blend,gbdt,history`
 * blends a model with the history, as QSSF does. If there is no second belief,
 * the first is returned unchanged. If there is no first belief or its mean is 0
 * or less, the second is. */
#include "models/estimators/estimator.h"

struct blend_config {
    double weight;
};

static const struct option blend_options[] = {
    OPT_DOUBLE(struct blend_config, weight, "weight", 0.1, 0, 1,
               "weight of the second layer below; the first has 1 - weight",
               "HeliosArtifact: 0.1 history, 0.9 model"),
    {0},
};

struct blend {
    const struct blend_config *config;
};

static enum status blend_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    ((struct blend *)self)->config = config;
    return STATUS_OK;
}

static bool blend_remaining(void *self, const struct estimator *below,
                            const struct job *job, sim_time now,
                            struct belief *out)
{
    double weight = ((struct blend *)self)->config->weight;
    struct belief first, second;
    bool has_first = estimator_remaining(below, job, now, &first);
    bool has_second =
        below && estimator_remaining(below->below, job, now, &second);
    if (!has_first && !has_second)
        return false;
    if (!has_first || (has_second && first.mean <= 0)) {
        *out = second;
        return true;
    }
    if (!has_second) {
        *out = first;
        return true;
    }
    *out = (struct belief){
        .mean = (sim_span)((1 - weight) * (double)first.mean +
                           weight * (double)second.mean),
        .spread = -1,
        .source = "blend",
        .steady_until = first.steady_until < second.steady_until
                            ? first.steady_until
                            : second.steady_until,
    };
    return true;
}

const struct estimator_ops estimator_blend = {
    .name = "blend",
    .summary = "the weighted mean of the next two layers, as in QSSF",
    .options = blend_options,
    .config_size = sizeof(struct blend_config),
    .basis = BASIS_BLEND,
    .state_size = sizeof(struct blend),
    .init = blend_init,
    .remaining = blend_remaining,
};
