/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaps are dealt by the rank of scores that depend on each other, in
 * operational time, in which the rate is constant; the rate then stretches or
 * compresses them. Stretching changes the distribution of the gaps, so the
 * quantiles in operational time are found by a fixed-point iteration: they are
 * those whose stretched gaps have the published quantiles. */
#include "traces/generate/generate_internal.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/rng.h"

#define HOUR_S 3600.0
#define DAY_HOURS 24
#define WEEK_HOURS 168
#define POINTS_MAX 64
#define ARRIVALS_STEPS 16
/* largest factor by which one iteration changes the rate of an hour */
#define CHANGE_MOST 2.0
/* traces of fewer days than this keep the hours and weekdays that chance gives
 * them */
#define DAYS_LEAST 14
/* largest number of gaps that a step of the iteration takes to estimate
 * quantiles */
#define ARRIVALS_SAMPLE 40000

struct arrivals {
    const struct calibration *calibration;
    const struct traits *traits;
    double span, *out;
    size_t n, hours;
    double *rank; /* by gap: its quantile, 0..1 */
    double *rate; /* by hour of the trace, mean 1 */
    /* Quantiles of the gaps: the share share[k] of the gaps in operational time
     * is at most exp(log_s[k]) seconds. target[k]: logarithm of the published
     * gap; target[0]: the published share of gaps of 0. */
    double share[POINTS_MAX], target[POINTS_MAX], log_s[POINTS_MAX];
    size_t points;
    double *sample;
};

/* Draws n standard normal scores, with the correlation `ac` between each and
 * the one before, and fills `out` with the normal quantile of the rank of each,
 * so that the set of values does not depend on the seed. */
static void even_scores(gsl_rng *rng, double ac, double *out, size_t n)
{
    struct rank *ranks = mem_alloc(n * sizeof *ranks);
    double last = gsl_ran_ugaussian(rng);
    for (size_t i = 0; i < n; i++) {
        ranks[i] = (struct rank){last, (uint32_t)i};
        last = ac * last + sqrt(1 - ac * ac) * gsl_ran_ugaussian(rng);
    }
    ranks_sort(ranks, n);
    for (size_t i = 0; i < n; i++)
        out[ranks[i].item] =
            gsl_cdf_ugaussian_Pinv(((double)i + 0.5) / (double)n);
    free(ranks);
}

/* Multiplies the rate in each stretch of `each` hours by a lognormal factor
 * with the coefficient of variation `cv`. `ac`: correlation of the scores of
 * successive factors. */
static void vary(struct arrivals *a, gsl_rng *rng, size_t each, double cv,
                 double ac)
{
    size_t n = a->hours / each + 1;
    double sigma = sqrt(log(1 + cv * cv));
    double *scores = mem_alloc(n * sizeof *scores);
    even_scores(rng, ac, scores, n);
    for (size_t h = 0; h < a->hours; h++)
        a->rate[h] *= exp(sigma * scores[h / each]);
    free(scores);
}

/* Returns the hour of the week, from Monday on, at which the first local day of
 * the trace begins. Calibrations begin at local midnight. */
static size_t first_hour(const struct calibration *c)
{
    /* 1970-01-01 was a Thursday. */
    sim_time local = c->start + c->zone;
    return (size_t)(local / SPAN_DAY + 3) % CALIBRATION_DAYS *
           CALIBRATION_HOURS;
}

/* Scales the rate to a mean of 1. */
static void scale_rate(struct arrivals *a)
{
    double sum = 0, left = a->span / HOUR_S;
    for (size_t h = 0; h < a->hours; h++, left--)
        sum += a->rate[h] * fmax(fmin(left, 1), 0);
    for (size_t h = 0; h < a->hours; h++)
        a->rate[h] *= a->span / HOUR_S / sum;
}

static void make_rate(struct arrivals *a, gsl_rng *rng)
{
    const struct calibration *c = a->calibration;
    const struct traits *t = a->traits;
    size_t first = first_hour(c);
    for (size_t h = 0; h < a->hours; h++) {
        size_t at = (first + h) % WEEK_HOURS;
        a->rate[h] = c->weekdays[at / DAY_HOURS] * c->hours[at % DAY_HOURS];
        CHECK(a->rate[h] > 0);
    }
    vary(a, rng, WEEK_HOURS, t->week_cv, 0);
    vary(a, rng, DAY_HOURS, t->day_cv, t->day_ac);
    vary(a, rng, 1, t->hour_cv, t->hour_ac);
    scale_rate(a);
}

/* Sets the rank of each gap, 0..1, which is the rank of a score; successive
 * scores have the correlation gap_ac, and those within a burst are lowered. */
