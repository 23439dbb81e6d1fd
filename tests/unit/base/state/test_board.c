/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the board: its lists and counts, its allocations, and its marks of
 * virtual clusters that changed. */
#include "base/state/board.h"
#include "tests/support/test.h"

static const struct gpu_type_spec types[] = {
    {.name = "gpu", .speed = 1.0, .speed_known = true}};
static const char *const vcs[] = {"a", "b"};
static const struct node_group groups[] = {
    {.count = 2, .gpus = 4, .vc = 0},
    {.count = 1, .gpus = 4, .vc = 1},
};
static const struct cluster_spec spec = {.name = "test",
                                         .types = types,
                                         .vcs = vcs,
                                         .groups = groups,
                                         .n_types = 1,
                                         .n_vcs = 2,
                                         .n_groups = 2};

struct fixture {
    struct cluster cluster;
    struct job jobs[6];
    struct board board;
};

static int setup(void **state)
{
    struct fixture *f = mem_zalloc(1, sizeof *f);
    for (job_id i = 0; i < 6; i++)
        f->jobs[i] = (struct job){.id = i, .gpus = 2, .vc = i == 5};
    *state = f;
    if (cluster_init(&f->cluster, &spec, 1, NULL) != STATUS_OK)
        return 1;
    board_init(&f->board, &f->cluster, f->jobs, 6);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    board_fini(&f->board);
    cluster_fini(&f->cluster);
    free(f);
    return 0;
}

/* Checks that the list, read forwards and backwards, is exactly `want`. */
static void check_list(const struct board *b, const struct board_list *list,
                       const job_id *want, uint32_t n)
{
    job_id at = list->first, before = JOB_NONE;
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(at, want[i]);
        assert_int_equal(b->links[at].previous, before);
        before = at;
        at = b->links[at].next;
    }
    assert_int_equal(at, JOB_NONE);
    assert_int_equal(list->last, before);
    assert_int_equal(list->count, n);
}

static void waiting_jobs_stand_in_the_order_they_came(void **state)
{
    struct fixture *f = *state;
    struct board *b = &f->board;
    for (job_id i = 0; i < 6; i++)
        board_move(b, &f->jobs[i], JOB_PENDING);
    check_list(b, &b->pending[0], (job_id[]){0, 1, 2, 3, 4}, 5);
    check_list(b, &b->pending[1], (job_id[]){5}, 1);
    board_move(b, &f->jobs[2], JOB_RUNNING);
    board_move(b, &f->jobs[0], JOB_RUNNING);
    board_move(b, &f->jobs[4], JOB_RUNNING);
    check_list(b, &b->pending[0], (job_id[]){1, 3}, 2);
    check_list(b, &b->running[0], (job_id[]){2, 0, 4}, 3);
    board_move(b, &f->jobs[0],
               JOB_PENDING); /* a job that waits again goes to the end */
    check_list(b, &b->pending[0], (job_id[]){1, 3, 0}, 3);
    check_list(b, &b->running[0], (job_id[]){2, 4}, 2);
    assert_int_equal(b->n_in[JOB_PENDING], 4);
    assert_int_equal(b->n_in[JOB_RUNNING], 2);
}

static void a_job_that_keeps_its_place_stands_by_submission(void **state)
{
    struct fixture *f = *state;
    struct board *b = &f->board;
    for (job_id i = 0; i < 4; i++)
        board_move(b, &f->jobs[i], JOB_PENDING);
    for (job_id i = 0; i < 4; i++) {
        board_move(b, &f->jobs[i], JOB_RUNNING);
        board_move(b, &f->jobs[i], JOB_PENDING);
        board_keep_place(b, &f->jobs[i]);
        check_list(b, &b->pending[0], (job_id[]){0, 1, 2, 3}, 4);
    }
}

static void counts_follow_a_job_to_its_end(void **state)
{
    struct fixture *f = *state;
    struct board *b = &f->board;
    for (job_id i = 0; i < 4; i++)
        board_move(b, &f->jobs[i], JOB_PENDING);
    board_move(b, &f->jobs[0], JOB_RUNNING);
    board_move(b, &f->jobs[0], JOB_FINISHED);
    board_move(b, &f->jobs[1], JOB_RUNNING);
    board_move(b, &f->jobs[1], JOB_HELD);
    board_move(b, &f->jobs[2], JOB_REJECTED);
    assert_int_equal(b->n_in[JOB_PENDING], 1);
    assert_int_equal(b->n_in[JOB_RUNNING], 0);
    assert_int_equal(b->n_in[JOB_HELD], 1);
    assert_int_equal(board_n_done(b), 2);
    check_list(b, &b->pending[0], (job_id[]){3}, 1);
    check_list(b, &b->running[0], NULL, 0);
}

