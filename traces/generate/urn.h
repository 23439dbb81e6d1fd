/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random draws with memory: an outcome that has been counted more often than
 * its share becomes less likely. So even a short trace has the published
 * shares, although many consecutive jobs have one user and script. With
 * independent draws, such runs of equal jobs would make the shares vary as in a
 * trace many times shorter. */
#ifndef TRACES_URN_H
#define TRACES_URN_H

#include "sim/base/arena.h"
#include "sim/base/rng.h"

struct urn {
    double *share;  /* by outcome: wanted share, sum 1 after urn_ready */
    double *seen;   /* by outcome: number of times that it was counted */
    double *weight; /* by outcome: its weight in the last draw */
    size_t n;       /* number of outcomes */
    double total;   /* sum of `seen` */
    /* excess of a count over its share at which the outcome is no longer drawn,
     * > 0 */
    double slack;
};

/* An outcome whose count exceeds its share of all counts by `slack` is not
 * drawn until the others have caught up. */
void urn_init(struct urn *urn, struct arena *arena, size_t n, double slack);
/* Adds `share` to the share of outcome i. The shares may have any sum;
 * urn_ready scales them to the sum 1. */
void urn_add(struct urn *urn, size_t i, double share);
/* Scales the shares to the sum 1. Call it before the first draw. */
void urn_ready(struct urn *urn);

/* Draws one of the first `n` outcomes, n <= urn->n, and returns its index. Does
 * not count the outcome. */
size_t urn_draw(struct urn *urn, gsl_rng *rng, size_t n);
/* Counts an outcome, which makes it less likely in later draws. */
void urn_count(struct urn *urn, size_t i);

#endif
