/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the library from outside: the test is linked as any program is, and
 * uses only the functions of the public header. */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/schedsim.h"
#include "tests/support/test.h"

#define TRACE "traces/samples/native.csv"

static schedsim *open_with(const char *policy)
{
    schedsim *s = schedsim_open();
    assert_int_equal(schedsim_set(s, "trace", TRACE), SCHEDSIM_DONE);
    assert_int_equal(schedsim_set(s, "cluster", "16x8"), SCHEDSIM_DONE);
    assert_int_equal(schedsim_set(s, "jobs", "400"), SCHEDSIM_DONE);
    if (policy)
        assert_int_equal(schedsim_set(s, "policy", policy), SCHEDSIM_DONE);
    return s;
}

/* Checks that the columns about jobs are equal in two runs. The policies may
 * have different names, because no column names them. */
static void assert_equal_jobs(schedsim *a, schedsim *b)
{
    struct schedsim_column x, y;
    assert_true(schedsim_columns(a, "jobs") > 30);
    for (size_t i = 0; i < schedsim_columns(a, "jobs"); i++) {
        assert_int_equal(schedsim_column_at(a, "jobs", i, &x), SCHEDSIM_DONE);
        assert_int_equal(schedsim_column(b, "jobs", x.name, &y), SCHEDSIM_DONE);
        assert_int_equal(x.length, y.length);
        assert_int_equal(x.length, schedsim_jobs(a));
        assert_true(!x.numbers != !x.texts);
        for (size_t j = 0; j < x.length; j++) {
            if (x.texts)
                assert_string_equal(x.texts[j], y.texts[j]);
            else
                assert_true(x.numbers[j] == y.numbers[j] ||
                            (isnan(x.numbers[j]) && isnan(y.numbers[j])));
        }
    }
}

static double metric(schedsim *s, const char *path)
{
    double value;
    assert_int_equal(schedsim_metric(s, path, &value), SCHEDSIM_DONE);
    return value;
}

enum { ROOM = 4096 };

/* Decides for strict first in, first out, like policies/fifo.c. */
static void first_in_first_out(void *self, schedsim *s)
{
    struct schedsim_job *jobs = self;
    char blocked[64] = {0};
    size_t n = schedsim_waiting(s, jobs, ROOM);
    assert_in_range(n, 0, ROOM);
    for (size_t i = 0; i < n; i++) {
        assert_true(isnan(jobs[i].started));
        assert_true(jobs[i].submitted <= schedsim_now(s));
        int fits = schedsim_fits(s, jobs[i].job);
        assert_int_equal(schedsim_fits(s, jobs[i].job), fits);
        if (!blocked[jobs[i].vc]) {
            blocked[jobs[i].vc] = !schedsim_start(s, jobs[i].job);
            assert_int_equal(!fits, blocked[jobs[i].vc]);
        }
    }
}

/* Decides for shortest remaining time first: stops running jobs to start
 * shorter ones. */
static void shortest_first(void *self, schedsim *s)
{
    struct schedsim_job *waiting = self, *running = waiting + ROOM / 2;
    size_t n = schedsim_waiting(s, waiting, ROOM / 2);
    size_t m = schedsim_running(s, running, ROOM / 2);
    for (size_t i = 0; i < n; i++) {
        assert_true(waiting[i].remaining >= 0);
        for (size_t j = 0; j < m; j++) {
            if (waiting[i].remaining < running[j].remaining / 2 &&
                waiting[i].gpus <= running[j].gpus &&
                schedsim_stop(s, running[j].job))
                break;
        }
        schedsim_start(s, waiting[i].job);
    }
}

static void a_caller_that_decides_as_fifo_equals_fifo(void **state)
{
    (void)state;
    struct schedsim_job *jobs = calloc(ROOM, sizeof *jobs);
    schedsim *a = open_with("fifo"), *b = open_with(NULL);
    assert_int_equal(schedsim_run(a), SCHEDSIM_DONE);
    assert_int_equal(schedsim_decide_by(b, "mine", 0), SCHEDSIM_DONE);
    assert_int_equal(schedsim_run_by(b, first_in_first_out, jobs),
                     SCHEDSIM_DONE);
    assert_equal_jobs(a, b);
    assert_true(metric(a, "metrics.queue_delay_s.mean") > 0);
    assert_true(metric(a, "metrics.jct_s.mean") ==
                metric(b, "metrics.jct_s.mean"));
    schedsim_close(a);
    schedsim_close(b);
    free(jobs);
}

