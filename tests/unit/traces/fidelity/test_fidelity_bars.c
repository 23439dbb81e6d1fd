/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that the compiled-in bars can be read, and that verdicts follow the
 * bars. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "traces/fidelity/bars.h"

static enum bar_verdict verdict(const struct bar *bar, double a, double b,
                                double c)
{
    double values[] = {a, b, c};
    return bar_judge(bar, values, 3).verdict;
}

static void limits_include_their_ends(void **state)
{
    (void)state;
    struct bar bar = {.kind = BAR_FACTOR, .lo = 0.5, .hi = 2, .real = 10};
    assert_int_equal(verdict(&bar, 1, 5, 900), BAR_VERDICT_PASS);
    assert_int_equal(verdict(&bar, 4.9, 4.9, 4.9), BAR_VERDICT_FAIL);
    bar.over = BAR_EACH;
    assert_int_equal(verdict(&bar, 5, 10, 20), BAR_VERDICT_PASS);
    assert_int_equal(verdict(&bar, 5, 10, 21), BAR_VERDICT_FAIL);
    bar = (struct bar){.kind = BAR_WITHIN, .lo = -1, .hi = 1, .real = 3};
    assert_int_equal(verdict(&bar, 4, 4, 4), BAR_VERDICT_PASS);
    assert_int_equal(verdict(&bar, 1.9, 1.9, 1.9), BAR_VERDICT_FAIL);
    bar = (struct bar){.kind = BAR_RANGE, .hi = 1, .real = NAN};
    assert_int_equal(verdict(&bar, 1, 1, 1), BAR_VERDICT_PASS);
    assert_int_equal(verdict(&bar, 1.1, 1.1, 1.1), BAR_VERDICT_FAIL);
    bar.real = 1.2;
    assert_int_equal(verdict(&bar, 1.1, 1.1, 1.1), BAR_VERDICT_PASS);
}

static void what_is_unknown_is_not_judged(void **state)
{
    (void)state;
    struct bar bar = {.kind = BAR_FACTOR, .lo = 0.5, .hi = 2, .real = NAN};
    assert_int_equal(verdict(&bar, 1, 1, 1), BAR_VERDICT_UNKNOWN);
    bar.real = 1;
    assert_int_equal(verdict(&bar, NAN, NAN, NAN), BAR_VERDICT_UNKNOWN);
    assert_int_equal(verdict(&bar, NAN, 1, NAN), BAR_VERDICT_PASS);
    bar.kind = BAR_NONE;
    assert_int_equal(verdict(&bar, 1, 1, 1), BAR_VERDICT_NONE);
}

static void the_spread_needs_two_traces(void **state)
{
    (void)state;
    const struct bar bar = {
        .kind = BAR_FACTOR, .over = BAR_SPREAD, .hi = 4, .real = NAN};
    assert_int_equal(verdict(&bar, 5, NAN, NAN), BAR_VERDICT_UNKNOWN);
    assert_int_equal(verdict(&bar, 5, 20, 7), BAR_VERDICT_PASS);
    assert_int_equal(verdict(&bar, 5, 21, 7), BAR_VERDICT_FAIL);
    assert_int_equal(verdict(&bar, 0, 21, 7), BAR_VERDICT_FAIL);
    assert_int_equal(verdict(&bar, 0, 0, 0), BAR_VERDICT_PASS);
}

static void each_cluster_has_bars(void **state)
{
    (void)state;
    static const char *const names[] = {"philly", "venus", "saturn", "seren",
                                        "kalos"};
    struct arena arena;
    struct error err = {0};
    struct bars bars;
    arena_init(&arena);
    for (size_t i = 0; i < 5; i++) {
        size_t judged = 0;
        assert_int_equal(bars_load(names[i], &arena, &bars, &err), STATUS_OK);
        for (size_t b = 0; b < bars.n; b++) {
            const struct bar *bar = &bars.at[b];
            judged += bar->kind != BAR_NONE;
            assert_true(isnan(bar->real) || bar->source[0]);
        }
        assert_true(judged >= 5);
        assert_string_equal(bars.cluster, names[i]);
    }
    assert_int_equal(bars_load("venuss", &arena, &bars, &err), STATUS_USAGE);
    assert_non_null(strstr(err.message, "did you mean 'venus'"));
    arena_fini(&arena);
}

static void rows_take_the_rules(void **state)
{
    (void)state;
    struct arena arena;
    struct error err = {0};
    struct bars bars;
    struct measures rows = {0};
    arena_init(&arena);
    measures_add(&rows, 100, "waits.fifo_mean");
    measures_add(&rows, NAN, "users.r2_log_gpus");
    assert_int_equal(bars_load(NULL, &arena, &bars, &err), STATUS_OK);
    bars_take_rows(&rows, "log.csv", &arena, &bars);
    assert_int_equal(bars.n, 3); /* two bars of the rows, and the spread of
                                  * waits.fifo_mean */
    assert_int_equal(bars.at[0].kind, BAR_FACTOR);
    assert_int_equal(bars.at[0].over, BAR_MEDIAN);
    assert_string_equal(bars.at[1].status, "not in the rows");
    assert_int_equal(bars.at[2].over, BAR_SPREAD);
    measures_fini(&rows);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_include_their_ends),
        cmocka_unit_test(what_is_unknown_is_not_judged),
        cmocka_unit_test(the_spread_needs_two_traces),
        cmocka_unit_test(each_cluster_has_bars),
        cmocka_unit_test(rows_take_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
