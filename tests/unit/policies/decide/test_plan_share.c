/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the rules of plan.h for shared GPUs, profiling and nodes, and that
 * undoing a plan restores the cluster. */
#include "tests/support/test.h"

#include "base/rng.h"
#include "tests/support/plan_fixture.h"

static void sharing_ends_at_the_share_limit(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 0x3);
    assert_true(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    assert_true(gpu_set_equal(plan_where(&f->plan, &f->jobs[1]),
                              plan_where(&f->plan, &f->jobs[0])));
    assert_false(plan_share(&f->plan, &f->jobs[2], &f->jobs[0]));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void sharing_needs_memory_for_all(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 0x3);
    f->jobs[0].mem_mib = 60;
    f->jobs[1].mem_mib = 41;
    f->jobs[2].mem_mib = 40;
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    assert_true(plan_share(&f->plan, &f->jobs[2], &f->jobs[0]));
}

/* Neither who is barred nor the job of its GPUs shares. */
static void sharing_needs_two_jobs_that_may(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 0x3);
    for (job_id barred = 0; barred < 2; barred++) {
        f->jobs[barred].barred = true;
        assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
        f->jobs[barred].barred = false;
    }
    assert_true(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
}

static void sharing_needs_the_same_number_of_gpus(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 0x3);
    f->jobs[1].gpus = 1;
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void sharing_with_a_waiting_job_breaks_the_plan(void **state)
{
    struct plan_fixture *f = *state;
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    plan_fixture_expect_broken(f, "shares with a job that does not run");
}

static void a_job_just_planned_can_be_a_resident(void **state)
{
    struct plan_fixture *f = *state;
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    assert_true(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
}

static void sharing_may_mix_held_and_free_gpus(void **state)
{
    struct plan_fixture *f = *state;
    struct plan_snapshot before, after;
    struct gpu_slice mixed = {0, 0x6}, across[] = {{0, 1}, {3, 1}};
    plan_fixture_run(f, 0, 0, 0x3);
    plan_snap(f, &before);
    assert_true(
        plan_share_on(&f->plan, &f->jobs[1], (struct gpu_set){&mixed, 1}));
    assert_int_equal(f->cluster.n_holders[0], 1);
    assert_int_equal(f->cluster.n_holders[1], 2);
    assert_int_equal(f->cluster.n_holders[2], 1);
    assert_false(f->cluster.nodes[0].free & 0x4);
    plan_undo_to(&f->plan, 0);
    plan_snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_false(
        plan_share_on(&f->plan, &f->jobs[1], (struct gpu_set){across, 2}));
    plan_fixture_expect_broken(f, "shares across pools");
}

static void nobody_joins_a_job_whose_node_drains(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 0x3);
    cluster_drain(&f->cluster, 0, true);
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    cluster_drain(&f->cluster, 0, false);
    assert_true(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
}

static void sharing_keeps_to_the_type_asked_for(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 0x3);
    f->jobs[1].gpu_type = 1;
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    f->jobs[2].gpu_type = 0;
    assert_true(plan_share(&f->plan, &f->jobs[2], &f->jobs[0]));
}

