/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A generalised additive model with pairwise terms
 * (models/estimators/pairwise.h), as in Lucid's workload estimator. Its terms
 * can be printed, so that people see why it predicts that a job is long. */
#include "models/estimators/pairwise.h"
#include "models/estimators/shapes.h"
#include "models/estimators/tree_estimator.h"

static const struct option ga2m_options[] = {
    OPT_U32(struct tree_estimator_config, pairs, "pairs", 10, 0, 100,
            "number of pairs of features that may act together",
            "InterpretML's default, which Lucid uses"),
    TREE_ESTIMATOR_OPTIONS(300, 0.1),
    {0},
};

static enum status ga2m_fit(struct tree_estimator *s, struct error *err)
{
    const float *rows, *targets;
    size_t n = tree_estimator_rows(s, &rows, &targets);
    const struct trees_params params = {
        .rounds = s->config->rounds,
        .eta = s->config->eta,
        .min_child_weight = s->config->min_child_weight,
    };
    return pairwise_fit(&s->trees, &params, s->config->pairs, rows, targets, n,
                        N_FEATURES, err);
}

static enum status ga2m_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    struct tree_estimator *s = self;
    s->fit = ga2m_fit;
    s->name = "ga2m";
    return tree_estimator_init(s, config, env, err);
}

/* Writes the effects of the terms, on the scale of the target: ln(1 + seconds),
 * or seconds. */
static void ga2m_explain(void *self, struct out *out)
{
    struct tree_estimator *s = self;
    const float *rows, *targets;
    struct shapes shapes;
    tree_estimator_wake(s);
    size_t n = tree_estimator_rows(s, &rows, &targets);
    shapes_init(&shapes, &s->trees);
    shapes_center(&shapes, rows, n);
    shapes_write(&shapes, out);
    shapes_fini(&shapes);
}

const struct estimator_ops estimator_ga2m = {
    .name = "ga2m",
    .summary = "an additive model that a person can read, as Lucid's",
    .options = ga2m_options,
    .config_size = sizeof(struct tree_estimator_config),
    .basis = BASIS_LEARNED,
    .state_size = sizeof(struct tree_estimator),
    .init = ga2m_init,
    .observe = tree_estimator_observe,
    .remaining = tree_estimator_remaining,
    .explain = ga2m_explain,
    .fini = tree_estimator_fini,
};
