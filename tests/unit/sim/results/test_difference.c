/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares intervals over replications with known distributions, and effect
 * sizes with values computed by hand. */
#include "sim/results/difference.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#include "base/rng.h"
#include "tests/support/test.h"

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not %.9g", value, expected);
}

/* Returns in how many of 1,000 samples of n values the interval contains the
 * true mean. The values are normal, or lognormal with a mean of exp(0.5). */
static unsigned hits_of(size_t n, bool lognormal)
{
    enum { SAMPLES = 1000, MOST = 50 };
    double values[MOST], truth = lognormal ? exp(0.5) : 0;
    gsl_rng *rng = rng_open(11, "test difference");
    unsigned hits = 0;
    assert_true(n <= MOST);
    for (unsigned s = 0; s < SAMPLES; s++) {
        for (size_t i = 0; i < n; i++) {
            double x = gsl_ran_gaussian(rng, 1);
            values[i] = lognormal ? exp(x) : x;
        }
        struct interval in = estimate_of(values, NULL, n).interval;
        hits += in.lo <= truth && truth <= in.hi;
    }
    rng_free(rng);
    return hits;
}

/* The intervals promise 950 of 1,000; three standard deviations of the count
 * are 21. Every method is known to miss the mean of few lognormal values more
 * often: Student's t alone would hit 903 times for 50 values. */
static void intervals_hold_the_mean_as_often_as_they_say(void **state)
{
    (void)state;
    assert_in_range(hits_of(3, false), 929, 971);
    assert_in_range(hits_of(10, false), 929, 971);
    assert_in_range(hits_of(29, false), 929, 971);
    assert_in_range(hits_of(50, false), 920, 962);
    assert_in_range(hits_of(50, true), 895, 945);
}

/* A skewed sample must have a skewed interval from 30 replications on, and a
 * symmetric interval below. */
static void many_replications_give_a_skewed_interval(void **state)
{
    (void)state;
    double values[DIFFERENCE_BCA_FROM];
    for (unsigned i = 0; i < DIFFERENCE_BCA_FROM; i++)
        values[i] = exp(i / 8.0);
    struct estimate few = estimate_of(values, NULL, DIFFERENCE_BCA_FROM - 1);
    struct estimate many = estimate_of(values, NULL, DIFFERENCE_BCA_FROM);
    assert_near(few.interval.hi - few.mean, few.mean - few.interval.lo, 1e-9);
    assert_true(many.interval.hi - many.mean >
                1.1 * (many.mean - many.interval.lo));
}

static void few_values_are_computed_with_a_pencil(void **state)
{
    (void)state;
    const double first[] = {10, 12, 14, 16, NAN, 8};
    const double own[] = {9, 12, 11, 12, 3, NAN};
    /* the differences are -1, 0, -3 and -4: their mean is -2, their standard
     * deviation sqrt(10 / 3); t(3) is 3.1824 */
    struct difference d = difference_of_replications(first, own, 6);
    assert_int_equal(d.estimate.n, 4);
    assert_near(d.estimate.mean, -2, 1e-12);
    assert_near(d.estimate.sd, 1.8257419, 1e-6);
    assert_near(d.estimate.interval.lo, -2 - 2.90516, 1e-4);
    assert_near(d.estimate.interval.hi, -2 + 2.90516, 1e-4);
    assert_near(d.first, 13, 1e-12);
    assert_near(d.change, -2. / 13, 1e-12);
    assert_near(d.less, 0.75, 1e-12);
    assert_near(d.more, 0, 1e-12);
    assert_near(d.cohen_d, -1.0954451, 1e-6);
    assert_int_equal(d.verdict, DIFFERENCE_NOISE);
    /* 9 are enough: ((2.306 + 0.842) / 1.09545)^2 is 8.26 with t(8); 8 are not:
     * it is 8.57 with t(7) */
    assert_near(d.needed, 9, 0);
}

