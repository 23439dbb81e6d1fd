/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The submission times of generated jobs. Gaps are drawn from the calibrated
 * quantiles in operational time, in which the rate is constant, and are then
 * stretched or compressed by the rate of each hour of the week. */
#ifndef TRACES_ARRIVALS_H
#define TRACES_ARRIVALS_H

#include <gsl/gsl_interp.h>

#include "sim/base/rng.h"
#include "traces/generate/calibration.h"

/* Number of gaps in a block. Each block is scaled to the wanted mean. The
 * quantiles of gap_operational are calibrated for this size
 * (calibration/gaps.py). */
#define ARRIVALS_BLOCK 256

struct arrivals {
    gsl_rng *rng;
    gsl_interp *quantiles;
    double *share;       /* probabilities of the n quantiles, ascending, 0..1 */
    double *log_seconds; /* logarithm of the gap at each quantile */
    size_t n;
    /* Rate by hour of the week, Monday first, mean 1. */
    double profile[CALIBRATION_DAYS * CALIBRATION_HOURS];
    double mean;      /* wanted mean of the gaps in operational time, seconds */
    double published; /* mean gap in the published log, seconds */
    double block[ARRIVALS_BLOCK]; /* gaps in operational time, seconds */
    size_t at;                    /* index of the next gap in the block */
    size_t hour;                  /* index of the current hour in `profile` */
    double left;                  /* seconds left of the current hour */
    double elapsed; /* seconds from the start to the last submission */
};

/* `calibration` and `arena` are borrowed and must outlive *out. */
void arrivals_init(struct arrivals *out, const struct calibration *calibration,
                   double jobs_per_day, uint64_t seed, struct arena *arena);
void arrivals_fini(struct arrivals *arrivals); /* accepts all zeroes */

/* Returns the time of the next submission in seconds since the start; times
 * never decrease. Sets *gap_s to the gap before that submission in operational
 * time, scaled to the published rate, so that it depends only on the seed and
 * not on jobs_per_day. */
double arrivals_next(struct arrivals *arrivals, double *gap_s);

#endif
