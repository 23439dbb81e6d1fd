/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the rules of plan.h for starts, stops and wakes, one by one. */
#include <string.h>

#include "tests/support/test.h"

#include "tests/support/plan_fixture.h"

static void a_start_reserves_at_once(void **state)
{
    struct plan_fixture *f = *state;
    uint32_t before = plan_free_gpus(&f->plan, 0);
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    assert_int_equal(plan_free_gpus(&f->plan, 0), before - 2);
    assert_true(plan_is_started(&f->plan, &f->jobs[0]));
    assert_int_equal(gpu_set_size(plan_where(&f->plan, &f->jobs[0])), 2);
    assert_false(plan_is_started(&f->plan, &f->jobs[1]));
}

static void what_does_not_fit_reserves_nothing(void **state)
{
    struct plan_fixture *f = *state;
    struct plan_snapshot before, after;
    plan_snap(f, &before);
    /* 17 GPUs are more than a pool has: the two pools have 12 and 16 */
    f->jobs[0].gpus = 17;
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    f->jobs[0].gpus = 0;
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    plan_snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void a_job_keeps_to_its_virtual_cluster_and_type(void **state)
{
    struct plan_fixture *f = *state;
    f->jobs[0].gpu_type = 1;
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    node_id node = plan_where(&f->plan, &f->jobs[0]).at[0].node;
    assert_int_equal(f->cluster.pools[f->cluster.nodes[node].pool].type, 1);
    f->jobs[1].vc = 1;
    /* 5 GPUs are more than virtual cluster b has: 4, without its profiler node
     */
    f->jobs[1].gpus = 5;
    assert_false(plan_start(&f->plan, &f->jobs[1]));
    struct gpu_slice foreign = {0, 1};
    f->jobs[2].vc = 1;
    assert_false(
        plan_start_on(&f->plan, &f->jobs[2], (struct gpu_set){&foreign, 1}));
    plan_fixture_expect_broken(f, "outside its virtual cluster");
}

static void the_first_refusal_stands(void **state)
{
    struct plan_fixture *f = *state;
    plan_refuse(&f->plan, STATUS_BAD_INPUT, 3, "first");
    plan_refuse(&f->plan, STATUS_USAGE, 4, "second");
    assert_int_equal(f->plan.broken.status, STATUS_BAD_INPUT);
    assert_int_equal(f->plan.broken_job, 3);
    assert_non_null(strstr(f->plan.broken.message, "first"));
    assert_false(plan_start(&f->plan, &f->jobs[0]));
}

static void barred_gpus_go_to_nobody(void **state)
{
    struct plan_fixture *f = *state;
    struct plan_snapshot before, after;
    plan_fixture_run(f, 0, 0, 0x1);
    plan_snap(f, &before);
    uint32_t free_gpus = plan_free_gpus(&f->plan, 0);
    struct gpu_slice some[2] = {{0, 0x3}, {1, 0xf}};
    plan_bar(&f->plan, &f->jobs[1], (struct gpu_set){some, 2});
    /* the GPU that job 0 holds was not free */
    assert_int_equal(plan_free_gpus(&f->plan, 0), free_gpus - 5);
    assert_false(plan_is_started(&f->plan, &f->jobs[1]));
    assert_false(
        plan_start_on(&f->plan, &f->jobs[2], (struct gpu_set){some + 1, 1}));
    plan_undo_to(&f->plan, 0);
    plan_snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
}

static bool admits_all(void *self, const struct job *job, uint32_t gpus)
{
    (void)self, (void)job, (void)gpus;
    return true;
}

static void add_use(void *self, const struct job *job, int64_t gpus)
{
    (void)job;
    *(int64_t *)self += gpus;
}

static void an_undo_gives_back_what_the_gate_counts(void **state)
{
    struct plan_fixture *f = *state;
    int64_t used = 4;
    const struct plan_gate gate = {
        .self = &used, .admits = admits_all, .uses = add_use};
    plan_fixture_run(f, 0, 0, 0xf);
    f->plan.gate = &gate;
    plan_stop(&f->plan, &f->jobs[0]);
    assert_int_equal(used, 0);
    assert_true(plan_start(&f->plan, &f->jobs[1]));
    plan_imagine_gone(&f->plan, &f->jobs[1]);
    assert_int_equal(used, 0);
    plan_undo_to(&f->plan, 2);
    assert_int_equal(used, 2);
    plan_undo_to(&f->plan, 1);
    assert_int_equal(used, 0);
    plan_undo_to(&f->plan, 0);
    assert_int_equal(used, 4);
}

/* A gate that admits `most` GPUs in all. */
struct turnstile {
    int64_t most, used, refusals;
};

static bool turnstile_admits(void *self, const struct job *job, uint32_t gpus)
{
    const struct turnstile *t = self;
    (void)job;
    return t->used + gpus <= t->most;
}

static void turnstile_uses(void *self, const struct job *job, int64_t gpus)
{
    (void)job;
    ((struct turnstile *)self)->used += gpus;
}

static void turnstile_refused(void *self, const struct job *job, uint32_t gpus)
{
    (void)job, (void)gpus;
    ((struct turnstile *)self)->refusals++;
}

static uint32_t turnstile_room(const void *self, uint16_t vc)
{
    const struct turnstile *t = self;
    (void)vc;
    return (uint32_t)(t->most - t->used);
}

static uint32_t turnstile_most(const void *self, uint16_t vc)
{
    (void)vc;
    return (uint32_t)((const struct turnstile *)self)->most;
}

static void a_gate_keeps_out_whom_it_does_not_admit(void **state)
{
    struct plan_fixture *f = *state;
    struct turnstile t = {.most = 5, .used = 2};
    const struct plan_gate gate = {.self = &t,
                                   .admits = turnstile_admits,
                                   .uses = turnstile_uses,
                                   .refused = turnstile_refused,
                                   .room = turnstile_room,
                                   .most = turnstile_most};
    struct gpu_slice on = {1, 0x3}, held = {0, 0x3};
    plan_fixture_run(f, 0, 0, 0x3);
    assert_int_equal(plan_most_gpus(&f->plan, 0), 3 * 4 + 2 * 8);
    f->plan.gate = &gate;
    assert_int_equal(plan_most_gpus(&f->plan, 0), 5);
    assert_true(plan_start(&f->plan, &f->jobs[1]));
    assert_int_equal(plan_free_gpus(&f->plan, 0), 1);
    assert_false(plan_start(&f->plan, &f->jobs[2]));
    assert_int_equal(t.refusals, 1);
    assert_false(
        plan_start_on(&f->plan, &f->jobs[2], (struct gpu_set){&on, 1}));
    assert_int_equal(t.refusals, 2);
    assert_false(
        plan_share_on(&f->plan, &f->jobs[2], (struct gpu_set){&held, 1}));
    assert_int_equal(t.refusals, 3);
    /* a job that the gate admits and no node holds */
    f->jobs[3].gpus = 1, f->jobs[3].vc = 1;
    assert_true(plan_close(&f->plan, 5));
    assert_false(plan_start(&f->plan, &f->jobs[3]));
    assert_int_equal(t.refusals, 4);
    assert_int_equal(t.used, 4);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void profiled_and_barred_gpus_do_not_count_at_the_gate(void **state)
{
    struct plan_fixture *f = *state;
    struct turnstile t = {.most = 20, .used = 2};
    const struct plan_gate gate = {.self = &t,
                                   .admits = turnstile_admits,
                                   .uses = turnstile_uses,
                                   .refused = turnstile_refused};
    struct gpu_slice some = {1, 0x3};
    plan_fixture_run(f, 0, 6, 0x3);
    board_allocation(&f->board, &f->jobs[0])->profiling = true;
    f->plan.gate = &gate;
    plan_stop(&f->plan, &f->jobs[0]);
    assert_int_equal(t.used, 2);
    assert_true(plan_profile(&f->plan, &f->jobs[1], 5));
    assert_int_equal(t.used, 2);
    plan_bar(&f->plan, &f->jobs[2], (struct gpu_set){&some, 1});
    assert_int_equal(t.used, 2);
    plan_undo_to(&f->plan, 0);
    assert_int_equal(t.used, 2);
}

static void a_broken_plan_changes_no_more(void **state)
{
    struct plan_fixture *f = *state;
    struct plan_snapshot before, after;
    struct gpu_slice on = {2, 0x1}, lab = {6, 0x1};
    plan_fixture_run(f, 0, 0, 0x3);
    assert_true(plan_close(&f->plan, 1));
    plan_refuse(&f->plan, STATUS_BAD_INPUT, 3, "first");
    plan_snap(f, &before);
    size_t n = f->plan.n_actions;
    assert_false(
        plan_start_on(&f->plan, &f->jobs[1], (struct gpu_set){&on, 1}));
    assert_false(
        plan_share_on(&f->plan, &f->jobs[1], (struct gpu_set){&on, 1}));
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    assert_false(plan_profile(&f->plan, &f->jobs[1], 5));
    assert_false(
        plan_profile_on(&f->plan, &f->jobs[1], (struct gpu_set){&lab, 1}, 5));
    assert_false(plan_close(&f->plan, 2));
    plan_open(&f->plan, 1);
    assert_false(plan_lend(&f->plan, 2));
    assert_false(plan_take_back(&f->plan, 2));
    plan_imagine_gone(&f->plan, &f->jobs[1]);
    plan_snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(f->plan.n_actions, n);
    plan_refuse(&f->plan, STATUS_USAGE, 4, "second");
    assert_int_equal(f->plan.broken.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(f->plan.broken.message, "first"));
}

/* A job that a what-if treats as gone, or keeps GPUs for, is still where it was
 * started. */
static void a_what_if_does_not_move_a_start(void **state)
{
    struct plan_fixture *f = *state;
    struct gpu_slice some = {2, 0x3};
    f->jobs[0].gpu_type = 0;
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    plan_bar(&f->plan, &f->jobs[0], (struct gpu_set){&some, 1});
    assert_int_equal(plan_where(&f->plan, &f->jobs[0]).at[0].node, 0);
    plan_imagine_gone(&f->plan, &f->jobs[0]);
    assert_int_equal(plan_where(&f->plan, &f->jobs[0]).at[0].node, 0);
}

static void a_start_needs_nodes_that_are_up(void **state)
{
    struct plan_fixture *f = *state;
    struct gpu_slice down = {1, 0x1}, drains = {2, 0x1};
    assert_true(plan_close(&f->plan, 1));
    assert_false(
        plan_start_on(&f->plan, &f->jobs[0], (struct gpu_set){&down, 1}));
    assert_false(
        plan_share_on(&f->plan, &f->jobs[0], (struct gpu_set){&down, 1}));
    cluster_drain(&f->cluster, 2, true);
    assert_false(
        plan_start_on(&f->plan, &f->jobs[0], (struct gpu_set){&drains, 1}));
    assert_false(
        plan_share_on(&f->plan, &f->jobs[0], (struct gpu_set){&drains, 1}));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    cluster_drain(&f->cluster, 2, false);
    plan_undo_to(&f->plan, 0);
}

static double odd_rate(const struct throughput *model,
                       const struct cluster *cluster, const struct job *job,
                       struct shape shape)
{
    (void)model, (void)cluster, (void)job;
    return shape.gpus % 2;
}

static sim_span odd_work(const struct throughput *model, const struct job *job)
{
    (void)model;
    return job->id == 0 ? 0 : 10;
}

/* Job 0 is not described; the others run on odd numbers of GPUs. */
static const struct throughput_ops odd = {
    .name = "odd", .rate = odd_rate, .work = odd_work};

static void no_job_starts_in_a_shape_it_cannot_run_in(void **state)
{
    struct plan_fixture *f = *state;
    struct gpu_slice two = {1, 0x3};
    f->throughput.ops = &odd;
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    assert_false(plan_start(&f->plan, &f->jobs[1]));
    assert_false(
        plan_start_on(&f->plan, &f->jobs[1], (struct gpu_set){&two, 1}));
    assert_false(
        plan_share_on(&f->plan, &f->jobs[1], (struct gpu_set){&two, 1}));
    assert_false(plan_profile(&f->plan, &f->jobs[1], 5));
    two.mask = 0x1;
    assert_true(
        plan_start_on(&f->plan, &f->jobs[1], (struct gpu_set){&two, 1}));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void a_stop_frees_before_the_start_takes(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 0xf);
    plan_fixture_run(f, 1, 1, 0xf);
    plan_fixture_run(f, 2, 2, 0xf);
    f->jobs[3].gpu_type = 0;
    assert_false(plan_start(&f->plan, &f->jobs[3]));
    plan_stop(&f->plan, &f->jobs[1]);
    assert_true(plan_is_stopped(&f->plan, &f->jobs[1]));
    assert_int_equal(plan_where(&f->plan, &f->jobs[1]).count, 0);
    assert_true(plan_start(&f->plan, &f->jobs[3]));
    assert_int_equal(plan_where(&f->plan, &f->jobs[3]).at[0].node, 1);
}

static void a_stopped_job_is_offered_its_former_gpus_first(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 1, 0x6);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    struct gpu_set where = plan_where(&f->plan, &f->jobs[0]);
    assert_int_equal(where.at[0].node, 1);
    assert_true(where.at[0].mask == 0x6);
}

static void a_stopped_job_goes_elsewhere_when_its_gpus_are_gone(void **state)
{
    struct plan_fixture *f = *state;
    struct gpu_slice former = {1, 0x6};
    plan_fixture_run(f, 0, 1, 0x6);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_true(
        plan_start_on(&f->plan, &f->jobs[1], (struct gpu_set){&former, 1}));
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    assert_int_equal(plan_where(&f->plan, &f->jobs[0]).at[0].node, 0);
}

static void a_stopped_job_moves_to_the_type_it_asks_for(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 0x3);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_true(plan_start_as(&f->plan, &f->jobs[0],
                              (struct shape){.gpu_type = 1, .gpus = 2}));
    node_id node = plan_where(&f->plan, &f->jobs[0]).at[0].node;
    assert_int_equal(f->cluster.pools[f->cluster.nodes[node].pool].type, 1);
}

