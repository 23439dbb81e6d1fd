/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shape functions of a ga2m model. */
#ifndef MODELS_ESTIMATORS_SHAPES_INTERNAL_H
#define MODELS_ESTIMATORS_SHAPES_INTERNAL_H

#include "base/out.h"
#include "models/estimators/trees.h"

/* == shapes.c: Splits boosted trees of depth 2 into terms. Each leaf depends on
 * at most two features, so the model is exactly an intercept, a step function
 * for each feature and a table for each pair. */

/* The bins of a feature. Bin i = 0 .. n_cuts holds cuts[i-1] <= x < cuts[i];
 * bin 0 has no lower bound, and bin n_cuts no upper bound. Bin n_cuts + 1 holds
 * missing values. */
struct shape_axis {
    float *cuts;
    size_t n_cuts, cap;
};

struct shape_term {
    uint16_t a, b; /* features, a <= b; if a = b, the term has one feature */
    /* by bin of a, then by bin of b; if a = b, by bin of a only */
    double *values;
};

struct shapes {
    double intercept;
    struct shape_axis axes[N_FEATURES];
    struct shape_term *terms; /* ordered by (a, b) */
    size_t n_terms, cap_terms;
};

/* Splits the trees into terms. No tree may be deeper than 2. */
void shapes_init(struct shapes *shapes, const struct trees *trees);
void shapes_fini(struct shapes *shapes);
/* Moves the mean of each term over the n rows from the term to the intercept,
 * so that the terms have mean 0. n = 0: changes nothing. */
void shapes_center(struct shapes *shapes, const float *rows, size_t n);
/* Writes the intercept and all terms as CSV. */
void shapes_write(const struct shapes *shapes, struct out *out);

/* For unit tests, which compare the prediction by the terms with the prediction
 * by the trees. */

/* Returns the model's prediction for N_FEATURES values: the intercept plus the
 * values of all terms. */
double shapes_value(const struct shapes *shapes, const float *row);

#endif
