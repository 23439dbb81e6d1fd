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
    enum { SMALL = 400, LARGE = 5000 }; /* LARGE: pivots come from samples */
    (void)state;
    static const double percents[] = {1, 50, 90, 95, 99, 100};
    enum { N_PERCENTS = sizeof percents / sizeof *percents };
    static double values[LARGE + 2], other[LARGE + 2], sorted[LARGE + 2];
    gsl_rng *rng = rng_open(5, "test stats");
    for (size_t n = 1; n <= LARGE + 2; n = n == SMALL ? LARGE : n + 1) {
        uint32_t range = n % 3 == 0 ? 4 : 100000; /* few: many ties */
        /* some below zero, some all below a thousandth */
        double lowest = n % 5 == 0 ? range / 2 : 0;
        double scale = n % 7 == 0 ? 1e-9 : 1;
        for (size_t i = 0; i < n; i++)
            values[i] = other[i] = sorted[i] =
                (rng_below(rng, range) - lowest) * scale;
        qsort(sorted, n, sizeof *sorted, by_value);
        double found[2 * N_PERCENTS];
        stats_percentiles(stats_list_of(values, n), percents, STATS_PERCENTILES,
                          found);
        stats_percentiles(stats_list_of(other, n), percents + STATS_PERCENTILES,
                          N_PERCENTS - STATS_PERCENTILES,
                          found + STATS_PERCENTILES);
        for (size_t p = 0; p < N_PERCENTS; p++) {
            size_t rank = 0; /* smallest with rank / n >= percent / 100 */
            while ((double)rank * 100 < percents[p] * (double)n - 1e-9)
                rank++;
            double expected = sorted[rank ? rank - 1 : 0];
            assert_true(found[p] == expected);
        }
    }
    rng_free(rng);
}

/* The 95 % intervals of the mean of independent values should hold it in about
 * 95 of 100 samples. For an autocorrelated series the interval must be wider
 * than one that assumes independence. */
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
    /* sqrt((1 + 0.95) / (1 - 0.95)) = 6.2 for this process */
    double ratio = (in.hi - in.lo) / naive;
    if (ratio < 3.5 || ratio > 8)
        fail_msg("%g times as wide as the naive interval", ratio);
    rng_free(rng);
    free(values);
}

static void check_copy(const struct lane_totals *totals, unsigned lane,
                       const double *copy, double *values, size_t n)
{
    double sum = 0;
    if (n == 0)
        return;
    struct stats_list list = stats_list_of(values, n);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    assert_memory_equal(copy, values, n * sizeof *values);
    assert_true(totals->sum[lane] == sum);
    assert_true(totals->least[lane] == list.least);
    assert_true(totals->most[lane] == list.most);
}

/* Lists are added up side by side. This must not change a bit of the sum,
 * and the sum must not depend on the rows of the table in which the lists
 * stand, nor on the content of unused lanes. */
static void lists_together_have_the_intervals_of_each(void **state)
{
    (void)state;
    enum { N = 3000, GAP = 3, ALL = (1u << LANES) - 2 };
    double *rows = mem_zalloc((size_t)N * GAP * LANES, sizeof *rows);
    double *alone = mem_zalloc(N, sizeof *alone);
    double *columns = mem_zalloc((size_t)N * LANES, sizeof *columns);
    uint32_t *order = mem_zalloc(N, sizeof *order);
    gsl_rng *rng = rng_open(8, "test stats");
    for (size_t i = 0; i < (size_t)N * GAP * LANES; i++)
        rows[i] = i % LANES ? gsl_ran_lognormal(rng, 1, 3) : 1;
    for (uint32_t i = 0; i < N; i++)
        order[i] = i * GAP + (uint32_t)rng_below(rng, GAP);
    for (size_t n = 0; n <= N; n += 1 + n / 3) {
        struct value_rows lists = {rows, LANES, order, n};
        struct interval all[LANES], few[LANES];
        struct lane_totals totals;
        bootstrap_intervals(&bootstrap, &lists, ALL, BOOTSTRAP_BLOCKS, all);
        bootstrap_intervals(&bootstrap, &lists, 1u << 1 | 1u << 3,
                            BOOTSTRAP_BLOCKS, few);
        if (n)
            value_rows_copy(&lists, ALL, columns, N, &totals);
        for (unsigned k = 1; k < LANES; k++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += alone[i] = rows[order[i] * LANES + k];
            check_copy(&totals, k, columns + (k - 1) * N, alone, n);
            struct interval own =
                bootstrap_interval(&bootstrap, alone, n, BOOTSTRAP_BLOCKS);
            assert_memory_equal(&own, &all[k], sizeof own);
            if (k == 1 || k == 3)
                assert_memory_equal(&own, &few[k], sizeof own);
            if (!isnan(own.lo))
                assert_true(own.lo < sum / (double)n &&
                            sum / (double)n < own.hi);
        }
    }
    free(rows);
    free(alone);
    free(columns);
    free(order);
    rng_free(rng);
}

/* Computes the interval again, step by step as the header says, from a sorted
 * list of resampled means. Includes lists whose values are all equal, or all
 * but one: their means have no tails to guess from. */
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
        cmocka_unit_test(lists_together_have_the_intervals_of_each),
        cmocka_unit_test(intervals_are_ranks_of_the_resampled_means),
        cmocka_unit_test(few_values_have_no_interval),
    };
    bootstrap_init(&bootstrap, 1);
    int failed = cmocka_run_group_tests_name("stats", tests, NULL, NULL);
    bootstrap_fini(&bootstrap);
    return failed;
}
