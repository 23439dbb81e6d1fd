/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares Lucid's queues with an array that is searched from end to end, and
 * Lucid with a naive policy that examines all jobs at each decision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "policies/lucid/lucid.h"
#include "sim/run/run_internal.h"
#include "tests/support/draw.h"
#include "tests/support/test.h"
#include "traces/trace.h"

enum { NODES = 200, MEMORY = 100 };

static bool suits(const struct lucid_node *n, const struct lucid_wish *w)
{
    return n->score <= w->score && n->memory < w->memory &&
           (double)n->priority >= w->least && (double)n->priority <= w->most &&
           lucid_before(w->after, n->key);
}

static uint32_t search(const struct lucid_nodes *nodes, const bool *in,
                       const struct lucid_wish *wish)
{
    uint32_t best = NODE_NIL;
    for (uint32_t i = 0; i < NODES; i++) {
        const struct lucid_node *at = nodes->at;
        if (in[i] && suits(&at[i], wish) &&
            (best == NODE_NIL || lucid_before(at[i].key, at[best].key)))
            best = i;
    }
    return best;
}

static struct lucid_wish draw_wish(gsl_rng *rng, bool by_priority)
{
    struct lucid_wish wish = {
        .memory = rng_below(rng, 60),
        .score = (int)rng_below(rng, 4) - 1,
        .least =
            rng_below(rng, 2) ? -(double)INFINITY : (double)rng_below(rng, 50),
        .most = (double)INFINITY,
        .after = {rng_below(rng, 50), rng_below(rng, NODES)},
    };
    if (by_priority)
        wish.most = rng_below(rng, 60);
    return wish;
}

static void play_queue(uint64_t seed, bool by_priority)
{
    struct lucid_nodes nodes;
    bool in[NODES] = {false};
    uint32_t queue = NODE_NIL;
    gsl_rng *rng = rng_open(seed, "test lucid");
    lucid_nodes_init(&nodes);
    for (uint32_t i = 0; i < NODES; i++)
        assert_int_equal(lucid_node_new(&nodes, i * 7), i);
    for (int step = 0; step < 2000; step++) {
        uint32_t i = rng_below(rng, NODES);
        struct lucid_node *node = &nodes.at[i];
        if (in[i]) {
            lucid_remove(&nodes, &queue, i);
        } else {
            node->priority = rng_below(rng, 50);
            node->memory = rng_below(rng, 50);
            node->score = (uint8_t)rng_below(rng, SHARING_CLASSES);
            node->key.major =
                by_priority ? node->priority : (int64_t)rng_below(rng, 50);
            node->key.minor = i;
            lucid_insert(&nodes, &queue, i);
        }
        in[i] = !in[i];
        struct lucid_wish wish = draw_wish(rng, by_priority);
        assert_int_equal(lucid_find(&nodes, queue, &wish),
                         search(&nodes, in, &wish));
        wish = (struct lucid_wish){.memory = (double)INFINITY,
                                   .score = SHARING_CLASSES,
                                   .least = -(double)INFINITY,
                                   .most = (double)INFINITY,
                                   .after = {-1, 0}};
        assert_int_equal(lucid_first(&nodes, queue), search(&nodes, in, &wish));
        wish.after = (struct lucid_key){rng_below(rng, 50), 100};
        assert_int_equal(lucid_next(&nodes, queue, wish.after),
                         search(&nodes, in, &wish));
    }
    lucid_nodes_fini(&nodes);
    rng_free(rng);
}

static void the_first_that_suits_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        play_queue(seed, false);
        play_queue(seed, true);
    }
}

struct naive_mine {
    int64_t priority; /* believed GPU time at the submission of the job, us */
};

static void naive_observe(void *self, const struct view *view,
                          const struct event *event)
{
    struct belief belief;
    (void)self;
    if (event->kind != EVENT_SUBMITTED)
        return;
    assert_true(view_remaining(view, event->job, &belief));
    ((struct naive_mine *)view_mine(view, event->job))->priority =
        belief.mean * event->job->gpus;
}

static int64_t priority_of(const struct plan *plan, const struct job *job)
{
    return ((struct naive_mine *)view_mine(plan->view, job))->priority;
}

