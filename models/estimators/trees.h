/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boosted regression trees. XGBoost grows them, on one thread, without sampling
 * and from a fixed seed, so equal data give equal trees. The trees are then
 * copied and walked here: a prediction costs about as much as one row of a
 * large batch in XGBoost, where a single call costs far more. */
#ifndef MODELS_TREES_H
#define MODELS_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"

/* A leaf has left < 0 and its value in `split`. */
struct tree_node {
    float split; /* left if the feature is below it */
    float gain;
    int32_t left, right; /* indices into nodes */
    uint16_t feature;
    bool missing_left;
};

struct trees {
    struct tree_node *nodes;
    uint32_t *roots; /* index of each tree's root */
    size_t n_nodes, n_trees, cap_nodes, cap_trees;
    float base;
};

struct trees_params {
    uint32_t rounds, depth;
    double eta, min_child_weight;
    const char *constraints; /* XGBoost's interaction_constraints, or NULL */
};

/* Replaces *trees. `rows` is n x width, row by row, NaN: missing. */
enum status trees_fit(struct trees *trees, const struct trees_params *params,
                      const float *rows, const float *targets, size_t n,
                      size_t width, struct error *err) MUST_USE;
float trees_predict(const struct trees *trees, const float *row);
void trees_fini(struct trees *trees); /* accepts all zeroes */

#endif
