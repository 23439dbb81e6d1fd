/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws that remember: an outcome that has been drawn more often than its share
 * becomes less likely. A generated trace thereby keeps the published shares
 * although its jobs come in long runs of the same user and template.
 * Independent draws of such runs would scatter like those of a trace many times
 * shorter. */
#ifndef TRACES_URN_H
#define TRACES_URN_H

#include "sim/base/arena.h"
#include "sim/base/rng.h"

struct urn {
    double *share;  /* by outcome: wanted share, sum 1 after urn_ready */
    double *seen;   /* by outcome: how often it was counted */
    double *weight; /* by outcome: its weight in the last draw */
    size_t n;       /* outcomes */
    double total;   /* sum of `seen` */
    double slack;   /* lead in counts at which an outcome is not drawn, > 0 */
};

/* An outcome whose count exceeds its share of all counts by `slack` is not
 * drawn until the others have caught up. */
void urn_init(struct urn *urn, struct arena *arena, size_t n, double slack);
/* Adds to the share of one outcome; shares need not sum to 1 until
 * urn_ready. */
void urn_add(struct urn *urn, size_t i, double share);
/* Scales the shares to sum 1. */
void urn_ready(struct urn *urn);

/* Returns one of the first `n` outcomes, n <= urn->n. Does not count it. */
size_t urn_draw(struct urn *urn, gsl_rng *rng, size_t n);
/* Counts an outcome, so that later draws make up for it. */
void urn_count(struct urn *urn, size_t i);

#endif
