/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests jobs that share a GPU, run by the whole engine with a scripted policy
 * on one GPU. Sharing halves the rate of each job exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/run/run_internal.h"
#include "tests/support/lab.h"
#include "traces/trace.h"

enum what { START, SHARE, STOP, END };

/* An action of the policy at second `at`. SHARE starts `job` on the GPU of
 * `resident`. The actions are done in the order of the script. */
struct step {
    int at;
    enum what what;
    job_id job, resident;
};

struct scripted {
    const struct step *next;
};

static enum status scripted_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    (void)env;
    (void)err;
    ((struct scripted *)self)->next = config;
    return STATUS_OK;
}

static void scripted_decide(void *self, const struct view *view,
                            struct plan *plan)
{
    struct scripted *s = self;
    for (; s->next->what != END &&
           span_from_seconds(s->next->at) == view_now(view);
         s->next++) {
        const struct job *job = view_job(view, s->next->job);
        if (s->next->what == START)
            assert_true(plan_start(plan, job));
        else if (s->next->what == STOP)
            plan_stop(plan, job);
        else
            assert_true(
                plan_share(plan, job, view_job(view, s->next->resident)));
    }
    if (s->next->what != END)
        plan_wake_at(plan, span_from_seconds(s->next->at));
}

static const struct policy_ops scripted = {
    .name = "scripted",
    .state_size = sizeof(struct scripted),
    .needs = POLICY_SHARES,
    .init = scripted_init,
    .decide = scripted_decide,
};

static int setup(void **state)
{
    struct lab *lab = lab_new();
    *state = lab;
    if (!lab)
        return 1;
    lab->groups[lab->n_groups++] = (struct lab_group){.count = 1,
                                                      .gpus = 1,
                                                      .vc = "default",
                                                      .type = "gpu",
                                                      .speed = 1,
                                                      .mem_mib = 100};
    return 0;
}

static int teardown(void **state)
{
    lab_free(*state);
    return 0;
}

/* Adds a job on one GPU that is submitted at 0 and runs for this many
 * seconds. */
static void add_job(struct lab *lab, int runs)
{
    lab->jobs[lab->n_jobs++] = (struct lab_job){
        .end = "completed", .gpus = 1, .runs = span_from_seconds(runs)};
}

static struct run *play(struct lab *lab, const struct step *script)
{
    struct error err = {0};
    struct run *run;
    struct run_config config = {
        .policy = "horus",
        .overhead = "none",
        .interference = "constant:slowdown=2",
    };
    assert_int_equal(lab_write(lab, &err), STATUS_OK);
    assert_int_equal(lab_prepare(lab, config, &run, &err), STATUS_OK);
    run->parts.policy.ops = &scripted;
    run->parts.policy.config = script;
    enum status st = run_execute(run, &err);
    if (st != STATUS_OK)
        fail_msg("%s", err.message);
    return run;
}

/* Checks that the job has one attempt, from second `start` to second `end`. */
static void expect_one(struct run *run, job_id job, int start, int end)
{
    const struct attempt *a;
    assert_int_equal(lab_attempts(&run_result(run)->ledger, job, &a, 1), 1);
    assert_int_equal(a->start, span_from_seconds(start));
    assert_int_equal(a->end, span_from_seconds(end));
}

static void the_resident_ends_first(void **state)
{
    struct lab *lab = *state;
    static const struct step script[] = {
        {0, START, 0, 0}, {0, SHARE, 1, 0}, {.what = END}};
    add_job(lab, 100);
    add_job(lab, 250);
    struct run *run = play(lab, script);
    expect_one(run, 0, 0, 200);
    expect_one(run, 1, 0, 350); /* 100 s of work are done at 200 s, and the
                                 * rate is then 1 */
    run_free(run);
}

static void the_newcomer_ends_first(void **state)
{
    struct lab *lab = *state;
    static const struct step script[] = {
        {0, START, 0, 0}, {30, SHARE, 1, 0}, {.what = END}};
    add_job(lab, 100);
    add_job(lab, 20);
    struct run *run = play(lab, script);
    expect_one(run, 1, 30, 70);
    /* 50 s of work are done at 70 s, and the rate is then 1 */
    expect_one(run, 0, 0, 120);
    run_free(run);
}

static void companions_change_places(void **state)
{
    struct lab *lab = *state;
    static const struct step script[] = {
        {0, START, 0, 0}, {0, SHARE, 1, 0}, {40, SHARE, 2, 0}, {.what = END}};
    add_job(lab, 60);
    add_job(lab, 20);
    add_job(lab, 20);
    struct run *run = play(lab, script); /* two jobs share the GPU until 80 s */
    expect_one(run, 1, 0, 40);
    expect_one(run, 2, 40, 80);
    expect_one(run, 0, 0, 100);
    run_free(run);
}

