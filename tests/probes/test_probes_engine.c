/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the engine that scenarios cannot express: an estimator and a
 * recovery rule that are in no registry, the order in which the policy is shown
 * the events of one instant, and that each plan which breaks a rule ends the
 * run. tests/scenarios/plan_*.txt tests other plans. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "sim/run/registry.h"
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

static void add_job(double at, double runs, uint32_t gpus, const char *type)
{
    struct lab_job *job = lab_add_job(lab, at, runs, gpus);
    snprintf(job->vc, sizeof job->vc, "v");
    snprintf(job->type, sizeof job->type, "%s", type);
}

/* Adds nodes 0 and 1 with two GPUs each of type old, node 2 with two GPUs of
 * type new, which is twice as fast, node 3 with one old GPU in another virtual
 * cluster, and node 4 with one GPU, which is for profiling (such nodes are
 * numbered after the others of their virtual cluster and type). */
static void add_cluster(void)
{
    static const struct lab_group groups[] = {
        {.count = 2, .gpus = 2, .vc = "v", .type = "old", .speed = 1},
        {.count = 1, .gpus = 2, .vc = "v", .type = "new", .speed = 2},
        {.count = 1,
         .gpus = 1,
         .vc = "w",
         .type = "old",
         .speed = 1,
         .profiler = true},
        {.count = 1, .gpus = 1, .vc = "w", .type = "old", .speed = 1},
    };
    lab_clear(lab);
    memcpy(lab->groups, groups, sizeof groups);
    lab->n_groups = sizeof groups / sizeof *groups;
}

struct probe {
    struct rig rig;
    struct deed_script script, *config;
    struct error err;
    char text[512];
};

/* Loads the lab with a scripted policy. The caller may replace parts of the
 * engine before it starts the run. */
static void probe_load(struct probe *p, const struct deed *deeds, size_t n)
{
    *p = (struct probe){.script = {.deeds = deeds, .n_deeds = n}};
    p->config = &p->script;
    assert_int_equal(lab_write(lab, &p->err), STATUS_OK);
    if (rig_load(&p->rig, lab, &p->err) != STATUS_OK)
        fail_msg("%s", p->err.message);
    p->rig.parts.policy.ops = &script_policy;
    p->rig.parts.policy.config = &p->config;
}

static enum status probe_run(struct probe *p)
{
    enum status st = rig_start(&p->rig, &p->err);
    return st == STATUS_OK ? rig_run(&p->rig, &p->err) : st;
}

static void probe_ends_well(struct probe *p)
{
    if (probe_run(p) != STATUS_OK)
        fail_msg("%s", p->err.message);
}

static const char *attempts(struct probe *p, job_id job)
{
    return script_attempts(&p->rig, job, p->text, sizeof p->text);
}

#define N(deeds) (sizeof(deeds) / sizeof *(deeds))

/* Lets the estimator `late` answer from 3 s after a submission on. */
static void late_observe(void *self, const struct event *event,
                         struct wakeups *wakeups)
{
    bool *knows = self;
    if (event->kind == EVENT_SUBMITTED)
        wakeups_add(wakeups, event->at + span_from_seconds(3), event->job);
    if (event->kind == EVENT_BELIEF)
        *knows = true;
}

static bool late_remaining(void *self, const struct estimator *below,
                           const struct job *job, sim_time now,
                           struct belief *out)
{
    (void)below;
    (void)job;
    (void)now;
    *out = (struct belief){.mean = 42, .spread = -1, .source = "late"};
    return *(bool *)self;
}

static const struct estimator_ops late = {
    .name = "late",
    .summary = "knows after 3 s",
    .state_size = sizeof(bool),
    .observe = late_observe,
    .remaining = late_remaining,
};

