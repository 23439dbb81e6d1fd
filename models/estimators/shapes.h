/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An additive model: an intercept, a step function for each feature and a table
 * for each pair of features that act together. models/estimators/pairwise.h
 * fits one. */
#ifndef MODELS_SHAPES_H
#define MODELS_SHAPES_H

#include "base/out.h"

#define SHAPES_WIDTH_MAX 32 /* features */

/* The bins of a feature. Bin i = 0 .. n_cuts holds cuts[i-1] <= x < cuts[i];
 * bin 0 has no lower bound, and bin n_cuts no upper bound. Bin n_cuts + 1 holds
 * missing values. */
struct shape_axis {
    float *cuts;
    size_t n_cuts;
};

struct shape_term {
    uint16_t a, b; /* features, a <= b; if a = b, the term has one feature */
    /* by bin of a, then by bin of b; if a = b, by bin of a only */
    double *values;
};

struct shapes {
    double intercept;
    size_t width; /* number of features */
    struct shape_axis axes[SHAPES_WIDTH_MAX];
    /* those of one feature in the order of the features, then the pairs */
    struct shape_term *terms;
    size_t n_terms, cap_terms;
};

void shapes_fini(struct shapes *shapes); /* accepts all zeroes */

/* Returns the number of bins of a feature, with that of missing values. */
size_t shapes_bins(const struct shapes *shapes, unsigned feature);

/* Adds a term with values of 0. The pointer is valid until the next call. */
struct shape_term *shapes_add(struct shapes *shapes, unsigned a, unsigned b);

/* Returns the model's prediction for a row of `width` values: the intercept
 * plus the values of all terms. NaN marks a missing value. */
double shapes_value(const struct shapes *shapes, const float *row);

/* Moves the mean of each term over the n rows from the term to the intercept,
 * so that the terms have mean 0. n = 0: changes nothing. */
void shapes_center(struct shapes *shapes, const float *rows, size_t n);

/* Writes the intercept and all terms of a model of the features of
 * models/estimators/trees.h as CSV. */
void shapes_write(const struct shapes *shapes, struct out *out);

#endif
