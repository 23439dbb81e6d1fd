/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to wakes when a policy asks for one at every decision, as a
 * policy in rounds does if its author does not think of it. */
#include "tests/support/test.h"

#include <stdio.h>

#include "policies/policy.h"
#include "tests/support/rig.h"

enum { JOBS = 40, ROUND_S = 10 };

static struct lab *lab;

static int setup(void **state)
{
    (void)state;
    lab = lab_new();
    return lab == NULL;
}

static int teardown(void **state)
{
    (void)state;
    lab_free(lab);
    return 0;
}

/* Jobs of 1,000 s that arrive at odd times, each on its own GPU. */
static void add_jobs(void)
{
    lab_clear(lab);
    lab->groups[0] = (struct lab_group){
        .count = JOBS / 8, .gpus = 8, .vc = "v", .type = "g", .speed = 1};
    lab->n_groups = 1;
    for (lab->n_jobs = 0; lab->n_jobs < JOBS; lab->n_jobs++) {
        struct lab_job *job = &lab->jobs[lab->n_jobs];
        *job = (struct lab_job){
            .submitted = span_from_seconds(0.7 * (double)lab->n_jobs),
            .runs = span_from_seconds(1000),
            .gpus = 1};
        snprintf(job->name, sizeof job->name, "j%zu", lab->n_jobs);
        snprintf(job->vc, sizeof job->vc, "v");
        snprintf(job->end, sizeof job->end, "completed");
    }
}

static void start_all(const struct view *view, struct plan *plan)
{
    for (const struct job *j = view_first_pending(view, 0), *next; j;
         j = next) {
        next = view_next_pending(view, j);
        plan_start(plan, j);
    }
}

static void pulse_decide(void *self, const struct view *view, struct plan *plan)
{
    (void)self;
    start_all(view, plan);
    plan_wake_at(plan, view_now(view) + span_from_seconds(ROUND_S));
}

static const struct policy_ops pulse = {.name = "pulse",
                                        .decide = pulse_decide};

static void round_decide(void *self, const struct view *view, struct plan *plan)
{
    (void)self;
    start_all(view, plan);
    plan_wake_at(plan, view_next_round(view, span_from_seconds(ROUND_S)));
}

static const struct policy_ops rounds = {.name = "rounds",
                                         .decide = round_decide};

static uint64_t decisions_of(const struct policy_ops *policy)
{
    struct rig rig;
    struct error err;
    uint64_t decisions = 0;
    add_jobs();
    assert_int_equal(lab_write(lab, &err), STATUS_OK);
    assert_int_equal(rig_load(&rig, lab, &err), STATUS_OK);
    rig.parts.policy.ops = policy;
    if (rig_start(&rig, &err) != STATUS_OK || rig_run(&rig, &err) != STATUS_OK)
        fail_msg("%s", err.message);
    decisions = rig.engine.n_decisions;
    rig_close(&rig);
    return decisions;
}

/* The run has one chain of about 100 wakes, plus an arrival and an end for each
 * job. It has no further chain for the decisions between two wakes. */
static void many_wakes_are_one_chain(void **state)
{
    (void)state;
    assert_in_range(decisions_of(&pulse), 100, 110 + 2 * JOBS);
}

/* A plan may ask for the time that view_next_round returns, also in a round. */
static void the_next_round_lies_after_now(void **state)
{
    (void)state;
    assert_in_range(decisions_of(&rounds), 100, 110 + 2 * JOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_wakes_are_one_chain, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_next_round_lies_after_now, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