static void a_belief_that_comes_late_is_a_reason_to_decide(void **state)
{
    (void)state;
    struct probe p;
    static const struct deed deeds[] = {
        {.at = 3, DEED_START, .job = 0},
    };
    bool knows = false;
    struct belief belief;
    add_cluster();
    add_job(0, 10, 1, "");
    probe_load(&p, deeds, N(deeds));
    struct estimator top = {.ops = &late, .self = &knows};
    p.rig.parts.estimator = &top;
    assert_int_equal(rig_start(&p.rig, &p.err), STATUS_OK);
    assert_int_equal(engine_step(&p.rig.engine, &p.err), STATUS_OK);
    assert_false(
        view_remaining(&p.rig.engine.view, p.rig.jobset.jobs, &belief));
    assert_int_equal(engine_step(&p.rig.engine, &p.err), STATUS_OK);
    assert_true(view_remaining(&p.rig.engine.view, p.rig.jobset.jobs, &belief));
    assert_int_equal(belief.mean, 42);
    assert_int_equal(rig_run(&p.rig, &p.err), STATUS_OK);
    assert_string_equal(p.script.log,
                        "0 submitted 0\n3 belief 0\n13 finished 0");
    rig_close(&p.rig);
}

static bool suspect_rule(const struct recovery *layer,
                         const struct failure *failure, struct ruling *out)
{
    (void)layer;
    *out = (struct ruling){.verdict = VERDICT_RESTART,
                           .suspect =
                               failure->where.at[failure->where.count - 1].node,
                           .test = span_from_seconds(10)};
    return true;
}

static const struct recovery_ops suspects = {
    .name = "suspects",
    .summary = "suspects the last node of a failed job",
    .rule = suspect_rule,
};

/* Loads the lab under the policy fjf, with the recovery rule of this file. Node
 * 0 fails at 5 s and is up again at 7 s. The rule suspects the last node of the
 * failed job; the node is then tested for 10 s. */
static void load_suspects(struct probe *p, struct recovery *recovery)
{
    struct option rows[8];
    probe_load(p, NULL, 0);
    struct engine_parts *parts = &p->rig.parts;
    assert_int_equal(policy_find(text_from("fjf"), &parts->policy.ops, &p->err),
                     STATUS_OK);
    assert_int_equal(fault_find(text_from("once"), &parts->fault.ops, &p->err),
                     STATUS_OK);
    memcpy(rows, parts->fault.ops->options, sizeof rows);
    rows[0].number = 5;
    rows[1].number = 2;
    rows[2].number = 0;
    parts->fault.config =
        rig_defaults(&p->rig, rows, parts->fault.ops->config_size);
    *recovery = (struct recovery){.ops = &suspects};
    parts->recovery = recovery;
}

static void expect_changes(struct probe *p, const char *words)
{
    const struct ledger *ledger = &p->rig.ledger;
    size_t n = 0;
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *c = &ledger->node_changes[i];
        n += (size_t)snprintf(p->text + n, sizeof p->text - n, "%s%g %s %u",
                              i ? ", " : "", span_seconds(c->at),
                              c->kind == LEDGER_NODE_UP ? "up" : "down",
                              c->node);
    }
    assert_string_equal(p->text, words);
}

/* Job 0 holds GPUs of nodes 0 and 1, fails, and later needs both nodes again.
 * Job 1 runs on node 1, too. Node 1 is suspected, so job 1 must leave, but
 * keeps its work. */
static void a_suspect_is_left_by_all_and_comes_back(void **state)
{
    (void)state;
    struct probe p;
    struct recovery recovery;
    add_cluster();
    add_job(0, 20, 3, "old");
    add_job(0, 10, 1, "old");
    load_suspects(&p, &recovery);
    probe_ends_well(&p);
    expect_changes(&p, "5 down 0, 5 down 1, 7 up 0, 15 up 1");
    assert_string_equal(attempts(&p, 0),
                        "0..5 failed@0+1, 15..35 finished@0+1");
    assert_string_equal(attempts(&p, 1), "0..5 stopped@1, 7..12 finished@0");
    rig_close(&p.rig);
}

