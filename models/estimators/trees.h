/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boosted regression trees. XGBoost grows them on one thread, without sampling
 * and from a fixed seed, so equal data give equal trees. The trees are copied
 * and walked here, because XGBoost takes far longer for one prediction than for
 * one row of a large batch. */
#ifndef MODELS_TREES_H
#define MODELS_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"

struct tree_node {
    float split;         /* the walk goes left below it; of a leaf: its value */
    float gain;          /* fall of the loss by this split */
    int32_t left, right; /* indices into nodes; < 0: the node is a leaf */
    uint16_t feature;
    bool missing_left; /* the walk goes left if the feature is missing */
};

struct trees {
    struct tree_node *nodes;
    uint32_t *roots; /* index of each tree's root */
    size_t n_nodes, n_trees, cap_nodes, cap_trees;
    float base; /* prediction without trees: the mean of the targets */
};

struct trees_params {
    uint32_t rounds, depth;
    double eta, min_child_weight;
    const char *constraints; /* XGBoost's interaction_constraints, or NULL */
};

/* Replaces *trees by trees fitted to n rows of `width` features; NaN is a
 * missing feature. */
enum status trees_fit(struct trees *trees, const struct trees_params *params,
                      const float *rows, const float *targets, size_t n,
                      size_t width, struct error *err) MUST_USE;
float trees_predict(const struct trees *trees, const float *row);
void trees_fini(struct trees *trees); /* accepts all zeroes */

#endif