static void a_caller_may_stop_jobs(void **state)
{
    (void)state;
    struct schedsim_job *jobs = calloc(ROOM, sizeof *jobs);
    schedsim *s = open_with(NULL);
    assert_int_equal(schedsim_set(s, "estimators", "oracle"), SCHEDSIM_DONE);
    assert_int_equal(schedsim_decide_by(s, "mine", SCHEDSIM_PREEMPTS),
                     SCHEDSIM_DONE);
    assert_int_equal(schedsim_run_by(s, shortest_first, jobs), SCHEDSIM_DONE);
    struct schedsim_column stops;
    assert_int_equal(schedsim_column(s, "jobs", "preemptions", &stops),
                     SCHEDSIM_DONE);
    double sum = 0;
    for (size_t i = 0; i < stops.length; i++)
        sum += stops.numbers[i];
    assert_true(sum > 0);
    schedsim_close(s);
    free(jobs);
}

static void steps_change_nothing(void **state)
{
    (void)state;
    schedsim *a = open_with("srtf"), *b = open_with("srtf");
    int st, steps = 0;
    assert_int_equal(schedsim_run(a), SCHEDSIM_DONE);
    for (double t = 0; (st = schedsim_step(b, t)) == SCHEDSIM_MORE;
         t += 5000, steps++)
        assert_true(schedsim_now(b) <= t);
    assert_int_equal(st, SCHEDSIM_DONE);
    assert_in_range(steps, 10, 10000);
    assert_equal_jobs(a, b);
    assert_string_equal(schedsim_summary(a), schedsim_summary(b));
    schedsim_close(a);
    schedsim_close(b);
}

struct work {
    pthread_t thread;
    schedsim *s;
    int st;
};

static void *run_one(void *self)
{
    struct work *work = self;
    work->st = schedsim_run(work->s);
    return NULL;
}