static void attained_service_adds_up_over_stays(void **state)
{
    struct fixture *f = *state;
    struct board *b = &f->board;
    struct gpu_slice slices[2] = {{0, 1}, {1, 2}};
    for (job_id i = 0; i < 3; i++) {
        b->now = 10 * i;
        board_allocate(b, &f->jobs[0], (struct gpu_set){slices, 1 + i % 2},
                       1 + i % 2);
        assert_true(board_allocation(b, &f->jobs[0])->started == b->now);
        b->now += 3;
        board_release(b, &f->jobs[0]);
    }
    assert_int_equal(b->attained[0], 3 * 1 + 3 * 2 + 3 * 1);
    /* a job that moves keeps what it has attained */
    board_allocate(b, &f->jobs[1], (struct gpu_set){slices, 2}, 2);
    b->now += 3;
    slices[1].mask = 4;
    board_change_gpus(b, &f->jobs[1], (struct gpu_set){slices, 2});
    assert_int_equal(b->attained[1], 3 * 2);
    b->now += 4;
    board_release(b, &f->jobs[1]);
    assert_int_equal(b->attained[1], 7 * 2);
    /* the slot of a freed allocation is used again */
    assert_int_equal(b->n_allocs, 1);
    assert_int_equal(b->alloc_of[0], ALLOC_NONE);
}

static void an_allocation_keeps_its_own_copy_of_the_gpus(void **state)
{
    struct fixture *f = *state;
    struct gpu_slice slices[2] = {{0, 3}, {1, 3}}, want[2] = {{0, 3}, {1, 3}};
    board_allocate(&f->board, &f->jobs[1], (struct gpu_set){slices, 2}, 4);
    slices[0].mask = 0;
    assert_true(gpu_set_equal(board_allocation(&f->board, &f->jobs[1])->where,
                              (struct gpu_set){want, 2}));
    assert_int_equal(board_allocation(&f->board, &f->jobs[1])->gpus, 4);
    board_release(&f->board, &f->jobs[1]);
}

static void a_virtual_cluster_is_touched_once(void **state)
{
    struct fixture *f = *state;
    struct board *b = &f->board;
    board_move(b, &f->jobs[5], JOB_PENDING);
    board_move(b, &f->jobs[5], JOB_RUNNING);
    assert_int_equal(b->n_touched, 1);
    assert_int_equal(b->touched[0], 1);
    board_touch_all(b);
    assert_int_equal(b->n_touched, 2);
    board_untouch(b);
    assert_int_equal(b->n_touched, 0);
    board_touch(b, 0);
    assert_int_equal(b->n_touched, 1);
}

static void only_the_moves_of_the_table_are_legal(void **state)
{
    (void)state;
    static const char *const legal[JOB_N_STATES] = {
        [JOB_FUTURE] = "pr",
        [JOB_PENDING] = "Rr",
        [JOB_RUNNING] = "phfx",
        [JOB_HELD] = "p",
    };
    static const char letters[] = "FpRhfxr"; /* one letter per state */
    for (unsigned from = 0; from < JOB_N_STATES; from++) {
        struct job job = {.state = (uint8_t)from};
        assert_int_equal(job_is_terminal(&job), legal[from] == NULL);
        for (unsigned to = 0; to < JOB_N_STATES; to++)
            assert_int_equal(job_may_move(from, to),
                             legal[from] && strchr(legal[from], letters[to]));
    }
}

#define ON_A_BOARD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_BOARD(waiting_jobs_stand_in_the_order_they_came),
        ON_A_BOARD(a_job_that_keeps_its_place_stands_by_submission),
        ON_A_BOARD(counts_follow_a_job_to_its_end),
        ON_A_BOARD(attained_service_adds_up_over_stays),
        ON_A_BOARD(an_allocation_keeps_its_own_copy_of_the_gpus),
        ON_A_BOARD(a_virtual_cluster_is_touched_once),
        cmocka_unit_test(only_the_moves_of_the_table_are_legal),
    };
    return cmocka_run_group_tests_name("board", tests, NULL, NULL);
}