/* The suspected node is the node that failed and is already down, so the engine
 * does not take it out of service again. */
static void what_is_down_is_not_isolated(void **state)
{
    (void)state;
    struct probe p;
    struct recovery recovery;
    add_cluster();
    add_job(0, 20, 2, "old");
    add_job(0, 10, 2, "old");
    load_suspects(&p, &recovery);
    probe_ends_well(&p);
    expect_changes(&p, "5 down 0, 7 up 0");
    assert_string_equal(attempts(&p, 0), "0..5 failed@0, 7..27 finished@0");
    assert_string_equal(attempts(&p, 1), "0..10 finished@1");
    rig_close(&p.rig);
}

/* At 10 s there are events of many kinds: a job ends, a second job has been
 * profiled, a node goes down under a job, another node returns, a job arrives,
 * a belief becomes known, and a wake is due. */
static void one_instant_is_shown_in_the_order_of_kinds(void **state)
{
    (void)state;
    struct probe p;
    static const struct deed deeds[] = {
        {.at = 0, DEED_WAKE, .seconds = 7},
        {.at = 7, DEED_WAKE, .seconds = 10},
        {.at = 0, DEED_PROFILE, .job = 1, .seconds = 10},
        {.at = 0, DEED_START_ON, .job = 2, .gpus = 1, .other = 0},
        {.at = 0, DEED_START_ON, .job = 0, .gpus = 1, .other = 2},
        {.at = 10, DEED_START, .job = 1},
        {.at = 10, DEED_START, .job = 2},
        {.at = 10, DEED_START, .job = 3},
        {.at = 10, DEED_START, .job = 4},
    };
    bool knows = false;
    add_cluster();
    add_job(0, 20, 1, "");
    add_job(0, 30, 1, "");
    add_job(0, 30, 1, "");
    add_job(7, 5, 1, ""); /* the estimator `late` can answer from 10 s on */
    add_job(10, 5, 1, "");
    lab->changes[0] = (struct capacity_change){.node = 1};
    lab->changes[1] = (struct capacity_change){
        .at = span_from_seconds(10), .node = 1, .up = true};
    lab->changes[2] = (struct capacity_change){.at = span_from_seconds(10)};
    lab->n_changes = 3;
    probe_load(&p, deeds, N(deeds));
    struct estimator top = {.ops = &late, .self = &knows};
    p.rig.parts.estimator = &top;
    probe_ends_well(&p);
    const char *at = strstr(p.script.log, "\n10 ");
    assert_non_null(at);
    char line[256];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
    assert_string_equal(line, "10 finished 0, profiled 1, stopped 2, down 0, "
                              "up 1, submitted 4, belief 3, wake");
    assert_string_equal(attempts(&p, 1), "0..10 profiled@4, 10..30 finished@1");
    assert_string_equal(attempts(&p, 2), "0..10 stopped@0, 10..30 finished@1");
    assert_string_equal(attempts(&p, 3), "10..12.5 finished@2");
    assert_string_equal(attempts(&p, 4), "10..12.5 finished@2");
    rig_close(&p.rig);
}

/* Plans that break a rule, and a part of the message of each. Job 0 is started
 * at 0 s; jobs 1, 3 and 4 wait, job 2 waits in the other virtual cluster, and
 * job 5 has not arrived. The rule is broken at 5 s. */
