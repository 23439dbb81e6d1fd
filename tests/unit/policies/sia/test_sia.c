/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares Sia's restart factor and costs with values computed by hand, and
 * with all jobs in the rounds recorded from Sia's simulator. The comparison
 * with the rounds is skipped if the records are absent. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "policies/sia/sia_internal.h"

static void a_restart_costs_the_young_most(void **state)
{
    (void)state;
    /* The age of the job is 100 s, and a restart takes 30 s. With a restart,
     * the job would have worked for 100 s in 130 s. */
    assert_true(fabs(sia_restart_factor(100, 100, 0, 30) - 100.0 / 130) <
                1e-12);
    assert_true(fabs(sia_restart_factor(100, 100, 2, 30) - 40.0 / 130) < 1e-12);
    /* A job that is younger than the duration of a restart has the factor 1. */
    assert_true(fabs(sia_restart_factor(29, 29, 0, 30) - 1) < 1e-12);
    /* The restarts took longer than the age of the job, which gives 0. */
    assert_true(fabs(sia_restart_factor(100, 100, 4, 30) - 0) < 1e-12);
    assert_true(fabs(sia_restart_factor(0, 0, 0, 0) - 1) < 1e-12);
}

static void costs_are_hundredths(void **state)
{
    (void)state;
    assert_int_equal(sia_cost(1, -0.5), 100);
    assert_int_equal(sia_cost(4, -0.5), 50);
    assert_int_equal(sia_cost(2, -0.5), 71); /* 70.71 */
    assert_int_equal(sia_cost(1e-4, -0.5), 10000);
    assert_int_equal(sia_cost(0, -0.5), 300000);
    assert_int_equal(sia_cost(1e-12, -0.5), 300000);
    assert_int_equal(sia_cost(2, -1), 50);
}

/* Returns the duration of a restart that Sia's policy assumes, seconds. */
static double penalty_of(const char *application)
{
    static const struct {
        const char *name;
        double penalty;
    } all[] = {{"bert", 120},
               {"cifar10", 30},
               {"deepspeech2", 25},
               {"imagenet", 250},
               {"yolov3", 45}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, application) == 0)
            return all[i].penalty;
    }
    fail_msg("no application %s", application);
    return 0;
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Returns the number of costs that differ by more than a hundredth, plus 1 if
 * the restart factor differs. Smaller differences of costs come from the
 * rounding of the recorded utilities. */
static size_t wrong_costs(const json_t *job)
{
    const char *app = json_string_value(json_object_get(job, "application"));
    const json_t *current = json_object_get(job, "current_config"), *value;
    double age = number(job, "age_s");
    double factor =
        sia_restart_factor(age, age, number(job, "restarts"), penalty_of(app));
    size_t i, wrong = fabs(factor - number(job, "restart_factor")) > 1e-9;
    if (json_is_null(current))
        /* without GPUs a job loses nothing, although a factor is recorded */
        factor = 1;
    json_array_foreach(json_object_get(job, "utility"), i, value)
    {
        double utility = fmax(json_number_value(value), 1e-4);
        bool stays = json_is_integer(current) &&
                     (size_t)json_integer_value(current) == i;
        double cost =
            json_number_value(json_array_get(json_object_get(job, "cost"), i));
        int32_t ours = sia_cost(stays ? utility : utility * factor, -0.5);
        wrong += fabs(ours - 100 * cost) > 1.001;
    }
    return wrong;
}

static void check_recorded(const char *name)
{
    const char *shared = getenv("SCHEDSIM_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/golden/sia/%s",
             shared ? shared : "../shared", name);
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *round, *job;
    size_t i, k, n = 0, wrong = 0;
    if (!root) {
        print_message("skipped: ../shared not present\n");
        skip();
    }
    json_array_foreach(json_object_get(root, "rounds"), i, round)
    {
        json_array_foreach(json_object_get(round, "jobs"), k, job)
        {
            wrong += wrong_costs(job);
            n++;
        }
    }
    json_decref(root);
    assert_true(n > 30);
    assert_int_equal(wrong, 0);
}

static void recorded_costs_of_philly(void **state)
{
    (void)state;
    check_recorded("decisions-philly-1.json");
}

static void recorded_costs_of_saturn(void **state)
{
    (void)state;
    check_recorded("decisions-saturn-1.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_costs_the_young_most),
        cmocka_unit_test(costs_are_hundredths),
        cmocka_unit_test(recorded_costs_of_philly),
        cmocka_unit_test(recorded_costs_of_saturn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
