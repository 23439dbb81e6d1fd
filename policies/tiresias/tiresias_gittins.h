/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Gittins index of a job that has attained `a`, given samples S of the
 * service that jobs attain until they end:
 *
 *     G(a) = sup over D > 0 of
 *            P(S <= a + D | S > a) / E[min(S - a, D) | S > a]
 *
 * With samples the supremum is attained where a + D is a sample. Let T(x)
 * = n E[min(S, x)] and F(x) = the number of samples <= x. Then G(a) is the
 * largest slope from the point (T(a), F(a)) to a point (T(s), F(s)) of a sample
 * s > a; only points on the upper hull of these can give it. The hulls are kept
 * as links: each sample has the next vertex of the hull of the points from its
 * own on.
 *
 * Tiresias' simulator computes another figure under this name; `delta` > 0
 * selects the simulator's figure. */
#ifndef POLICIES_TIRESIAS_GITTINS_H
#define POLICIES_TIRESIAS_GITTINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct gittins {
    /* fixed D of the simulator's index, in the unit of the samples; 0: the
     * textbook's index */
    double delta;
    double *samples; /* seconds, or GPU-seconds; ascending up to n_sorted */
    size_t n, cap, n_sorted;
    /* Arrays by sorted sample. `next` is filled for the textbook's index,
     * `indices` for the simulator's. */
    double *before;  /* sum of the samples before this one */
    double *reach;   /* T of this sample */
    uint32_t *next;  /* the next sample of the hull; itself at the end */
    double *indices; /* the simulator's index just below this sample */
};

/* An index that is zeroed except for `delta` has no samples and is always 0. */
void gittins_fini(struct gittins *gittins);

/* Adds the samples in the first column of a CSV file. One header line is
 * allowed. Returns STATUS_FAILED if the file cannot be read, and
 * STATUS_BAD_INPUT if a cell is not a number from 0 to below 1e15 or there is
 * no sample. */
enum status gittins_read(struct gittins *gittins, const char *path,
                         struct error *err) MUST_USE;
void gittins_learn(struct gittins *gittins, double sample);

/* Takes the samples added since the last call into account. */
void gittins_build(struct gittins *gittins);

/* Returns the index; 0 if no sample is larger than `attained`. */
double gittins_index(const struct gittins *gittins, double attained);

#endif
