/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws that remember: what has been drawn more often than its share becomes
 * less likely. A generated trace so keeps the published shares although its
 * jobs come in long runs of the same user and template, whose independent
 * draws would scatter as those of a trace many times shorter. */
#ifndef TRACES_URN_H
#define TRACES_URN_H

#include "sim/base/arena.h"
#include "sim/base/rng.h"

struct urn {
    double *share, *seen, *weight;
    size_t n;
    double total, slack;
};

/* An outcome counted `slack` times more often than its share is not drawn until
 * the others have caught up. */
void urn_init(struct urn *urn, struct arena *arena, size_t n, double slack);
/* Adds to the share of one outcome; shares need not sum to 1 until
 * urn_ready. */
void urn_add(struct urn *urn, size_t i, double share);
void urn_ready(struct urn *urn);

/* One of the first `n` outcomes, n <= urn->n. Does not count it. `factor` makes
 * outcomes more or less likely this once; NULL: none. */
size_t urn_draw(struct urn *urn, gsl_rng *rng, size_t n, const double *factor);
/* 1 for an outcome counted as often as its share, 0 to 2 for others. */
double urn_due(const struct urn *urn, size_t i);
void urn_count(struct urn *urn, size_t i);

#endif