static void handles_share_nothing(void **state)
{
    (void)state;
    struct work work[4];
    for (size_t i = 0; i < 4; i++) {
        work[i] = (struct work){.s = open_with(i % 2 ? "tiresias" : "srtf")};
        assert_int_equal(
            pthread_create(&work[i].thread, NULL, run_one, &work[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(work[i].thread, NULL);
        assert_int_equal(work[i].st, SCHEDSIM_DONE);
    }
    assert_equal_jobs(work[0].s, work[2].s);
    assert_equal_jobs(work[1].s, work[3].s);
    for (size_t i = 0; i < 4; i++)
        schedsim_close(work[i].s);
}

static void errors_are_texts(void **state)
{
    (void)state;
    struct schedsim_column column;
    double value;
    schedsim *s = open_with(NULL);
    assert_string_equal(schedsim_error(s), "");
    assert_int_equal(schedsim_set(s, "polcy", "fifo"), SCHEDSIM_USAGE);
    assert_non_null(strstr(schedsim_error(s), "did you mean 'policy'"));
    assert_int_equal(schedsim_set(s, "seed", "x"), SCHEDSIM_USAGE);
    assert_int_equal(schedsim_set(s, "series_interval", "1e-9"),
                     SCHEDSIM_USAGE);
    assert_int_equal(schedsim_set(s, "series_interval", "1e300"),
                     SCHEDSIM_USAGE);
    assert_int_equal(schedsim_column(s, "jobs", "vc", &column), SCHEDSIM_USAGE);
    assert_non_null(strstr(schedsim_error(s), "has not ended"));
    assert_null(schedsim_summary(s));
    assert_int_equal(schedsim_start(s, 0), 0);
    assert_int_equal(schedsim_run_by(s, first_in_first_out, NULL),
                     SCHEDSIM_USAGE);
    assert_int_equal(schedsim_run(s), SCHEDSIM_DONE);
    assert_int_equal(schedsim_set(s, "seed", "1"), SCHEDSIM_USAGE);
    assert_int_equal(schedsim_column(s, "jbs", "vc", &column), SCHEDSIM_USAGE);
    assert_int_equal(schedsim_column(s, "jobs", "vcs", &column),
                     SCHEDSIM_USAGE);
    assert_non_null(strstr(schedsim_error(s), "did you mean 'vc'"));
    assert_int_equal(schedsim_metric(s, "metrics.jct", &value), SCHEDSIM_USAGE);
    schedsim_close(s);

    s = schedsim_open();
    assert_int_equal(schedsim_run(s), SCHEDSIM_USAGE);
    assert_non_null(strstr(schedsim_error(s), "trace is missing"));
    schedsim_close(s);
    s = schedsim_open();
    assert_int_equal(schedsim_set(s, "trace", "absent.csv"), SCHEDSIM_DONE);
    assert_int_equal(schedsim_run(s), SCHEDSIM_BAD_INPUT);
    assert_non_null(strstr(schedsim_error(s), "absent.csv"));
    assert_int_equal(schedsim_run(s), SCHEDSIM_BAD_INPUT); /* the error stays */
    assert_int_equal(schedsim_column(s, "jobs", "vc", &column),
                     SCHEDSIM_BAD_INPUT);
    assert_int_equal(schedsim_set(s, "seed", "1"), SCHEDSIM_BAD_INPUT);
    assert_non_null(strstr(schedsim_error(s), "absent.csv"));
    schedsim_close(s);
    schedsim_close(NULL);
}

/* A policy that never starts a job leaves all jobs unfinished, and closing with
 * an open question leaks no memory. */
static void a_caller_that_does_nothing_comes_to_an_end(void **state)
{
    (void)state;
    schedsim *s = open_with(NULL);
    int st;
    size_t asked = 0;
    assert_int_equal(schedsim_decide_by(s, "idle", 0), SCHEDSIM_DONE);
    while ((st = schedsim_step(s, INFINITY)) == SCHEDSIM_ASKED)
        asked++;
    assert_int_equal(st, SCHEDSIM_INCOMPLETE);
    assert_true(asked > 0 && asked <= schedsim_jobs(s));
    schedsim_close(s);

    s = open_with(NULL);
    assert_int_equal(schedsim_decide_by(s, "idle", 0), SCHEDSIM_DONE);
    assert_int_equal(schedsim_step(s, INFINITY), SCHEDSIM_ASKED);
    assert_int_equal(schedsim_stop(s, 0), 0); /* job 0 does not run */
    assert_int_equal(schedsim_start(s, UINT32_MAX), 0);
    assert_int_equal(schedsim_wake(s, schedsim_now(s)), 0);
    assert_int_equal(schedsim_wake(s, NAN), 0);
    assert_int_equal(schedsim_wake(s, -INFINITY), 0);
    assert_int_equal(schedsim_wake(s, 1e300), 0);
    assert_int_equal(schedsim_wake(s, schedsim_now(s) + 1), 1);
    schedsim_close(s);
}

/* A program whose locale has a decimal comma gets the same numbers. */
static void the_locale_of_the_caller_does_not_matter(void **state)
{
    (void)state;
    schedsim *a = open_with("srtf"), *b = open_with("srtf");
    assert_int_equal(schedsim_run(a), SCHEDSIM_DONE);
    const char *had = setlocale(LC_NUMERIC, "de_DE.UTF-8");
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_int_equal(schedsim_run(b), SCHEDSIM_DONE);
    assert_string_equal(schedsim_summary(a), schedsim_summary(b));
    assert_equal_jobs(a, b);
    char after[16];
    snprintf(after, sizeof after, "%.1f", 0.5);
    assert_string_equal(text, after); /* the library has not changed the
                                       * locale */
    if (had)
        assert_string_equal(text, "0,5");
    setlocale(LC_NUMERIC, "C");
    schedsim_close(a);
    schedsim_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_caller_that_decides_as_fifo_equals_fifo),
        cmocka_unit_test(a_caller_may_stop_jobs),
        cmocka_unit_test(steps_change_nothing),
        cmocka_unit_test(handles_share_nothing),
        cmocka_unit_test(errors_are_texts),
        cmocka_unit_test(a_caller_that_does_nothing_comes_to_an_end),
        cmocka_unit_test(the_locale_of_the_caller_does_not_matter),
    };
    assert_int_equal(schedsim_abi(), SCHEDSIM_ABI);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
