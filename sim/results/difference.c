/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/difference.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/rng.h"
#include "sim/results/stats.h"

const char *const difference_words[] = {
    [DIFFERENCE_UNKNOWN] = "unknown",
    [DIFFERENCE_EQUAL] = "equal",
    [DIFFERENCE_LESS] = "less",
    [DIFFERENCE_MORE] = "more",
    [DIFFERENCE_NOISE] = "noise",
    [DIFFERENCE_INCOMPARABLE] = "not comparable",
};

enum { RESAMPLES = 1000 }; /* number of resamples of BCa */

/* quantiles of the normal distribution at 97.5 % and 80 % */
static const double z_95 = INTERVAL_Z, z_power = 0.8416212335729143;

/* Copies the values or differences that are not NaN to `to`, which has room for
 * n; returns their number. */
static size_t copy(const double *values, const double *minus, size_t n,
                   double *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        to[kept] = values[i] - (minus ? minus[i] : 0);
        kept += isnan(to[kept]) ? 0 : 1;
    }
    return kept;
}

/* True if there are values and all are equal. Their mean is then taken from one
 * value, because rounding could make a computed mean differ from the values. */
static bool all_equal(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (values[i] != values[0])
            return false;
    }
    return n > 0;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    if (all_equal(values, n))
        return values[0];
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / (double)n : NAN;
}

static double sd_of(const double *values, size_t n, double mean)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

/* Fills `means` with the means of RESAMPLES resamples of n values.
 * Returns the share of them that is below `mean`; a tie counts as half. */
static double resample(const double *values, size_t n, double mean,
                       double *means)
{
    uint32_t *draws = mem_alloc(n * sizeof *draws);
    uint64_t twice_below = 0;
    for (unsigned r = 0; r < RESAMPLES; r++) {
        double sum = 0;
        rng_fill(r, "replications", draws, n);
        for (size_t i = 0; i < n; i++)
            sum += values[(uint64_t)draws[i] * n >> 32];
        means[r] = sum / (double)n;
        twice_below += means[r] < mean ? 2 : means[r] == mean;
    }
    free(draws);
    return (double)twice_below / 2 / RESAMPLES;
}

/* Returns the rank, among the sorted means of the resamples, of the end of the
 * interval at the quantile `z` of the normal distribution, after the
 * corrections for bias and acceleration. */
static size_t bound(double z, double bias, double acceleration)
{
    double moved = bias + (bias + z) / (1 - acceleration * (bias + z));
    double at = gsl_cdf_ugaussian_P(moved) * RESAMPLES;
    if (!(at >= 0))
        return 0;
    return at < RESAMPLES - 1 ? (size_t)at : RESAMPLES - 1;
}

/* Returns the BCa interval of a mean (Efron 1987; DiCiccio and Efron 1996,
 * equation 6.6 for the acceleration of a mean). */
static struct interval bca(const double *values, size_t n, double mean)
{
    double squares = 0, cubes = 0;
    double *means = mem_alloc(RESAMPLES * sizeof *means);
    double below = resample(values, n, mean, means);
    for (size_t i = 0; i < n; i++) {
        double d = values[i] - mean;
        squares += d * d;
        cubes += d * d * d;
    }
    /* At least half a resample on each side keeps the quantile finite. */
    below = fmin(fmax(below, 0.5 / RESAMPLES), 1 - 0.5 / RESAMPLES);
    double bias = gsl_cdf_ugaussian_Pinv(below);
    double acceleration = cubes / (6 * pow(squares, 1.5));
    size_t lo = bound(-z_95, bias, acceleration);
    size_t hi = bound(z_95, bias, acceleration);
    struct interval interval = {stats_rank(means, RESAMPLES, lo),
                                stats_rank(means, RESAMPLES, hi)};
    free(means);
    return interval;
}

static struct interval interval_of(const double *values, size_t n, double mean,
                                   double sd)
{
    if (n < 2)
        return (struct interval){NAN, NAN};
    if (sd == 0)
        return (struct interval){mean, mean};
    if (n >= DIFFERENCE_BCA_FROM)
        return bca(values, n, mean);
    double wide =
        gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) * sd / sqrt((double)n);
    return (struct interval){mean - wide, mean + wide};
}

struct estimate estimate_of(const double *values, const double *minus, size_t n)
{
    double *kept = mem_alloc((n + 1) * sizeof *kept);
    struct estimate e = {.n = copy(values, minus, n, kept)};
    e.mean = mean_of(kept, e.n);
    e.sd = sd_of(kept, e.n, e.mean);
    e.interval = interval_of(kept, e.n, e.mean, e.sd);
    free(kept);
    return e;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the spread of n values, 2 or more, on the scale of the values. */
static struct interval spread(double *values, size_t n)
{
    const double mean = mean_of(values, n), sd = sd_of(values, n, mean);
    if (n >= DIFFERENCE_RANKS_FROM) {
        const size_t lo = (size_t)(0.025 * (double)(n + 1));
        qsort(values, n, sizeof *values, by_value);
        return (struct interval){values[lo - 1], values[n - lo]};
    }
    const double t = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1));
    const double q = n >= DIFFERENCE_MIDDLE_FROM ? sqrt(t * z_95) : t;
    return (struct interval){mean - q * sd, mean + q * sd};
}

struct estimate spread_of(const double *values, const double *minus, size_t n)
{
    double *kept = mem_alloc((n + 1) * sizeof *kept);
    struct estimate e = {.n = copy(values, minus, n, kept),
                         .interval = {NAN, NAN},
                         .is_spread = true};
    bool is_positive = !minus;
    e.mean = mean_of(kept, e.n);
    e.sd = sd_of(kept, e.n, e.mean);
    for (size_t i = 0; i < e.n; i++)
        is_positive &= kept[i] > 0;
    for (size_t i = 0; i < e.n && is_positive; i++)
        kept[i] = log(kept[i]);
    if (e.sd == 0)
        e.interval = (struct interval){e.mean, e.mean};
    else if (e.n > 1)
        e.interval = spread(kept, e.n);
    if (e.sd > 0 && is_positive)
        e.interval = (struct interval){exp(e.interval.lo), exp(e.interval.hi)};
    free(kept);
    return e;
}

