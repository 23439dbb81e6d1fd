/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures how good predictions of run times are. There are several measures,
 * because no single one tells what a scheduler gains. */
#ifndef SIM_ACCURACY_H
#define SIM_ACCURACY_H

#include "sim/base/out.h"
#include "sim/run/rehearse.h"

enum { ACCURACY_BINS = 5 };

struct accuracy {
    /* number of jobs after the split; number of these that an estimator
     * answered */
    uint32_t jobs, answered;
    double mean_s, mean_predicted_s;
    double mae_s, medae_s;
    /* Percentiles of |predicted - true| / max(true, 1 s). */
    double relative_p50, relative_p90;
    double below_100; /* share of jobs for which this is below 1, 0..1 */
    /* share of jobs predicted within a factor of 2, 0..1 */
    double within_factor_2;
    /* Spearman's rank correlation of run times; that of GPU times */
    double rank, rank_service;
    double r2; /* coefficient of determination of run times in seconds */
    uint32_t with_spread;
    /* share of jobs whose true time is within mean +- spread, 0..1 */
    double within_spread;
    struct {
        double predicted_s, true_s; /* mean over the jobs of a bin, seconds */
    } bins[ACCURACY_BINS]; /* fifths of the jobs, in the order of prediction */
};

/* Measures the jobs from number `first` on. Returns false if no estimator
 * answered for any of them. */
bool accuracy_of(const struct jobset *jobset, const struct guess *guesses,
                 uint32_t first, struct accuracy *out) MUST_USE;
void accuracy_print(const struct accuracy *accuracy, bool json,
                    struct out *out);

#endif
