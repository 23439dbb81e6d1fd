/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policies that profile: which jobs are profiled, when and on which nodes; what
 * a profile makes the policy believe, and when; what happens when a profile is
 * cut short. The tests run the whole engine with a minimal policy (packer.h).
 */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "models/registry.h"
#include "tests/probes/packer.h"
#include "tests/probes/script.h"

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

/* Node 0: four GPUs; node 1, for profiling: two. */
enum { HOME, PROFILER };

static void begin(void)
{
    static const struct lab_group groups[] = {
        {.count = 1, .gpus = 4, .vc = "v", .type = "t", .speed = 1},
        {.count = 1,
         .gpus = 2,
         .vc = "v",
         .type = "t",
         .speed = 1,
         .profiler = true},
    };
    lab_clear(lab);
    memcpy(lab->groups, groups, sizeof groups);
    lab->n_groups = 2;
}

static void add_job(double at, double runs, uint32_t gpus, double util)
{
    struct lab_job *job = &lab->jobs[lab->n_jobs];
    *job = (struct lab_job){.submitted = span_from_seconds(at),
                            .runs = span_from_seconds(runs),
                            .gpus = gpus,
                            .util = util};
    snprintf(job->name, sizeof job->name, "j%zu", lab->n_jobs++);
    snprintf(job->vc, sizeof job->vc, "v");
    snprintf(job->end, sizeof job->end, "completed");
}

static void node_leaves(uint32_t node, double from, double until)
{
    lab->changes[lab->n_changes++] =
        (struct capacity_change){span_from_seconds(from), node, false};
    if (until > 0)
        lab->changes[lab->n_changes++] =
            (struct capacity_change){span_from_seconds(until), node, true};
}

struct probe {
    struct rig rig;
    struct packer_config *config;
    struct error err;
    char text[512];
};

/* Loads the lab, with profiles as the only source of demand. The caller may
 * change parts before probe_run. */
static void probe_load(struct probe *p, double limit)
{
    *p = (struct probe){0};
    assert_int_equal(lab_write(lab, &p->err), STATUS_OK);
    if (rig_load(&p->rig, lab, &p->err) != STATUS_OK)
        fail_msg("%s", p->err.message);
    const struct estimator_ops *ops;
    assert_int_equal(estimator_find(text_from("profiled"), &ops, &p->err),
                     STATUS_OK);
    p->rig.demand = (struct estimator){
        .ops = ops,
        .config = rig_defaults(&p->rig, ops->options, ops->config_size)};
    p->config =
        rig_defaults(&p->rig, packer_policy.options, packer_policy.config_size);
    p->config->profiler.limit = span_from_seconds(limit);
    p->rig.parts.policy.ops = &packer_policy;
    p->rig.parts.policy.config = p->config;
    p->rig.parts.config.share_limit = 2;
}

static void probe_run(struct probe *p)
{
    if (rig_start(&p->rig, &p->err) != STATUS_OK ||
        rig_run(&p->rig, &p->err) != STATUS_OK)
        fail_msg("%s", p->err.message);
}

static void expect(struct probe *p, job_id job, const char *attempts)
{
    assert_string_equal(script_attempts(&p->rig, job, p->text, sizeof p->text),
                        attempts);
}

/* Jobs 1 and 2 need one GPU each, jobs 0 and 3 two. */
static void fewest_gpus_are_profiled_first_then_who_came_first(void **state)
{
    (void)state;
    struct probe p;
    begin();
    add_job(0, 15, 2, 0);
    add_job(0, 15, 1, 0);
    add_job(0, 15, 1, 0);
    add_job(5, 15, 2, 0);
    probe_load(&p, 10);
    p.config->most = -1; /* no job shares */
    probe_run(&p);
    expect(&p, 1, "0..10 profiled@1, 10..15 finished@0");
    expect(&p, 2, "0..10 profiled@1, 10..15 finished@0");
    expect(&p, 0, "10..20 profiled@1, 20..25 finished@0");
    expect(&p, 3, "20..30 profiled@1, 30..35 finished@0");
    rig_close(&p.rig);
}

/* At 1 and 2 one GPU is free, but the head needs two. At 3 a job comes that
 * needs one: it becomes the head and delays those that need two. */
static void a_lighter_job_becomes_the_head(void **state)
{
    (void)state;
    struct probe p;
    begin();
    add_job(0, 30, 1, 0);
    add_job(1, 12, 2, 0);
    add_job(2, 12, 2, 0);
    add_job(3, 12, 1, 0);
    probe_load(&p, 10);
    p.config->most = -1; /* no job shares */
    probe_run(&p);
    expect(&p, 0, "0..10 profiled@1, 10..30 finished@0");
    expect(&p, 3, "3..13 profiled@1, 13..15 finished@0");
    expect(&p, 1, "13..23 profiled@1, 23..25 finished@0");
    expect(&p, 2, "23..33 profiled@1, 33..35 finished@0");
    rig_close(&p.rig);
}

