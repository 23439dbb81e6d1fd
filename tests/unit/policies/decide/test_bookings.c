/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the bookings of nodes, and the starts that they allow, with rules
 * that are applied node by node. */
#include "policies/decide/bookings.h"

#include "base/rng.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/test.h"

enum { NODES = 7, BOOKINGS = 3, NOW = 100 };

struct diary {
    struct booking at[BOOKINGS];
    node_id nodes[BOOKINGS][NODES];
    uint32_t own[PLAN_FIXTURE_JOBS], kept[PLAN_FIXTURE_JOBS];
    struct gpu_slice barred[NODES];
    struct bookings bookings;
};

static void diary_draw(struct diary *d, gsl_rng *rng)
{
    *d = (struct diary){0};
    for (uint32_t i = 0; i < BOOKINGS; i++) {
        struct booking *b = &d->at[i];
        b->from = 60 + rng_below(rng, 80);
        b->until = b->from + 1 + rng_below(rng, 80);
        b->nodes = d->nodes[i];
        for (node_id n = 0; n < NODES; n++) {
            if (rng_below(rng, 3) == 0)
                d->nodes[i][b->n_nodes++] = n;
        }
    }
    for (job_id j = 0; j < PLAN_FIXTURE_JOBS; j++)
        d->own[j] = rng_below(rng, 3) ? 0 : 1 + rng_below(rng, BOOKINGS);
    d->bookings = (struct bookings){.at = d->at,
                                    .n = BOOKINGS,
                                    .own = d->own,
                                    .kept = d->kept,
                                    .barred = d->barred};
}

/* True if a job may use the node from `at` on. */
static bool may_use(const struct diary *d, const struct job *job, node_id node,
                    sim_time at)
{
    bool allowed = true;
    for (uint32_t i = 0; i < BOOKINGS; i++) {
        const struct booking *b = &d->at[i];
        bool has = false;
        for (uint32_t k = 0; k < b->n_nodes; k++)
            has |= b->nodes[k] == node;
        bool reaches =
            at < b->until && (!job->declared || at + job->declared > b->from);
        if (d->own[job->id] == i + 1)
            allowed &= has && at >= b->from && at < b->until;
        else
            allowed &= !(has && reaches);
    }
    return allowed;
}

static void each_node_is_barred_or_free(void **state)
{
    struct plan_fixture *f = *state;
    gsl_rng *rng = rng_open(4, "test bookings");
    plan_fixture_run(f, 20, 0, 0xf);
    plan_fixture_run(f, 21, 3, 0x3);
    cluster_set_up(&f->cluster, 1, false);
    for (int round = 0; round < 3000; round++) {
        struct diary d;
        struct plan_snapshot before, after;
        struct job *job = &f->jobs[rng_below(rng, 20)];
        sim_time at = 60 + rng_below(rng, 100), first = TIME_NEVER;
        diary_draw(&d, rng);
        job->declared = rng_below(rng, 4) * 30;
        const struct pool *pool =
            &f->cluster.pools[rng_below(rng, f->cluster.n_pools)];
        plan_snap(f, &before);
        bool keeps = false;
        uint32_t booking = bookings_bar(&d.bookings, &f->cluster, pool, job, at,
                                        job->declared);
        for (node_id n = 0; n < NODES; n++) {
            struct gpu_slice one = {n, 1};
            bool may = may_use(&d, job, n, at);
            bool mine = pool_has(&f->cluster, pool, n);
            assert_int_equal(bookings_refuse(&d.bookings, job,
                                             (struct gpu_set){&one, 1}, at,
                                             job->declared) == 0,
                             may);
            assert_true(f->cluster.nodes[n].free ==
                        (may || !mine ? before.free[n] : 0));
            keeps |= mine && !may && before.free[n];
        }
        assert_int_equal(booking > 0, keeps);
        bookings_unbar(&d.bookings, &f->cluster, job);
        plan_snap(f, &after);
        assert_memory_equal(&before, &after, sizeof before);
        for (uint32_t i = 0; i < BOOKINGS; i++) {
            if (d.at[i].until > at && d.at[i].until < first)
                first = d.at[i].until;
        }
        assert_true(bookings_end(&d.bookings, at) == first);
    }
    assert_true(bookings_end(NULL, 0) == TIME_NEVER);
    rng_free(rng);
}

