/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of failures in the engine with a list of faults, recorded failures and
 * a recovery rule that are in no registry. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "base/failure_kind.h"
#include "base/state/truth.h"
#include "policies/registry.h"
#include "tests/probes/script.h"

static struct lab *lab;

static int setup(void **state)
{
    static const struct lab_group groups[] = {
        {.count = 2, .gpus = 2, .vc = "v", .type = "old", .speed = 1},
        {.count = 1, .gpus = 1, .vc = "w", .type = "old", .speed = 1},
    };
    (void)state;
    lab = lab_new();
    if (!lab)
        return 1;
    lab_clear(lab);
    memcpy(lab->groups, groups, sizeof groups);
    lab->n_groups = 2;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lab_free(lab);
    return 0;
}

static void add_job(double at, double runs, uint32_t gpus, const char *vc)
{
    struct lab_job *job = lab_add_job(lab, at, runs, gpus);
    snprintf(job->vc, sizeof job->vc, "%s", vc);
}

/* A list of faults. */
struct listed {
    const struct fault *at;
    size_t n;
};

static enum status listed_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    (void)env, (void)err;
    *(struct listed *)self = *(const struct listed *)config;
    return STATUS_OK;
}

static bool listed_next(void *self, struct fault *out)
{
    struct listed *list = self;
    if (list->n == 0)
        return false;
    list->n--;
    *out = *list->at++;
    return true;
}

static const struct fault_ops listed = {
    .name = "listed",
    .summary = "faults of a list",
    .state_size = sizeof(struct listed),
    .init = listed_init,
    .next = listed_next,
};

typedef void (*ruler)(const struct failure *failure, struct ruling *out);

static ruler rules;

static bool ask_ruler(const struct recovery *layer,
                      const struct failure *failure, struct ruling *out)
{
    (void)layer;
    *out = (struct ruling){.verdict = VERDICT_RESTART, .suspect = NODE_NONE};
    rules(failure, out);
    return true;
}

static const struct recovery_ops ruled = {
    .name = "ruled", .summary = "a rule of the test", .rule = ask_ruler};

struct probe {
    struct rig rig;
    struct recovery recovery;
    struct listed faults;
    struct error err;
    char text[512];
};

/* Loads the lab under the policy fjf with a rule and faults. */
static void probe_load(struct probe *p, ruler rule, const struct fault *faults,
                       size_t n)
{
    rules = rule;
    *p = (struct probe){.recovery = {.ops = &ruled}, .faults = {faults, n}};
    assert_int_equal(lab_write(lab, &p->err), STATUS_OK);
    if (rig_load(&p->rig, lab, &p->err) != STATUS_OK)
        fail_msg("%s", p->err.message);
    struct engine_parts *parts = &p->rig.parts;
    assert_int_equal(policy_find(text_from("fjf"), &parts->policy.ops, &p->err),
                     STATUS_OK);
    parts->recovery = &p->recovery;
    if (n) {
        parts->fault.ops = &listed;
        parts->fault.config = &p->faults;
    }
}

static void probe_run(struct probe *p)
{
    enum status st = rig_start(&p->rig, &p->err);
    if (st == STATUS_OK)
        st = rig_run(&p->rig, &p->err);
    if (st != STATUS_OK)
        fail_msg("%s", p->err.message);
}

static void expect_attempts(struct probe *p, job_id job, const char *words)
{
    assert_string_equal(script_attempts(&p->rig, job, p->text, sizeof p->text),
                        words);
}

static void expect_changes(struct probe *p, const char *words)
{
    const struct ledger *ledger = &p->rig.ledger;
    size_t n = 0;
    p->text[0] = '\0';
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *c = &ledger->node_changes[i];
        n += (size_t)snprintf(p->text + n, sizeof p->text - n, "%s%g %s %u",
                              i ? ", " : "", span_seconds(c->at),
                              c->kind == LEDGER_NODE_UP ? "up" : "down",
                              c->node);
    }
    assert_string_equal(p->text, words);
}

#define N(list) (sizeof(list) / sizeof *(list))
#define S(seconds) ((sim_span)(seconds)*SPAN_SECOND)

