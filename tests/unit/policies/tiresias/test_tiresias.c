/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests Tiresias' queue limits under the rule `auto`: percentiles (by nearest
 * rank) of the service that ended jobs attained. */
#include <stdlib.h>

#include "policies/tiresias/tiresias.h"
#include "tests/support/test.h"

static struct tiresias made(const struct tiresias_config *config)
{
    static struct error err;
    struct tiresias t = {.config = config};
    const struct run_env env = {0};
    assert_int_equal(tiresias_limits_init(&t, &env, &err), STATUS_OK);
    return t;
}

static void ended(struct tiresias *t, size_t n, const int64_t *seconds)
{
    t->ended = mem_grow(t->ended, &t->cap_ended, n, sizeof *t->ended);
    for (size_t i = 0; i < n; i++)
        t->ended[i] = seconds[i] * SPAN_SECOND;
    t->n_ended = n;
}

static const struct tiresias_config config = {.queues = "auto",
                                              .auto_start = "3/9",
                                              .quantiles = "0.5/0.9",
                                              .auto_of = AUTO_OF_JOBS,
                                              .auto_least = 10};

static void limits_are_nearest_ranks(void **state)
{
    (void)state;
    struct tiresias t = made(&config);
    assert_false(tiresias_limits_follow(&t)); /* no job has ended yet */
    assert_int_equal(t.limits[0], 3 * SPAN_SECOND);
    ended(&t, 9, (int64_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9});
    assert_false(tiresias_limits_follow(&t));
    ended(&t, 10, (int64_t[]){10, 1, 9, 2, 8, 3, 7, 4, 6, 5});
    assert_true(tiresias_limits_follow(&t));
    assert_int_equal(t.n_limits, 2);
    assert_int_equal(t.limits[0], 5 * SPAN_SECOND); /* rank 5 of 10 */
    assert_int_equal(t.limits[1], 9 * SPAN_SECOND);
    assert_int_equal(t.limits[2], TIME_NEVER);
    assert_int_equal(t.follow_at, 12); /* 10 + 10 / 8 + 1 */
    assert_int_equal(tiresias_queue_of(&t, 5 * SPAN_SECOND - 1), 0);
    assert_int_equal(tiresias_queue_of(&t, 5 * SPAN_SECOND), 1);
    assert_int_equal(tiresias_queue_of(&t, 9 * SPAN_SECOND), 2);
    free(t.ended);
}

/* The jobs of 2 s or less attained 10 s of 30 s in total, the job of 20 s the
 * other 20 s. */
static void limits_split_the_service(void **state)
{
    (void)state;
    static const struct tiresias_config thirds = {
        .queues = "auto", .auto_start = "", .quantiles = "0.333/0.334"};
    struct tiresias t = made(&thirds);
    ended(&t, 7, (int64_t[]){2, 1, 20, 2, 2, 1, 2});
    assert_true(tiresias_limits_follow(&t));
    assert_int_equal(t.n_limits, 2);
    assert_int_equal(t.limits[0], 2 * SPAN_SECOND);
    assert_int_equal(t.limits[1], 20 * SPAN_SECOND);
    free(t.ended);
}

/* Equal quantiles become one limit. A quantile of 0 is not a limit. */
static void limits_ascend(void **state)
{
    (void)state;
    struct tiresias t = made(&config);
    ended(&t, 10, (int64_t[]){0, 0, 0, 0, 0, 4, 4, 4, 4, 4});
    assert_true(tiresias_limits_follow(&t));
    assert_int_equal(t.n_limits, 1);
    assert_int_equal(t.limits[0], 4 * SPAN_SECOND);
    assert_int_equal(t.limits[1], TIME_NEVER);
    free(t.ended);
}

/* Jobs that ended before the run set the limits before the first decision. */
static void limits_follow_the_past(void **state)
{
    (void)state;
    static const struct tiresias_config by_jobs = {.queues = "auto",
                                                   .auto_start = "3",
                                                   .quantiles = "0.5",
                                                   .auto_of = AUTO_OF_JOBS,
                                                   .auto_least = 2};
    const struct past_job past[] = {
        {.job.gpus = 4, .ran = 10 * SPAN_SECOND},
        {.job.gpus = 1, .ran = 90 * SPAN_SECOND},
    };
    const struct run_env env = {.past = past, .n_past = 2};
    struct tiresias t = {.config = &by_jobs};
    struct error err;
    assert_int_equal(tiresias_limits_init(&t, &env, &err), STATUS_OK);
    assert_int_equal(t.limits[0], 3 * SPAN_SECOND);
    assert_true(tiresias_limits_follow(&t));
    assert_int_equal(t.limits[0], 40 * SPAN_SECOND); /* 10 s on 4 GPUs */
    free(t.ended);
}

static void bad_lists_are_refused(void **state)
{
    (void)state;
    static const struct tiresias_config bad[] = {
        {.queues = "atuo"},
        {.queues = "9/3"},
        {.queues = "auto", .quantiles = "0.5", .auto_start = "x"},
        {.queues = "auto", .quantiles = "0.9/0.5", .auto_start = ""},
        {.queues = "auto", .quantiles = "1", .auto_start = ""},
        {.queues = "auto", .quantiles = "0", .auto_start = ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = {0};
        struct tiresias t = {.config = &bad[i]};
        const struct run_env env = {0};
        assert_int_equal(tiresias_limits_init(&t, &env, &err), STATUS_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_nearest_ranks),
        cmocka_unit_test(limits_split_the_service),
        cmocka_unit_test(limits_ascend),
        cmocka_unit_test(limits_follow_the_past),
        cmocka_unit_test(bad_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