static void make_ranks(struct arrivals *a, gsl_rng *rng)
{
    const struct traits *t = a->traits;
    struct rank *ranks = mem_alloc(a->n * sizeof *ranks);
    double last = gsl_ran_ugaussian(rng), shift = 0;
    double stop = 1 / t->burst_mean;
    double begin = t->burst * stop / (1 - t->burst);
    size_t burst = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (burst > 0) {
            burst--;
        } else {
            shift = 0;
            if (gsl_rng_uniform(rng) < begin) {
                burst = (size_t)ceil(gsl_ran_exponential(rng, t->burst_mean));
                shift = 3;
            }
        }
        ranks[i] = (struct rank){last - shift, (uint32_t)i};
        last = t->gap_ac * last +
               sqrt(1 - t->gap_ac * t->gap_ac) * gsl_ran_ugaussian(rng);
    }
    ranks_sort(ranks, a->n);
    for (size_t i = 0; i < a->n; i++)
        a->rank[ranks[i].item] = ((double)i + 0.5) / (double)a->n;
    free(ranks);
}

/* Returns the operational gap at a rank, seconds. */
static double gap_at(const struct arrivals *a, double rank)
{
    if (rank < a->share[0])
        return 0;
    size_t lo = 0, hi = a->points - 1;
    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;
        if (rank < a->share[mid])
            hi = mid;
        else
            lo = mid;
    }
    double f = (rank - a->share[lo]) / (a->share[hi] - a->share[lo]);
    return exp(a->log_s[lo] + f * (a->log_s[hi] - a->log_s[lo]));
}

/* Deals the gaps, and turns operational time into time of the trace. */
static void arrivals_stretch(struct arrivals *a)
{
    double sum = 0, now = 0, from = 0, until;
    for (size_t i = 0; i < a->n; i++)
        sum += a->out[i] = gap_at(a, a->rank[i]);
    double scale = sum > 0 ? a->span / sum : 0;
    size_t h = 0;
    until = HOUR_S * a->rate[0];
    for (size_t i = 0; i < a->n; i++) {
        now += a->out[i] * scale;
        while (now >= until && h + 1 < a->hours) {
            from = until;
            until += HOUR_S * a->rate[++h];
        }
        double t = (double)h * HOUR_S + (now - from) / a->rate[h];
        a->out[i] = floor(fmin(t, a->span));
    }
}

/* Moves the operational quantiles towards those whose stretched gaps are as
 * published. */
static void correct(struct arrivals *a, double published)
{
    size_t step = a->n / ARRIVALS_SAMPLE + 1, n = 0, zeros = 0;
    /* The gaps are compared as they would be at the published rate. */
    double scale = published * (double)a->n / a->span;
    for (size_t i = 1; i < a->n; i += step) {
        double gap = (a->out[i] - a->out[i - 1]) * scale;
        zeros += gap <= 0;
        a->sample[n++] = gap;
    }
    ranks_sort_numbers(a->sample, n);
    double zero = (double)zeros / (double)n;
    a->share[0] = fmax(a->share[0] - 0.7 * (zero - a->target[0]), 0);
    double floor_s = log(0.3);
    a->log_s[0] = floor_s;
    for (size_t k = 1; k + 1 < a->points; k++) {
        double got = a->sample[(size_t)((double)(n - 1) * a->share[k])];
        double want = exp(a->target[k]);
        a->log_s[k] += 0.6 * log((want + 0.5) / (got + 0.5));
        a->log_s[k] = fmax(fmin(a->log_s[k], a->target[k] + log(4)), floor_s);
        floor_s = a->log_s[k];
    }
    a->log_s[a->points - 1] = fmax(floor_s + log(2), a->log_s[a->points - 1]);
}

static double arrivals_change(double want, double got)
{
    return got > 0 ? fmax(fmin(want / got, CHANGE_MOST), 1 / CHANGE_MOST) : 1;
}

/* The shares of the submissions by hour of the day and by weekday, and the
 * shares that are wanted. */
struct arrivals_shares {
    double hours[DAY_HOURS], days[CALIBRATION_DAYS];
    double wanted_hours[DAY_HOURS], wanted_days[CALIBRATION_DAYS];
};

