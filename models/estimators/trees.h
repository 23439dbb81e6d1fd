/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boosted regression trees. XGBoost grows them on one thread, without sampling
 * and from a fixed seed, so equal data give equal trees. The trees are copied
 * out of the library and evaluated by this program, because a single prediction
 * by XGBoost takes far longer than one row of a large batch. */
#ifndef MODELS_TREES_H
#define MODELS_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct tree_node {
    /* values below `split` go left; for a leaf: the value of the leaf */
    float split;
    float gain;          /* decrease of the loss by this split */
    int32_t left, right; /* indices in `nodes`; < 0: this node is a leaf */
    uint16_t feature;
    bool missing_left; /* true if missing values go left */
};

struct trees {
    struct tree_node *nodes;
    uint32_t *roots; /* by tree: index of its root in `nodes` */
    size_t n_nodes, n_trees, cap_nodes, cap_trees;
    float base; /* prediction before any tree: the mean of the targets */
};

struct trees_params {
    uint32_t rounds, depth;
    double eta, min_child_weight;
    const char *constraints; /* XGBoost's interaction_constraints; NULL: none */
};

/* Fits trees to n rows of `width` features. NaN marks a missing value. Replaces
 * *trees. STATUS_FAILED if XGBoost cannot be loaded, reports an error, or saves
 * its trees in a form that this program does not understand; *trees is then
 * unchanged or empty. */
enum status trees_fit(struct trees *trees, const struct trees_params *params,
                      const float *rows, const float *targets, size_t n,
                      size_t width, struct error *err) MUST_USE;
float trees_predict(const struct trees *trees, const float *row);
void trees_fini(struct trees *trees); /* accepts all zeroes */

#endif
