/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For unit tests: the prediction by the terms, which must equal that of the
 * trees. */
#ifndef MODELS_SHAPES_INTERNAL_H
#define MODELS_SHAPES_INTERNAL_H

#include "models/estimators/shapes.h"

/* Returns the model's prediction for N_FEATURES values, as the sum of its
 * terms. */
double shapes_value(const struct shapes *shapes, const float *row);

#endif
