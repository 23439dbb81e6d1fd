/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of an additive model, by which unit tests see that its terms say
 * the same as the trees that they come from. */
#ifndef MODELS_SHAPES_INTERNAL_H
#define MODELS_SHAPES_INTERNAL_H

#include "models/estimators/shapes.h"

/* Returns the model's prediction for N_FEATURES values, as the sum of its
 * terms. */
double shapes_value(const struct shapes *shapes, const float *row);

#endif
