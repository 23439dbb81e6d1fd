/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the names of metrics, and when a value is within its tolerance. */
#include "sim/results/difference.h"

#include <math.h>
#include <string.h>

#include "tests/support/test.h"

static struct gate find(const char *name)
{
    struct gate gate;
    struct error err;
    assert_int_equal(gate_find(text_from(name), &gate, &err), STATUS_OK);
    assert_true(isnan(gate.tolerance));
    return gate;
}

static void metrics_have_a_name_a_unit_and_a_better_side(void **state)
{
    static const struct {
        const char *name, *full, *unit;
        enum gate_better better;
    } rows[] = {
        {"jct_s", "jct_s.mean", "s", GATE_LOWER},
        {"jct_s.p99", "jct_s.p99", "s", GATE_LOWER},
        {"jct_s.count", "jct_s.count", "jobs", GATE_EITHER},
        {"makespan_s", "makespan_s", "s", GATE_LOWER},
        {"goodput", "goodput", "", GATE_HIGHER},
        {"jobs", "jobs", "jobs", GATE_EITHER},
        {"failures.ettr", "failures.ettr", "", GATE_EITHER},
        {"failures.lost_gpu_hours", "failures.lost_gpu_hours", "GPU h",
         GATE_LOWER},
        {"by_vc.vc.1.jct_s.p99", "by_vc.vc.1.jct_s.p99", "s", GATE_LOWER},
        {"by_vc.vc1.jct_s", "by_vc.vc1.jct_s.mean", "s", GATE_LOWER},
        {"share_waiting_over_600s", "share_waiting_over_600s", "", GATE_LOWER},
        {"jain_users", "jain_users", "", GATE_HIGHER},
        {"by_gpus.1.preemptions", "by_gpus.1.preemptions", "", GATE_LOWER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate gate = find(rows[i].name);
        assert_string_equal(gate.name, rows[i].full);
        assert_string_equal(gate.unit, rows[i].unit);
        assert_int_equal(gate.better, rows[i].better);
    }
}

static void unknown_names_are_refused(void **state)
{
    static const char *const rows[] = {
        "jct", "jct_s.p98", "by_vc", "by_vc.", "failure.ettr", "", "."};
    struct gate gate;
    struct error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(gate_find(text_from(rows[i]), &gate, &err),
                         STATUS_USAGE);
    assert_int_equal(gate_find(text_from("makspan_s"), &gate, &err),
                     STATUS_USAGE);
    assert_non_null(strstr(err.message, "'makespan_s'"));
}

static void values_are_found_by_their_path(void **state)
{
    static const char text[] =
        "{\"metrics\": {\"makespan_s\": 7, \"jct_s\": {\"mean\": 2.5, \"p99\": "
        "null}}, \"failures\": {\"ettr\": 0.5}, \"by_vc\": {\"vc.1\": "
        "{\"jct_s\": {\"p99\": 9}}, \"vc\": {\"1\": 3}}}";
    json_t *root = json_loads(text, 0, NULL);
    (void)state;
    struct gate makespan = find("makespan_s"), mean = find("jct_s"),
                none = find("jct_s.p99"), ettr = find("failures.ettr"),
                vc = find("by_vc.vc.1.jct_s.p99"),
                missing = find("by_vc.vc.2.jct_s.p99");
    assert_true(gate_value(&makespan, root) == 7);
    assert_true(gate_value(&mean, root) == 2.5);
    assert_true(isnan(gate_value(&none, root)));
    assert_true(gate_value(&ettr, root) == 0.5);
    assert_true(gate_value(&vc, root) == 9);
    assert_true(isnan(gate_value(&missing, root)));
    json_decref(root);
}

static void verdicts_follow_tolerance_and_direction(void **state)
{
    static const struct {
        enum gate_scale scale;
        enum gate_better better;
        double tolerance, value, mean, lo, hi;
        enum gate_verdict verdict;
    } rows[] = {
        {GATE_PERCENT, GATE_LOWER, 0, 100, 100, NAN, NAN, GATE_EQUAL},
        {GATE_PERCENT, GATE_LOWER, 2, 102, 100, NAN, NAN, GATE_WITHIN},
        {GATE_PERCENT, GATE_LOWER, 2, 102.1, 100, NAN, NAN, GATE_OUTSIDE},
        {GATE_PERCENT, GATE_LOWER, 2, 97.9, 100, NAN, NAN, GATE_IMPROVED},
        {GATE_PERCENT, GATE_HIGHER, 2, 97.9, 100, NAN, NAN, GATE_OUTSIDE},
        {GATE_PERCENT, GATE_HIGHER, 2, 103, 100, NAN, NAN, GATE_IMPROVED},
        {GATE_PERCENT, GATE_EITHER, 2, 97.9, 100, NAN, NAN, GATE_OUTSIDE},
        {GATE_PERCENT, GATE_LOWER, 2, -101, -100, NAN, NAN, GATE_WITHIN},
        /* if 0 is expected, no tolerance in percent lets a higher value pass */
        {GATE_PERCENT, GATE_LOWER, 50, 1e-9, 0, NAN, NAN, GATE_OUTSIDE},
        {GATE_PERCENT, GATE_LOWER, 50, 0, 0, NAN, NAN, GATE_EQUAL},
        {GATE_AMOUNT, GATE_LOWER, 30, 30, 0, NAN, NAN, GATE_WITHIN},
        {GATE_AMOUNT, GATE_LOWER, 30, 31, 0, NAN, NAN, GATE_OUTSIDE},
        {GATE_AMOUNT, GATE_LOWER, 30, -31, 0, NAN, NAN, GATE_IMPROVED},
        {GATE_INTERVAL, GATE_LOWER, 0, 104, 100, 95, 105, GATE_WITHIN},
        {GATE_INTERVAL, GATE_LOWER, 0, 106, 100, 95, 105, GATE_OUTSIDE},
        {GATE_INTERVAL, GATE_LOWER, 0, 94, 100, 95, 105, GATE_IMPROVED},
        {GATE_INTERVAL, GATE_EITHER, 0, 94, 100, 95, 105, GATE_OUTSIDE},
        {GATE_INTERVAL, GATE_LOWER, 0, 101, 100, NAN, NAN, GATE_OUTSIDE},
        {GATE_PERCENT, GATE_LOWER, 2, NAN, NAN, NAN, NAN, GATE_EQUAL},
        {GATE_PERCENT, GATE_LOWER, 2, 1, NAN, NAN, NAN, GATE_UNKNOWN},
        {GATE_PERCENT, GATE_LOWER, 2, NAN, 1, NAN, NAN, GATE_UNKNOWN},
        /* values are compared to 15 digits */
        {GATE_PERCENT, GATE_EITHER, 0, 1 + 1e-15, 1, NAN, NAN, GATE_EQUAL},
        {GATE_PERCENT, GATE_EITHER, 0, 1 + 1e-13, 1, NAN, NAN, GATE_OUTSIDE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate gate = {.scale = rows[i].scale,
                            .better = rows[i].better,
                            .tolerance = rows[i].tolerance};
        struct gate_expected expected = {rows[i].mean, rows[i].lo, rows[i].hi};
        if (gate_judge(&gate, rows[i].value, &expected) != rows[i].verdict)
            fail_msg("row %zu", i);
    }
}

/* The values of three replications, where 10, 50 and 90 are expected. Student's
 * t of 0.975 with 2 degrees of freedom is 4.302653, so that three differences
 * with the standard deviation 1 reach 2.484 to both sides. */
static const struct {
    enum gate_scale scale;
    enum gate_better better;
    double tolerance, values[3], mean, half;
    enum gate_verdict verdict;
} pairs[] = {
    {GATE_INTERVAL, GATE_LOWER, 0, {11, 52, 93}, 2, 2.484, GATE_WITHIN},
    {GATE_INTERVAL, GATE_LOWER, 0, {12, 53, 94}, 3, 2.484, GATE_OUTSIDE},
    {GATE_INTERVAL, GATE_HIGHER, 0, {12, 53, 94}, 3, 2.484, GATE_IMPROVED},
    {GATE_INTERVAL, GATE_LOWER, 0, {8, 47, 86}, -3, 2.484, GATE_IMPROVED},
    {GATE_INTERVAL, GATE_EITHER, 0, {8, 47, 86}, -3, 2.484, GATE_OUTSIDE},
    /* each value moved by as much: no doubt is left */
    {GATE_INTERVAL, GATE_LOWER, 0, {11, 51, 91}, 1, 0, GATE_OUTSIDE},
    {GATE_INTERVAL, GATE_LOWER, 0, {10, 50, 90}, 0, 0, GATE_EQUAL},
    {GATE_INTERVAL, GATE_LOWER, 0, {10, 50 + 1e-13, 90}, 0, 0, GATE_EQUAL},
    /* the mean moved from 50 to 53, which is 6 % */
    {GATE_PERCENT, GATE_LOWER, 6.1, {12, 53, 94}, 3, 2.484, GATE_WITHIN},
    {GATE_PERCENT, GATE_LOWER, 5.9, {12, 53, 94}, 3, 2.484, GATE_OUTSIDE},
    {GATE_AMOUNT, GATE_LOWER, 2.9, {12, 53, 94}, 3, 2.484, GATE_OUTSIDE},
    {GATE_AMOUNT, GATE_LOWER, 3.1, {12, 53, 94}, 3, 2.484, GATE_WITHIN},
    /* the mean did not move, the values did */
    {GATE_AMOUNT, GATE_LOWER, 0, {11, 50, 89}, 0, 2.484, GATE_WITHIN},
    {GATE_INTERVAL, GATE_LOWER, 0, {10, 50, NAN}, 0, 0, GATE_UNKNOWN},
};

static void pairs_are_judged_by_the_interval_of_their_difference(void **state)
{
    static const double expected[] = {10, 50, 90};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct gate gate = {.scale = pairs[i].scale,
                            .better = pairs[i].better,
                            .tolerance = pairs[i].tolerance};
        struct estimate e;
        if (gate_judge_pairs(&gate, pairs[i].values, expected, 3, &e) !=
            pairs[i].verdict)
            fail_msg("row %zu", i);
        assert_true(fabs(e.mean - pairs[i].mean) < 0.001);
        assert_true(fabs(e.interval.lo - e.mean + pairs[i].half) < 0.001);
        assert_true(fabs(e.interval.hi - e.mean - pairs[i].half) < 0.001);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_judged_by_the_interval_of_their_difference),
        cmocka_unit_test(metrics_have_a_name_a_unit_and_a_better_side),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(values_are_found_by_their_path),
        cmocka_unit_test(verdicts_follow_tolerance_and_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
