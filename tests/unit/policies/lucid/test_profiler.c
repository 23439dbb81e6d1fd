/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the answers about nodes outside the profiler that Lucid keeps with
 * answers that are asked for anew. */
#include <string.h>

#include "base/rng.h"
#include "policies/lucid/lucid.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/test.h"

enum { STEPS = 20000 };

/* A placer that refuses some sets of nodes: those whose numbers add up to a
 * multiple of three. */
static uint32_t place_picky(void *self, const void *config,
                            const struct cluster *c, const struct pool *pool,
                            uint32_t gpus, struct gpu_slice *out)
{
    uint32_t n = 0, sum = 0;
    (void)self;
    (void)config;
    for (uint32_t i = 0; gpus && i < pool->n_nodes; i++) {
        node_id id = pool->first_node + i;
        const struct node *node = &c->nodes[id];
        uint32_t take = node->n_free < gpus ? node->n_free : gpus;
        if (take == 0 || !pool_has(c, pool, id))
            continue;
        out[n++] = (struct gpu_slice){id, node_lowest(node, take)};
        gpus -= take;
        sum += id;
    }
    return gpus || sum % 3 == 0 ? 0 : n;
}

/* What profiler_yield says and does. */
struct outcome {
    bool yields;
    const struct job *drain;
    size_t n_lent;
};

/* Yields to the job, with the kept answers or without, and undoes it. */
static struct outcome try_yield(struct profiler *p, struct plan *plan,
                                const struct job *job, bool anew)
{
    node_id lent[8];
    size_t mark = plan_mark(plan), n_lent = p->n_lent;
    memcpy(lent, p->lent, n_lent * sizeof *lent);
    for (size_t i = 0; anew && i < PROFILER_ANSWERS; i++)
        p->answers[i].gpus = 0;
    p->drain = NULL;
    struct outcome out = {.yields = profiler_yield(p, plan, job)};
    out.drain = p->drain;
    out.n_lent = p->n_lent;
    plan_undo_to(plan, mark);
    p->n_lent = n_lent;
    memcpy(p->lent, lent, n_lent * sizeof *lent);
    return out;
}

/* Forgets the loans that an undo has ended. */
static void drop_loans(struct profiler *p, const struct cluster *c)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_lent; i++) {
        if (cluster_is_lent(c, p->lent[i]))
            p->lent[n++] = p->lent[i];
    }
    p->n_lent = n;
}

static void a_kept_answer_is_the_one_asked_anew(void **state)
{
    static const struct placer_ops picky = {.name = "picky",
                                            .place = place_picky};
    static const struct profiler_config config = {0};
    struct plan_fixture *f = *state;
    struct profiler kept, anew;
    uint32_t n_yields = 0, n_drains = 0, n_refused = 0;
    node_id lent[2][8];
    gsl_rng *rng = rng_open(1, "test profiler");
    f->placer.ops = &picky;
    profiler_init(&kept, &config, &f->view);
    profiler_init(&anew, &config, &f->view);
    kept.lent = lent[0];
    anew.lent = lent[1];
    for (int step = 0; step < STEPS; step++) {
        struct job *job = &f->jobs[rng_below(rng, PLAN_FIXTURE_JOBS)];
        node_id node = (node_id)rng_below(rng, 5);
        uint32_t deed = (uint32_t)rng_below(rng, 10);
        uint32_t n_actions = (uint32_t)plan_mark(&f->plan);
        if (deed == 0)
            plan_undo_to(&f->plan, rng_below(rng, n_actions + 1));
        drop_loans(&kept, &f->cluster);
        if (deed < 3 && !cluster_is_lent(&f->cluster, node) &&
            plan_lend(&f->plan, node))
            kept.lent[kept.n_lent++] = node;
        if (plan_is_started(&f->plan, job))
            continue;
        job->gpus = 1 + (uint32_t)rng_below(rng, 16);
        if (deed < 5) {
            if (deed < 4 || !plan_profile(&f->plan, job, 1))
                (void)plan_start(&f->plan, job);
            continue;
        }
        anew.n_lent = kept.n_lent;
        memcpy(anew.lent, kept.lent, sizeof lent[0]);
        struct outcome a = try_yield(&kept, &f->plan, job, false);
        struct outcome b = try_yield(&anew, &f->plan, job, true);
        assert_int_equal(a.yields, b.yields);
        assert_ptr_equal(a.drain, b.drain);
        assert_int_equal(a.n_lent, b.n_lent);
        n_yields += a.yields;
        n_drains += a.drain != NULL;
        n_refused += !a.yields && !a.drain;
    }
    print_message("%u yields, %u drains, %u neither; %zu of %zu answers anew\n",
                  n_yields, n_drains, n_refused, kept.n_answers,
                  anew.n_answers);
    assert_true(n_yields > 100 && n_drains > 10 && n_refused > 100);
    assert_true(kept.n_answers > 0 && kept.n_answers < anew.n_answers / 4);
    assert_int_equal(f->plan.broken.status, STATUS_OK);
    plan_undo_to(&f->plan, 0);
    kept.lent = anew.lent = NULL;
    profiler_fini(&kept);
    profiler_fini(&anew);
    rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(a_kept_answer_is_the_one_asked_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