static void a_second_start_breaks_the_plan(void **state)
{
    struct plan_fixture *f = *state;
    assert_true(plan_start(&f->plan, &f->jobs[7]));
    assert_false(plan_start(&f->plan, &f->jobs[7]));
    plan_fixture_expect_broken(f, "job 7 started twice");
    /* The first broken rule is reported, and later calls change nothing. */
    struct plan_snapshot before, after;
    plan_snap(f, &before);
    assert_false(plan_start(&f->plan, &f->jobs[8]));
    plan_stop(&f->plan, &f->jobs[8]);
    plan_wake_at(&f->plan, 0);
    plan_snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    plan_fixture_expect_broken(f, "job 7 started twice");
}

static void a_start_of_a_running_job_breaks_the_plan(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 1);
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    plan_fixture_expect_broken(f, "started while running");
}

static void a_start_of_a_finished_job_breaks_the_plan(void **state)
{
    struct plan_fixture *f = *state;
    board_move(&f->board, &f->jobs[0], JOB_RUNNING);
    board_move(&f->board, &f->jobs[0], JOB_FINISHED);
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    plan_fixture_expect_broken(f, "not pending");
}

static void a_second_stop_breaks_the_plan(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 1);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    plan_stop(&f->plan, &f->jobs[0]);
    plan_fixture_expect_broken(f, "stopped twice");
}