static void sharing_keeps_to_the_virtual_cluster(void **state)
{
    struct plan_fixture *f = *state;
    struct gpu_slice foreign = {0, 0x3};
    plan_fixture_run(f, 0, 0, 0x3);
    f->jobs[1].vc = f->jobs[2].vc = 1;
    assert_false(plan_share_on(&f->plan, &f->jobs[1], (struct gpu_set){0}));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    /* without virtual clusters all nodes serve all jobs */
    f->cluster.merged = true;
    assert_true(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    plan_undo_to(&f->plan, 0);
    f->cluster.merged = false;
    assert_false(
        plan_share_on(&f->plan, &f->jobs[2], (struct gpu_set){&foreign, 1}));
    plan_fixture_expect_broken(f, "job 2 shares outside its virtual cluster");
}

static void profiling_keeps_to_the_type_asked_for(void **state)
{
    struct plan_fixture *f = *state;
    f->jobs[0].gpu_type = 1; /* the profiler node is of type 0 */
    assert_false(plan_profile(&f->plan, &f->jobs[0], 5));
    f->jobs[0].gpu_type = 0;
    assert_true(plan_profile(&f->plan, &f->jobs[0], 5));
}

static void profiling_takes_free_gpus_of_one_pool(void **state)
{
    struct plan_fixture *f = *state;
    struct gpu_slice lab = {6, 0x1}, both[] = {{6, 0x2}, {1, 0x1}};
    assert_true(
        plan_profile_on(&f->plan, &f->jobs[0], (struct gpu_set){&lab, 1}, 5));
    assert_false(
        plan_profile_on(&f->plan, &f->jobs[1], (struct gpu_set){&lab, 1}, 5));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    assert_true(plan_lend(&f->plan, 1));
    assert_false(
        plan_profile_on(&f->plan, &f->jobs[1], (struct gpu_set){both, 2}, 5));
    plan_fixture_expect_broken(f, "profiled outside the profiler");
}

static void profiling_on_chosen_gpus_takes_time(void **state)
{
    struct plan_fixture *f = *state;
    struct gpu_slice lab = {6, 0x1};
    assert_false(
        plan_profile_on(&f->plan, &f->jobs[0], (struct gpu_set){&lab, 1}, 0));
    plan_fixture_expect_broken(f, "profiled for no time");
}

static void nobody_joins_a_job_that_is_profiled(void **state)
{
    struct plan_fixture *f = *state;
    assert_true(plan_profile(&f->plan, &f->jobs[0], 5));
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
}

static void profiling_uses_profiler_nodes_only(void **state)
{
    struct plan_fixture *f = *state;
    assert_true(plan_profile(&f->plan, &f->jobs[0], 5));
    node_id node = plan_where(&f->plan, &f->jobs[0]).at[0].node;
    assert_true(f->cluster.pools[f->cluster.nodes[node].pool].profiler);
    /* the profiler node is full */
    assert_false(plan_profile(&f->plan, &f->jobs[1], 5));
    assert_false(plan_profile(&f->plan, &f->jobs[1], 0));
    plan_fixture_expect_broken(f, "profiled for no time");
}

static void a_lent_node_counts_for_profiling_alone(void **state)
{
    struct plan_fixture *f = *state;
    struct plan_snapshot before, after;
    plan_fixture_run(f, 0, 0, 0x1);
    plan_snap(f, &before);
    assert_false(plan_lend(&f->plan, 0)); /* jobs hold GPUs of the node */
    assert_false(plan_lend(&f->plan, 6)); /* a profiler node cannot be lent */
    assert_true(plan_lend(&f->plan, 1));
    assert_false(plan_lend(&f->plan, 1));
    assert_false(plan_take_back(&f->plan, 2));
    assert_int_equal(plan_free_gpus(&f->plan, 0), 3 + 4 + 2 * 8);
    assert_int_equal(cluster_vc_gpus(&f->cluster, 0), 2 * 4 + 2 * 8);
    f->jobs[1].gpus = f->jobs[2].gpus = 4;
    f->jobs[1].gpu_type = f->jobs[2].gpu_type = 0;
    assert_true(plan_profile(&f->plan, &f->jobs[1], 5));
    assert_int_equal(plan_where(&f->plan, &f->jobs[1]).at[0].node, 1);
    assert_false(plan_profile(&f->plan, &f->jobs[2], 5));
    /* a job is profiled on node 1 */
    assert_false(plan_take_back(&f->plan, 1));
    struct gpu_slice there = {1, 0xf};
    assert_false(
        plan_share_on(&f->plan, &f->jobs[2], (struct gpu_set){&there, 1}));
    plan_undo_to(&f->plan, 0);
    plan_snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void start_anyhow(struct plan_fixture *f, gsl_rng *rng,
                         const struct job *job, const struct job *other)
{
    switch (rng_below(rng, 3)) {
    case 0:
        if (plan_where(&f->plan, other).count && other != job)
            plan_share(&f->plan, job, other);
        break;
    case 1:
        plan_profile(&f->plan, job, 5);
        break;
    default:
        plan_start(&f->plan, job);
    }
}

static void try_anything(struct plan_fixture *f, gsl_rng *rng)
{
    const struct job *job = &f->jobs[rng_below(rng, PLAN_FIXTURE_JOBS)];
    const struct job *other = &f->jobs[rng_below(rng, PLAN_FIXTURE_JOBS)];
    bool waits = job->state == JOB_PENDING || plan_is_stopped(&f->plan, job);
    bool planned = plan_is_started(&f->plan, job);
    if (rng_below(rng, 5) == 0) {
        node_id node = rng_below(rng, f->cluster.n_nodes);
        if (!plan_lend(&f->plan, node))
            plan_take_back(&f->plan, node);
        return;
    }
    if (!waits && !plan_is_stopped(&f->plan, job)) {
        plan_stop(&f->plan, job);
    } else if (!planned && waits) {
        start_anyhow(f, rng, job, other);
    }
}

static void undo_restores_the_cluster_exactly(void **state)
{
    struct plan_fixture *f = *state;
    gsl_rng *rng = rng_open(9, "test plan");
    static const uint32_t gpus[] = {1, 2, 2, 3, 5};
    for (job_id i = 0; i < PLAN_FIXTURE_JOBS; i++)
        f->jobs[i].gpus = gpus[i % 5];
    for (job_id i = 0; i < 6; i++)
        plan_fixture_run(f, i, i % 3, i < 3 ? 0x3 : 0x4);
    struct gpu_slice shared = {0, 0x3};
    cluster_join(&f->cluster, shared, 7); /* a second holder after job 0 */
    board_move(&f->board, &f->jobs[7], JOB_RUNNING);
    board_allocate(&f->board, &f->jobs[7], (struct gpu_set){&shared, 1},
                   mask_count(shared.mask));
    for (int round = 0; round < 2000; round++) {
        struct plan_snapshot before, middle, after;
        plan_snap(f, &before);
        for (uint32_t k = rng_below(rng, 8); k; k--)
            try_anything(f, rng);
        size_t mark = plan_mark(&f->plan);
        plan_snap(f, &middle);
        for (uint32_t k = rng_below(rng, 12); k; k--)
            try_anything(f, rng);
        plan_undo_to(&f->plan, mark);
        plan_snap(f, &after);
        assert_memory_equal(&middle, &after, sizeof middle);
        plan_undo_to(&f->plan, 0);
        plan_snap(f, &after);
        assert_memory_equal(&before, &after, sizeof before);
        arena_reset(&f->scratch);
    }
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    rng_free(rng);
}

static void a_node_that_is_held_stays_open(void **state)
{
    struct plan_fixture *f = *state;
    plan_fixture_run(f, 0, 0, 1);
    assert_false(plan_close(&f->plan, 0));
    assert_true(f->cluster.nodes[0].up);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_true(plan_close(&f->plan, 0));
    assert_false(f->cluster.nodes[0].up);
    plan_undo_to(&f->plan, 0);
    assert_true(f->cluster.nodes[0].up);
}

/* A node that was taken down twice is up again after it was brought up
 * twice. */
static void a_node_is_up_when_nothing_keeps_it_down(void **state)
{
    struct plan_fixture *f = *state;
    uint32_t n_free = f->cluster.n_free;
    assert_true(plan_close(&f->plan, 1));
    assert_true(plan_close(&f->plan, 1));
    plan_open(&f->plan, 1);
    assert_false(f->cluster.nodes[1].up);
    plan_open(&f->plan, 1);
    assert_true(f->cluster.nodes[1].up);
    assert_int_equal(f->cluster.n_free, n_free);
    plan_open(&f->plan, 1); /* the node is up already */
    assert_int_equal(f->plan.n_actions, 4);
    assert_true(f->plan.actions[0].moves && !f->plan.actions[1].moves);
    plan_undo_to(&f->plan, 1);
    assert_false(f->cluster.nodes[1].up);
    plan_undo_to(&f->plan, 0);
    assert_true(f->cluster.nodes[1].up);
    plan_clear(&f->plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(sharing_ends_at_the_share_limit),
        PLAN_TEST(sharing_needs_memory_for_all),
        PLAN_TEST(sharing_needs_two_jobs_that_may),
        PLAN_TEST(sharing_needs_the_same_number_of_gpus),
        PLAN_TEST(sharing_with_a_waiting_job_breaks_the_plan),
        PLAN_TEST(a_job_just_planned_can_be_a_resident),
        PLAN_TEST(sharing_may_mix_held_and_free_gpus),
        PLAN_TEST(nobody_joins_a_job_whose_node_drains),
        PLAN_TEST(sharing_keeps_to_the_type_asked_for),
        PLAN_TEST(sharing_keeps_to_the_virtual_cluster),
        PLAN_TEST(profiling_keeps_to_the_type_asked_for),
        PLAN_TEST(profiling_takes_free_gpus_of_one_pool),
        PLAN_TEST(profiling_on_chosen_gpus_takes_time),
        PLAN_TEST(nobody_joins_a_job_that_is_profiled),
        PLAN_TEST(profiling_uses_profiler_nodes_only),
        PLAN_TEST(a_lent_node_counts_for_profiling_alone),
        PLAN_TEST(undo_restores_the_cluster_exactly),
        PLAN_TEST(a_node_that_is_held_stays_open),
        PLAN_TEST(a_node_is_up_when_nothing_keeps_it_down),
    };
    return cmocka_run_group_tests_name("plan_share", tests, NULL, NULL);
}
