/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of sequences: counts in bins of time, and how far a value depends
 * on earlier values. */
#ifndef TRACES_FIDELITY_SERIES_H
#define TRACES_FIDELITY_SERIES_H

#include <stddef.h>

/* Counts of events in consecutive bins of equal width. */
struct bins {
    double *count;
    size_t n;
};

struct fidelity_job; /* defined in traces/fidelity/jobs.h */
/* Counts the jobs in bins of `width` seconds. The first bin begins at `from`,
 * the last one ends at or before `to`, both as fidelity_job.at. Returns no bins
 * if from .. to is shorter than a bin or would need more than 16 million. The
 * caller must call bins_fini. */
struct bins bins_of(const struct fidelity_job *jobs, size_t n, double from,
                    double to, double width);
void bins_fini(struct bins *bins);

/* Returns variance over mean; NaN for fewer than two bins and for a mean of 0.
 */
double bins_dispersion(const struct bins *bins);
/* Returns standard deviation over mean; NaN for fewer than two bins and for a
 * mean of 0. */
double bins_variation(const struct bins *bins);

/* Returns the correlation of n values with the values `lag` places later; NaN
 * if there are fewer than three pairs, or if the earlier or the later values of
 * the pairs are all equal. */
double series_autocorrelation(const double *values, size_t n, size_t lag);
/* Sorts n values and returns their median; NaN if n is 0. */
double series_median(double *values, size_t n);

#endif