static void who_stays_behind_is_alone_again(void **state)
{
    struct lab *lab = *state;
    static const struct step script[] = {{0, START, 0, 0},
                                         {0, SHARE, 1, 0},
                                         {100, STOP, 1, 0},
                                         {250, START, 1, 0},
                                         {.what = END}};
    const struct attempt *a[2];
    add_job(lab, 200);
    add_job(lab, 100);
    struct run *run = play(lab, script);
    expect_one(run, 0, 0, 250);
    assert_int_equal(lab_attempts(&run_result(run)->ledger, 1, a, 2), 2);
    assert_int_equal(a[0]->end, span_from_seconds(100));
    /* 50 s of work are done at 100 s; the rest runs from 250 s on */
    assert_int_equal(a[1]->end, span_from_seconds(300));
    run_free(run);
}

static void a_stopped_resident_leaves_its_newcomer_alone(void **state)
{
    struct lab *lab = *state;
    static const struct step script[] = {{0, START, 0, 0},
                                         {0, SHARE, 1, 0},
                                         {100, STOP, 0, 0},
                                         {120, SHARE, 0, 1},
                                         {.what = END}};
    add_job(lab, 60);
    add_job(lab, 100);
    struct run *run = play(lab, script);
    const struct attempt *a[2];
    assert_int_equal(lab_attempts(&run_result(run)->ledger, 0, a, 2), 2);
    assert_int_equal(a[1]->start, span_from_seconds(120));
    /* 50 s of work are done at 100 s; 10 s remain, at half rate */
    assert_int_equal(a[1]->end, span_from_seconds(140));
    /* 50 s of work are done at 100 s, 70 s at 120 s and 80 s at 140 s; the rate
     * is then 1 */
    expect_one(run, 1, 0, 160);
    run_free(run);
}

/* Rule 2 of plan.h: if both jobs are stopped and started again on their GPUs,
 * both keep running, although the resident is now the newcomer. */
static void both_are_kept(void **state)
{
    struct lab *lab = *state;
    static const struct step script[] = {{0, START, 0, 0},  {0, SHARE, 1, 0},
                                         {50, STOP, 0, 0},  {50, STOP, 1, 0},
                                         {50, START, 1, 0}, {50, SHARE, 0, 1},
                                         {.what = END}};
    add_job(lab, 100);
    add_job(lab, 100);
    struct run *run = play(lab, script);
    expect_one(run, 0, 0, 200);
    expect_one(run, 1, 0, 200);
    run_free(run);
}

/* A job that is stopped and started again on its GPU keeps running, and gets
 * slower because another job shares the GPU. */
static void a_kept_job_feels_who_came(void **state)
{
    struct lab *lab = *state;
    static const struct step script[] = {{0, START, 0, 0},
                                         {50, STOP, 0, 0},
                                         {50, START, 1, 0},
                                         {50, SHARE, 0, 1},
                                         {.what = END}};
    add_job(lab, 100);
    add_job(lab, 100);
    struct run *run = play(lab, script);
    expect_one(run, 0, 0, 150);
    expect_one(run, 1, 50, 200);
    run_free(run);
}

static void a_kept_job_feels_who_left(void **state)
{
    struct lab *lab = *state;
    static const struct step script[] = {{0, START, 0, 0},  {0, SHARE, 1, 0},
                                         {50, STOP, 0, 0},  {50, STOP, 1, 0},
                                         {50, START, 0, 0}, {125, START, 1, 0},
                                         {.what = END}};
    add_job(lab, 100);
    add_job(lab, 100);
    struct run *run = play(lab, script);
    expect_one(run, 0, 0, 125);
    run_free(run);
}

/* With share_limit=1, a policy that shares GPUs must run without sharing. */
static void a_share_limit_of_one_is_kept(void **state)
{
    struct lab *lab = *state;
    struct error err = {0};
    struct run *run = NULL;
    struct run_config config = {.policy = "horus", .engine = "share_limit=1"};
    add_job(lab, 1);
    add_job(lab, 2);
    assert_int_equal(lab_write(lab, &err), STATUS_OK);
    assert_int_equal(lab_run(lab, config, &run, &err), STATUS_OK);
    expect_one(run, 0, 0, 1);
    expect_one(run, 1, 1, 3);
    run_free(run);
}

#define SHARING_TEST(test) \
    cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SHARING_TEST(the_resident_ends_first),
        SHARING_TEST(the_newcomer_ends_first),
        SHARING_TEST(companions_change_places),
        SHARING_TEST(who_stays_behind_is_alone_again),
        SHARING_TEST(a_stopped_resident_leaves_its_newcomer_alone),
        SHARING_TEST(both_are_kept),
        SHARING_TEST(a_kept_job_feels_who_came),
        SHARING_TEST(a_kept_job_feels_who_left),
        SHARING_TEST(a_share_limit_of_one_is_kept),
    };
    return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
