/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the rules of plan.h one by one, and that undo restores the cluster. */
#include <string.h>

#include "models/registry.h"
#include "sim/base/rng.h"
#include "sim/decide/plan.h"
#include "tests/support/test.h"

enum { N_JOBS = 24 };

static const struct gpu_type_spec types[] = {{"old", 100, 1.0, true},
                                             {"new", 0, 2.0, true}};
static const char *const vcs[] = {"a", "b"};
static const struct node_group groups[] = {
    {.count = 3, .gpus = 4, .type = 0, .vc = 0},
    {.count = 2, .gpus = 8, .type = 1, .vc = 0},
    {.count = 1, .gpus = 4, .type = 0, .vc = 1},
    {.count = 1, .gpus = 2, .type = 0, .vc = 1, .profiler = true},
};
static const struct cluster_spec spec = {.name = "test",
                                         .types = types,
                                         .vcs = vcs,
                                         .groups = groups,
                                         .n_types = 2,
                                         .n_vcs = 2,
                                         .n_groups = 4};

/* Takes the lowest free GPUs, node by node: these tests are about the rules of
 * the plan, not about a placer. */
static uint32_t place_lowest(void *self, const void *config,
                             const struct cluster *c, const struct pool *pool,
                             uint32_t gpus, struct gpu_slice *out)
{
    (void)self;
    (void)config;
    uint32_t n = 0;
    for (node_id i = pool->first_node; gpus; i++) {
        const struct node *node = &c->nodes[i];
        uint32_t take = node->n_free < gpus ? node->n_free : gpus;
        if (!pool_has(c, pool, i))
            continue;
        if (take)
            out[n++] = (struct gpu_slice){i, node_lowest(node, take)};
        gpus -= take;
    }
    return n;
}

static const struct placer_ops lowest = {.name = "lowest",
                                         .place = place_lowest};

struct fixture {
    struct cluster cluster;
    struct job jobs[N_JOBS];
    struct board board;
    struct view view;
    struct throughput throughput;
    struct placer placer;
    struct arena scratch;
    struct plan plan;
};

static int setup(void **state)
{
    struct fixture *f = mem_zalloc(1, sizeof *f);
    *state = f;
    if (cluster_init(&f->cluster, &spec, 2, NULL) != STATUS_OK)
        return 1;
    for (job_id i = 0; i < N_JOBS; i++)
        f->jobs[i] = (struct job){.id = i, .gpus = 2, .gpu_type = GPU_TYPE_ANY};
    board_init(&f->board, &f->cluster, f->jobs, N_JOBS);
    for (job_id i = 0; i < N_JOBS; i++)
        board_move(&f->board, &f->jobs[i], JOB_PENDING);
    f->board.now = 100;
    f->throughput = (struct throughput){.ops = throughputs[0]};
    f->view = (struct view){.board = &f->board, .throughput = &f->throughput};
    f->placer = (struct placer){.ops = &lowest};
    arena_init(&f->scratch);
    plan_init(&f->plan, &f->view, &f->cluster, &f->placer, f->board.planned,
              &f->scratch);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    plan_fini(&f->plan);
    arena_fini(&f->scratch);
    board_fini(&f->board);
    cluster_fini(&f->cluster);
    free(f);
    return 0;
}

/* Marks the job as holding GPUs since now, as after a commit. */
static void run(struct fixture *f, job_id id, node_id node, uint64_t mask)
{
    struct gpu_slice slice = {node, mask};
    cluster_take(&f->cluster, slice, id);
    board_move(&f->board, &f->jobs[id], JOB_RUNNING);
    board_allocate(&f->board, &f->jobs[id], (struct gpu_set){&slice, 1});
}

static void expect_broken(struct fixture *f, const char *words)
{
    assert_int_equal(f->plan.broken.status, STATUS_BAD_PLAN);
    assert_non_null(strstr(f->plan.broken.message, words));
}

/* Returns everything that a plan may change in the cluster, as bytes. */
struct snapshot {
    uint64_t free[16];
    uint8_t n_holders[64];
    job_id holders[128];
    uint64_t levels[8];
    uint32_t n_gpus[8], n_idle[8];
    uint16_t pool_of[16];
    uint32_t n_free;
    uint8_t planned[N_JOBS];
};