static void verdicts_are_of_the_interval(void **state)
{
    (void)state;
    const double low[] = {1, 2, 3, 4}, high[] = {11, 12.5, 13, 14.5};
    const double mixed[] = {0, 3, 2, 5}, one[] = {7, NAN, NAN, NAN};
    assert_int_equal(difference_of_replications(low, low, 4).verdict,
                     DIFFERENCE_EQUAL);
    assert_int_equal(difference_of_replications(low, high, 4).verdict,
                     DIFFERENCE_MORE);
    assert_int_equal(difference_of_replications(high, low, 4).verdict,
                     DIFFERENCE_LESS);
    assert_int_equal(difference_of_replications(low, one, 4).verdict,
                     DIFFERENCE_UNKNOWN);
    assert_int_equal(difference_of_replications(low, low, 0).verdict,
                     DIFFERENCE_UNKNOWN);
    /* the mean difference is 0, so no number of replications makes it clear */
    struct difference d = difference_of_replications(low, mixed, 4);
    assert_int_equal(d.verdict, DIFFERENCE_NOISE);
    assert_true(isinf(d.needed));
}

/* Ten copies of one run count as one run, even if the mean of ten equal numbers
 * is rounded. */
static void copies_are_no_replications(void **state)
{
    (void)state;
    double low[10], high[10];
    for (size_t i = 0; i < 10; i++) {
        low[i] = 144201.355485893;
        high[i] = 0.1;
    }
    struct estimate e = estimate_of(high, NULL, 10);
    assert_true(e.mean == 0.1 && e.sd == 0 && estimate_is_of_one(&e));
    struct difference d = difference_of_replications(low, high, 10);
    assert_int_equal(d.verdict, DIFFERENCE_UNKNOWN);
    assert_true(isnan(d.estimate.interval.lo) && isnan(d.cohen_d));
    assert_int_equal(difference_of_replications(low, low, 10).verdict,
                     DIFFERENCE_EQUAL);
    high[9] = 0.2; /* now the seeds change something */
    d = difference_of_replications(low, high, 10);
    assert_int_equal(d.verdict, DIFFERENCE_LESS);
}

/* If a difference is not clear, `needed` is the number of replications with
 * which four of five samples show it. */
static void the_number_needed_tells_four_of_five(void **state)
{
    (void)state;
    enum { SAMPLES = 500, NEEDED = 32 };
    double zero[NEEDED] = {0}, values[NEEDED];
    /* the mean is 0.5 standard deviations: (2.80159 / 0.5)^2 = 31.4 */
    const double pair[] = {0.5 - 1 / sqrt(2), 0.5 + 1 / sqrt(2)};
    struct difference small = difference_of_replications(zero, pair, 2);
    assert_near(small.needed, NEEDED, 0);
    gsl_rng *rng = rng_open(12, "test difference");
    unsigned told = 0;
    for (unsigned s = 0; s < SAMPLES; s++) {
        for (size_t i = 0; i < NEEDED; i++)
            values[i] = 0.5 + gsl_ran_gaussian(rng, 1);
        told += difference_of_replications(zero, values, NEEDED).verdict ==
                DIFFERENCE_MORE;
    }
    rng_free(rng);
    assert_in_range(told, 370, 430);
}

/* The spread of resamples contains another resample in 95 % of the cases, and
 * does not narrow with their number. */
static void a_spread_does_not_narrow(void **state)
{
    (void)state;
    enum { SAMPLES = 1000, MANY = 200 };
    double values[MANY], zero[MANY] = {0}, width[2] = {0};
    unsigned hits[2] = {0};
    gsl_rng *rng = rng_open(14, "test difference");
    for (unsigned s = 0; s < SAMPLES; s++) {
        for (size_t i = 0; i < MANY; i++)
            values[i] = exp(1 + 0.2 * gsl_ran_gaussian(rng, 1));
        const double other = exp(1 + 0.2 * gsl_ran_gaussian(rng, 1));
        for (unsigned k = 0; k < 2; k++) {
            struct interval in =
                spread_of(values, NULL, k ? MANY : 10).interval;
            hits[k] += in.lo <= other && other <= in.hi;
            width[k] += (in.hi - in.lo) / SAMPLES;
        }
    }
    assert_in_range(hits[0], 880, 960);
    assert_in_range(hits[1], 929, 971);
    assert_near(width[0] / width[1], 1, 0.1);
    struct difference d = difference_of_resamples(zero, values, MANY);
    assert_int_equal(d.verdict, DIFFERENCE_MORE);
    assert_true(d.estimate.is_spread);
    rng_free(rng);
}

