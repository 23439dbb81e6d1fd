/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For unit tests of goodput and its fit: the statistical efficiency, the
 * objective with its gradient, and the number of fits that were made. */
#ifndef MODELS_GOODPUT_INTERNAL_H
#define MODELS_GOODPUT_INTERNAL_H

#include "models/elastic/goodput.h"

/* Returns gradient_gain / scale at scale = total / M0, > 0. The result is at
 * most 1 if the scale is at least 1; it is 1 if sqr and var are both 0. */
double goodput_efficiency(struct gradient gradient, double scale);

/* Returns the objective that step_model_fit minimises, for n > 0 rows.
 * `gradient` (may be NULL) receives its STEP_MODEL_SIZE derivatives, in the
 * order of struct step_model. */
double step_model_loss(const struct step_model *model,
                       const struct step_sample *rows, size_t n,
                       double *gradient);

/* Returns the number of fits in the store: one per distinct set of rows. */
size_t fits_made(const struct fits *fits);

#endif
