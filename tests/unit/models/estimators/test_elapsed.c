/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the time that jobs have run, less the time whose work was lost. */
#include "tests/support/test.h"

#include "models/estimators/elapsed.h"

struct bench {
    struct elapsed elapsed;
    struct arena arena;
    struct job job;
};

static void setup(struct bench *b)
{
    *b = (struct bench){.job = {.state = JOB_PENDING}};
    arena_init(&b->arena);
    const struct run_env env = {.n_jobs = 1, .arena = &b->arena};
    elapsed_init(&b->elapsed, &env);
}

static void start(struct bench *b, double at)
{
    b->job.state = JOB_RUNNING;
    elapsed_observe(&b->elapsed, &(struct event){.at = span_from_seconds(at),
                                                 .kind = EVENT_STARTED,
                                                 .job = &b->job});
}

static void end(struct bench *b, enum event_kind kind, double at, double lost,
                bool from_start)
{
    b->job.state = kind == EVENT_FINISHED ? JOB_FINISHED : JOB_PENDING;
    elapsed_observe(&b->elapsed,
                    &(struct event){.at = span_from_seconds(at),
                                    .kind = kind,
                                    .job = &b->job,
                                    .lost = span_from_seconds(lost),
                                    .from_start = from_start});
}

static double ran(const struct bench *b, double now)
{
    return span_seconds(
        elapsed_of(&b->elapsed, &b->job, span_from_seconds(now)));
}

static void a_stop_without_loss_counts(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b, 10);
    assert_true(ran(&b, 15) == 5);
    end(&b, EVENT_STOPPED, 30, 0, false);
    assert_true(ran(&b, 99) == 20);
    start(&b, 100);
    assert_true(ran(&b, 104) == 24);
    arena_fini(&b.arena);
}

static void work_since_the_checkpoint_does_not_count(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b, 0);
    end(&b, EVENT_FAILED, 25, 10, false);
    assert_true(ran(&b, 99) == 15);
    start(&b, 100);
    end(&b, EVENT_FINISHED, 120, 0, false);
    assert_true(ran(&b, 999) == 35);
    arena_fini(&b.arena);
}

/* The job ran for 40 s at half speed and lost all its work, which is 20 s. All
 * 40 s must be subtracted, not only the lost 20 s. */
static void from_the_start_nothing_counts(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b, 0);
    end(&b, EVENT_STOPPED, 40, 20, true);
    assert_true(ran(&b, 99) == 0);
    start(&b, 100);
    assert_true(ran(&b, 103) == 3);
    arena_fini(&b.arena);
}

/* An attempt that fails may lose work of earlier attempts, too. */
static void no_more_is_lost_than_was_run(void **state)
{
    (void)state;
    struct bench b;
    setup(&b);
    start(&b, 0);
    end(&b, EVENT_PROFILED, 10, 0, false);
    start(&b, 20);
    end(&b, EVENT_FAILED, 25, 40, false);
    assert_true(ran(&b, 99) == 0);
    arena_fini(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_without_loss_counts),
        cmocka_unit_test(work_since_the_checkpoint_does_not_count),
        cmocka_unit_test(from_the_start_nothing_counts),
        cmocka_unit_test(no_more_is_lost_than_was_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
