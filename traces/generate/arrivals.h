/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The submission times of generated jobs. The gaps have nearly the published
 * quantiles. Short gaps follow short ones (bursts), and the rate varies by hour
 * of the week, by day, by hour and by week. The times are scaled once, to the
 * length of the trace. */
#ifndef TRACES_ARRIVALS_H
#define TRACES_ARRIVALS_H

#include "traces/generate/calibration.h"
#include "traces/generate/traits.h"

/* Fills `out` with n times in whole seconds since the start, ascending. The
 * last one is at most `span` seconds, and normally less than 2 s before that.
 * n > 0, span > 0. */
void arrivals_make(const struct calibration *calibration,
                   const struct traits *traits, double span, uint64_t seed,
                   double *out, size_t n);

#endif
