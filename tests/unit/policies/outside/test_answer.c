/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests what the answers of a program do to a plan, and each rule that an
 * answer can break. */
#include "policies/outside/program_internal.h"

#include <string.h>

#include "policies/decide/bookings.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/test.h"

enum { ALL = POLICY_PREEMPTS | POLICY_SHARES };

/* Nodes 0 to 2 of the fixture have 4 GPUs, 3 and 4 have 8 of another type, 5 is
 * of another virtual cluster, 6 is for profiling. Each job asks for 2 GPUs. Job
 * 9 runs on node 0, job 7 has finished, job 8 asks for the type of nodes 0 to
 * 2, job 6 is of the other virtual cluster. */
static void prepare(struct plan_fixture *f)
{
    plan_fixture_run(f, 9, 0, 0x3);
    board_move(&f->board, &f->jobs[7], JOB_RUNNING);
    board_move(&f->board, &f->jobs[7], JOB_FINISHED);
    f->jobs[8].gpu_type = 0;
    f->jobs[6].vc = 1;
}

static void answers(struct plan_fixture *f, const char *line)
{
    answer_plan(text_from(line), 3, ALL, &f->plan);
}

static void forget(struct plan_fixture *f)
{
    plan_undo_to(&f->plan, 0);
    plan_clear(&f->plan);
    f->plan.broken = (struct error){0};
}