static void snap(const struct fixture *f, struct snapshot *s)
{
    const struct cluster *c = &f->cluster;
    memset(s, 0, sizeof *s);
    for (node_id n = 0; n < c->n_nodes; n++) {
        s->free[n] = c->nodes[n].free;
        s->pool_of[n] = c->nodes[n].pool;
    }
    for (gpu_id g = 0; g < c->n_gpus; g++) {
        s->n_holders[g] = c->n_holders[g];
        for (uint32_t k = 0; k < c->n_holders[g]; k++)
            s->holders[g * 2 + k] = c->holders[g * c->share_limit + k];
    }
    for (uint32_t p = 0; p < c->n_pools; p++) {
        s->levels[p] = c->pools[p].levels;
        s->n_gpus[p] = c->pools[p].n_gpus;
        s->n_idle[p] = c->pools[p].n_idle;
    }
    s->n_free = c->n_free;
    memcpy(s->planned, f->board.planned, N_JOBS);
}

static void a_start_reserves_at_once(void **state)
{
    struct fixture *f = *state;
    uint32_t before = plan_free_gpus(&f->plan, 0);
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    assert_int_equal(plan_free_gpus(&f->plan, 0), before - 2);
    assert_true(plan_is_started(&f->plan, &f->jobs[0]));
    assert_int_equal(gpu_set_size(plan_where(&f->plan, &f->jobs[0])), 2);
    assert_false(plan_is_started(&f->plan, &f->jobs[1]));
}

static void what_does_not_fit_reserves_nothing(void **state)
{
    struct fixture *f = *state;
    struct snapshot before, after;
    snap(f, &before);
    f->jobs[0].gpus = 17; /* one pool has 12, the other 16 */
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    f->jobs[0].gpus = 0;
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void a_job_keeps_to_its_virtual_cluster_and_type(void **state)
{
    struct fixture *f = *state;
    f->jobs[0].gpu_type = 1;
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    node_id node = plan_where(&f->plan, &f->jobs[0]).at[0].node;
    assert_int_equal(f->cluster.pools[f->cluster.nodes[node].pool].type, 1);
    f->jobs[1].vc = 1;
    f->jobs[1].gpus = 5; /* vc b has 4, its profiler node does not count */
    assert_false(plan_start(&f->plan, &f->jobs[1]));
    struct gpu_slice foreign = {0, 1};
    f->jobs[2].vc = 1;
    assert_false(
        plan_start_on(&f->plan, &f->jobs[2], (struct gpu_set){&foreign, 1}));
    expect_broken(f, "outside its virtual cluster");
}

static void a_stop_frees_before_the_start_takes(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 0xf);
    run(f, 1, 1, 0xf);
    run(f, 2, 2, 0xf);
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
    struct fixture *f = *state;
    run(f, 0, 1, 0x6);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    struct gpu_set where = plan_where(&f->plan, &f->jobs[0]);
    assert_int_equal(where.at[0].node, 1);
    assert_true(where.at[0].mask == 0x6);
}

static void a_stopped_job_goes_elsewhere_when_its_gpus_are_gone(void **state)
{
    struct fixture *f = *state;
    struct gpu_slice former = {1, 0x6};
    run(f, 0, 1, 0x6);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_true(
        plan_start_on(&f->plan, &f->jobs[1], (struct gpu_set){&former, 1}));
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    assert_int_equal(plan_where(&f->plan, &f->jobs[0]).at[0].node, 0);
}

static void a_stopped_job_moves_to_the_type_it_asks_for(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 0x3);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_true(plan_start_as(&f->plan, &f->jobs[0],
                              (struct shape){.gpu_type = 1, .gpus = 2}));
    node_id node = plan_where(&f->plan, &f->jobs[0]).at[0].node;
    assert_int_equal(f->cluster.pools[f->cluster.nodes[node].pool].type, 1);
}

static void a_second_start_breaks_the_plan(void **state)
{
    struct fixture *f = *state;
    assert_true(plan_start(&f->plan, &f->jobs[7]));
    assert_false(plan_start(&f->plan, &f->jobs[7]));
    expect_broken(f, "job 7 started twice");
    /* the first broken rule stays, and later calls do nothing */
    struct snapshot before, after;
    snap(f, &before);
    assert_false(plan_start(&f->plan, &f->jobs[8]));
    plan_stop(&f->plan, &f->jobs[8]);
    plan_reject(&f->plan, &f->jobs[8], "no");
    plan_wake_at(&f->plan, 0);
    snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    expect_broken(f, "job 7 started twice");
}

