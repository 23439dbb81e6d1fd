/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits a generalised additive model with pairwise terms (GA2M: Lou et al.,
 * KDD'13; Lucid uses InterpretML's form of it).
 *
 * Each feature is cut into bins that hold about equally many rows. In each
 * round each feature in turn gets a small tree, fitted to what the model does
 * not explain yet; its leaves, times `eta`, are added to the feature's term.
 * Then the pairs of features are ranked by how much a table over their bins
 * still explains (FAST, section 4 of that paper), and each of the best gets
 * such a table, times `eta`, in the order of the ranking.
 *
 * A tree over one feature needs one sum per bin, so a fit takes time in
 * proportion to rows x features x rounds, a tenth of what trees of depth 2 over
 * all features take. All sums are in the order of the rows and equal gains are
 * decided by the lower bin and the lower feature: equal rows give equal
 * terms. */
#ifndef MODELS_PAIRWISE_H
#define MODELS_PAIRWISE_H

#include "models/estimators/shapes.h"

/* number of bins of a feature, without that of missing values */
#define PAIRWISE_BINS 64
/* leaves of a tree, as those of a tree of depth 2 */
#define PAIRWISE_LEAVES 4
/* number of coarser bins, of equally many bins, by which pairs are told apart
 */
#define PAIRWISE_PAIR_BINS 8
/* A cell of a pair's table is shrunk towards 0 by the weight of this number of
 * rows. Assumed. */
#define PAIRWISE_PAIR_PRIOR 100
/* number of rows, at even distances, from which bins and the ranking of pairs
 * are taken */
#define PAIRWISE_SAMPLE 1000

struct pairwise_params {
    uint32_t rounds, pairs;
    uint32_t rows; /* number of the given rows that are used; see below */
    double eta;
    double min_child_weight; /* least number of rows in a leaf */
};

/* Returns the index of row i of the m rows, at even distances, that stand for n
 * rows; the last one is the latest. m <= n. */
static inline size_t pairwise_row(size_t i, size_t m, size_t n)
{
    return (i + 1) * n / m - 1;
}

/* Fits the model to n > 0 rows of `width` features, of which at most
 * params->rows are used. NaN marks a missing value. Replaces *shapes, which the
 * caller frees with shapes_fini. `width` is at most SHAPES_WIDTH_MAX. */
void pairwise_fit(struct shapes *shapes, const struct pairwise_params *params,
                  const float *rows, const float *targets, size_t n,
                  size_t width);

#endif
