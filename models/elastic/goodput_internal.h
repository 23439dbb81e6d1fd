/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For unit tests of goodput and its fit: the statistical efficiency, the
 * objective with its gradient, and the number of fits that were made. */
#ifndef MODELS_GOODPUT_INTERNAL_H
#define MODELS_GOODPUT_INTERNAL_H

#include "models/elastic/goodput.h"

/* Returns gradient_gain / s at scale s = total / M0. The result is above 0 and
 * at most 1; it is 1 if the gradient statistics do not define it. */
double goodput_efficiency(struct gradient gradient, double scale);

/* Returns the objective that step_model_fit minimises. `gradient` (may be
 * NULL) receives its STEP_MODEL_SIZE derivatives, in the order of struct
 * step_model. */
double step_model_loss(const struct step_model *model,
                       const struct step_sample *rows, size_t n,
                       double *gradient);

/* Returns the number of fits in the store: one per distinct set of rows. */
size_t fits_made(const struct fits *fits);

#endif