static const struct {
    struct deed deeds[4];
    const char *words;
} bad_plans[] = {
    {{{5, DEED_START, .job = 0}}, "job 0 started while running"},
    {{{5, DEED_START, .job = 5}}, "job 5 started while not pending"},
    {{{5, DEED_START, .job = 1}, {5, DEED_START, .job = 1}},
     "job 1 started twice in one plan"},
    {{{5, DEED_STOP, .job = 1}}, "job 1 stopped while not running"},
    {{{5, DEED_STOP, .job = 0}, {5, DEED_STOP, .job = 0}},
     "job 0 stopped twice in one plan"},
    {{{5, DEED_PROFILE, .job = 1, .seconds = 0}}, "job 1 profiled for no time"},
    {{{5, DEED_START_ON, .job = 2, .gpus = 1, .other = 1}},
     "job 2 started outside its virtual cluster"},
    {{{5, DEED_START_ON, .job = 2, .gpus = 1, .other = 4}},
     "job 2 started on a node set aside for profiling"},
    {{{5, DEED_SHARE, .job = 1, .other = 4}},
     "job 1 shares with a job that does not run"},
    {{{5, DEED_SHARE, .job = 2, .other = 0}},
     "job 2 shares outside its virtual cluster"},
    {{{5, DEED_START, .job = 2}, {5, DEED_STOP, .job = 2}},
     "job 2 stopped while not running"},
    {{{5, DEED_START_ACROSS, .job = 1, .other = 1, .gpus = 2}},
     "job 1 started on GPUs of several pools"},
    {{{5, DEED_IMAGINE, .job = 1}},
     "job 1 imagined gone while it does not run"},
    {{{5, DEED_WAKE, .seconds = 5}},
     "a wake at 5.000000 s does not lie after now"},
};

static void each_broken_rule_ends_the_run(void **state)
{
    (void)state;
    struct probe p;
    for (size_t i = 0; i < N(bad_plans); i++) {
        struct deed deeds[6] = {{.at = 0, DEED_START, .job = 0},
                                {.at = 0, DEED_WAKE, .seconds = 5}};
        memcpy(deeds + 2, bad_plans[i].deeds, sizeof bad_plans[i].deeds);
        add_cluster();
        add_job(0, 30, 2, "");
        add_job(0, 30, 2, "");
        add_job(0, 30, 1, "");
        add_job(0, 30, 1, "");
        add_job(0, 30, 1, "");
        add_job(20, 30, 2, "");
        snprintf(lab->jobs[2].vc, sizeof lab->jobs[2].vc, "w");
        size_t n = 3;
        while (n < N(deeds) && deeds[n].at > 0)
            n++;
        probe_load(&p, deeds, n);
        char want[160];
        snprintf(want, sizeof want, "script at 5.000000 s: %s",
                 bad_plans[i].words);
        if (probe_run(&p) != STATUS_BAD_PLAN)
            fail_msg("ends well: %s", bad_plans[i].words);
        assert_string_equal(p.err.message, want);
        rig_close(&p.rig);
    }
}

/* A policy that closes node 1 at 0 s, twice, and opens it twice at 10 s. */
static void gatekeeper_decide(void *self, const struct view *view,
                              struct plan *plan)
{
    (void)self;
    if (view_now(view) == 0) {
        assert_true(plan_close(plan, 1) && plan_close(plan, 1));
        plan_wake_at(plan, span_from_seconds(10));
    } else if (view_now(view) == span_from_seconds(10)) {
        plan_open(plan, 1);
        plan_open(plan, 1);
    }
    const struct job *job = view_first_pending(view, 0);
    if (job)
        plan_start(plan, job);
}

static const struct policy_ops gatekeeper = {.name = "gatekeeper",
                                             .decide = gatekeeper_decide};

/* Each change of the node is told once. */
static void a_policy_closes_a_node_and_opens_it(void **state)
{
    (void)state;
    struct probe p;
    add_cluster();
    add_job(0, 20, 4, "old"); /* needs nodes 0 and 1 */
    probe_load(&p, NULL, 0);
    p.rig.parts.policy.ops = &gatekeeper;
    probe_ends_well(&p);
    expect_changes(&p, "0 down 1, 10 up 1");
    assert_string_equal(p.rig.ledger.node_changes[0].why,
                        "closed by the policy");
    assert_string_equal(attempts(&p, 0), "10..30 finished@0+1");
    rig_close(&p.rig);
}

