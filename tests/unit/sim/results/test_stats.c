/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares percentiles with a sorted list, and intervals with theory. */
#include "sim/results/stats.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "sim/base/arena.h"
#include "sim/base/rng.h"
#include "sim/results/bootstrap.h"
#include "tests/support/test.h"

static struct bootstrap bootstrap;

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
        struct interval in =
            bootstrap_interval(&bootstrap, values, N, BOOTSTRAP_BLOCKS);
        held += in.lo <= 3 && 3 <= in.hi;
    }
    assert_in_range(held, SAMPLES * 88 / 100, SAMPLES * 99 / 100);
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
    struct interval in =
        bootstrap_interval(&bootstrap, values, N, BOOTSTRAP_BLOCKS);
    /* The ratio of the widths should be sqrt((1 + 0.95) / (1 - 0.95)) = 6.2 for
     * this series. */
    double ratio = (in.hi - in.lo) / naive;
    if (ratio < 3.5 || ratio > 8)
        fail_msg("%g times as wide as the naive interval", ratio);
    rng_free(rng);
    free(values);
}

/* Computes the interval a second time, from a sorted list of resampled means.
 * Also tests lists in which all values, or all but one, are equal, because few
 * of their means are distinct. */
static void intervals_are_ranks_of_the_resampled_means(void **state)
{
    (void)state;
    enum { N = 2000, BLOCKS = 50, CELLS = 400, SPAN = 8, DRAWS = 1000 };
    static double values[N], means[DRAWS];
    static uint32_t draws[DRAWS * BLOCKS];
    gsl_rng *rng = rng_open(9, "test stats");
    rng_fill(1, "bootstrap", draws, DRAWS * BLOCKS);
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < N; i++)
            values[i] = kind == 0   ? (double)rng_below(rng, 1000)
                        : kind == 1 ? (double)(i == 7)
                                    : 5;
        for (size_t r = 0; r < DRAWS; r++) {
            double sum = 0, n = 0;
            for (size_t b = 0; b < BLOCKS; b++) {
                uint64_t cell = draws[r * BLOCKS + b];
                cell = cell * (CELLS - SPAN + 1) >> 32;
                for (size_t i = cell * N / CELLS; i < (cell + SPAN) * N / CELLS;
                     i++, n++)
                    sum += values[i];
            }
            means[r] = sum / n;
        }
        qsort(means, DRAWS, sizeof *means, by_value);
        struct interval in = bootstrap_interval(&bootstrap, values, N, BLOCKS);
        assert_true(in.lo == means[24] && in.hi == means[DRAWS - 26]);
    }
    rng_free(rng);
}

/* Samples that are resampled together must have the intervals that they have
 * alone, whatever their lengths and their number. */
static void intervals_of_several_samples_are_those_of_each(void **state)
{
    (void)state;
    enum { N = 3000, SAMPLES = 9, BLOCKS = 50 };
    static const size_t lengths[SAMPLES] = {N,     N, N - 7, N - 7, N - 7,
                                            N - 7, 5, N - 7, 0};
    static double values[SAMPLES][N];
    struct interval together[SAMPLES];
    struct intervals intervals;
    gsl_rng *rng = rng_open(11, "test stats");
    intervals_init(&intervals, &bootstrap, BLOCKS);
    for (size_t s = 0; s < SAMPLES; s++) {
        for (size_t i = 0; i < lengths[s]; i++)
            values[s][i] = gsl_ran_exponential(rng, 3);
        intervals_add(&intervals, values[s], lengths[s], &together[s]);
    }
    intervals_finish(&intervals);
    intervals_fini(&intervals);
    for (size_t s = 0; s < SAMPLES; s++) {
        struct interval alone =
            bootstrap_interval(&bootstrap, values[s], lengths[s], BLOCKS);
        assert_memory_equal(&together[s], &alone, sizeof alone);
    }
    rng_free(rng);
}

static void few_values_have_no_interval(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4, 5, 6, 7};
    assert_true(
        isnan(bootstrap_interval(&bootstrap, values, 7, BOOTSTRAP_BLOCKS).lo));
    assert_true(
        isnan(bootstrap_interval(&bootstrap, values, 0, BOOTSTRAP_BLOCKS).hi));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_those_of_the_sorted_list),
        cmocka_unit_test(intervals_hold_the_mean_as_often_as_they_say),
        cmocka_unit_test(intervals_widen_when_neighbours_resemble_each_other),
        cmocka_unit_test(intervals_are_ranks_of_the_resampled_means),
        cmocka_unit_test(intervals_of_several_samples_are_those_of_each),
        cmocka_unit_test(few_values_have_no_interval),
    };
    bootstrap_init(&bootstrap, 1);
    int failed = cmocka_run_group_tests_name("stats", tests, NULL, NULL);
    bootstrap_fini(&bootstrap);
    return failed;
}
