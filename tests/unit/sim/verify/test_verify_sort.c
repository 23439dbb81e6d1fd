/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the sorts of `verify` with qsort, on few and on many numbers. */
#include "sim/verify/verify_internal.h"
#include "sim/verify/verify_replay.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"

enum { N = 10000 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void numbers_are_sorted_as_by_qsort(void **state)
{
    static double fast[N], plain[N];
    gsl_rng *rng = rng_open(1, "test verify sort");
    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        size_t n = round % 2 ? N : rng_below(rng, N);
        for (size_t i = 0; i < n; i++) {
            double x = rng_below(rng, 1000000) - (round % 3 ? 0 : 500000.0);
            fast[i] = plain[i] = ldexp(x, (int)rng_below(rng, round + 1) - 20);
        }
        verify_sort(fast, n);
        qsort(plain, n, sizeof *plain, by_value);
        for (size_t i = 0; i < n; i++)
            assert_true(!(fast[i] < plain[i]) && !(fast[i] > plain[i]));
    }
    rng_free(rng);
}

static int by_time(const void *a, const void *b)
{
    const struct verify_timed *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void equal_times_keep_their_order(void **state)
{
    static struct verify_timed fast[N], plain[N];
    gsl_rng *rng = rng_open(1, "test verify sort timed");
    (void)state;
    for (uint32_t round = 0; round < 40; round++) {
        size_t n = rng_below(rng, N);
        for (uint32_t i = 0; i < n; i++) {
            sim_time at = (sim_time)rng_below(rng, round % 2 ? 100 : 1 << 30) *
                          (round % 5 ? SPAN_HOUR : -SPAN_SECOND);
            fast[i] = plain[i] = (struct verify_timed){at, i};
        }
        verify_sort_timed(fast, n);
        qsort(plain, n, sizeof *plain, by_time);
        for (size_t i = 0; i < n; i++) {
            assert_true(fast[i].at == plain[i].at);
            assert_int_equal(fast[i].index, plain[i].index);
        }
    }
    rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_sorted_as_by_qsort),
        cmocka_unit_test(equal_times_keep_their_order),
    };
    return cmocka_run_group_tests_name("verify_sort", tests, NULL, NULL);
}
