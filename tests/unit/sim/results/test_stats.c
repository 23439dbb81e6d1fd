/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares percentiles with a sorted list, and intervals with theory. */
#include "sim/results/statistics.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/rng.h"
#include "sim/results/interval.h"
#include "tests/support/test.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void percentiles_are_those_of_the_sorted_list(void **state)
{
    /* pivots of LARGE values are chosen from a sample */
    enum { SMALL = 400, LARGE = 5000 };
    (void)state;
    static const double percents[] = {1, 50, 90, 95, 99, 100};
    enum { N_PERCENTS = sizeof percents / sizeof *percents };
    static double values[LARGE + 2], sorted[LARGE + 2];
    gsl_rng *rng = rng_open(5, "test stats");
    for (size_t n = 1; n <= LARGE + 2; n = n == SMALL ? LARGE : n + 1) {
        /* 4 distinct values give many ties */
        uint32_t range = n % 3 == 0 ? 4 : 100000;
        /* Some lists have values below zero; in some, all values are tiny. */
        double lowest = n % 5 == 0 ? range / 2 : 0;
        double scale = n % 7 == 0 ? 1e-9 : 1;
        for (size_t i = 0; i < n; i++)
            values[i] = sorted[i] = (rng_below(rng, range) - lowest) * scale;
        qsort(sorted, n, sizeof *sorted, by_value);
        double found[N_PERCENTS];
        stats_percentiles(values, n, percents, N_PERCENTS, found);
        for (size_t p = 0; p < N_PERCENTS; p++) {
            size_t rank = 0; /* lowest rank with rank / n >= percent / 100 */
            while ((double)rank * 100 < percents[p] * (double)n - 1e-9)
                rank++;
            double expected = sorted[rank ? rank - 1 : 0];
            assert_true(found[p] == expected);
        }
    }
    rng_free(rng);
}

/* The 95 % interval of the mean must contain the true mean in about 95 of 100
 * samples of independent values. */
static void intervals_hold_the_mean_as_often_as_they_say(void **state)
{
    (void)state;
    enum { N = 1000, SAMPLES = 200 };
    static double values[N];
    gsl_rng *rng = rng_open(6, "test stats");
    int held = 0;
    for (int s = 0; s < SAMPLES; s++) {
        for (size_t i = 0; i < N; i++)
            values[i] = gsl_ran_exponential(rng, 3);
        struct interval in = interval_of_jobs(values, N, false).interval;
        held += in.lo <= 3 && 3 <= in.hi;
    }
    assert_in_range(held, SAMPLES * 92 / 100, SAMPLES * 99 / 100);
    rng_free(rng);
}

static void intervals_widen_when_neighbours_resemble_each_other(void **state)
{
    (void)state;
    enum { N = 20000 };
    double *values = mem_zalloc(N, sizeof *values);
    gsl_rng *rng = rng_open(7, "test stats");
    double x = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < N; i++) {
        x = 0.95 * x + gsl_ran_gaussian(rng, 1);
        values[i] = x;
        sum += x;
        squares += x * x;
    }
    double naive = 2 * 1.96 * sqrt(squares / N - sum * sum / N / N) / sqrt(N);
    struct interval in = interval_of_jobs(values, N, false).interval;
    /* The ratio of the widths should be sqrt((1 + 0.95) / (1 - 0.95)) = 6.2 for
     * this series. */
    double ratio = (in.hi - in.lo) / naive;
    if (ratio < 5 || ratio > 8)
        fail_msg("%g times as wide as the naive interval", ratio);
    rng_free(rng);
    free(values);
}

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g is not %.12g", value, expected);
}

/* 32 values of 5 and 7 in turns, two of each: as many neighbours are equal as
 * differ, but for the ends. */
static void an_interval_is_computed_with_a_pencil(void **state)
{
    (void)state;
    double values[32];
    for (size_t i = 0; i < 32; i++)
        values[i] = i / 2 % 2 ? 7 : 5;
    /* The mean is 6, all squares are 1, products of neighbours sum to 16 - 15:
     * r = 1 / 32, corrected r + (1 + 3 r) / 32 = 0.065429688. The variance of
     * the mean is 1 / 32 (1 + r) / (1 - r) = 0.035626959, and there are 32 (1 -
     * r) / (1 + r) = 28.07 stretches; the parts are even. */
    const double t = 2.1443; /* Student's t for 28.07 / 2 */
    const double half = t * sqrt(0.035626959);
    struct interval in = interval_of_jobs(values, 32, true).interval;
    assert_true(fabs(in.hi - 6 - half) < 2e-3 && fabs(6 - in.lo - half) < 2e-3);
    in = interval_of_jobs(values, 32, false).interval;
    assert_close(in.lo * in.hi, 36);
    assert_true(fabs(in.hi - 6 * exp(half / 6)) < 2e-3);
    /* Half of the parts are 0: (8 x 6)^2 / (8 x 36) = 8 stretches, t for 7. */
    for (size_t i = 0; i < 32; i++)
        values[i] = i / 2 % 2 ? 12 : 0;
    in = interval_of_jobs(values, 32, true).interval;
    assert_true(fabs(in.hi - 6 - 2.3646 * 6 * sqrt(0.035626959)) < 2e-3);
}

static void no_interval_without_independent_stretches(void **state)
{
    (void)state;
    enum { N = 1000 };
    double values[N];
    for (size_t i = 0; i < N; i++)
        values[i] = 5;
    assert_int_equal(interval_of_jobs(values, 31, false).lack,
                     INTERVAL_FEW_JOBS);
    assert_int_equal(interval_of_jobs(values, 0, false).lack,
                     INTERVAL_FEW_JOBS);
    struct interval in = interval_of_jobs(values, N, false).interval;
    assert_true(in.lo == 5 && in.hi == 5);
    for (size_t i = 0; i < N; i++)
        values[i] = (double)i; /* a queue that only grows */
    struct job_interval grows = interval_of_jobs(values, N, false);
    assert_int_equal(grows.lack, INTERVAL_FEW_STRETCHES);
    assert_true(isnan(grows.interval.lo) && isnan(grows.interval.hi));
    for (size_t i = 0; i < N; i++)
        values[i] = i % 500 < 3 ? 1000 : 0; /* two rushes */
    assert_int_equal(interval_of_jobs(values, N, false).lack,
                     INTERVAL_FEW_STRETCHES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_those_of_the_sorted_list),
        cmocka_unit_test(intervals_hold_the_mean_as_often_as_they_say),
        cmocka_unit_test(intervals_widen_when_neighbours_resemble_each_other),
        cmocka_unit_test(an_interval_is_computed_with_a_pencil),
        cmocka_unit_test(no_interval_without_independent_stretches),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