/* Returns true if the job holds GPUs and shares none of them. */
static bool is_alone(const struct plan *plan, const struct job *job)
{
    const struct cluster *c = plan->cluster;
    struct gpu_set where = plan_where(plan, job);
    for (uint32_t i = 0; i < where.count; i++) {
        for (uint64_t m = where.at[i].mask; m; m &= m - 1) {
            gpu_id gpu = c->nodes[where.at[i].node].first_gpu +
                         (uint32_t)__builtin_ctzll(m);
            if (c->n_holders[gpu] != 1)
                return false;
        }
    }
    return where.count > 0;
}

static int score_of(const struct plan *plan, const struct job *job,
                    double *memory)
{
    struct demand demand;
    assert_true(view_demand(plan->view, job, &demand));
    *memory += demand.mem_mib;
    return (demand.compute >= 0.25) + (demand.compute >= 0.6033);
}

static bool may_join(const struct plan *plan, const struct job *job,
                     const struct job *resident)
{
    double memory = 0;
    if (resident->vc != job->vc || resident->gpus != job->gpus ||
        job->gpus > 8 || !is_alone(plan, resident))
        return false;
    int sum = score_of(plan, job, &memory) + score_of(plan, resident, &memory);
    return sum <= 2 && memory < MEMORY &&
           priority_of(plan, job) <= 2 * priority_of(plan, resident);
}

/* Shares GPUs with the first resident that fits: first the running jobs in the
 * order of their starts, then the jobs that this plan has started. */
static bool start_beside(struct plan *plan, const struct job *job)
{
    const struct job *resident = view_first_running(plan->view, job->vc);
    for (; resident; resident = view_next_running(plan->view, resident)) {
        if (may_join(plan, job, resident))
            return plan_share(plan, job, resident);
    }
    for (size_t i = 0; i < plan->n_actions; i++) {
        if (may_join(plan, job, plan->actions[i].job))
            return plan_share(plan, job, plan->actions[i].job);
    }
    return false;
}

/* Returns the waiting job that follows `after` in the order of priority; the
 * first one if `after` is NULL. Returns NULL if there is none. */
static const struct job *next_in_order(const struct plan *plan, uint16_t vc,
                                       const struct job *after)
{
    const struct job *best = NULL, *job = view_first_pending(plan->view, vc);
    for (; job; job = view_next_pending(plan->view, job)) {
        int64_t mine = priority_of(plan, job);
        bool behind = !after || mine > priority_of(plan, after) ||
                      (mine == priority_of(plan, after) && job->id > after->id);
        if (behind && !plan_is_started(plan, job) &&
            (!best || mine < priority_of(plan, best)))
            best = job;
    }
    return best;
}

static void walk_all(const struct view *view, struct plan *plan, bool idle)
{
    for (uint16_t vc = 0; vc < view_cluster(view)->n_vcs; vc++) {
        bool any = true;
        while (any) {
            any = false;
            const struct job *job = NULL;
            while ((job = next_in_order(plan, vc, job)))
                any |= (idle && plan_start(plan, job)) ||
                       start_beside(plan, job) ||
                       (!idle && plan_start(plan, job));
        }
    }
}

static void naive_decide(void *self, const struct view *view, struct plan *plan)
{
    (void)self;
    walk_all(view, plan, false);
}

static void naive_idle_decide(void *self, const struct view *view,
                              struct plan *plan)
{
    (void)self;
    walk_all(view, plan, true);
}

static const struct policy_ops naive = {
    .name = "naive",
    .job_size = sizeof(struct naive_mine),
    .needs = POLICY_SHARES,
    .observe = naive_observe,
    .decide = naive_decide,
};

static const struct policy_ops naive_idle = {
    .name = "naive",
    .job_size = sizeof(struct naive_mine),
    .needs = POLICY_SHARES,
    .observe = naive_observe,
    .decide = naive_idle_decide,
};

