/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests how the segments of an attempt are computed from its state at a few
 * times. */
#include "tests/support/test.h"

#include <math.h>

#include "schedmate/simulated/simulated_internal.h"

#define S SPAN_SECOND

static void expect_segment(const struct job_life *life, uint32_t i, sim_time at,
                           sim_span work, double speed)
{
    assert_true(i < life->n);
    assert_int_equal(life->segments[i].at, at);
    assert_int_equal(life->segments[i].work, work);
    assert_true(fabs(life->segments[i].speed - speed) < 1e-9);
}

static void a_life_begins_with_its_attempt(void **state)
{
    struct job_life life;
    (void)state;
    /* The job runs at half speed for 100 s, after 20 s of work in an earlier
     * attempt. */
    job_life_begin(&life, 2, 10 * S, 110 * S, 70 * S, 0.5);
    assert_int_equal(life.n, 1);
    expect_segment(&life, 0, 10 * S, 20 * S, 0.5);
}

static void a_late_start_is_a_wait(void **state)
{
    struct job_life life;
    (void)state;
    job_life_begin(&life, 1, 0, 100 * S, 30 * S, 1);
    assert_int_equal(life.n, 2);
    expect_segment(&life, 0, 0, 0, 0);
    expect_segment(&life, 1, 70 * S, 0, 1);
}

static void one_change_is_found(void **state)
{
    struct job_life life;
    (void)state;
    job_life_begin(&life, 1, 0, 10 * S, 10 * S, 1);
    /* From 30 s on, the job runs at half speed: 30 + 20 = 50 s of work at 70 s.
     */
    job_life_add(&life, 70 * S, 50 * S, 0.5);
    assert_int_equal(life.n, 2);
    expect_segment(&life, 1, 30 * S, 30 * S, 0.5);
    /* The speed does not change until 90 s. */
    job_life_add(&life, 90 * S, 60 * S, 0.5);
    assert_int_equal(life.n, 2);
    /* The speed changes at 100 s. */
    job_life_add(&life, 100 * S, 65 * S, 1);
    assert_int_equal(life.n, 3);
    expect_segment(&life, 2, 100 * S, 65 * S, 1);
}

static void changes_that_cannot_be_told_apart_are_a_mean(void **state)
{
    struct job_life life;
    (void)state;
    job_life_begin(&life, 1, 0, 10 * S, 10 * S, 1);
    /* The job is slow for a while, then fast again. */
    job_life_add(&life, 60 * S, 30 * S, 1);
    assert_int_equal(life.n, 2);
    expect_segment(&life, 0, 0, 0, 0.5);
    expect_segment(&life, 1, 60 * S, 30 * S, 1);
}

static void a_long_life_keeps_its_last_paces(void **state)
{
    struct job_life life;
    sim_span work = 0;
    (void)state;
    job_life_begin(&life, 1, 0, 0, 0, 1);
    for (int i = 1; i <= 20; i++) {
        work += (i % 2 ? 10 : 5) * S;
        job_life_add(&life, 10 * i * S, work, i % 2 ? 0.5 : 1);
    }
    assert_int_equal(life.n, JOB_LOG_SEGMENTS);
    expect_segment(&life, 0, 0, 0, 105.0 / 140);
    expect_segment(&life, JOB_LOG_SEGMENTS - 1, 200 * S, 150 * S, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_life_begins_with_its_attempt),
        cmocka_unit_test(a_late_start_is_a_wait),
        cmocka_unit_test(one_change_is_found),
        cmocka_unit_test(changes_that_cannot_be_told_apart_are_a_mean),
        cmocka_unit_test(a_long_life_keeps_its_last_paces),
    };
    return cmocka_run_group_tests_name("job_log", tests, NULL, NULL);
}
