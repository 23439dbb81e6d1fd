/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A generalised additive model with pairwise terms (GA2M: Lou et al., KDD'13),
 * the kind of Lucid's workload estimator, so that a person can read why a job
 * is believed long. Trees of depth 2 are such a model. A first fit finds the
 * pairs that gain most; the second may use these and no others. Lucid's
 * artifact leaves the number of pairs at InterpretML's default of 10. */
#include <stdio.h>
#include <string.h>

#include "models/learner.h"
#include "models/shapes.h"

/* Text of at most 4 bytes a feature and 8 a pair. */
#define CONSTRAINTS_MAX 4096

static const struct option ga2m_options[] = {
    OPT_U32(struct learner_config, pairs, "pairs", 10, 0, 100,
            "pairs of features that may act together",
            "InterpretML's default, which Lucid uses"),
    LEARNER_OPTIONS(300, 0.1),
    {0},
};

static void pair_gains(const struct trees *trees,
                       double gains[N_FEATURES][N_FEATURES])
{
    for (size_t t = 0; t < trees->n_trees; t++) {
        const struct tree_node *root = &trees->nodes[trees->roots[t]];
        for (int side = 0; side < 2 && root->left >= 0; side++) {
            const struct tree_node *child =
                &trees->nodes[side == 0 ? root->left : root->right];
            unsigned a = root->feature, b = child->feature;
            if (child->left < 0 || a == b)
                continue;
            gains[a < b ? a : b][a < b ? b : a] += (double)child->gain;
        }
    }
}

/* The pair of the largest gain, which is set to 0; false if none is left. */
static bool best_pair(double gains[N_FEATURES][N_FEATURES], unsigned *a,
                      unsigned *b)
{
    double best = 0;
    for (unsigned i = 0; i < N_FEATURES; i++) {
        for (unsigned k = i + 1; k < N_FEATURES; k++) {
            if (gains[i][k] > best) {
                best = gains[i][k];
                *a = i;
                *b = k;
            }
        }
    }
    if (best > 0)
        gains[*a][*b] = 0;
    return best > 0;
}

/* "[[0],[1],...,[0,4]]": alone each may act, together only these. */
static void constraints_of(const struct trees *trees, uint32_t pairs,
                           char out[CONSTRAINTS_MAX])
{
    double gains[N_FEATURES][N_FEATURES] = {{0}};
    size_t n = 0;
    unsigned a = 0, b = 0;
    pair_gains(trees, gains);
    for (unsigned f = 0; f < N_FEATURES; f++)
        n += (size_t)snprintf(out + n, CONSTRAINTS_MAX - n, "%s[%u]",
                              f ? "," : "[", f);
    for (uint32_t i = 0; i < pairs && best_pair(gains, &a, &b); i++)
        n += (size_t)snprintf(out + n, CONSTRAINTS_MAX - n, ",[%u,%u]", a, b);
    snprintf(out + n, CONSTRAINTS_MAX - n, "]");
}

static enum status ga2m_fit(struct learner *s, struct error *err)
{
    const float *rows, *targets;
    char constraints[CONSTRAINTS_MAX];
    size_t n = learner_rows(s, &rows, &targets);
    struct trees_params params = {
        .rounds = s->config->rounds / 4 + 1,
        .depth = 2,
        .eta = s->config->eta,
        .min_child_weight = s->config->min_child_weight,
    };
    enum status st =
        trees_fit(&s->trees, &params, rows, targets, n, N_FEATURES, err);
    if (st != STATUS_OK)
        return st;
    constraints_of(&s->trees, s->config->pairs, constraints);
    params.rounds = s->config->rounds;
    params.constraints = constraints;
    return trees_fit(&s->trees, &params, rows, targets, n, N_FEATURES, err);
}

static enum status ga2m_init(void *self, const void *config,
                             const struct estimator_env *env, struct error *err)
{
    struct learner *s = self;
    s->fit = ga2m_fit;
    s->name = "ga2m";
    return learner_init(s, config, env, err);
}

/* Effects are on the target's scale: log seconds, or seconds. */
static void ga2m_explain(void *self, struct out *out)
{
    struct learner *s = self;
    const float *rows, *targets;
    struct shapes shapes;
    size_t n = learner_rows(s, &rows, &targets);
    shapes_init(&shapes, &s->trees);
    shapes_center(&shapes, rows, n);
    shapes_write(&shapes, out);
    shapes_fini(&shapes);
}

const struct estimator_ops estimator_ga2m = {
    .name = "ga2m",
    .summary =
        "additive model with pairwise terms that can be read, as Lucid's",
    .options = ga2m_options,
    .config_size = sizeof(struct learner_config),
    .state_size = sizeof(struct learner),
    .init = ga2m_init,
    .observe = learner_observe,
    .remaining = learner_remaining,
    .explain = ga2m_explain,
    .version = trees_version,
    .fini = learner_fini,
};
