/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures how good predictions of run times and of GPU utilisation are. There
 * are several measures, because no single measure shows what a scheduler
 * gains. The code is in summary_table.c. */
#ifndef SIM_ACCURACY_H
#define SIM_ACCURACY_H

#include "base/out.h"
#include "sim/run/rehearse.h"

enum { ACCURACY_BINS = 5, ACCURACY_SHARES = 100 };

/* The relative errors of one figure: |predicted - true| / max(true, least),
 * where `least` keeps small true values from giving huge errors. */
struct relative_errors {
    /* number of jobs for which the figure is known and predicted */
    uint32_t n;
    double mean;      /* NaN if n is 0; so are below_100 and `at` */
    double below_100; /* share of the jobs whose error is below 100 %, 0..1 */
    /* at[p - 1]: the smallest error that at least p percent of the jobs do not
     * exceed */
    double at[ACCURACY_SHARES];
};

struct accuracy {
    /* number of jobs after the split; number of these for which an estimator
     * gave a run time */
    uint32_t jobs, answered;
    double mean_s, mean_predicted_s;
    double mae_s, medae_s;
    struct relative_errors run_time; /* relative errors of the run time; least =
                                      * 1 s */
    /* relative errors of the GPU utilisation; least = 1 %; jobs for which only
     * a layer's default is known are not counted */
    struct relative_errors utilisation;
    /* share of the answered jobs predicted within a factor of 2, 0..1; times
     * below 1 s count as 1 s */
    double within_factor_2;
    /* Spearman's rank correlation of predicted and true run times, and of GPU
     * times; NaN if one of the two is constant */
    double rank, rank_service;
    /* coefficient of determination of run times in seconds; NaN if all true
     * times are equal */
    double r2;
    /* number of answered jobs whose prediction has a spread */
    uint32_t with_spread;
    /* share of these jobs whose true time is within mean +- spread, 0..1; NaN
     * if there are none */
    double within_spread;
    struct {
        double predicted_s, true_s; /* mean over the jobs of a bin, seconds */
    } bins[ACCURACY_BINS]; /* fifths of the answered jobs, by prediction */
};

/* Measures the jobs from number `first` on. Returns false if no estimator
 * answered for any of them; only `jobs`, `answered` and `utilisation` are then
 * valid. */
bool accuracy_of(const struct jobset *jobset, const struct guess *guesses,
                 uint32_t first, struct accuracy *out) MUST_USE;
/* Writes the distributions of both relative errors as CSV. */
void accuracy_write_errors(const struct accuracy *accuracy, struct out *out);
void accuracy_print(const struct accuracy *accuracy, bool json,
                    struct out *out);

#endif