/* Ranks 1 and 40 of 40 values, and t for fewer than 10. */
static void a_spread_is_found_with_a_pencil(void **state)
{
    (void)state;
    double values[40], zero[40] = {0};
    for (size_t i = 0; i < 40; i++)
        values[i] = (double)((i * 7) % 40) - 5;
    struct interval in = spread_of(values, NULL, 40).interval;
    assert_true(in.lo == -5 && in.hi == 34);
    const double few[] = {-1, 0, 1};
    in = spread_of(few, NULL, 3).interval;
    assert_near(in.hi, 4.302653, 1e-5); /* sd 1, t(2) */
    assert_near(in.lo, -4.302653, 1e-5);
    struct difference d = difference_of_resamples(zero, values, 40);
    assert_int_equal(d.verdict, DIFFERENCE_NOISE);
    assert_true(isnan(d.needed));
    in = spread_of(values, NULL, 10).interval; /* -5, 2, 9, ... 30, -3 */
    double mean = 0, squares = 0;
    for (size_t i = 0; i < 10; i++)
        mean += values[i] / 10;
    for (size_t i = 0; i < 10; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    /* sqrt(1.959964 x 2.262157), t(9) */
    assert_near(in.hi - mean, 2.105649 * sqrt(squares / 9), 1e-4);
    in = spread_of(few, NULL, 1).interval;
    assert_true(isnan(in.lo));
}

static void jobs_are_paired_in_blocks(void **state)
{
    (void)state;
    enum { N = 4000 };
    static double first[N], own[N];
    gsl_rng *rng = rng_open(13, "test difference");
    for (size_t i = 0; i < N; i++) {
        first[i] = gsl_ran_exponential(rng, 100);
        own[i] = first[i] + gsl_ran_gaussian(rng, 10) - (i % 2 ? 1 : 0);
    }
    struct difference d = difference_of_jobs(first, own, N);
    assert_int_equal(d.estimate.n, N);
    assert_true(d.verdict == DIFFERENCE_LESS || d.verdict == DIFFERENCE_NOISE);
    double half = (d.estimate.interval.hi - d.estimate.interval.lo) / 2;
    assert_in_range((int)(1000 * half), 240, 380); /* 1.96 x 10 / sqrt(4000) */
    for (size_t i = 0; i < N; i++)
        own[i] = first[i] * (i % 8 ? 1 : 0.5);
    d = difference_of_jobs(first, own, N);
    assert_int_equal(d.verdict, DIFFERENCE_LESS);
    assert_near(d.less, 0.125, 1e-12);
    assert_near(d.change, -0.0625, 0.01);
    rng_free(rng);
}

/* Job 1 has a value under one setting only: then nothing is said, although the
 * other pairs differ. A job without a value under both is left out. */
static void other_jobs_give_no_verdict(void **state)
{
    const double first[] = {1, 9, NAN, 3, 5}, own[] = {2, NAN, NAN, 5, 9};
    const double both[] = {1, NAN, NAN, 3, 5};
    (void)state;
    struct difference d = difference_of_jobs(first, own, 5);
    assert_int_equal(d.verdict, DIFFERENCE_INCOMPARABLE);
    assert_true(d.estimate.n == 0 && isnan(d.estimate.mean));
    assert_true(isnan(d.change) && isnan(d.estimate.interval.lo));
    d = difference_of_jobs(both, own, 5);
    assert_true(d.verdict != DIFFERENCE_INCOMPARABLE && d.estimate.n == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_mean_as_often_as_they_say),
        cmocka_unit_test(many_replications_give_a_skewed_interval),
        cmocka_unit_test(few_values_are_computed_with_a_pencil),
        cmocka_unit_test(verdicts_are_of_the_interval),
        cmocka_unit_test(copies_are_no_replications),
        cmocka_unit_test(the_number_needed_tells_four_of_five),
        cmocka_unit_test(a_spread_does_not_narrow),
        cmocka_unit_test(a_spread_is_found_with_a_pencil),
        cmocka_unit_test(jobs_are_paired_in_blocks),
        cmocka_unit_test(other_jobs_give_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