static const struct {
    const char *line, *rule;
} broken[] = {
    {"", "answer: the answer is not JSON"},
    {"[]", "answer: the answer is not a JSON object: '[]'"},
    {"7", "answer: the answer is not JSON"},
    {"{\"plan\":[],\"plan\":[]}", "answer: the answer is not JSON"},
    {"{\"pan\":[]}", "answer: the answer has the unknown key 'pan'"},
    {"{}", "answer: the answer has no list"},
    {"{\"plan\":{}}", "answer: the answer has no list"},
    {"{\"plan\":[],\"number\":4}", "answer: \"number\" is not"},
    {"{\"plan\":[],\"number\":\"3\"}", "answer: \"number\" is not"},
    {"{\"plan\":[7]}", "action: unknown action"},
    {"{\"plan\":[{\"start\":1,\"queue\":[]}]}",
     "action: the action start has an unknown key"},
    {"{\"plan\":[{\"start\":true}]}", "known-job: expected the number"},
    {"{\"plan\":[{\"start\":-1}]}", "known-job: job -1 does not exist"},
    {"{\"plan\":[{\"start\":24}]}", "known-job: job 24 does not exist"},
    {"{\"plan\":[{\"start\":4294967296}]}", "known-job: job 4294967296"},
    {"{\"plan\":[{\"start\":9}]}",
     "start-waiting: job 9 cannot be started: it is running"},
    {"{\"plan\":[{\"start\":7}]}",
     "start-waiting: job 7 cannot be started: it has finished"},
    {"{\"plan\":[{\"start\":1},{\"start\":1}]}", "start-once: job 1"},
    {"{\"plan\":[{\"start\":5}]}", "fits: job 5 (17 GPUs) does not fit"},
    {"{\"plan\":[{\"start\":1,\"on\":[]}]}", "known-gpu: \"on\" of job 1"},
    {"{\"plan\":[{\"start\":1,\"on\":7}]}", "known-gpu: \"on\" of job 1"},
    {"{\"plan\":[{\"start\":1,\"on\":[0,0,0,0,0,0,0,0]}]}",
     "known-gpu: \"on\" of job 1"},
    {"{\"plan\":[{\"start\":1,\"on\":[7]}]}",
     "known-gpu: the plan puts job 1 on"},
    {"{\"plan\":[{\"start\":1,\"on\":[[\"0\",[0]]]}]}",
     "known-gpu: the plan puts"},
    {"{\"plan\":[{\"start\":1,\"on\":[[-1,[0]]]}]}",
     "known-gpu: the plan puts"},
    {"{\"plan\":[{\"start\":1,\"on\":[[7,[0]]]}]}", "known-gpu: the plan puts"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1]]}]}", "names no GPU of it"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1,[]]]}]}", "names no GPU of it"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1,[\"0\"]]]}]}", "on a GPU that node 1"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1,[-1]]]}]}", "on a GPU that node 1"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1,[4]]]}]}", "on a GPU that node 1"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1,[2,2]]]}]}", "on a GPU that node 1"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1,[0,1,2]]]}]}",
     "own-size: job 1 asks for 2 GPUs, and the plan gives it 3"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1,[0]],[3,[0]]]}]}",
     "one-pool: the plan puts job 1"},
    {"{\"plan\":[{\"start\":1,\"on\":[[1,[0]],[1,[1]]]}]}",
     "known-gpu: the plan names node 1 twice for job 1"},
    {"{\"plan\":[{\"start\":1,\"on\":[[5,[0,1]]]}]}", "own-cluster: the plan"},
    {"{\"plan\":[{\"start\":6,\"on\":[[6,[0,1]]]}]}", "own-cluster: the plan"},
    {"{\"plan\":[{\"start\":8,\"on\":[[3,[0,1]]]}]}", "own-type: the plan"},
    {"{\"plan\":[{\"start\":1,\"on\":[[0,[0,1]]]}]}", "fits: job 1"},
    {"{\"plan\":[{\"queue\":7}]}",
     "action: \"queue\" and \"fill\" need a list"},
    {"{\"plan\":[{\"queue\":[1,24]}]}", "known-job: job 24"},
    {"{\"plan\":[{\"queue\":[1,6]}]}", "queue-vc: a queue has job 1 and job 6"},
    {"{\"plan\":[{\"fill\":[1,\"a\"]}]}", "known-job: expected the number"},
    {"{\"plan\":[{\"fill\":[1,9]}]}", "start-waiting: job 9"},
    {"{\"plan\":[{\"stop\":null}]}", "known-job: expected the number"},
    {"{\"plan\":[{\"stop\":1}]}",
     "stop-running: job 1 cannot be stopped: it waits"},
    {"{\"plan\":[{\"stop\":9},{\"stop\":9}]}", "stop-once: job 9"},
    {"{\"plan\":[{\"share\":24,\"with\":9}]}", "known-job: job 24"},
    {"{\"plan\":[{\"share\":9,\"with\":9}]}", "start-waiting: job 9"},
    {"{\"plan\":[{\"share\":1}]}", "action: \"share\" needs either"},
    {"{\"plan\":[{\"share\":1,\"with\":9,\"on\":[]}]}",
     "action: \"share\" needs either"},
    {"{\"plan\":[{\"share\":1,\"with\":24}]}", "known-job: job 24"},
    {"{\"plan\":[{\"share\":1,\"with\":2}]}",
     "share-running: the plan lets job 1"},
    {"{\"plan\":[{\"share\":4,\"with\":9}]}",
     "own-size: job 4 asks for 1 GPUs"},
    {"{\"plan\":[{\"share\":1,\"on\":[[9,[0]]]}]}", "known-gpu: the plan puts"},
    {"{\"plan\":[{\"share\":1,\"with\":9},{\"share\":2,\"with\":9}]}",
     "share-room: job 2 cannot share"},
    {"{\"plan\":[{\"wake_us\":\"101\"}]}", "later: a wake or a rest"},
    {"{\"plan\":[{\"wake_us\":100}]}", "later: a wake or a rest"},
    {"{\"plan\":[{\"rest_until_us\":100}]}", "later: a wake or a rest"},
    {"{\"plan\":[{\"wake_us\":9223372036854775807}]}",
     "later: a wake or a rest"},
};