static struct arrivals_shares arrivals_shares_of(const struct arrivals *a)
{
    const struct calibration *c = a->calibration;
    struct arrivals_shares s = {0};
    size_t first = first_hour(c);
    double sum = 0;
    for (size_t i = 0; i < a->n; i++) {
        size_t at = first + (size_t)(a->out[i] / HOUR_S);
        s.hours[at % DAY_HOURS] += 1 / (double)a->n;
        s.days[at % WEEK_HOURS / DAY_HOURS] += 1 / (double)a->n;
    }
    for (size_t h = 0; h < a->hours; h++)
        sum += c->weekdays[(first + h) % WEEK_HOURS / DAY_HOURS];
    for (size_t h = 0; h < a->hours; h++) {
        size_t day = (first + h) % WEEK_HOURS / DAY_HOURS;
        s.wanted_days[day] += c->weekdays[day] / sum;
    }
    memcpy(s.wanted_hours, c->hours, sizeof s.wanted_hours);
    return s;
}

/* Returns by how much the shares differ from the wanted ones, 0..2. */
static double arrivals_miss(const struct arrivals_shares *s)
{
    double sum = 0;
    for (size_t h = 0; h < DAY_HOURS; h++)
        sum += fabs(s->hours[h] - s->wanted_hours[h]) / 2;
    for (size_t d = 0; d < CALIBRATION_DAYS; d++)
        sum += fabs(s->days[d] - s->wanted_days[d]) / 2;
    return sum;
}

/* Moves the rates towards those for which the submissions have the published
 * shares of hours and weekdays, which bursts and the factors of hours and days
 * would leave to chance. */
static void balance(struct arrivals *a, const struct arrivals_shares *s)
{
    size_t first = first_hour(a->calibration);
    for (size_t h = 0; h < a->hours; h++) {
        size_t at = (first + h) % WEEK_HOURS, day = at / DAY_HOURS;
        size_t hour = at % DAY_HOURS;
        a->rate[h] *=
            sqrt(arrivals_change(s->wanted_hours[hour], s->hours[hour]) *
                 arrivals_change(s->wanted_days[day], s->days[day]));
    }
    scale_rate(a);
}

/* Takes the published quantiles as the first operational ones. */
static void take_quantiles(struct arrivals *a)
{
    const struct calibration *c = a->calibration;
    size_t n = c->n_gaps < POINTS_MAX - 1 ? c->n_gaps : POINTS_MAX - 1;
    double last = 0;
    for (size_t k = 0; k < n; k++) {
        a->share[k] = c->gaps[k].weight;
        last = log(fmax(c->gaps[k].value, 0.3));
        a->target[k] = k ? last : a->share[0];
        a->log_s[k] = last;
    }
    a->share[n] = 1;
    a->target[n] = a->log_s[n] = last + log(2);
    a->points = n + 1;
    for (size_t k = 1; k < a->points; k++)
        CHECK(a->share[k] > a->share[k - 1]);
}

/* Corrects the gaps, and the hours and weekdays of traces that are long enough
 * to have them. Keeps the step of the second half with the best hours and
 * weekdays, or, for a shorter trace, the last step. Does nothing for 1000
 * submissions or fewer. */
static void iterate(struct arrivals *a)
{
    bool long_enough = a->span >= DAYS_LEAST * DAY_HOURS * HOUR_S;
    double *best = mem_alloc(a->n * sizeof *best), least = INFINITY;
    memcpy(best, a->out, a->n * sizeof *best);
    for (int i = 0; i < ARRIVALS_STEPS && a->n > 1000; i++) {
        struct arrivals_shares shares = arrivals_shares_of(a);
        correct(a, 86400 / a->calibration->jobs_per_day);
        if (long_enough)
            balance(a, &shares);
        arrivals_stretch(a);
        shares = arrivals_shares_of(a);
        double now = long_enough ? arrivals_miss(&shares) : 0;
        if (i < ARRIVALS_STEPS / 2 || now > least)
            continue;
        least = now;
        memcpy(best, a->out, a->n * sizeof *best);
    }
    memcpy(a->out, best, a->n * sizeof *best);
    free(best);
}

void arrivals_make(const struct calibration *calibration,
                   const struct traits *traits, double span, uint64_t seed,
                   double *out, size_t n)
{
    CHECK(n > 0 && span > 0);
    struct arrivals a = {
        .calibration = calibration,
        .traits = traits,
        .span = span,
        .out = out,
        .n = n,
        .hours = (size_t)ceil(span / HOUR_S) + 1,
        .rank = mem_alloc(n * sizeof *a.rank),
        .sample = mem_alloc((ARRIVALS_SAMPLE + 2) * sizeof *a.sample),
    };
    a.rate = mem_alloc(a.hours * sizeof *a.rate);
    gsl_rng *rng = rng_open(seed, "synthetic.arrivals");
    make_rate(&a, rng);
    make_ranks(&a, rng);
    take_quantiles(&a);
    arrivals_stretch(&a);
    iterate(&a);
    rng_free(rng);
    free(a.rank);
    free(a.rate);
    free(a.sample);
}
