/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that random streams with equal names and seeds are equal, that all
 * others differ, and that rng_below draws all numbers equally often. */
#include "base/rng.h"
#include "tests/support/test.h"

static void a_name_and_a_seed_decide_the_stream(void **state)
{
    (void)state;
    gsl_rng *a = rng_open(1, "faults"), *b = rng_open(1, "faults");
    for (int i = 0; i < 1000; i++)
        assert_int_equal(gsl_rng_get(a), gsl_rng_get(b));
    rng_free(a);
    rng_free(b);
    rng_free(NULL);
}

static void other_names_and_seeds_share_nothing(void **state)
{
    (void)state;
    gsl_rng *rng[] = {rng_open(1, "faults"), rng_open(2, "faults"),
                      rng_open(1, "sizes"), rng_open(0, "faults")};
    int same = 0;
    for (int i = 0; i < 1000; i++) {
        unsigned long x[4];
        for (int k = 0; k < 4; k++)
            x[k] = gsl_rng_get(rng[k]);
        for (int k = 1; k < 4; k++)
            same += x[0] == x[k];
    }
    assert_int_equal(same, 0);
    for (int k = 0; k < 4; k++)
        rng_free(rng[k]);
}

/* Chi-squared with 9 degrees of freedom exceeds 27.9 with probability 0.1 %.
 * The stream is fixed, so the test gives the same result each time. */
static void numbers_below_n_are_equally_likely(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(11, "test rng");
    int count[10] = {0};
    for (int i = 0; i < 100000; i++)
        count[rng_below(rng, 10)]++;
    double chi = 0;
    for (int k = 0; k < 10; k++)
        chi += (count[k] - 1e4) * (count[k] - 1e4) / 1e4;
    assert_true(chi < 27.9);
    for (int i = 0; i < 100; i++)
        assert_int_equal(rng_below(rng, 1), 0);
    rng_free(rng);
}

/* The generator without calls gives what GSL's gives. */
static void the_inline_generator_is_that_of_gsl(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        gsl_rng *rng = rng_open(seed, "test rng");
        struct rng_inline same = rng_inline_open(seed, "test rng");
        for (uint32_t i = 1; i < 500; i++) {
            uint32_t n = i < 400 ? i : UINT32_MAX - 3 * i;
            assert_int_equal(rng_inline_get(&same), gsl_rng_get(rng));
            assert_int_equal(rng_inline_below(&same, n), rng_below(rng, n));
        }
        rng_free(rng);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_and_a_seed_decide_the_stream),
        cmocka_unit_test(other_names_and_seeds_share_nothing),
        cmocka_unit_test(numbers_below_n_are_equally_likely),
        cmocka_unit_test(the_inline_generator_is_that_of_gsl),
    };
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