static void notice_late(const struct failure *failure, struct ruling *out)
{
    (void)failure;
    out->detected = S(2); /* `delay` is not less */
}

/* The disks of virtual cluster v fail for all its jobs, then for none. */
static void a_storage_fault_hits_jobs_of_its_virtual_cluster(void **state)
{
    (void)state;
    static const struct fault faults[] = {
        {.at = S(5),
         .node = NODE_NONE,
         .scope = FAULT_STORAGE,
         .after = FAULT_PASSES,
         .cause = "disk",
         .share = 1},
        {.at = S(9),
         .node = NODE_NONE,
         .scope = FAULT_STORAGE,
         .after = FAULT_PASSES,
         .cause = "disk"},
    };
    struct probe p;
    add_job(0, 20, 1, "v");
    add_job(0, 20, 3, "v");
    add_job(0, 20, 1, "w");
    probe_load(&p, notice_late, faults, N(faults));
    probe_run(&p);
    expect_attempts(&p, 0, "0..5 failed@0, 7..27 finished@0");
    expect_attempts(&p, 1, "0..5 failed@1+0, 7..27 finished@1+0");
    expect_attempts(&p, 2, "0..20 finished@2");
    const struct fault_row *rows = p.rig.ledger.faults;
    assert_int_equal(p.rig.ledger.n_faults, 2);
    assert_int_equal(rows[0].n_hit, 2);
    assert_int_equal(rows[1].n_hit, 0);
    assert_int_equal(rows[0].node, NODE_NONE);
    assert_int_equal(rows[0].vc, 0);
    assert_int_equal(p.rig.ledger.failures[0].node, NODE_NONE);
    assert_true(p.rig.ledger.failures[0].delay == S(2));
    expect_changes(&p, "");
    rig_close(&p.rig);
}

static void suspect_first(const struct failure *failure, struct ruling *out)
{
    out->suspect = failure->where.at[0].node;
    out->test = S(1);
}

static const struct fault passes_at_5 = {
    .at = S(5), .after = FAULT_PASSES, .cause = "glitch"};

/* Both jobs fail and name the same node, which is tested once. */
static void a_node_that_two_jobs_suspect_is_tested_once(void **state)
{
    (void)state;
    struct probe p;
    add_job(0, 20, 1, "v");
    add_job(0, 20, 1, "v");
    probe_load(&p, suspect_first, &passes_at_5, 1);
    probe_run(&p);
    expect_changes(&p, "5 down 0, 6 up 0");
    expect_attempts(&p, 0, "0..5 failed@0, 5..25 finished@1");
    expect_attempts(&p, 1, "0..5 failed@0, 5..25 finished@1");
    rig_close(&p.rig);
}

static void suspect_node_1(const struct failure *failure, struct ruling *out)
{
    (void)failure;
    out->suspect = 1;
    out->test = S(1);
}

static void a_suspect_that_is_down_already_is_not_tested(void **state)
{
    (void)state;
    struct probe p;
    add_job(0, 20, 1, "v");
    lab->changes[0] = (struct capacity_change){.node = 1};
    lab->changes[1] =
        (struct capacity_change){.at = S(8), .node = 1, .up = true};
    lab->n_changes = 2;
    probe_load(&p, suspect_node_1, &passes_at_5, 1);
    probe_run(&p);
    expect_changes(&p, "0 down 1, 8 up 1");
    expect_attempts(&p, 0, "0..5 failed@0, 5..25 finished@0");
    rig_close(&p.rig);
}

/* A test also repairs a hidden fault, if the fault has not healed by itself: it
 * has on node 0, not on node 1. Neither hits the GPU of the job. */
