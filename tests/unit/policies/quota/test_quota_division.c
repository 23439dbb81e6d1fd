/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares fair shares with values computed by hand, and with the named cases
 * of KAI-Scheduler (../shared/golden/kueue), which are skipped if they are
 * absent. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "policies/quota/quota_division.h"

enum { DIVISION_QUEUES = 32 };

static double kai_number(const json_t *object, const char *key, double none)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : none;
}

static const char *kai_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static int kai_compare_names(const void *a, const void *b)
{
    return strcmp(kai_text(*(const json_t *const *)a, "name"),
                  kai_text(*(const json_t *const *)b, "name"));
}

/* Returns the index of a queue in the case, by name; DIVISION_ROOT for NULL. */
static uint32_t kai_find(const json_t *const *items, size_t n, const char *name)
{
    if (!name)
        return DIVISION_ROOT;
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(kai_text(items[i], "name"), name) == 0)
            return i;
    }
    fail_msg("no queue '%s'", name);
    return 0;
}

/* Orders the queues by name, or each after its parent as in the file. */
static size_t kai_read_queues(const json_t *row, const json_t **items,
                              struct division_queue *queues, bool by_name)
{
    const json_t *list = json_object_get(row, "queues");
    size_t n = json_array_size(list);
    assert_true(n <= DIVISION_QUEUES);
    for (size_t i = 0; i < n; i++)
        items[i] = json_array_get(list, i);
    if (by_name)
        qsort(items, n, sizeof *items, kai_compare_names);
    for (size_t i = 0; i < n; i++)
        queues[i] = (struct division_queue){
            .parent = kai_find(items, n, kai_text(items[i], "parent")),
            .deserved = kai_number(items[i], "deserved", 0),
            .request = kai_number(items[i], "request", 0),
            .most = kai_number(items[i], "max_allowed", INFINITY),
            .weight = kai_number(items[i], "weight", 0),
            .usage = kai_number(items[i], "usage", 0),
            .priority = (int32_t)kai_number(items[i], "priority", 0),
            .created = (int64_t)kai_number(items[i], "created_order", 0),
            .share = kai_number(items[i], "fair_share_start", 0),
        };
    return n;
}

static bool kai_differs(double got, double expected)
{
    return fabs(got - expected) > 1e-9;
}

/* Returns the number of amounts that differ from those of the case, and prints
 * each. */
static size_t kai_shares(const json_t *row)
{
    const json_t *items[DIVISION_QUEUES];
    struct division_queue queues[DIVISION_QUEUES];
    const json_t *expected = json_object_get(row, "expected");
    const char *phase = kai_text(row, "phase");
    bool tree = strcmp(kai_text(row, "kind"), "fair_share_tree") == 0;
    size_t n = kai_read_queues(row, items, queues, !tree), wrong = 0;
    double total = kai_number(row, "total", 0);
    double k = kai_number(row, "k_value", 0), left;
    if (tree) {
        division_split_tree(queues, (uint32_t)n, total, k);
        left = NAN;
    } else if (strcmp(phase, "over_quota") == 0) {
        left =
            division_split_rest(queues, (uint32_t)n, DIVISION_ROOT, total, k);
    } else {
        left = division_split(queues, (uint32_t)n, DIVISION_ROOT, total, k);
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = kai_text(items[i], "name");
        double want =
            kai_number(json_object_get(expected, "fair_share"), name, NAN);
        if (isnan(want) || !kai_differs(queues[i].share, want))
            continue;
        wrong++;
        print_message("%s | share of %s: expected %g | got %g\n",
                      kai_text(row, "case"), name, want, queues[i].share);
    }
    double want = kai_number(expected, "remaining", NAN);
    if (!isnan(want) && kai_differs(left, want)) {
        wrong++;
        print_message("%s | left: expected %g | got %g\n",
                      kai_text(row, "case"), want, left);
    }
    return wrong;
}

/* Compares usage over time: amounts, or parts of a capacity. */
static size_t kai_usage(const json_t *row)
{
    double half_life_s = kai_number(row, "half_life_s", 0);
    double capacity = kai_number(row, "capacity", 1);
    double whole = kai_number(row, "window_s", 1) * capacity, used = 0;
    const json_t *expected = json_object_get(row, "expected"), *item;
    size_t i;
    json_array_foreach(json_object_get(row, "usage"), i, item) used +=
        kai_number(item, "gpus", 0) * kai_number(item, "seconds", 0) *
        division_decay(half_life_s, kai_number(item, "age_s", 0));
    const json_t *parts = json_object_get(expected, "normalised_usage");
    if (!parts)
        parts = json_object_get(expected, "decayed_gpu_seconds");
    double want = kai_number(parts, "q", NAN);
    if (!kai_differs(used / whole, want))
        return 0;
    print_message("%s | expected %g | got %g\n", kai_text(row, "case"), want,
                  used / whole);
    return 1;
}

