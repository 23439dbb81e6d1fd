/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the sort of `verify` with qsort, on few and on many numbers. */
#include "sim/verify/verify_internal.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_sorted_as_by_qsort),
    };
    return cmocka_run_group_tests_name("verify_sort", tests, NULL, NULL);
}
