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

/* Returns one of the first `n` outcomes, n <= urn->n. Does not count it. */
size_t urn_draw(struct urn *urn, gsl_rng *rng, size_t n);
void urn_count(struct urn *urn, size_t i);

#endif