static void a_start_of_a_running_job_breaks_the_plan(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 1);
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    expect_broken(f, "started while running");
}

static void a_start_of_a_finished_job_breaks_the_plan(void **state)
{
    struct fixture *f = *state;
    board_move(&f->board, &f->jobs[0], JOB_RUNNING);
    board_move(&f->board, &f->jobs[0], JOB_FINISHED);
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    expect_broken(f, "not pending");
}

static void a_second_stop_breaks_the_plan(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 1);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    plan_stop(&f->plan, &f->jobs[0]);
    expect_broken(f, "stopped twice");
}

static void a_stop_of_a_waiting_job_breaks_the_plan(void **state)
{
    struct fixture *f = *state;
    plan_stop(&f->plan, &f->jobs[0]);
    expect_broken(f, "stopped while not running");
}

static void a_rejection_needs_a_waiting_job(void **state)
{
    struct fixture *f = *state;
    plan_reject(&f->plan, &f->jobs[0], "too large");
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    assert_string_equal(f->plan.actions[0].why, "too large");
    assert_false(plan_start(&f->plan, &f->jobs[0]));
    expect_broken(f, "after it was rejected");
}

static void a_rejection_of_a_planned_job_breaks_the_plan(void **state)
{
    struct fixture *f = *state;
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    plan_reject(&f->plan, &f->jobs[0], "too large");
    expect_broken(f, "rejected while not pending");
}

static void a_wake_lies_after_now(void **state)
{
    struct fixture *f = *state;
    plan_wake_at(&f->plan, 300);
    plan_wake_at(&f->plan, 101);
    plan_wake_at(&f->plan, 200);
    assert_int_equal(f->plan.wake, 101);
    plan_wake_at(&f->plan, 100);
    expect_broken(f, "does not lie after now");
}

static void sharing_ends_at_the_share_limit(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 0x3);
    assert_true(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    assert_true(gpu_set_equal(plan_where(&f->plan, &f->jobs[1]),
                              plan_where(&f->plan, &f->jobs[0])));
    assert_false(plan_share(&f->plan, &f->jobs[2], &f->jobs[0]));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void sharing_needs_memory_for_all(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 0x3);
    f->jobs[0].mem_mib = 60;
    f->jobs[1].mem_mib = 41;
    f->jobs[2].mem_mib = 40;
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    assert_true(plan_share(&f->plan, &f->jobs[2], &f->jobs[0]));
}

static void sharing_needs_the_same_number_of_gpus(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 0x3);
    f->jobs[1].gpus = 1;
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void sharing_with_a_waiting_job_breaks_the_plan(void **state)
{
    struct fixture *f = *state;
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    expect_broken(f, "shares with a job that does not run");
}

static void a_job_just_planned_can_be_a_resident(void **state)
{
    struct fixture *f = *state;
    assert_true(plan_start(&f->plan, &f->jobs[0]));
    assert_true(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
}

static void sharing_may_mix_held_and_free_gpus(void **state)
{
    struct fixture *f = *state;
    struct snapshot before, after;
    struct gpu_slice mixed = {0, 0x6}, across[] = {{0, 1}, {3, 1}};
    run(f, 0, 0, 0x3);
    snap(f, &before);
    assert_true(
        plan_share_on(&f->plan, &f->jobs[1], (struct gpu_set){&mixed, 1}));
    assert_int_equal(f->cluster.n_holders[0], 1);
    assert_int_equal(f->cluster.n_holders[1], 2);
    assert_int_equal(f->cluster.n_holders[2], 1);
    assert_false(f->cluster.nodes[0].free & 0x4);
    plan_undo_to(&f->plan, 0);
    snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_false(
        plan_share_on(&f->plan, &f->jobs[1], (struct gpu_set){across, 2}));
    expect_broken(f, "shares across pools");
}

static void sharing_keeps_to_the_type_asked_for(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 0x3);
    f->jobs[1].gpu_type = 1;
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
    f->jobs[2].gpu_type = 0;
    assert_true(plan_share(&f->plan, &f->jobs[2], &f->jobs[0]));
}

