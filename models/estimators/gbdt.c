/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts run times by gradient boosted trees on what is known of a job at its
 * submission. This is the model of QSSF (Helios, SC'21, section 4), which uses
 * LightGBM. The paper publishes which attributes of jobs it trains on, but no
 * other details of the training. */
#include "models/estimators/tree_estimator.h"

static const struct option gbdt_options[] = {
    OPT_U32(struct tree_estimator_config, depth, "depth", 6, 1, 16,
            "largest depth of a tree",
            "XGBoost's default, 6; LightGBM's limit of 31 leaves is near"),
    TREE_ESTIMATOR_OPTIONS(100, 0.1),
    {0},
};

static enum status gbdt_fit(struct tree_estimator *s, struct error *err)
{
    const float *rows, *targets;
    size_t n = tree_estimator_rows(s, &rows, &targets);
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
    struct tree_estimator *s = self;
    s->fit = gbdt_fit;
    s->name = "gbdt";
    return tree_estimator_init(s, config, env, err);
}

const struct estimator_ops estimator_gbdt = {
    .name = "gbdt",
    .summary = "boosted trees, fitted to the jobs that have ended",
    .options = gbdt_options,
    .config_size = sizeof(struct tree_estimator_config),
    .basis = BASIS_LEARNED,
    .state_size = sizeof(struct tree_estimator),
    .init = gbdt_init,
    .observe = tree_estimator_observe,
    .remaining = tree_estimator_remaining,
    .fini = tree_estimator_fini,
};
