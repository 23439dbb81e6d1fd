/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For unit tests, which compare the prediction by the terms with the prediction
 * by the trees. */
#ifndef MODELS_SHAPES_INTERNAL_H
#define MODELS_SHAPES_INTERNAL_H

#include "models/estimators/shapes.h"

/* Returns the model's prediction for N_FEATURES values: the intercept plus the
 * values of all terms. */
double shapes_value(const struct shapes *shapes, const float *row);

#endif
