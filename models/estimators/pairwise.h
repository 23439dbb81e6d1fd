/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits a generalised additive model with pairwise terms (GA2M: Lou et al.,
 * KDD'13) as boosted trees of depth 2. The code is in history.c. */
#ifndef MODELS_PAIRWISE_H
#define MODELS_PAIRWISE_H

#include "models/estimators/trees.h"

#define PAIRWISE_WIDTH_MAX 32

/* Fits twice: a first fit, with about a quarter of the rounds, finds up to
 * `pairs` pairs of features, those with the largest gain; the second fit may
 * use each feature alone and only these pairs together. `pairs` is at most 400.
 * Depth and constraints of `params` are ignored. Replaces *trees. `width`, the
 * number of features, is at most PAIRWISE_WIDTH_MAX. Errors are those of
 * trees_fit. */
enum status pairwise_fit(struct trees *trees, const struct trees_params *params,
                         uint32_t pairs, const float *rows,
                         const float *targets, size_t n, size_t width,
                         struct error *err) MUST_USE;

#endif