static void nobody_joins_a_job_that_is_profiled(void **state)
{
    struct fixture *f = *state;
    assert_true(plan_profile(&f->plan, &f->jobs[0], 5));
    assert_false(plan_share(&f->plan, &f->jobs[1], &f->jobs[0]));
}

static void profiling_uses_profiler_nodes_only(void **state)
{
    struct fixture *f = *state;
    assert_true(plan_profile(&f->plan, &f->jobs[0], 5));
    node_id node = plan_where(&f->plan, &f->jobs[0]).at[0].node;
    assert_true(f->cluster.pools[f->cluster.nodes[node].pool].profiler);
    assert_false(plan_profile(&f->plan, &f->jobs[1], 5)); /* it is full */
    assert_false(plan_profile(&f->plan, &f->jobs[1], 0));
    expect_broken(f, "profiled for no time");
}

static void a_resize_that_does_not_fit_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct snapshot before, after;
    run(f, 0, 0, 0x3);
    snap(f, &before);
    assert_false(plan_resize(&f->plan, &f->jobs[0],
                             (struct shape){.gpu_type = 0, .gpus = 13}));
    snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(plan_resize(&f->plan, &f->jobs[0],
                            (struct shape){.gpu_type = 1, .gpus = 8}));
    assert_int_equal(gpu_set_size(plan_where(&f->plan, &f->jobs[0])), 8);
}

static void a_lent_node_counts_for_profiling_alone(void **state)
{
    struct fixture *f = *state;
    struct snapshot before, after;
    run(f, 0, 0, 0x1);
    snap(f, &before);
    assert_false(plan_lend(&f->plan, 0)); /* in use */
    assert_false(plan_lend(&f->plan, 6)); /* the profiler's own */
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
    assert_false(plan_take_back(&f->plan, 1)); /* in use */
    struct gpu_slice there = {1, 0xf};
    assert_false(
        plan_share_on(&f->plan, &f->jobs[2], (struct gpu_set){&there, 1}));
    plan_undo_to(&f->plan, 0);
    snap(f, &after);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
}

static void try_anything(struct fixture *f, gsl_rng *rng)
{
    const struct job *job = &f->jobs[rng_below(rng, N_JOBS)];
    const struct job *other = &f->jobs[rng_below(rng, N_JOBS)];
    bool waits = job->state == JOB_PENDING || plan_is_stopped(&f->plan, job);
    bool planned = plan_is_started(&f->plan, job);
    if (rng_below(rng, 5) == 0) {
        node_id node = rng_below(rng, f->cluster.n_nodes);
        if (!plan_lend(&f->plan, node))
            plan_take_back(&f->plan, node);
        return;
    }
    for (size_t i = 0; i < f->plan.n_actions; i++)
        planned |= f->plan.actions[i].kind == PLAN_REJECT &&
                   f->plan.actions[i].job == job;
    if (!waits && !plan_is_stopped(&f->plan, job)) {
        plan_stop(&f->plan, job);
    } else if (!planned && waits) {
        switch (rng_below(rng, 4)) {
        case 0:
            if (plan_where(&f->plan, other).count && other != job)
                plan_share(&f->plan, job, other);
            break;
        case 1:
            plan_profile(&f->plan, job, 5);
            break;
        case 2:
            if (job->state == JOB_PENDING)
                plan_reject(&f->plan, job, "random");
            break;
        default:
            plan_start(&f->plan, job);
        }
    }
}