static void who_ends_at_the_limit_has_finished(void **state)
{
    (void)state;
    struct probe p;
    begin();
    add_job(0, 10, 1, 0);
    add_job(0, 4, 1, 0);
    probe_load(&p, 10);
    probe_run(&p);
    expect(&p, 0, "0..10 finished@1");
    expect(&p, 1, "0..4 finished@1");
    rig_close(&p.rig);
}

/* Three GPUs are more than the profiler node has, and four are more than the
 * option allows even on a wide enough node. */
static void who_is_too_large_is_scheduled_without_a_profile(void **state)
{
    (void)state;
    struct probe p;
    begin();
    add_job(0, 10, 3, 0);
    add_job(10, 10, 2, 0);
    probe_load(&p, 5);
    p.config->profiler.max_gpus = 3;
    probe_run(&p);
    expect(&p, 0, "0..10 finished@0");
    expect(&p, 1, "10..15 profiled@1, 15..20 finished@0");
    rig_close(&p.rig);
    probe_load(&p, 5);
    p.config->profiler.max_gpus = 1;
    probe_run(&p);
    expect(&p, 1, "10..20 finished@0");
    rig_close(&p.rig);
}

/* If a layer knows the demand of all jobs at once, no job is profiled. */
static void whose_demand_is_known_is_not_profiled(void **state)
{
    (void)state;
    struct probe p;
    begin();
    add_job(0, 10, 1, 50);
    add_job(0, 10, 1, 50);
    probe_load(&p, 5);
    const struct estimator_ops *ops;
    assert_int_equal(estimator_find(text_from("workload"), &ops, &p.err),
                     STATUS_OK);
    p.rig.demand = (struct estimator){
        .ops = ops,
        .config = rig_defaults(&p.rig, ops->options, ops->config_size)};
    probe_run(&p);
    expect(&p, 0, "0..10+ finished@0");
    expect(&p, 1, "0..10+ finished@0");
    rig_close(&p.rig);
}

/* Each uses 80 % of a GPU. Of a profile of 100 s, 10 s are cold start and 20 s
 * warm-up: 70 % of that is seen, so two look like 1.12 GPUs. After 400 s it is
 * 92.5 %, two look like 1.48. */
static void a_short_profile_makes_jobs_look_light(void **state)
{
    (void)state;
    struct probe p;
    begin();
    add_job(0, 1000, 1, 80);
    add_job(0, 1000, 1, 80);
    probe_load(&p, 100);
    p.config->most = 1.12;
    probe_run(&p);
    expect(&p, 0, "0..100 profiled@1, 100..1000+ finished@0");
    expect(&p, 1, "0..100 profiled@1, 100..1000+ finished@0");
    rig_close(&p.rig);
    probe_load(&p, 400);
    p.config->most = 1.47;
    probe_run(&p);
    expect(&p, 0, "0..400 profiled@1, 400..1000 finished@0");
    expect(&p, 1, "0..400 profiled@1, 400..1000 finished@0");
    rig_close(&p.rig);
    probe_load(&p, 400);
    p.config->most = 1.48;
    probe_run(&p);
    expect(&p, 1, "0..400 profiled@1, 400..1000+ finished@0");
    rig_close(&p.rig);
}

/* A job profiled for no longer than its start-up shows no use of its GPU and no
 * memory. The memory that it has declared is still respected. */
static void a_profile_of_the_cold_start_shows_nothing(void **state)
{
    (void)state;
    struct probe p;
    begin();
    lab->groups[HOME].mem_mib = lab->groups[PROFILER].mem_mib = 1000;
    add_job(0, 50, 1, 100);
    add_job(0, 50, 1, 100);
    add_job(0, 50, 1, 100);
    lab->jobs[0].mem_mib = lab->jobs[1].mem_mib = lab->jobs[2].mem_mib = 400;
    probe_load(&p, 10);
    p.config->most = 0;
    probe_run(&p);
    struct demand demand;
    assert_true(
        view_demand(&p.rig.engine.view, &p.rig.jobset.jobs[0], &demand));
    assert_false(demand.compute > 0);
    assert_false(demand.mem_mib > 0);
    expect(&p, 0, "0..10 profiled@1, 10..50+ finished@0");
    expect(&p, 1, "0..10 profiled@1, 10..50+ finished@0");
    rig_close(&p.rig);
    lab->jobs[1].mem_mib = 700;
    probe_load(&p, 10);
    p.config->most = 0;
    probe_run(&p);
    expect(&p, 1, "0..10 profiled@1, 10..50 finished@0");
    rig_close(&p.rig);
}