static void the_cases_of_kai_come_out_equal(void **state)
{
    const char *shared = getenv("SCHEDSIM_SHARED");
    size_t n = 0, wrong = 0, left_out = 0, cap = 0;
    char path[512], *line = NULL;
    (void)state;
    snprintf(path, sizeof path, "%s/golden/kueue/kai_cases.jsonl",
             shared ? shared : "../shared");
    FILE *file = fopen(path, "r");
    if (!file) {
        print_message("skipped: ../shared not present\n");
        skip();
    }
    while (getline(&line, &cap, file) > 0) {
        json_t *row = json_loads(line, 0, NULL);
        const char *kind = kai_text(row, "kind");
        bool series = strcmp(kind, "time_series") == 0;
        left_out += series; /* no numbers are published for them */
        n += !series;
        if (!series)
            wrong +=
                (strcmp(kind, "usage") == 0 ? kai_usage : kai_shares)(row) > 0;
        json_decref(row);
    }
    free(line);
    fclose(file);
    print_message("%zu cases, %zu equal; %zu series have no numbers\n", n,
                  n - wrong, left_out);
    assert_true(n > 0);
    assert_int_equal(wrong, 0);
}

static void check_shares(const struct division_queue *queues, size_t n,
                         const double *shares)
{
    for (size_t i = 0; i < n; i++)
        assert_false(kai_differs(queues[i].share, shares[i]));
}

static void the_rest_goes_by_weight_then_by_fraction(void **state)
{
    /* 10 units. Each gets the 2 that it deserves; the 4 left are offered as
     * 1, 1 and 2; c asks for 1 and leaves 1: offered as 0.5 and 0.5, of which
     * the older b gets the unit. */
    struct division_queue q[] = {
        {.parent = DIVISION_ROOT,
         .deserved = 2,
         .request = 9,
         .most = INFINITY,
         .weight = 1,
         .created = 2},
        {.parent = DIVISION_ROOT,
         .deserved = 2,
         .request = 9,
         .most = INFINITY,
         .weight = 1,
         .created = 1},
        {.parent = DIVISION_ROOT,
         .deserved = 2,
         .request = 3,
         .most = INFINITY,
         .weight = 2,
         .created = 3},
    };
    (void)state;
    assert_true(division_split(q, 3, DIVISION_ROOT, 10, 0) <= 0);
    check_shares(q, 3, (const double[]){3, 4, 3});
}

static void what_is_deserved_is_given_beyond_the_total(void **state)
{
    struct division_queue q[] = {
        {.parent = DIVISION_ROOT,
         .deserved = 4,
         .request = 9,
         .most = 3,
         .weight = 1},
        {.parent = DIVISION_ROOT,
         .deserved = 4,
         .request = 9,
         .most = INFINITY,
         .weight = 1},
    };
    (void)state;
    assert_true(division_split(q, 2, DIVISION_ROOT, 5, 0) <= 0);
    check_shares(q, 2, (const double[]){3, 4}); /* it may have no more */
}

static void higher_priority_takes_the_rest_first(void **state)
{
    struct division_queue q[] = {
        {.parent = DIVISION_ROOT,
         .deserved = 1,
         .request = 9,
         .most = INFINITY,
         .weight = 1},
        {.parent = DIVISION_ROOT,
         .deserved = 1,
         .request = 5,
         .most = INFINITY,
         .weight = 1,
         .priority = 7},
    };
    (void)state;
    assert_true(division_split(q, 2, DIVISION_ROOT, 8, 0) <= 0);
    check_shares(q, 2, (const double[]){3, 5});
}

static void past_usage_lowers_the_part(void **state)
{
    /* W = 1/2 each, k = 1: P = 1/2 + 1/2 - 3/4 = 1/4 and 1/2 + 1/2 - 1/4. */
    struct division_queue q[] = {
        {.parent = DIVISION_ROOT,
         .request = 99,
         .most = INFINITY,
         .weight = 1,
         .usage = 0.75},
        {.parent = DIVISION_ROOT,
         .request = 99,
         .most = INFINITY,
         .weight = 1,
         .usage = 0.25},
    };
    (void)state;
    assert_true(division_split(q, 2, DIVISION_ROOT, 16, 1) <= 0);
    check_shares(q, 2, (const double[]){4, 12});
}

static void children_divide_the_share_of_their_parent(void **state)
{
    struct division_queue q[] = {
        {.parent = DIVISION_ROOT,
         .deserved = 4,
         .request = 9,
         .most = INFINITY,
         .weight = 1},
        {.parent = DIVISION_ROOT,
         .deserved = 2,
         .request = 1,
         .most = INFINITY,
         .weight = 1},
        {.parent = 0,
         .deserved = 3,
         .request = 3,
         .most = INFINITY,
         .weight = 1},
        {.parent = 0, .deserved = 1, .request = 6, .most = 2, .weight = 1},
    };
    (void)state;
    division_split_tree(q, 4, 8, 0);
    check_shares(q, 4, (const double[]){7, 1, 3, 2});
}

static void usage_halves_with_each_half_life(void **state)
{
    (void)state;
    assert_true(fabs(division_decay(3600, 3600) - 0.5) < 1e-15);
    assert_true(fabs(division_decay(3600, 7200) - 0.25) < 1e-15);
    assert_true(fabs(division_decay(0, 1e9) - 1) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cases_of_kai_come_out_equal),
        cmocka_unit_test(the_rest_goes_by_weight_then_by_fraction),
        cmocka_unit_test(what_is_deserved_is_given_beyond_the_total),
        cmocka_unit_test(higher_priority_takes_the_rest_first),
        cmocka_unit_test(past_usage_lowers_the_part),
        cmocka_unit_test(children_divide_the_share_of_their_parent),
        cmocka_unit_test(usage_halves_with_each_half_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