static struct run *play(const struct lab *lab, const char *policy,
                        const struct policy_ops *instead)
{
    struct error err = {0};
    struct run *run;
    struct run_config config = {
        .policy = policy,
        .profilers = "0",
        .estimators = "oracle,workload",
        .overhead = "none",
        .forecast = "none",
        .interference = "constant:slowdown=1.25",
    };
    assert_int_equal(lab_prepare(lab, config, &run, &err), STATUS_OK);
    if (instead)
        run->parts.policy.ops = instead;
    enum status st = run_execute(run, &err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        fail_msg("%s", err.message);
    return run;
}

static void draw(gsl_rng *rng, struct lab *lab)
{
    lab_clear(lab);
    draw_lab(rng, lab);
    for (size_t i = 0; i < lab->n_groups; i++)
        lab->groups[i].mem_mib = MEMORY;
    for (size_t i = 0; i < lab->n_jobs; i++) {
        lab->jobs[i].util = 1 + rng_below(rng, 100);
        lab->jobs[i].mem_mib = 1 + rng_below(rng, 70);
    }
}

/* Draws many one-GPU nodes and many small jobs. There are then so many
 * residents that the policy searches the waiting jobs instead of the
 * residents. */
static void draw_crowd(gsl_rng *rng, struct lab *lab)
{
    lab_clear(lab);
    lab->groups[lab->n_groups++] = (struct lab_group){.count = 100,
                                                      .gpus = 1,
                                                      .type = "gpu",
                                                      .vc = "vc0",
                                                      .speed = 1,
                                                      .mem_mib = MEMORY};
    for (uint32_t i = 0; i < LAB_JOBS; i++) {
        struct lab_job *job = &lab->jobs[lab->n_jobs++];
        *job = (struct lab_job){
            .submitted = i / 120 * SPAN_SECOND,
            .runs = (1 + rng_below(rng, 30)) * SPAN_SECOND,
            .gpus = 1 + (rng_below(rng, 10) == 0),
            .end = "completed",
            .vc = "vc0",
            .util = 1 + rng_below(rng, 100),
            .mem_mib = 1 + rng_below(rng, 70),
        };
        snprintf(job->name, sizeof job->name, "j%u", i);
    }
}

static uint64_t compare(struct run *mine, struct run *other)
{
    const struct ledger *x = &run_result(mine)->ledger;
    const struct ledger *y = &run_result(other)->ledger;
    uint64_t n_shared = 0;
    assert_int_equal(x->n_attempts, y->n_attempts);
    for (size_t i = 0; i < x->n_attempts; i++) {
        const struct attempt *a = &x->attempts[i];
        uint32_t k = y->last_attempt[a->job];
        assert_int_not_equal(k, ATTEMPT_NONE);
        const struct attempt *b = &y->attempts[k];
        assert_int_equal(a->start, b->start);
        assert_int_equal(a->end, b->end);
        assert_int_equal(a->shared, b->shared);
        n_shared += a->shared;
    }
    return n_shared;
}

static uint64_t compare_drawn(void (*draw_it)(gsl_rng *, struct lab *),
                              uint64_t n)
{
    struct error err;
    struct lab *lab = lab_new();
    uint64_t n_shared = 0;
    assert_non_null(lab);
    for (uint64_t seed = 0; seed < n; seed++) {
        gsl_rng *rng = rng_open(seed, "test lucid");
        draw_it(rng, lab);
        rng_free(rng);
        assert_int_equal(lab_write(lab, &err), STATUS_OK);
        static const char *const policies[] = {
            "lucid:profiling=none,idle_first=false", "lucid:profiling=none"};
        for (int idle = 0; idle < 2; idle++) {
            struct run *lucid = play(lab, policies[idle], NULL);
            struct run *other =
                play(lab, policies[idle], idle ? &naive_idle : &naive);
            n_shared += compare(lucid, other);
            run_free(lucid);
            run_free(other);
        }
    }
    lab_free(lab);
    return n_shared;
}

static void nobody_is_overlooked(void **state)
{
    (void)state;
    assert_true(compare_drawn(draw, 300) > 1000);
}

static void nobody_is_overlooked_in_a_crowd(void **state)
{
    (void)state;
    assert_true(compare_drawn(draw_crowd, 10) > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_suits_is_found),
        cmocka_unit_test(nobody_is_overlooked),
        cmocka_unit_test(nobody_is_overlooked_in_a_crowd),
    };
    return cmocka_run_group_tests_name("lucid", tests, NULL, NULL);
}
