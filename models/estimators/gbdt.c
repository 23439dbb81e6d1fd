/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradient boosted trees on what is known of a job at its submission: the model
 * of QSSF (Helios, SC'21, section 4), with exact leaves as in LightGBM, which
 * QSSF uses. Of its training, only the attributes of jobs that were available
 * are published. */
#include "models/estimators/learner.h"

static const struct option gbdt_options[] = {
    OPT_U32(struct learner_config, depth, "depth", 6, 1, 16, "of a tree",
            "XGBoost's default; LightGBM's 31 leaves are about as many"),
    LEARNER_OPTIONS(100, 0.1),
    {0},
};

static enum status gbdt_fit(struct learner *s, struct error *err)
{
    const float *rows, *targets;
    size_t n = learner_rows(s, &rows, &targets);
    const struct trees_params params = {
        .rounds = s->config->rounds,
        .depth = s->config->depth,
        .eta = s->config->eta,
        .min_child_weight = s->config->min_child_weight,
    };
    return trees_fit(&s->trees, &params, rows, targets, n, N_FEATURES, err);
}

static enum status gbdt_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    struct learner *s = self;
    s->fit = gbdt_fit;
    s->name = "gbdt";
    return learner_init(s, config, env, err);
}

const struct estimator_ops estimator_gbdt = {
    .name = "gbdt",
    .summary = "boosted trees, fitted to the jobs that ended, refitted weekly",
    .options = gbdt_options,
    .config_size = sizeof(struct learner_config),
    .state_size = sizeof(struct learner),
    .init = gbdt_init,
    .observe = learner_observe,
    .remaining = learner_remaining,
    .fini = learner_fini,
};