/* Returns the number of GPUs that the job may use in one pool, the most of all
 * pools of its virtual cluster and type; or in all of them together. Counts the
 * free ones, or all that are up. */
static uint32_t usable(const struct plan_fixture *f, const struct diary *d,
                       const struct job *job, bool free_ones, bool together)
{
    uint32_t most = 0, sum = 0;
    for (uint32_t p = 0; p < f->cluster.n_pools; p++) {
        const struct pool *pool = &f->cluster.pools[p];
        uint32_t n_gpus = 0;
        if (pool->vc != job->vc || pool->profiler ||
            (job->gpu_type != GPU_TYPE_ANY && job->gpu_type != pool->type))
            continue;
        for (node_id n = 0; n < NODES; n++) {
            const struct node *node = &f->cluster.nodes[n];
            if (pool_has(&f->cluster, pool, n) && node->up &&
                may_use(d, job, n, NOW))
                n_gpus += free_ones ? node->n_free : node->gpus;
        }
        sum += n_gpus;
        most = n_gpus > most ? n_gpus : most;
    }
    return together ? sum : most;
}

/* Starts a job on GPU 0 of a node, alone or beside the job there. Returns true
 * if it shares. */
static bool try_one_node(struct plan_fixture *f, struct diary *d,
                         const struct job *job, node_id node)
{
    struct gpu_slice one = {node, 1};
    bool may = may_use(d, job, node, NOW);
    bool up = f->cluster.nodes[node].up;
    bool is_free = up && f->cluster.nodes[node].free & 1;
    d->kept[job->id] = 0;
    assert_int_equal(plan_start_on(&f->plan, job, (struct gpu_set){&one, 1}),
                     may && is_free);
    assert_int_equal(d->kept[job->id] > 0, is_free && !may);
    plan_undo_to(&f->plan, 0);
    assert_int_equal(plan_share_on(&f->plan, job, (struct gpu_set){&one, 1}),
                     may && up);
    plan_undo_to(&f->plan, 0);
    return may && up && !is_free;
}

static void a_job_starts_where_no_booking_keeps_it(void **state)
{
    struct plan_fixture *f = *state;
    gsl_rng *rng = rng_open(5, "test bookings");
    int n_started = 0, n_kept = 0, n_out = 0, n_shared = 0;
    plan_fixture_run(f, 20, 0, 0x7);
    plan_fixture_run(f, 21, 3, 0x3);
    cluster_set_up(&f->cluster, 1, false);
    for (int round = 0; round < 3000; round++) {
        struct diary d;
        struct job *job = &f->jobs[rng_below(rng, 20)];
        node_id node = rng_below(rng, NODES);
        diary_draw(&d, rng);
        f->plan.bookings = &d.bookings;
        job->declared = rng_below(rng, 4) * 30;
        job->gpus = 1 + rng_below(rng, 12);
        job->gpu_type = rng_below(rng, 2) ? GPU_TYPE_ANY : 0;
        bool fits = usable(f, &d, job, true, false) >= job->gpus;
        bool is_out = usable(f, &d, job, false, true) < job->gpus;
        assert_int_equal(plan_is_booked_out(&f->plan, job), is_out);
        assert_int_equal(plan_start(&f->plan, job), fits);
        struct gpu_set where = plan_where(&f->plan, job);
        for (uint32_t i = 0; i < where.count; i++)
            assert_true(may_use(&d, job, where.at[i].node, NOW));
        n_started += fits;
        n_out += is_out;
        n_kept += !fits && d.kept[job->id];
        plan_undo_to(&f->plan, 0);
        if (node < 5 && job->gpu_type == GPU_TYPE_ANY)
            n_shared += try_one_node(f, &d, job, node);
        assert_int_equal(f->plan.broken.status, STATUS_OK);
        arena_reset(&f->scratch);
    }
    /* each of the cases is frequent */
    assert_true(n_started > 300 && n_kept > 300 && n_out > 300 &&
                n_shared > 100);
    f->plan.bookings = NULL;
    assert_false(plan_is_booked_out(&f->plan, &f->jobs[0]));
    rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(each_node_is_barred_or_free),
        PLAN_TEST(a_job_starts_where_no_booking_keeps_it),
    };
    return cmocka_run_group_tests_name("bookings", tests, NULL, NULL);
}
