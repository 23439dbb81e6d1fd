/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests how often the calibrated Failure Handler is right. Over many failures,
 * each rate may differ from its setting by at most 3 standard errors. */
#include "tests/support/test.h"

#include <math.h>

#include "models/failures/failure_truth.h"
#include "schedmate/simulated/schedmate.h"
#include "schedmate/simulated/simulated_internal.h"

enum { FAILURES = 100000, NODES = 8 };

struct lab {
    struct schedmate_config config;
    struct gpu_slice where[NODES];
    struct failure_truth truth;
    struct failure failure;
};

static struct lab lab;

static int setup(void **state)
{
    (void)state;
    lab = (struct lab){0};
    option_defaults(schedmate_options, &lab.config);
    for (node_id i = 0; i < NODES; i++)
        lab.where[i] = (struct gpu_slice){.node = 10 + i};
    lab.truth = (struct failure_truth){
        .kind = FAILURE_INFRASTRUCTURE, .node = 13, .cause = "NVLink error"};
    lab.failure = (struct failure){.where = {.at = lab.where, .count = NODES},
                                   .truth = &lab.truth};
    return 0;
}

static struct handler_law law(void)
{
    return handler_law_of(&lab.config.handler, 7);
}

static struct handler_verdict judge(const struct handler_law *l, uint64_t key)
{
    struct handler_verdict v;
    lab.failure.key = key;
    handler_judge_by_law(l, &lab.failure, &v);
    return v;
}

/* Fails the test unless the number of hits in n trials, each with probability
 * p, is within 3 standard deviations of n * p. */
static void near(double hits, double n, double p)
{
    double sigma = sqrt(n * p * (1 - p));
    if (fabs(hits - n * p) > 3 * sigma)
        fail_msg("%g of %g, expected %g +- %g", hits, n, n * p, sigma);
}

static void figures_of_table_4(void **state)
{
    (void)state;
    static const struct {
        unsigned method;
        double recall, precision;
    } rows[] = {
        {HANDLER_LOCATOR, 0.612, 0.757},
        {HANDLER_LAST_LINES, 0.060, 0.750},
        {HANDLER_RCACOPILOT, 0.377, 0.500},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lab.config.handler.method = rows[i].method;
        struct handler_law l = law();
        assert_true(fabs(l.recall - rows[i].recall) < 0.0005);
        assert_true(fabs(l.precision - rows[i].precision) < 0.0005);
    }
    lab.config.handler.recall = 0.3;
    lab.config.handler.precision = 0.9;
    assert_true(fabs(law().recall - 0.3) < 1e-12);
    assert_true(fabs(law().precision - 0.9) < 1e-12);
}

static void recall_and_precision_are_met(void **state)
{
    (void)state;
    for (unsigned method = 0; method <= HANDLER_RCACOPILOT; method++) {
        lab.config.handler.method = method;
        struct handler_law l = law();
        double found = 0, alarms = 0, hits = 0;
        for (uint64_t key = 0; key < FAILURES; key++) {
            lab.truth.kind = FAILURE_INFRASTRUCTURE;
            found += judge(&l, key).infrastructure;
            lab.truth.kind = key % 2 ? FAILURE_SCRIPT : FAILURE_FRAMEWORK;
            alarms += judge(&l, key).infrastructure;
            /* the infrastructure causes one of four failures */
            lab.truth.kind = key % 4 ? FAILURE_SCRIPT : FAILURE_INFRASTRUCTURE;
            if (judge(&l, FAILURES + key).infrastructure)
                hits += key % 4 ? 0 : 1;
        }
        near(found, FAILURES, l.recall);
        near(alarms, FAILURES, l.false_alarm);
        near(hits, FAILURES / 4.0, l.recall);
        double said = found / 4 + alarms * 3 / 4;
        double sigma = sqrt(l.precision * (1 - l.precision) / said);
        assert_true(fabs(found / 4 / said - l.precision) < 3 * sigma);
    }
}

static void what_is_found_at_a_recall_is_found_at_a_higher_one(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < 1000; key++) {
        bool before = false;
        for (int tenth = 0; tenth <= 10; tenth++) {
            lab.config.handler.recall = tenth / 10.0;
            struct handler_law l = law();
            bool found = judge(&l, key).infrastructure;
            assert_true(found || !before);
            assert_true(found || tenth < 10);
            assert_true(!found || tenth > 0);
            before = found;
        }
    }
}

static void without_recall_there_is_no_alarm(void **state)
{
    (void)state;
    lab.config.handler.recall = 0;
    lab.truth.kind = FAILURE_SCRIPT;
    struct handler_law l = law();
    for (uint64_t key = 0; key < 1000; key++)
        assert_false(judge(&l, key).infrastructure);
    lab.config.handler.recall = 1;
    lab.config.handler.precision = 1;
    l = law();
    for (uint64_t key = 0; key < 1000; key++)
        assert_false(judge(&l, key).infrastructure);
    lab.config.handler.precision = 0;
    l = law();
    for (uint64_t key = 0; key < 1000; key++)
        assert_true(judge(&l, key).infrastructure);
}

static void nodes_are_named_by_chance(void **state)
{
    (void)state;
    lab.config.handler.recall = 1;
    lab.config.handler.node_right = 0.7;
    struct handler_law l = law();
    double hits[NODES] = {0}, all[NODES] = {0};
    for (uint64_t key = 0; key < FAILURES; key++)
        hits[judge(&l, key).node - 10]++;
    l.false_alarm = 1;
    lab.truth =
        (struct failure_truth){.kind = FAILURE_SCRIPT, .node = NODE_NONE};
    for (uint64_t key = 0; key < FAILURES; key++)
        all[judge(&l, key).node - 10]++;
    for (int i = 0; i < NODES; i++) {
        near(hits[i], FAILURES, (i == 3 ? 0.7 : 0) + 0.3 / NODES);
        near(all[i], FAILURES, 1.0 / NODES);
    }
}

static void the_law_does_not_tell_the_cause(void **state)
{
    (void)state;
    struct handler_verdict v;
    lab.config.handler.recall = 1;
    struct handler_law l = law();
    assert_string_equal(judge(&l, 1).told, "infrastructure");
    handler_judge_truly(&lab.failure, &v);
    assert_true(v.infrastructure);
    assert_int_equal(v.node, 13);
    assert_string_equal(v.told, "NVLink error");
    lab.truth.kind = FAILURE_SCRIPT;
    handler_judge_truly(&lab.failure, &v);
    assert_false(v.infrastructure);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        CASE(figures_of_table_4),
        CASE(recall_and_precision_are_met),
        CASE(what_is_found_at_a_recall_is_found_at_a_higher_one),
        CASE(without_recall_there_is_no_alarm),
        CASE(nodes_are_named_by_chance),
        CASE(the_law_does_not_tell_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
