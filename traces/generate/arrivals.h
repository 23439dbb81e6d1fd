/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When generated jobs are submitted: gaps from the calibrated quantiles, in
 * operational time, stretched by the rhythm of day and week. */
#ifndef TRACES_ARRIVALS_H
#define TRACES_ARRIVALS_H

#include <gsl/gsl_interp.h>

#include "sim/base/rng.h"
#include "traces/generate/calibration.h"

/* Number of gaps in a block; each block is scaled to its mean. The quantiles of
 * gap_operational are calibrated for this size (calibration/gaps.py). */
#define ARRIVALS_BLOCK 256

struct arrivals {
    gsl_rng *rng;
    gsl_interp *quantiles;
    double *share, *log_seconds;
    size_t n;
    double profile[CALIBRATION_DAYS *
                   CALIBRATION_HOURS]; /* rate by hour of the week, mean 1 */
    double mean;                       /* seconds between jobs, wanted */
    double published; /* seconds between jobs, in the published log */
    double block[ARRIVALS_BLOCK];
    size_t at;      /* index of the next gap in the block */
    size_t hour;    /* index into the profile */
    double left;    /* seconds left of that hour */
    double elapsed; /* seconds since the start */
};

/* `calibration` and `arena` are borrowed and must outlive *out. */
void arrivals_init(struct arrivals *out, const struct calibration *calibration,
                   double jobs_per_day, uint64_t seed, struct arena *arena);
void arrivals_fini(struct arrivals *arrivals); /* accepts all zeroes */

/* Returns the time of the next submission in seconds since the start, never
 * decreasing. *gap_s becomes the operational gap before that submission at the
 * published rate; the gap depends on the seed alone. */
double arrivals_next(struct arrivals *arrivals, double *gap_s);

#endif