static void work_of_the_profile_may_not_count(void **state)
{
    (void)state;
    struct probe p;
    begin();
    add_job(0, 30, 1, 0);
    add_job(0, 10, 1, 0);
    probe_load(&p, 10);
    p.rig.parts.config.profile_keeps = false;
    probe_run(&p);
    expect(&p, 0, "0..10 profiled@1, 10..40 finished@0");
    expect(&p, 1, "0..10 finished@1"); /* the job has ended in spite of that */
    rig_close(&p.rig);
}

static const struct option *once_options(struct option rows[4], double at,
                                         double repair, uint32_t node)
{
    const struct fault_ops *ops;
    struct error err;
    assert_int_equal(fault_find(text_from("once"), &ops, &err), STATUS_OK);
    memcpy(rows, ops->options, 4 * sizeof *rows);
    rows[0].number = at;
    rows[1].number = repair;
    rows[2].number = node;
    return rows;
}

/* The profiler's node fails at 5 and is back at 7. The job may go on at once,
 * but was not profiled. While there is no profiler node it need not be. */
static void a_failure_cuts_a_profile_short(void **state)
{
    (void)state;
    struct probe p;
    struct option rows[4];
    const struct recovery_ops *retry;
    struct error err;
    assert_int_equal(recovery_find(text_from("retry"), &retry, &err),
                     STATUS_OK);
    for (int delay = 0; delay <= 3; delay += 3) {
        begin();
        add_job(0, 30, 1, 0);
        probe_load(&p, 10);
        struct fault_source *fault = &p.rig.parts.fault;
        assert_int_equal(fault_find(text_from("once"), &fault->ops, &err),
                         STATUS_OK);
        fault->config = rig_defaults(&p.rig, once_options(rows, 5, 2, PROFILER),
                                     fault->ops->config_size);
        struct option delays[5];
        memcpy(delays, retry->options, sizeof delays);
        delays[0].number = delay;
        delays[1].number = 0;
        struct recovery recovery = {
            .ops = retry,
            .config = rig_defaults(&p.rig, delays, retry->config_size)};
        p.rig.parts.recovery = &recovery;
        probe_run(&p);
        /* no checkpoint was written by then, so it begins again */
        expect(&p, 0,
               delay ? "0..5 failed@1, 8..18 profiled@1, 18..38 finished@0"
                     : "0..5 failed@1, 5..35 finished@0");
        rig_close(&p.rig);
    }
}

/* The profiler's node leaves as planned: work is kept, the profile is lost. Job
 * 1 waits to be profiled and need not wait any longer. Job 2 comes when the
 * node is back. */
static void without_a_profiler_node_nobody_waits(void **state)
{
    (void)state;
    struct probe p;
    begin();
    node_leaves(PROFILER, 5, 12);
    add_job(0, 30, 2, 0);
    add_job(1, 30, 1, 0);
    add_job(12, 30, 1, 0);
    probe_load(&p, 10);
    probe_run(&p);
    expect(&p, 0, "0..5 stopped@1, 5..30 finished@0");
    expect(&p, 1, "5..35 finished@0");
    expect(&p, 2, "12..22 profiled@1, 22..42 finished@0");
    rig_close(&p.rig);
}

/* A job that was profiled once is not profiled again after a failure on a node
 * for jobs. */
static void a_profile_outlives_a_stop(void **state)
{
    (void)state;
    struct probe p;
    begin();
    node_leaves(HOME, 15, 20);
    add_job(0, 30, 1, 0);
    probe_load(&p, 10);
    probe_run(&p);
    expect(&p, 0, "0..10 profiled@1, 10..15 stopped@0, 20..35 finished@0");
    rig_close(&p.rig);
}

static void expect_changes(struct probe *p, const char *words)
{
    static const char *const names[] = {[LEDGER_NODE_DOWN] = "down",
                                        [LEDGER_NODE_UP] = "up",
                                        [LEDGER_NODE_LENT] = "lent",
                                        [LEDGER_NODE_BACK] = "back"};
    const struct ledger *ledger = &p->rig.ledger;
    size_t n = 0;
    p->text[0] = '\0';
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *c = &ledger->node_changes[i];
        n += (size_t)snprintf(p->text + n, sizeof p->text - n, "%s%g %s %u",
                              i ? ", " : "", span_seconds(c->at),
                              names[c->kind], c->node);
    }
    assert_string_equal(p->text, words);
}

/* Nodes 0 and 1: two GPUs each; node 2, for profiling: one. */
static void begin_small(void)
{
    begin();
    lab->groups[HOME].count = 2;
    lab->groups[HOME].gpus = 2;
    lab->groups[PROFILER].gpus = 1;
}

