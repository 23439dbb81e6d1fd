/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When generated jobs are submitted: gaps from the calibrated quantiles in
 * operational time, stretched by the rhythm of day and week. */
#ifndef TRACES_ARRIVALS_H
#define TRACES_ARRIVALS_H

#include <gsl/gsl_interp.h>

#include "sim/base/rng.h"
#include "traces/calibration.h"

/* Gaps are scaled to their mean in blocks. The quantiles of gap_operational
 * are calibrated for this size (calibration/gaps.py). */
#define ARRIVALS_BLOCK 256

struct arrivals {
    gsl_rng *rng;
    gsl_interp *quantiles;
    double *share, *log_seconds;
    size_t n;
    double profile[CALIBRATION_DAYS * CALIBRATION_HOURS]; /* mean 1 */
    double mean;      /* seconds between jobs */
    double published; /* the same in the published log */
    double block[ARRIVALS_BLOCK];
    size_t at;      /* next of the block */
    size_t hour;    /* of the profile */
    double left;    /* seconds of that hour */
    double elapsed; /* since the start */
};

/* `calibration` and `arena` are borrowed for the life of *out. */
void arrivals_init(struct arrivals *out, const struct calibration *calibration,
                   double jobs_per_day, uint64_t seed, struct arena *arena);
void arrivals_fini(struct arrivals *arrivals); /* accepts all zeroes */

/* Seconds since the start, never decreasing. *gap_s becomes the operational gap
 * before it at the published rate, which depends on the seed alone. */
double arrivals_next(struct arrivals *arrivals, double *gap_s);

#endif