/* What a policy does when it is asked again at the same instant. */
enum { AGAIN_LENDS, AGAIN_BREAKS, AGAIN_WANTS_IT };
static size_t restless_does; /* one of these */

static void restless_decide(void *self, const struct view *view,
                            struct plan *plan)
{
    uint32_t *calls = self;
    const struct job *job = view_first_pending(view, 0);
    if ((*calls)++ == 0) {
        plan_start(plan, job);
        if (restless_does == AGAIN_WANTS_IT)
            plan_ask_again(plan);
    } else if (restless_does == AGAIN_LENDS) {
        assert_true(plan_lend(plan, 1));
    } else if (restless_does == AGAIN_BREAKS) {
        plan_wake_at(plan, view_now(view));
    }
}

static const struct policy_ops restless = {.name = "restless",
                                           .state_size = sizeof(uint32_t),
                                           .decide = restless_decide};

static void a_policy_that_is_asked_again_plans_nothing(void **state)
{
    (void)state;
    static const struct {
        enum status status;
        const char *message;
    } rows[] = {
        [AGAIN_LENDS] = {STATUS_BROKEN,
                         "restless at 0.000000 s: asked again at the same "
                         "instant, it plans lend of node 1 (rule 5 of plan.h)"},
        [AGAIN_BREAKS] = {STATUS_BAD_PLAN,
                          "restless at 0.000000 s: a wake at 0.000000 s does "
                          "not lie after now"},
        [AGAIN_WANTS_IT] = {STATUS_OK, ""},
    };
    for (size_t i = 0; i < N(rows); i++) {
        struct probe p;
        add_cluster();
        add_job(0, 20, 1, "old");
        probe_load(&p, NULL, 0);
        restless_does = i;
        p.rig.parts.policy.ops = &restless;
        p.rig.parts.asks_twice = true;
        assert_int_equal(probe_run(&p), rows[i].status);
        if (rows[i].status != STATUS_OK)
            assert_string_equal(p.err.message, rows[i].message);
        rig_close(&p.rig);
    }
}

static double pairs_only(const struct throughput *model,
                         const struct cluster *cluster, const struct job *job,
                         struct shape shape)
{
    (void)model, (void)cluster, (void)job;
    return shape.gpus == 2;
}

static sim_span some_work(const struct throughput *model, const struct job *job)
{
    (void)model, (void)job;
    return 10;
}

static struct learner *no_learner(const struct throughput *model,
                                  const struct job *job)
{
    (void)model, (void)job;
    return NULL;
}

static const struct throughput_ops pairs = {.name = "pairs",
                                            .rate = pairs_only,
                                            .work = some_work,
                                            .learner = no_learner};

static void a_job_that_no_type_can_run_is_rejected(void **state)
{
    (void)state;
    struct probe p;
    add_cluster();
    add_job(0, 20, 1, "");
    probe_load(&p, NULL, 0);
    p.rig.parts.throughput.ops = &pairs;
    probe_ends_well(&p);
    assert_int_equal(p.rig.ledger.n_rejections, 1);
    assert_string_equal(p.rig.ledger.rejections[0].why,
                        "its model cannot use that many GPUs of any type it "
                        "may have");
    rig_close(&p.rig);
}

#define ON_A_LAB(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_LAB(a_belief_that_comes_late_is_a_reason_to_decide),
        ON_A_LAB(a_suspect_is_left_by_all_and_comes_back),
        ON_A_LAB(what_is_down_is_not_isolated),
        ON_A_LAB(one_instant_is_shown_in_the_order_of_kinds),
        ON_A_LAB(each_broken_rule_ends_the_run),
        ON_A_LAB(a_policy_closes_a_node_and_opens_it),
        ON_A_LAB(a_policy_that_is_asked_again_plans_nothing),
        ON_A_LAB(a_job_that_no_type_can_run_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