static void load_lending(struct probe *p, uint32_t above, uint32_t below)
{
    probe_load(p, 10);
    p->config->most = -1; /* no job shares */
    p->config->profiler.lend_nodes = 1;
    p->config->profiler.lend_above = above;
    p->config->profiler.return_below = below;
}

/* Three jobs wait after the first, so node 1, the last idle node, is lent. At
 * 10 no job waits any more: the node is given back, and two jobs start on it at
 * once. */
static void a_node_is_lent_while_many_wait(void **state)
{
    (void)state;
    struct probe p;
    begin_small();
    for (int i = 0; i < 4; i++)
        add_job(0, 30, 1, 0);
    load_lending(&p, 2, 1);
    probe_run(&p);
    expect_changes(&p, "0 lent 1, 10 back 1");
    expect(&p, 0, "0..10 profiled@2, 10..30 finished@0");
    expect(&p, 1, "0..10 profiled@1, 10..30 finished@0");
    expect(&p, 2, "0..10 profiled@1, 10..30 finished@1");
    expect(&p, 3, "10..20 profiled@2, 20..40 finished@1");
    rig_close(&p.rig);
}

static void few_who_wait_are_no_reason_to_lend(void **state)
{
    (void)state;
    struct probe p;
    begin_small();
    for (int i = 0; i < 4; i++)
        add_job(0, 15, 1, 0);
    load_lending(&p, 3, 1);
    probe_run(&p);
    expect_changes(&p, "");
    expect(&p, 3, "30..40 profiled@2, 40..45 finished@0");
    rig_close(&p.rig);
}

/* Job 0 is too large to be profiled and holds both nodes until 5: before that
 * no node can be lent. Then one is lent, and job 5, which needs both, waits for
 * its return at 15 as the first in the queue. */
static void only_an_idle_node_is_lent(void **state)
{
    (void)state;
    struct probe p;
    begin_small();
    add_job(0, 5, 3, 0);
    for (int i = 0; i < 4; i++)
        add_job(1, 12, 1, 0);
    add_job(6, 10, 4, 0);
    load_lending(&p, 2, 2);
    probe_run(&p);
    expect_changes(&p, "5 lent 1, 15 back 1");
    expect(&p, 0, "0..5 finished@0+1");
    expect(&p, 1, "1..11 profiled@2, 11..13 finished@0");
    expect(&p, 2, "5..15 profiled@1, 25..27 finished@0");
    expect(&p, 3, "5..15 profiled@1, 25..27 finished@0");
    expect(&p, 4, "11..21 profiled@2, 25..27 finished@1");
    expect(&p, 5, "15..25 finished@0+1");
    rig_close(&p.rig);
}

/* The lent node leaves under two profiles and comes back. It still belongs to
 * the profiler, is used again, and is given back when no job waits. */
static void a_lent_node_may_fail(void **state)
{
    (void)state;
    struct probe p;
    begin_small();
    node_leaves(1, 5, 25);
    for (int i = 0; i < 4; i++)
        add_job(0, 30, 1, 0);
    load_lending(&p, 2, 1);
    probe_run(&p);
    expect_changes(&p, "0 lent 1, 5 down 1, 25 up 1, 35 back 1");
    expect(&p, 0, "0..10 profiled@2, 10..30 finished@0");
    expect(&p, 1, "0..5 stopped@1, 20..30 profiled@2, 30..45 finished@0");
    expect(&p, 2, "0..5 stopped@1, 25..35 profiled@1, 35..50 finished@1");
    expect(&p, 3, "10..20 profiled@2, 20..40 finished@0");
    rig_close(&p.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewest_gpus_are_profiled_first_then_who_came_first),
        cmocka_unit_test(a_lighter_job_becomes_the_head),
        cmocka_unit_test(who_ends_at_the_limit_has_finished),
        cmocka_unit_test(who_is_too_large_is_scheduled_without_a_profile),
        cmocka_unit_test(whose_demand_is_known_is_not_profiled),
        cmocka_unit_test(a_short_profile_makes_jobs_look_light),
        cmocka_unit_test(a_profile_of_the_cold_start_shows_nothing),
        cmocka_unit_test(work_of_the_profile_may_not_count),
        cmocka_unit_test(a_failure_cuts_a_profile_short),
        cmocka_unit_test(without_a_profiler_node_nobody_waits),
        cmocka_unit_test(a_profile_outlives_a_stop),
        cmocka_unit_test(a_node_is_lent_while_many_wait),
        cmocka_unit_test(few_who_wait_are_no_reason_to_lend),
        cmocka_unit_test(only_an_idle_node_is_lent),
        cmocka_unit_test(a_lent_node_may_fail),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
