/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits boosted trees of depth 2 into terms: every leaf depends on one feature
 * or on two, so the model is exactly an intercept, a step function for each
 * feature and a table for each pair. */
#ifndef MODELS_SHAPES_H
#define MODELS_SHAPES_H

#include "models/estimators/features.h"
#include "models/estimators/trees.h"
#include "sim/base/out.h"

/* The bins of a feature: bin i holds cuts[i-1] <= x < cuts[i]; the last one,
 * number n_cuts + 1, is for missing values. */
struct shape_axis {
    float *cuts;
    size_t n_cuts, cap;
};

struct shape_term {
    uint16_t a, b;  /* features; equal: the term of one feature */
    double *values; /* bins of a x bins of b, or bins of a */
};

struct shapes {
    double intercept;
    struct shape_axis axes[N_FEATURES];
    struct shape_term *terms; /* sorted by (a, b) */
    size_t n_terms, cap_terms;
};

/* Trees deeper than 2 are a broken invariant. */
void shapes_init(struct shapes *shapes, const struct trees *trees);
void shapes_fini(struct shapes *shapes);
/* Shifts every term so that its mean over the rows is 0, and adds the shift to
 * the intercept. */
void shapes_center(struct shapes *shapes, const float *rows, size_t n);
void shapes_write(const struct shapes *shapes, struct out *out);

#endif
