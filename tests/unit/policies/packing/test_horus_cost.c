/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the offers of nodes that Horus keeps with offers that are made anew
 * for each job. */
#include "policies/packing/horus_cost.h"

#include <stdlib.h>

#include "base/rng.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/test.h"

enum { STEPS = 20000 };

/* The plain twin: asks each GPU of each node. */
static struct gpu_set place_anew(const struct horus_config *config,
                                 struct plan_fixture *f, const struct job *job)
{
    struct horus_offers offers;
    horus_offers_init(&offers, config, &f->cluster);
    struct gpu_set where = horus_place(&offers, &f->plan, job);
    horus_offers_fini(&offers);
    return where;
}

/* Sets a demand that several jobs have, or one of the job's own. */
static void draw_demand(gsl_rng *rng, struct horus_mine *mine)
{
    bool common = rng_below(rng, 4) > 0;
    mine->util = common ? 50 : (double)rng_below(rng, 101);
    mine->mem_mib = common ? 30 : (double)rng_below(rng, 90);
}

static void a_kept_offer_is_the_one_made_anew(void **state)
{
    static const struct horus_config config = {
        .headroom_mib = 5, .memory_weight = 1.3, .overload = 1.6};
    struct plan_fixture *f = *state;
    struct horus_mine mine[PLAN_FIXTURE_JOBS] = {{0}};
    struct horus_offers offers;
    uint32_t n_placed = 0, n_shared = 0;
    gsl_rng *rng = rng_open(1, "test horus");
    f->view.mine = (char *)mine;
    f->view.mine_size = sizeof *mine;
    horus_offers_init(&offers, &config, &f->cluster);
    for (uint32_t i = 0; i < PLAN_FIXTURE_JOBS; i++)
        draw_demand(rng, &mine[i]);
    for (int step = 0; step < STEPS; step++) {
        struct job *job = &f->jobs[rng_below(rng, PLAN_FIXTURE_JOBS)];
        uint32_t deed = (uint32_t)rng_below(rng, 20);
        uint32_t n_starts = (uint32_t)plan_mark(&f->plan);
        if (deed == 0)
            plan_undo_to(&f->plan, rng_below(rng, n_starts + 1));
        if (deed == 1)
            draw_demand(rng, &mine[job->id]);
        if (deed == 2)
            job->barred = !job->barred;
        offers.news += deed == 1 || deed == 2;
        if (plan_is_started(&f->plan, job))
            continue;
        job->gpus = 1 + (uint32_t)rng_below(rng, 10);
        struct gpu_set where = horus_place(&offers, &f->plan, job);
        assert_true(gpu_set_equal(where, place_anew(&config, f, job)));
        if (where.count == 0 || !plan_share_on(&f->plan, job, where))
            continue;
        n_placed++;
        for (uint32_t i = 0; i < where.count; i++) {
            const struct node *node = &f->cluster.nodes[where.at[i].node];
            gpu_id gpu =
                node->first_gpu + (gpu_id)__builtin_ctzll(where.at[i].mask);
            n_shared += f->cluster.n_holders[gpu] > 1;
        }
    }
    assert_true(n_placed > STEPS / 20 && n_shared > STEPS / 50);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    plan_undo_to(&f->plan, 0);
    horus_offers_fini(&offers);
    rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(a_kept_offer_is_the_one_made_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