static void a_test_repairs_what_has_not_healed(void **state)
{
    (void)state;
    static const struct fault faults[] = {
        {.at = S(1),
         .node = 0,
         .scope = FAULT_GPU,
         .gpu = 1,
         .after = FAULT_HIDDEN,
         .repair = S(1),
         .relapse = 1,
         .cause = "worn"},
        {.at = S(2),
         .node = 1,
         .scope = FAULT_GPU,
         .gpu = 3, /* GPU 1 of two */
         .after = FAULT_HIDDEN,
         .repair = S(100),
         .relapse = 1,
         .cause = "worn"},
        {.at = S(5), .node = 0, .after = FAULT_PASSES, .cause = "glitch"},
        {.at = S(9), .node = 1, .after = FAULT_PASSES, .cause = "glitch"},
    };
    struct probe p;
    add_job(0, 20, 1, "v");
    add_job(150, 5, 3, "v");
    probe_load(&p, suspect_first, faults, N(faults));
    probe_run(&p);
    expect_changes(&p, "5 down 0, 6 up 0, 9 down 1, 110 up 1");
    expect_attempts(&p, 0, "0..5 failed@0, 5..9 failed@1, 9..29 finished@0");
    expect_attempts(&p, 1, "150..155 finished@0+1");
    rig_close(&p.rig);
}

/* Of two hidden faults under a job, the one that breaks out first counts. */
static void the_first_of_two_hidden_faults_is_the_cause(void **state)
{
    (void)state;
    static const struct fault faults[] = {
        {.at = S(1),
         .node = 0,
         .after = FAULT_HIDDEN,
         .repair = S(20),
         .relapse = 1,
         .cause = "soon"},
        {.at = S(2),
         .node = 1,
         .after = FAULT_HIDDEN,
         .repair = S(100000000),
         .relapse = S(1000000),
         .cause = "late"},
    };
    struct probe p;
    add_job(10, 5, 3, "v");
    probe_load(&p, suspect_first, faults, N(faults));
    probe_run(&p);
    assert_int_equal(p.rig.ledger.n_failures, 1);
    assert_string_equal(p.rig.ledger.failures[0].cause, "soon");
    assert_int_equal(p.rig.ledger.failures[0].fault, 0);
    assert_int_equal(p.rig.ledger.failures[0].node, 0);
    rig_close(&p.rig);
}

/* The user corrects job 0 only after its second failure; job 1 is given up. The
 * waits are those of the trace, 3 and 4 s. */
static void correct_the_second_time(const struct failure *failure,
                                    struct ruling *out)
{
    out->delay = failure->gap;
    out->uncorrected = failure->failures != 2;
    if (failure->job->id == 1)
        out->verdict = VERDICT_GIVE_UP;
    else if (failure->failures > 1)
        out->verdict = VERDICT_RESUME;
}

static void a_recorded_failure_comes_again_until_it_is_corrected(void **state)
{
    (void)state;
    static const struct own_failure own[] = {
        {.left = S(15), .gap = S(3), .cause = "typo", .kind = FAILURE_SCRIPT},
        /* nothing that the user could correct */
        {.left = S(5),
         .gap = S(4),
         .kind = FAILURE_INFRASTRUCTURE,
         .cause = "ECC"},
        {.left = S(2), .gap = S(3), .cause = "typo", .kind = FAILURE_SCRIPT},
    };
    struct probe p;
    add_job(0, 20, 1, "v");
    add_job(0, 9, 1, "v");
    probe_load(&p, correct_the_second_time, NULL, 0);
    p.rig.jobset.truths[0].n_failures = 2;
    p.rig.jobset.truths[1].n_failures = 1;
    p.rig.jobset.truths[1].first_failure = 2;
    p.rig.parts.own_failures = own;
    probe_run(&p);
    /* a restart loses the work of 5 s; who resumes after a recorded failure
     * loses nothing */
    expect_attempts(&p, 0,
                    "0..5 failed@0, 8..13 failed@0, 16..26 failed@0, "
                    "30..35 finished@0");
    expect_attempts(&p, 1, "0..7 failed@0");
    assert_true(p.rig.engine.board.now == S(35)); /* to the microsecond */
    rig_close(&p.rig);
}