static void each_rule_has_a_sentence(void **state)
{
    struct plan_fixture *f = *state;
    struct plan_snapshot before, after;
    prepare(f);
    f->jobs[5].gpus = 17;
    f->jobs[4].gpus = 1;
    plan_snap(f, &before);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        answers(f, broken[i].line);
        if (f->plan.broken.status != STATUS_BAD_PLAN ||
            !strstr(f->plan.broken.message, broken[i].rule))
            fail_msg("%s: '%s'", broken[i].line, f->plan.broken.message);
        forget(f);
    }
    plan_snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
}

static void a_need_that_was_not_said_is_refused(void **state)
{
    struct plan_fixture *f = *state;
    prepare(f);
    answer_plan(text_from("{\"plan\":[{\"stop\":9}]}"), 3, POLICY_SHARES,
                &f->plan);
    plan_fixture_expect_broken(f, "said-needs");
    forget(f);
    answer_plan(text_from("{\"plan\":[{\"stop\":9}]}"), 3, ALL, &f->plan);
    assert_true(plan_is_stopped(&f->plan, &f->jobs[9]));
}

static void actions_are_carried_out_in_order(void **state)
{
    struct plan_fixture *f = *state;
    struct gpu_slice one = {1, 0x6};
    prepare(f);
    answers(f, "{\"number\":3,\"plan\":[{\"stop\":9},{\"start\":9},"
               "{\"start\":1,\"on\":[[1,[2,1]]]},{\"share\":2,\"with\":1},"
               "{\"share\":3,\"on\":[[0,[0,1]]]},{\"wake_us\":150},"
               "{\"rest_until_us\":140}]}");
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    assert_int_equal(f->plan.n_actions, 5);
    assert_true(gpu_set_equal(plan_where(&f->plan, &f->jobs[1]),
                              (struct gpu_set){&one, 1}));
    assert_true(gpu_set_equal(plan_where(&f->plan, &f->jobs[2]),
                              (struct gpu_set){&one, 1}));
    assert_int_equal(plan_where(&f->plan, &f->jobs[3]).at[0].node, 0);
    assert_int_equal(f->plan.wake, 150);
    assert_int_equal(f->plan.rest, 140);
    forget(f);
    f->jobs[8].gpus = 3;
    answers(f, "{\"plan\":[{\"start\":8,\"on\":[[2,[3]],[0,[2]],[1,[0]]]}]}");
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    assert_int_equal(plan_where(&f->plan, &f->jobs[8]).count, 3);
}