static void a_stop_of_a_waiting_job_breaks_the_plan(void **state)
{
    struct plan_fixture *f = *state;
    plan_stop(&f->plan, &f->jobs[0]);
    plan_fixture_expect_broken(f, "stopped while not running");
}

static void a_wake_lies_after_now(void **state)
{
    struct plan_fixture *f = *state;
    plan_wake_at(&f->plan, 300);
    plan_wake_at(&f->plan, 101);
    plan_wake_at(&f->plan, 200);
    assert_int_equal(f->plan.wake, 101);
    plan_wake_at(&f->plan, 100);
    plan_fixture_expect_broken(f, "does not lie after now");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(a_start_reserves_at_once),
        PLAN_TEST(what_does_not_fit_reserves_nothing),
        PLAN_TEST(a_job_keeps_to_its_virtual_cluster_and_type),
        PLAN_TEST(the_first_refusal_stands),
        PLAN_TEST(barred_gpus_go_to_nobody),
        PLAN_TEST(an_undo_gives_back_what_the_gate_counts),
        PLAN_TEST(a_gate_keeps_out_whom_it_does_not_admit),
        PLAN_TEST(profiled_and_barred_gpus_do_not_count_at_the_gate),
        PLAN_TEST(a_broken_plan_changes_no_more),
        PLAN_TEST(a_what_if_does_not_move_a_start),
        PLAN_TEST(a_start_needs_nodes_that_are_up),
        PLAN_TEST(no_job_starts_in_a_shape_it_cannot_run_in),
        PLAN_TEST(a_stop_frees_before_the_start_takes),
        PLAN_TEST(a_stopped_job_is_offered_its_former_gpus_first),
        PLAN_TEST(a_stopped_job_goes_elsewhere_when_its_gpus_are_gone),
        PLAN_TEST(a_stopped_job_moves_to_the_type_it_asks_for),
        PLAN_TEST(a_second_start_breaks_the_plan),
        PLAN_TEST(a_start_of_a_running_job_breaks_the_plan),
        PLAN_TEST(a_start_of_a_finished_job_breaks_the_plan),
        PLAN_TEST(a_second_stop_breaks_the_plan),
        PLAN_TEST(a_stop_of_a_waiting_job_breaks_the_plan),
        PLAN_TEST(a_wake_lies_after_now),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
