/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that the time law `countdown`, which computes many steps at once,
 * gives the result of single steps, to the last bit. */
#include "base/rng.h"
#include "sim/engine/engine_internal.h"
#include "tests/support/test.h"

static void check(double remain, double rate, uint64_t most)
{
    double slow = remain, fast = remain;
    uint64_t n = 0;
    for (; n < most && slow > 0; n++)
        slow -= rate;
    assert_int_equal(countdown_run(&fast, rate, most), n);
    assert_memory_equal(&fast, &slow, sizeof fast);
}

static void strides_are_single_steps(void **state)
{
    gsl_rng *rng = rng_open(1, "test progress");
    (void)state;
    for (int i = 0; i < 3000; i++) {
        double remain = rng_below(rng, 3) ? rng_below(rng, 20000)
                                          : rng_below(rng, 1 << 20) / 7.0;
        /* Most rates have three decimals, as in tables. Others are multiples of
         * 1/64, which are exact in binary, or of 1/997. */
        double rate = (1 + rng_below(rng, 1600)) / 1000.0;
        if (i % 5 == 0)
            rate = (1 + rng_below(rng, 64)) / 64.0;
        if (i % 7 == 0)
            rate = (1 + rng_below(rng, 997)) / 997.0;
        check(remain, rate, i % 3 ? UINT64_MAX : rng_below(rng, 30000));
    }
    rng_free(rng);
}

/* Checks numbers for which every other subtraction is a tie that is rounded to
 * even. */
static void ties_are_kept(void **state)
{
    (void)state;
    check(4503599627370496.0 + 2048, 1.5, 3000);
    check(4503599627370497.0, 0.5, 100);
}

static void the_ends_are_exact(void **state)
{
    (void)state;
    check(0, 0.5, 10);
    check(-3, 0.5, 10);
    check(1, 1, 10);
    check(10, 1, 10);
    check(10, 1, 9);
    check(1e-9, 0.9, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_are_single_steps),
        cmocka_unit_test(ties_are_kept),
        cmocka_unit_test(the_ends_are_exact),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
