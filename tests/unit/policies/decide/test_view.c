/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests what view.h computes itself: starts, rounds, settled demand. */
#include "tests/support/test.h"

#include "models/estimators/estimator.h"
#include "models/forecasts/forecast.h"
#include "tests/support/plan_fixture.h"

static void a_job_is_starting_until_it_is_ready(void **state)
{
    struct plan_fixture *f = *state;
    assert_false(view_is_starting(&f->view, &f->jobs[0]));
    plan_fixture_run(f, 0, 0, 0x3);
    board_allocation(&f->board, &f->jobs[0])->ready = f->board.now + 1;
    assert_true(view_is_starting(&f->view, &f->jobs[0]));
    f->board.now++;
    assert_false(view_is_starting(&f->view, &f->jobs[0]));
}

/* Rounds are whole multiples of their length since 1970, also before it. */
static void rounds_are_counted_from_1970(void **state)
{
    struct plan_fixture *f = *state;
    static const struct {
        sim_time zero, now, next;
    } rows[] = {{0, 100, 120},   {0, 120, 150},    {7, 100, 113},
                {-7, 100, 127},  {-200, 100, 110}, {-220, 100, 130},
                {-200, 110, 140}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f->view.zero = rows[i].zero;
        f->board.now = rows[i].now;
        assert_int_equal(view_next_round(&f->view, 30), rows[i].next);
        assert_int_equal(view_is_round(&f->view, 30),
                         (rows[i].now + rows[i].zero) % 30 == 0);
    }
}

static bool assumes_job_0(void *self, const struct estimator *below,
                          const struct job *job, struct demand *out)
{
    (void)self, (void)below;
    *out = (struct demand){.compute = 0.5, .assumed = true};
    return job->id == 0;
}

static bool knows_job_1(void *self, const struct estimator *below,
                        const struct job *job, struct demand *out)
{
    (void)self, (void)below;
    *out = (struct demand){.compute = 0.5};
    return job->id == 1;
}

static void a_demand_is_settled_if_nothing_better_may_come(void **state)
{
    struct plan_fixture *f = *state;
    static const struct estimator_ops assumes = {.demand = assumes_job_0},
                                      silent = {.name = "silent"},
                                      knows = {.demand = knows_job_1},
                                      measures = {.basis = BASIS_PROFILED,
                                                  .demand = knows_job_1};
    struct estimator bottom = {.ops = &assumes};
    struct estimator middle = {.ops = &silent, .below = &bottom};
    struct estimator top = {.ops = &knows, .below = &middle};
    f->view.estimator = &top;
    assert_true(view_demand_settled(&f->view, &f->jobs[0]));
    assert_true(view_demand_settled(&f->view, &f->jobs[1]));
    assert_false(view_demand_settled(&f->view, &f->jobs[2]));
    top.ops = &measures; /* it may still measure job 0 */
    assert_false(view_demand_settled(&f->view, &f->jobs[0]));
    assert_true(view_demand_settled(&f->view, &f->jobs[1]));
}

static void there_is_no_outlook_without_a_forecast(void **state)
{
    struct plan_fixture *f = *state;
    struct forecast forecast = {0};
    struct outlook out;
    assert_false(view_outlook(&f->view, 5, &out));
    assert_true(out.until == TIME_NEVER);
    f->view.forecast = &forecast;
    assert_false(view_outlook(&f->view, 5, &out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(a_job_is_starting_until_it_is_ready),
        PLAN_TEST(rounds_are_counted_from_1970),
        PLAN_TEST(a_demand_is_settled_if_nothing_better_may_come),
        PLAN_TEST(there_is_no_outlook_without_a_forecast),
    };
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