/* The faults hit no job. A horizon that is not reached changes nothing. */
static void the_limit_of_faults_ends_a_run(void **state)
{
    (void)state;
    struct fault list[8];
    struct probe p;
    for (size_t i = 0; i < N(list); i++)
        list[i] = (struct fault){.at = S(5 + 5 * i),
                                 .node = 2,
                                 .after = FAULT_PASSES,
                                 .cause = "glitch"};
    add_job(0, 100, 1, "v");
    for (int bounded = 0; bounded < 2; bounded++) {
        probe_load(&p, notice_late, list, N(list));
        p.rig.parts.config.faults_max = 3;
        p.rig.parts.config.horizon = bounded ? S(1000) : 0;
        probe_run(&p);
        assert_true(p.rig.engine.board.now == S(15));
        engine_explain_stuck(&p.rig.engine, "j0", p.text, sizeof p.text);
        assert_string_equal(p.text, "1 jobs still running; 3 faults and "
                                    "failures of jobs (--engine faults_max)");
        /* no more is written than there is room for */
        engine_explain_stuck(&p.rig.engine, "j0", p.text, 25);
        assert_string_equal(p.text, "1 jobs still running; 3 ");
        assert_string_equal(p.text + 25, "aults and "
                                         "failures of jobs (--engine "
                                         "faults_max)");
        rig_close(&p.rig);
    }
}

static void spares_leave_a_node_in_each_pool(void **state)
{
    (void)state;
    struct probe p;
    add_job(0, 10, 1, "v");
    probe_load(&p, notice_late, NULL, 0);
    p.rig.parts.config.spares = 2;
    assert_int_equal(rig_start(&p.rig, &p.err), STATUS_USAGE);
    assert_string_equal(p.err.message, "engine: spares=2, but virtual cluster "
                                       "v has a pool of 2 nodes");
    rig_close(&p.rig);
}

/* Node 0 drains by two plans, then one, then two; a third plan takes it down
 * under job 0, and it is up when the last plan has ended. Node 1 drains from 5
 * to 7 s, so job 2 waits for 1 s. */
static void a_node_may_drain_by_several_plans(void **state)
{
    (void)state;
    static const struct capacity_change changes[] = {
        {.at = S(5), .node = 0, .drains = true},
        {.at = S(5), .node = 1, .drains = true},
        {.at = S(6), .node = 0, .drains = true, .plan = PLAN_OF_WHAT_IF},
        {.at = S(7), .node = 1, .up = true, .drains = true},
        {.at = S(8), .node = 0, .up = true, .drains = true},
        {.at = S(10), .node = 0, .drains = true},
        {.at = S(12), .node = 0, .plan = PLAN_OF_STATE},
        {.at = S(14), .node = 0, .up = true, .plan = PLAN_OF_STATE},
        {.at = S(15), .node = 0, .up = true, .drains = true},
        {.at = S(20), .node = 0, .up = true, .plan = PLAN_OF_WHAT_IF},
    };
    struct probe p;
    add_job(0, 30, 2, "v");
    add_job(0, 8, 1, "v");
    add_job(6, 5, 1, "v");
    add_job(13, 5, 2, "v");
    probe_load(&p, notice_late, NULL, 0);
    p.rig.parts.changes = changes;
    p.rig.parts.n_changes = N(changes);
    probe_run(&p);
    expect_changes(&p, "12 down 0, 20 up 0");
    expect_attempts(&p, 0, "0..12 stopped@0, 12..30 finished@1");
    expect_attempts(&p, 1, "0..8 finished@1");
    expect_attempts(&p, 2, "7..12 finished@1");
    expect_attempts(&p, 3, "20..25 finished@0");
    rig_close(&p.rig);
}

#define ON_A_LAB(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_LAB(a_storage_fault_hits_jobs_of_its_virtual_cluster),
        ON_A_LAB(a_node_that_two_jobs_suspect_is_tested_once),
        ON_A_LAB(a_suspect_that_is_down_already_is_not_tested),
        ON_A_LAB(a_test_repairs_what_has_not_healed),
        ON_A_LAB(the_first_of_two_hidden_faults_is_the_cause),
        ON_A_LAB(a_recorded_failure_comes_again_until_it_is_corrected),
        ON_A_LAB(the_limit_of_faults_ends_a_run),
        ON_A_LAB(spares_leave_a_node_in_each_pool),
        ON_A_LAB(a_node_may_drain_by_several_plans),
    };
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