/* A queue ends at the first job that does not fit, a fill goes on. */
static void a_queue_stops_where_a_fill_goes_on(void **state)
{
    struct plan_fixture *f = *state;
    prepare(f);
    f->jobs[2].gpus = 17;
    answers(f, "{\"plan\":[{\"queue\":[1,2,3]}]}");
    assert_true(plan_is_started(&f->plan, &f->jobs[1]));
    assert_false(plan_is_started(&f->plan, &f->jobs[3]));
    forget(f);
    answers(f, "{\"plan\":[{\"fill\":[1,2,3]}]}");
    assert_true(plan_is_started(&f->plan, &f->jobs[3]));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

/* A start that a booking prevents breaks no rule. */
static void a_booking_is_no_fault_of_the_program(void **state)
{
    struct plan_fixture *f = *state;
    uint32_t kept[PLAN_FIXTURE_JOBS] = {[1] = 1};
    struct bookings bookings = {.kept = kept};
    prepare(f);
    f->jobs[1].gpus = f->jobs[2].gpus = 17;
    f->plan.bookings = &bookings;
    answers(f, "{\"plan\":[{\"start\":1}]}");
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    f->jobs[1].gpus = 2;
    answers(f, "{\"plan\":[{\"start\":1,\"on\":[[0,[0,1]]]}]}");
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    assert_false(plan_is_started(&f->plan, &f->jobs[1]));
    answers(f, "{\"plan\":[{\"start\":2}]}");
    plan_fixture_expect_broken(f, "fits: job 2");
}

static void an_introduction_is_read_whole(void **state)
{
    (void)state;
    struct introduction said;
    struct error err;
    assert_int_equal(
        answer_hello(text_from("{\"protocol\":1,\"name\":\"Zz.9_-A0\","
                               "\"asks\":\"always\",\"needs\":[\"share\","
                               "\"duration\",\"demand\"]}"),
                     &said, &err),
        STATUS_OK);
    assert_string_equal(said.name, "Zz.9_-A0");
    assert_true(said.asked_always);
    assert_int_equal(said.needs, POLICY_SHARES | POLICY_NEEDS_DURATION |
                                     POLICY_NEEDS_DEMAND);
    assert_int_equal(answer_hello(text_from("{\"protocol\":1,\"name\":\"a\","
                                            "\"asks\":\"possible\"}"),
                                  &said, &err),
                     STATUS_OK);
    assert_false(said.asked_always);
    assert_int_equal(said.needs, 0);
    assert_int_equal(answer_begin(text_from("{\"ready\":true}"), &err),
                     STATUS_OK);
}

static const struct {
    const char *line, *words;
} bad_hellos[] = {
    {"hello", "the answer is not JSON"},
    {"{\"protocol\":\"1\",\"name\":\"a\"}", "\"protocol\":1"},
    {"{\"protocol\":2,\"name\":\"a\"}", "\"protocol\":1"},
    {"{\"protocol\":1}", "\"name\" must be"},
    {"{\"protocol\":1,\"name\":7}", "\"name\" must be"},
    {"{\"protocol\":1,\"name\":\"\"}", "\"name\" must be"},
    {"{\"protocol\":1,\"name\":\"a{\"}", "\"name\" must be"},
    {"{\"protocol\":1,\"name\":\"a[\"}", "\"name\" must be"},
    {"{\"protocol\":1,\"name\":\"a:\"}", "\"name\" must be"},
    {"{\"protocol\":1,\"name\":\"a/\"}", "\"name\" must be"},
    {"{\"protocol\":1,\"name\":"
     "\"a1234567890123456789012345678901234567890\"}",
     "\"name\" must be"},
    {"{\"protocol\":1,\"name\":\"a\",\"asks\":7}", "\"asks\" must be"},
    {"{\"protocol\":1,\"name\":\"a\",\"asks\":\"never\"}", "\"asks\" must be"},
    {"{\"protocol\":1,\"name\":\"a\",\"needs\":\"share\"}",
     "\"needs\" is not a list"},
    {"{\"protocol\":1,\"name\":\"a\",\"needs\":[\"time\"]}",
     "\"needs\" has 'time'"},
    {"{\"protocol\":1,\"name\":\"a\",\"needs\":[7]}",
     "\"needs\" has '(a value that is not text)'"},
};

static void a_bad_introduction_is_refused(void **state)
{
    (void)state;
    struct introduction said;
    struct error err;
    for (size_t i = 0; i < sizeof bad_hellos / sizeof *bad_hellos; i++) {
        if (answer_hello(text_from(bad_hellos[i].line), &said, &err) !=
                STATUS_BAD_INPUT ||
            !strstr(err.message, bad_hellos[i].words))
            fail_msg("%s: '%s'", bad_hellos[i].line, err.message);
    }
    assert_int_equal(answer_begin(text_from("ready"), &err), STATUS_BAD_INPUT);
    assert_int_equal(answer_begin(text_from("{\"ready\":1}"), &err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(err.message, "\"ready\":true"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(each_rule_has_a_sentence),
        PLAN_TEST(a_need_that_was_not_said_is_refused),
        PLAN_TEST(actions_are_carried_out_in_order),
        PLAN_TEST(a_queue_stops_where_a_fill_goes_on),
        PLAN_TEST(a_booking_is_no_fault_of_the_program),
        cmocka_unit_test(an_introduction_is_read_whole),
        cmocka_unit_test(a_bad_introduction_is_refused),
    };
    return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
