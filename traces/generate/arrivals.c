/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quantiles include bursts: a share of the gaps is zero, and the longest
 * gaps are thousands of times the median. Gaps drawn independently would leave
 * some weeks empty. So each block of gaps is scaled to the wanted mean, which
 * keeps the proportions of the gaps and limits how far the number of jobs
 * departs from the rate. */
#include "traces/generate/arrivals.h"

#include <math.h>

#include "sim/base/check.h"

#define HOUR_S 3600.0

void arrivals_init(struct arrivals *out, const struct calibration *calibration,
                   double jobs_per_day, uint64_t seed, struct arena *arena)
{
    CHECK(jobs_per_day > 0);
    *out = (struct arrivals){
        .rng = rng_open(seed, "synthetic.arrivals"),
        .n = calibration->n_gaps,
        .share = ARENA_ARRAY(arena, double, calibration->n_gaps),
        .log_seconds = ARENA_ARRAY(arena, double, calibration->n_gaps),
        .mean = 86400 / jobs_per_day,
        .published = 86400 / calibration->jobs_per_day,
        .at = ARRIVALS_BLOCK,
        .left = HOUR_S,
    };
    for (size_t i = 0; i < out->n; i++) {
        out->share[i] = calibration->gaps[i].value;
        out->log_seconds[i] = log(calibration->gaps[i].weight);
    }
    out->quantiles = gsl_interp_alloc(gsl_interp_linear, out->n);
    CHECK(out->quantiles);
    gsl_interp_init(out->quantiles, out->share, out->log_seconds, out->n);

    double sum = 0;
    for (size_t d = 0; d < CALIBRATION_DAYS; d++) {
        for (size_t h = 0; h < CALIBRATION_HOURS; h++) {
            double rate = calibration->weekdays[d] * calibration->hours[h];
            CHECK(rate > 0);
            out->profile[d * CALIBRATION_HOURS + h] = rate;
            sum += rate;
        }
    }
    for (size_t i = 0; i < CALIBRATION_DAYS * CALIBRATION_HOURS; i++)
        out->profile[i] *= CALIBRATION_DAYS * CALIBRATION_HOURS / sum;

    /* Start at the hour of the week at which the log begins. 1970-01-01 was a
     * Thursday; the profile begins on a Monday. */
    sim_time local = calibration->start + calibration->zone;
    out->hour =
        (size_t)(local / SPAN_DAY + 3) % CALIBRATION_DAYS * CALIBRATION_HOURS;
}

void arrivals_fini(struct arrivals *arrivals)
{
    if (arrivals->quantiles)
        gsl_interp_free(arrivals->quantiles);
    rng_free(arrivals->rng);
}

/* Draws a new block of gaps and scales it to the wanted mean. */
static void fill(struct arrivals *a)
{
    double sum = 0;
    for (size_t i = 0; i < ARRIVALS_BLOCK; i++) {
        double u = gsl_rng_uniform(a->rng);
        a->block[i] = u < a->share[0]
                          ? 0
                          : exp(gsl_interp_eval(a->quantiles, a->share,
                                                a->log_seconds, u, NULL));
        sum += a->block[i];
    }
    for (size_t i = 0; i < ARRIVALS_BLOCK && sum > 0; i++)
        a->block[i] *= a->mean * ARRIVALS_BLOCK / sum;
    a->at = 0;
}

double arrivals_next(struct arrivals *a, double *gap_s)
{
    if (a->at == ARRIVALS_BLOCK)
        fill(a);
    double gap = a->block[a->at++];
    *gap_s = gap / a->mean * a->published;
    while (gap > a->left * a->profile[a->hour]) {
        gap -= a->left * a->profile[a->hour];
        a->elapsed += a->left;
        a->left = HOUR_S;
        a->hour = (a->hour + 1) % (CALIBRATION_DAYS * CALIBRATION_HOURS);
    }
    double real = gap / a->profile[a->hour];
    a->elapsed += real;
    a->left = a->left > real ? a->left - real : 0;
    return a->elapsed;
}