bool estimate_is_of_one(const struct estimate *e)
{
    return e->n > 1 && e->sd == 0;
}

static enum difference_verdict judge(const struct difference *d)
{
    struct interval i = d->estimate.interval;
    if (d->estimate.n && d->less == 0 && d->more == 0)
        return DIFFERENCE_EQUAL;
    if (isnan(i.lo))
        return DIFFERENCE_UNKNOWN;
    return i.hi < 0   ? DIFFERENCE_LESS
           : i.lo > 0 ? DIFFERENCE_MORE
                      : DIFFERENCE_NOISE;
}

/* Fills the fields that are computed from the pairs directly: first, less, more
 * and is_one_pair. */
static struct difference describe(const double *first, const double *own,
                                  size_t n)
{
    struct difference d = {.needed = NAN, .is_one_pair = true};
    size_t less = 0, more = 0, pairs = 0, one = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(first[i]) || isnan(own[i]))
            continue;
        one = pairs++ ? one : i;
        d.is_one_pair &= first[i] == first[one] && own[i] == own[one];
        sum += first[i];
        less += own[i] < first[i];
        more += own[i] > first[i];
    }
    d.first = pairs ? sum / (double)pairs : NAN;
    d.is_one_pair &= pairs > 1;
    d.less = pairs ? (double)less / (double)pairs : NAN;
    d.more = pairs ? (double)more / (double)pairs : NAN;
    return d;
}

/* Returns the number of replications, at least `least`, at which the difference
 * would no longer count as noise: (q + 0.84)^2 sd^2 / mean^2, where q is 1.96,
 * or the quantile of Student's t for fewer than DIFFERENCE_BCA_FROM
 * replications. */
static double needed_for(double sd, double mean, double least)
{
    double n = fmax(ceil(pow((z_95 + z_power) * sd / mean, 2)), least);
    for (; n < DIFFERENCE_BCA_FROM; n++) {
        double q = gsl_cdf_tdist_Pinv(0.975, n - 1);
        if (n >= pow((q + z_power) * sd / mean, 2))
            break;
    }
    return n;
}

/* Sets change, cohen_d and verdict from the other fields, which must be set. */
static void complete(struct difference *d)
{
    const struct estimate *e = &d->estimate;
    d->change = d->first != 0 ? e->mean / d->first : NAN;
    d->cohen_d = e->sd > 0 ? e->mean / e->sd : NAN;
    d->verdict = judge(d);
}

struct difference difference_of_replications(const double *first,
                                             const double *own, size_t n)
{
    struct difference d = describe(first, own, n);
    d.estimate = estimate_of(own, first, n);
    if (d.is_one_pair)
        d.estimate.interval = (struct interval){NAN, NAN};
    complete(&d);
    if (d.verdict == DIFFERENCE_NOISE)
        d.needed = needed_for(d.estimate.sd, d.estimate.mean,
                              (double)d.estimate.n + 1);
    return d;
}

bool difference_same_jobs(const struct jobs_done *a, const struct jobs_done *b)
{
    const double rounding = 1e-12;
    const bool whole_a = isnan(a->unfinished) || a->unfinished == 0;
    const bool whole_b = isnan(b->unfinished) || b->unfinished == 0;
    if (whole_a || whole_b)
        return whole_a && whole_b;
    return a->unfinished == b->unfinished &&
           (isnan(a->share) || isnan(b->share) ||
            fabs(a->share - b->share) <= rounding);
}

struct difference difference_incomparable(void)
{
    return (struct difference){
        .estimate = {.mean = NAN, .sd = NAN, .interval = {NAN, NAN}},
        .first = NAN,
        .change = NAN,
        .less = NAN,
        .more = NAN,
        .cohen_d = NAN,
        .verdict = DIFFERENCE_INCOMPARABLE,
        .needed = NAN};
}

struct difference difference_of_resamples(const double *first,
                                          const double *own, size_t n)
{
    struct difference d = describe(first, own, n);
    d.estimate = spread_of(own, first, n);
    if (d.is_one_pair)
        d.estimate.interval = (struct interval){NAN, NAN};
    complete(&d);
    return d;
}

/* Gives a verdict by the parts of the jobs where the interval gives none. */
static void settle_by_parts(struct difference *d, const double *differences)
{
    const struct estimate *e = &d->estimate;
    const bool is_open =
        d->verdict == DIFFERENCE_NOISE || d->verdict == DIFFERENCE_UNKNOWN;
    const int side = is_open ? interval_side(differences, e->n) : 0;
    d->by_parts = side * e->mean > 0;
    if (d->by_parts)
        d->verdict = side < 0 ? DIFFERENCE_LESS : DIFFERENCE_MORE;
}

struct difference difference_of_jobs(const double *first, const double *own,
                                     size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (isnan(first[i]) != isnan(own[i]))
            return difference_incomparable();
    }
    struct difference d = describe(first, own, n);
    struct estimate *e = &d.estimate;
    double *kept = mem_alloc((n + 1) * sizeof *kept);
    e->n = copy(own, first, n, kept);
    e->mean = mean_of(kept, e->n);
    e->sd = sd_of(kept, e->n, e->mean);
    e->interval = interval_of_jobs(kept, e->n, true).interval;
    complete(&d);
    settle_by_parts(&d, kept);
    free(kept);
    return d;
}
