/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the heaps of waiting jobs (policies/queue/order.c). When jobs
 * are added, removed, or given another key, each job must still know its
 * position. */
#include "tests/support/test.h"

#include "base/arena.h"
#include "base/rng.h"
#include "policies/decide/bookings.h"
#include "policies/queue/order_internal.h"
#include "tests/support/plan_fixture.h"

enum { JOBS = 60, CLASSES = 3 };

/* The part of a run that the heaps use. */
struct bench {
    struct job jobs[JOBS];
    struct board board;
    struct cluster cluster;
    struct order_mine mine[JOBS];
    struct view view;
    struct order order;
    int64_t keys[JOBS];
};

static int64_t key_of(void *self, const struct view *view,
                      const struct job *job, struct order_runner *runner)
{
    (void)view;
    (void)runner;
    return ((struct bench *)self)->keys[job->id];
}

static void bench_init(struct bench *b, gsl_rng *rng)
{
    *b = (struct bench){.cluster = {.n_vcs = 1, .n_types = 1}};
    for (job_id i = 0; i < JOBS; i++) {
        b->jobs[i] = (struct job){.id = i,
                                  .gpus = 1 + rng_below(rng, CLASSES),
                                  .state = JOB_PENDING,
                                  .gpu_type = GPU_TYPE_ANY};
        b->keys[i] = rng_below(rng, 20);
    }
    b->board =
        (struct board){.jobs = b->jobs, .n_jobs = JOBS, .cluster = &b->cluster};
    b->view = (struct view){.board = &b->board,
                            .mine = (char *)b->mine,
                            .mine_size = sizeof *b->mine};
    order_init(&b->order, &b->view, NULL);
    b->order.own = key_of;
    b->order.own_self = b;
    for (job_id i = 0; i < JOBS; i++)
        order_enter(&b->order, &b->view, &b->jobs[i], true);
}

/* Checks that each heap has the heap order, and that each job stores the
 * position of its entry. */
static void check_heaps(const struct bench *b)
{
    const struct order_vc *vc = &b->order.vcs[0];
    for (size_t g = 0; g < vc->n_groups; g++) {
        const struct order_group *group = &vc->groups[g];
        for (size_t i = 0; i < group->n; i++) {
            const struct order_entry *entry = &group->heap[i];
            assert_int_equal(b->mine[entry->job].at, i + 1);
            assert_int_equal(b->mine[entry->job].group, g);
            assert_true(entry->key == b->keys[entry->job]);
            assert_false(i > 0 &&
                         order_before(entry, &group->heap[(i - 1) / 2]));
        }
    }
}

static void jobs_know_their_place_after_all_keys_change(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(1, "test order");
    for (int round = 0; round < 50; round++) {
        struct bench b;
        bench_init(&b, rng);
        check_heaps(&b);
        for (job_id i = 0; i < JOBS; i++)
            b.keys[i] = rng_below(rng, 20);
        order_renew(&b.order, &b.view);
        check_heaps(&b);
        for (int i = 0; i < JOBS; i++) {
            job_id job = rng_below(rng, JOBS);
            b.keys[job] = rng_below(rng, 20);
            order_requeue(&b.order, &b.view, &b.jobs[job]);
            check_heaps(&b);
        }
        order_fini(&b.order);
    }
    rng_free(rng);
}

static void stopped_jobs_are_renewed_once(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(4, "test order");
    struct bench b;
    bench_init(&b, rng);
    b.order.stopped = mem_grow(NULL, &b.order.cap_stopped, 1, sizeof(job_id));
    b.order.stopped[b.order.n_stopped++] = 5;
    b.keys[5] = 100;
    order_renew_stopped(&b.order, &b.view);
    check_heaps(&b);
    assert_int_equal(b.order.n_stopped, 0);
    order_fini(&b.order);
    rng_free(rng);
}

