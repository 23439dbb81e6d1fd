/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of estimator layers whose answers take simulated time: when the next
 * answer is due, that an answer without delay arrives before the policy
 * decides, and when `schedsim estimate` queries the layers. */
#include "tests/support/test.h"

#include <stdio.h>

#include "sim/run/rehearse.h"
#include "sim/run/run_internal.h"
#include "tests/probes/script.h"
#include "tests/support/advice.h"

/* One job of 10 s, which the script starts, and a chain of two layers. */
struct probe {
    struct lab *lab;
    struct rig rig;
    struct deed_script script, *config;
    struct deed deed;
    struct test_advice rows[2];
    struct estimator chain[2];
    struct error err;
};

/* Starts a run in which the job starts at time `at`, and the two layers answer
 * after the delays `first` and `second`; all times are in seconds. */
static void probe_open(struct probe *p, double at, double first, double second)
{
    *p = (struct probe){.lab = lab_new()};
    assert_non_null(p->lab);
    p->lab->groups[0] = (struct lab_group){
        .count = 1, .gpus = 1, .vc = "v", .type = "g", .speed = 1};
    p->lab->jobs[0] = (struct lab_job){.name = "a",
                                       .vc = "v",
                                       .end = "completed",
                                       .runs = span_from_seconds(10),
                                       .gpus = 1};
    p->lab->n_groups = p->lab->n_jobs = 1;
    assert_int_equal(lab_write(p->lab, &p->err), STATUS_OK);
    assert_int_equal(rig_load(&p->rig, p->lab, &p->err), STATUS_OK);
    p->deed = (struct deed){.at = at, DEED_START, .job = 0};
    p->script = (struct deed_script){.deeds = &p->deed, .n_deeds = 1};
    p->config = &p->script;
    p->rig.parts.policy.ops = &script_policy;
    p->rig.parts.policy.config = &p->config;
    const double delays[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        p->rows[i] = (struct test_advice){.asks = true,
                                          .after = span_from_seconds(delays[i]),
                                          .runs = (sim_span)(i + 1),
                                          .util = ADVICE_NO_DEMAND,
                                          .donor = JOB_NONE};
        p->chain[i] =
            (struct estimator){.ops = &estimator_advice, .config = &p->rows[i]};
    }
    p->chain[0].below = &p->chain[1];
    p->rig.parts.estimator = p->chain;
    assert_int_equal(rig_start(&p->rig, &p->err), STATUS_OK);
}

static void probe_close(struct probe *p)
{
    rig_close(&p->rig);
    lab_free(p->lab);
}

static void the_next_answer_of_any_layer_is_due(void **state)
{
    (void)state;
    struct probe p;
    struct belief belief;
    probe_open(&p, 7, 7, 3);
    const struct view *view = &p.rig.engine.view;
    const struct job *job = p.rig.jobset.jobs;
    assert_int_equal(view_advice_due(view, job), TIME_NEVER);
    assert_int_equal(engine_step(&p.rig.engine, &p.err), STATUS_OK);
    assert_int_equal(view_advice_due(view, job), span_from_seconds(3));
    assert_false(view_remaining(view, job, &belief));
    assert_int_equal(engine_step(&p.rig.engine, &p.err), STATUS_OK);
    assert_int_equal(view_advice_due(view, job), span_from_seconds(7));
    assert_true(view_remaining(view, job, &belief));
    assert_int_equal(belief.mean, 2);
    assert_int_equal(engine_step(&p.rig.engine, &p.err), STATUS_OK);
    assert_int_equal(view_advice_due(view, job), TIME_NEVER);
    assert_true(view_remaining(view, job, &belief));
    assert_int_equal(belief.mean, 1);
    assert_int_equal(rig_run(&p.rig, &p.err), STATUS_OK);
    assert_string_equal(p.script.log,
                        "0 submitted 0\n3 belief 0\n7 belief 0\n17 finished 0");
    probe_close(&p);
}

static void an_answer_without_delay_comes_before_the_decision(void **state)
{
    (void)state;
    struct probe p;
    probe_open(&p, 0, 0, 0);
    assert_int_equal(rig_run(&p.rig, &p.err), STATUS_OK);
    assert_string_equal(p.script.log,
                        "0 submitted 0, belief 0, belief 0\n10 finished 0");
    assert_int_equal(p.rig.engine.n_decisions, 2);
    probe_close(&p);
}

/* Checks that the run ends when the last job has ended, although an answer
 * about the job is still due. */
static void an_answer_that_comes_too_late_is_not_waited_for(void **state)
{
    (void)state;
    struct probe p;
    probe_open(&p, 0, 3, 60);
    assert_int_equal(rig_run(&p.rig, &p.err), STATUS_OK);
    assert_string_equal(p.script.log,
                        "0 submitted 0\n3 belief 0\n10 finished 0");
    probe_close(&p);
}

/* Rehearses two jobs of 10 s: a, submitted at 0, and b, submitted at 5 s. Below
 * the layer there is the estimator `history`. Advice about b arrives 9 s after
 * its submission and says 30 s and 40 %; if it is `secret`, the policy does not
 * know that it will come. Returns what the chain answers about b. */
static struct guess rehearsed(bool secret)
{
    struct error err;
    struct run *run;
    struct estimator layer;
    struct guess guesses[2] = {{0}};
    struct test_advice rows[2] = {{0},
                                  {.asks = true,
                                   .secret = secret,
                                   .after = span_from_seconds(9),
                                   .runs = span_from_seconds(30),
                                   .util = 40,
                                   .donor = JOB_NONE}};
    struct lab *lab = lab_new();
    assert_non_null(lab);
    lab->groups[0] = (struct lab_group){
        .count = 1, .gpus = 1, .vc = "v", .type = "g", .speed = 1};
    for (int i = 0; i < 2; i++) {
        lab->jobs[i] = (struct lab_job){.vc = "v",
                                        .end = "completed",
                                        .submitted = span_from_seconds(5 * i),
                                        .runs = span_from_seconds(10),
                                        .gpus = 1};
        snprintf(lab->jobs[i].name, sizeof lab->jobs[i].name, "%d", i);
    }
    lab->n_groups = 1;
    lab->n_jobs = 2;
    const struct run_config config = {
        .policy = "fifo", .estimators = "history", .seed = 1};
    assert_int_equal(lab_write(lab, &err), STATUS_OK);
    assert_int_equal(lab_prepare(lab, config, &run, &err), STATUS_OK);
    advice_put(&layer, rows, &run->parts);
    assert_int_equal(rehearse(run, guesses, &err), STATUS_OK);
    run_free(run);
    lab_free(lab);
    assert_false(guesses[0].known);
    return guesses[1];
}

static void a_rehearsal_asks_when_the_answer_is_here(void **state)
{
    (void)state;
    struct guess guess = rehearsed(false);
    assert_true(guess.known && guess.knows_demand);
    assert_int_equal(guess.mean, span_from_seconds(30));
    assert_true(guess.compute == 0.4);
    /* A secret answer delays no job, so b started at once, when `history` had
     * seen no job end. */
    guess = rehearsed(true);
    assert_false(guess.known || guess.knows_demand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_answer_of_any_layer_is_due),
        cmocka_unit_test(an_answer_without_delay_comes_before_the_decision),
        cmocka_unit_test(an_answer_that_comes_too_late_is_not_waited_for),
        cmocka_unit_test(a_rehearsal_asks_when_the_answer_is_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