static void undo_restores_the_cluster_exactly(void **state)
{
    struct fixture *f = *state;
    gsl_rng *rng = rng_open(9, "test plan");
    static const uint32_t gpus[] = {1, 2, 2, 3, 5};
    for (job_id i = 0; i < N_JOBS; i++)
        f->jobs[i].gpus = gpus[i % 5];
    for (job_id i = 0; i < 6; i++)
        run(f, i, i % 3, i < 3 ? 0x3 : 0x4);
    struct gpu_slice shared = {0, 0x3};
    cluster_join(&f->cluster, shared, 7); /* a second holder, after job 0 */
    board_move(&f->board, &f->jobs[7], JOB_RUNNING);
    board_allocate(&f->board, &f->jobs[7], (struct gpu_set){&shared, 1});
    for (int round = 0; round < 2000; round++) {
        struct snapshot before, middle, after;
        snap(f, &before);
        for (uint32_t k = rng_below(rng, 8); k; k--)
            try_anything(f, rng);
        size_t mark = plan_mark(&f->plan);
        snap(f, &middle);
        for (uint32_t k = rng_below(rng, 12); k; k--)
            try_anything(f, rng);
        plan_undo_to(&f->plan, mark);
        snap(f, &after);
        assert_memory_equal(&middle, &after, sizeof middle);
        plan_undo_to(&f->plan, 0);
        snap(f, &after);
        assert_memory_equal(&before, &after, sizeof before);
        arena_reset(&f->scratch);
    }
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    rng_free(rng);
}

#define PLAN_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void a_node_that_is_held_stays_open(void **state)
{
    struct fixture *f = *state;
    run(f, 0, 0, 1);
    assert_false(plan_close(&f->plan, 0));
    assert_true(f->cluster.nodes[0].up);
    plan_stop(&f->plan, &f->jobs[0]);
    assert_true(plan_close(&f->plan, 0));
    assert_false(f->cluster.nodes[0].up);
    plan_undo_to(&f->plan, 0);
    assert_true(f->cluster.nodes[0].up);
}

/* Closed twice, a node needs to be opened twice. */
static void a_node_is_up_when_nothing_keeps_it_down(void **state)
{
    struct fixture *f = *state;
    uint32_t n_free = f->cluster.n_free;
    assert_true(plan_close(&f->plan, 1));
    assert_true(plan_close(&f->plan, 1));
    plan_open(&f->plan, 1);
    assert_false(f->cluster.nodes[1].up);
    plan_open(&f->plan, 1);
    assert_true(f->cluster.nodes[1].up);
    assert_int_equal(f->cluster.n_free, n_free);
    plan_open(&f->plan, 1); /* it is open */
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
        PLAN_TEST(a_start_reserves_at_once),
        PLAN_TEST(what_does_not_fit_reserves_nothing),
        PLAN_TEST(a_job_keeps_to_its_virtual_cluster_and_type),
        PLAN_TEST(a_stop_frees_before_the_start_takes),
        PLAN_TEST(a_stopped_job_is_offered_its_former_gpus_first),
        PLAN_TEST(a_stopped_job_goes_elsewhere_when_its_gpus_are_gone),
        PLAN_TEST(a_stopped_job_moves_to_the_type_it_asks_for),
        PLAN_TEST(a_second_start_breaks_the_plan),
        PLAN_TEST(a_start_of_a_running_job_breaks_the_plan),
        PLAN_TEST(a_start_of_a_finished_job_breaks_the_plan),
        PLAN_TEST(a_second_stop_breaks_the_plan),
        PLAN_TEST(a_stop_of_a_waiting_job_breaks_the_plan),
        PLAN_TEST(a_rejection_needs_a_waiting_job),
        PLAN_TEST(a_rejection_of_a_planned_job_breaks_the_plan),
        PLAN_TEST(a_wake_lies_after_now),
        PLAN_TEST(sharing_ends_at_the_share_limit),
        PLAN_TEST(sharing_needs_memory_for_all),
        PLAN_TEST(sharing_needs_the_same_number_of_gpus),
        PLAN_TEST(sharing_with_a_waiting_job_breaks_the_plan),
        PLAN_TEST(a_job_just_planned_can_be_a_resident),
        PLAN_TEST(sharing_may_mix_held_and_free_gpus),
        PLAN_TEST(sharing_keeps_to_the_type_asked_for),
        PLAN_TEST(nobody_joins_a_job_that_is_profiled),
        PLAN_TEST(profiling_uses_profiler_nodes_only),
        PLAN_TEST(a_resize_that_does_not_fit_changes_nothing),
        PLAN_TEST(a_lent_node_counts_for_profiling_alone),
        PLAN_TEST(undo_restores_the_cluster_exactly),
        PLAN_TEST(a_node_that_is_held_stays_open),
        PLAN_TEST(a_node_is_up_when_nothing_keeps_it_down),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