static void they_leave_in_the_order_of_their_keys(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(2, "test order");
    struct bench b;
    bench_init(&b, rng);
    order_renew(&b.order, &b.view);
    struct order_vc *vc = &b.order.vcs[0];
    struct order_entry last = {.key = INT64_MIN};
    for (uint32_t n = JOBS; n > 0; n--) {
        struct order_group *first = order_head_of_line(vc);
        assert_non_null(first);
        assert_int_equal(vc->n_waiting, n);
        struct order_entry entry = order_take(&b.view, vc, first, 0);
        assert_true(order_before(&last, &entry));
        last = entry;
    }
    assert_null(order_head_of_line(vc));
    assert_int_equal(vc->gpus_waiting, 0);
    order_fini(&b.order);
    rng_free(rng);
}

static void waiters_are_listed_up_to_a_number(void **state)
{
    (void)state;
    gsl_rng *rng = rng_open(3, "test order");
    struct arena scratch;
    struct bench b;
    bench_init(&b, rng);
    order_renew(&b.order, &b.view);
    arena_init(&scratch);
    struct plan plan = {.view = &b.view, .scratch = &scratch};
    static const uint32_t counts[] = {0, 1, 7, JOBS, JOBS + 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct waiting_jobs some = order_waiters(&b.order, &plan, 0, counts[i]);
        assert_int_equal(some.n, counts[i] < JOBS ? counts[i] : JOBS);
        for (uint32_t k = 1; k < some.n; k++) {
            job_id before = some.at[k - 1]->id, id = some.at[k]->id;
            assert_true(b.keys[before] < b.keys[id] ||
                        (b.keys[before] == b.keys[id] && before < id));
        }
    }
    arena_fini(&scratch);
    order_fini(&b.order);
    rng_free(rng);
}

static void service_does_not_overflow(void **state)
{
    (void)state;
    assert_true(order_by_service(3, 5) == 15);
    assert_true(order_by_service(3, -5) == -15);
    assert_true(order_by_service(2, INT64_MAX) == INT64_MAX);
    assert_true(order_by_service(2, INT64_MIN) == INT64_MIN);
}

static int64_t id_of(void *self, const struct view *view, const struct job *job,
                     struct order_runner *runner)
{
    (void)self, (void)view, (void)runner;
    return job->id;
}

/* All nodes are booked from 150 on. Job 0 would reach into the booking, so it
 * is passed; job 2 would not, but has no room, so it holds job 3 back. */
static void a_job_that_is_booked_out_blocks_nobody(void **state)
{
    struct plan_fixture *f = *state;
    static const node_id nodes[] = {0, 1, 2, 3, 4};
    static const struct booking maintenance = {
        .from = 150, .until = 300, .nodes = nodes, .n_nodes = 5};
    static const sim_span declared[] = {100, 30, 10, 10};
    uint32_t own[PLAN_FIXTURE_JOBS] = {0}, kept[PLAN_FIXTURE_JOBS] = {0};
    struct order_mine mine[PLAN_FIXTURE_JOBS] = {0};
    struct gpu_slice barred[5];
    struct bookings bookings = {
        .at = &maintenance, .n = 1, .own = own, .kept = kept, .barred = barred};
    struct order order = {0};
    f->view.mine = (char *)mine;
    f->view.mine_size = sizeof *mine;
    f->plan.bookings = &bookings;
    f->jobs[2].gpus = 17;
    order_init(&order, &f->view, NULL);
    order.own = id_of;
    for (job_id i = 0; i < 4; i++) {
        f->jobs[i].declared = declared[i];
        order_enter(&order, &f->view, &f->jobs[i], true);
    }
    order_fill(&order, &f->plan, 0);
    assert_false(plan_is_started(&f->plan, &f->jobs[0]));
    assert_int_equal(kept[0], 1);
    assert_true(plan_is_started(&f->plan, &f->jobs[1]));
    assert_false(plan_is_started(&f->plan, &f->jobs[2]));
    assert_false(plan_is_started(&f->plan, &f->jobs[3]));
    assert_int_equal(order.vcs[0].n_waiting, 3);
    order_fini(&order);
    f->plan.bookings = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_know_their_place_after_all_keys_change),
        cmocka_unit_test(stopped_jobs_are_renewed_once),
        cmocka_unit_test(they_leave_in_the_order_of_their_keys),
        cmocka_unit_test(waiters_are_listed_up_to_a_number),
        cmocka_unit_test(service_does_not_overflow),
        PLAN_TEST(a_job_that_is_booked_out_blocks_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
