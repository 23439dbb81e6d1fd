/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the Gittins index with its definition, computed term by term, and
 * tests how samples are read from a file. */
#include <math.h>
#include <unistd.h>

#include "base/rng.h"
#include "policies/tiresias/tiresias.h"
#include "tests/support/test.h"

#define SAMPLES_MAX 40

/* Returns P(S <= a + d | S > a) / E[min(S - a, d) | S > a], where S is one of
 * the samples, drawn at random. */
static double quotient(const double *samples, size_t n, double a, double d)
{
    double ends = 0, cost = 0;
    for (size_t i = 0; i < n; i++) {
        if (samples[i] <= a)
            continue;
        ends += samples[i] <= a + d;
        cost += fmin(samples[i] - a, d);
    }
    return ends / cost;
}

static double by_definition(const double *samples, size_t n, double a)
{
    double best = 0;
    for (size_t i = 0; i < n; i++) {
        if (samples[i] > a)
            best = fmax(best, quotient(samples, n, a, samples[i] - a));
    }
    return best;
}

static void check_against_definition(gsl_rng *rng, double spread)
{
    struct gittins g = {0};
    double samples[SAMPLES_MAX];
    size_t n = 1 + rng_below(rng, SAMPLES_MAX);
    for (size_t i = 0; i < n; i++) {
        /* Most samples are small, and few of them are distinct, so that some
         * are equal. */
        samples[i] = floor(exp(spread * gsl_rng_uniform(rng)));
        gittins_learn(&g, samples[i]);
    }
    gittins_build(&g);
    for (int k = 0; k < 50; k++) {
        double a = k < 25 ? floor(exp(spread * gsl_rng_uniform(rng))) - 1
                          : exp(spread * gsl_rng_uniform(rng)) - 1;
        double want = by_definition(samples, n, a);
        double got = gittins_index(&g, a);
        assert_true(fabs(got - want) <= 1e-9 * want);
        /* The index must be the best quotient over all d, also those that do
         * not end at a sample. */
        double d = 1e-3 + exp(spread * gsl_rng_uniform(rng));
        if (want > 0)
            assert_true(got * (1 + 1e-9) >= quotient(samples, n, a, d));
    }
    gittins_fini(&g);
}

static void the_index_is_as_defined(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(1, "gittins");
    for (int i = 0; i < 400; i++)
        check_against_definition(rng, i % 2 ? 3 : 9);
    rng_free(rng);
}

static void with_one_sample_it_is_one_over_the_rest(void **state)
{
    (void)state;
    struct gittins g = {0};
    gittins_learn(&g, 10);
    gittins_build(&g);
    assert_true(gittins_index(&g, 0) == 0.1);
    assert_true(gittins_index(&g, 6) == 0.25);
    assert_true(gittins_index(&g, 10) == 0);
    gittins_fini(&g);
}

static void without_samples_it_is_nothing(void **state)
{
    (void)state;
    struct gittins g = {0};
    gittins_build(&g);
    assert_true(gittins_index(&g, 0) == 0);
    gittins_fini(&g);
}

/* With `delta` (D) set, the index is computed as in the simulator of Tiresias,
 * which differs from the definition. Two jobs of 10 s and one of 100 s, D = 50:
 * two of three jobs end within D. The mean (10 + 10 + 50) / 3 is cut to 23, and
 * the index is 0.66667 x 1,000,000 / 23. */
static void the_simulators_is_something_else(void **state)
{
    (void)state;
    struct gittins g = {.delta = 50};
    gittins_learn(&g, 100);
    gittins_learn(&g, 10);
    gittins_learn(&g, 10);
    gittins_build(&g);
    assert_true(gittins_index(&g, 0) == 28985.6522);
    assert_true(gittins_index(&g, 9) == 28985.6522);
    assert_true(gittins_index(&g, 10) == 0);
    assert_true(gittins_index(&g, 100) == 0);
    gittins_fini(&g);
}

static void a_file_may_have_a_header_but_no_words(void **state)
{
    (void)state;
    struct gittins g = {0};
    struct error err;
    char path[] = "/tmp/gittins-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fputs("duration\r\n12\n7,note\n\n", file);
    fflush(file);
    assert_int_equal(gittins_read(&g, path, &err), STATUS_OK);
    assert_int_equal(g.n, 2);
    fputs("many\n", file);
    fclose(file);
    assert_int_equal(gittins_read(&g, path, &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, ":5: 'many'"));
    unlink(path);
    assert_int_equal(gittins_read(&g, path, &err), STATUS_FAILED);
    /* a folder can be opened, but not read */
    assert_int_equal(gittins_read(&g, "/", &err), STATUS_FAILED);
    gittins_fini(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_is_as_defined),
        cmocka_unit_test(with_one_sample_it_is_one_over_the_rest),
        cmocka_unit_test(without_samples_it_is_nothing),
        cmocka_unit_test(the_simulators_is_something_else),
        cmocka_unit_test(a_file_may_have_a_header_but_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
