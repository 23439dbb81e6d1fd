/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rule 5 of plan.h: a policy that is asked again at the same instant, when what
 * it planned has been done, plans nothing but a wake. The engine is composed
 * by hand here, because the second question is one that it never asks. */
#include <stdio.h>
#include <string.h>

#include "models/registry.h"
#include "policies/registry.h"
#include "sim/describe.h"
#include "sim/engine.h"
#include "tests/support/draw.h"
#include "traces/trace.h"

enum { WORKLOADS = 200 };

/* The policy under test, and where something happened when it was asked. */
struct watch {
    const struct policy_ops *inner;
    uint16_t touched[8];
    uint32_t n_touched;
};

/* One test at a time: the descriptor handed to the engine cannot carry it. */
static struct watch watch;

static void watch_decide(void *self, const struct view *view, struct plan *plan)
{
    struct vc_list touched = view_touched(view);
    watch.n_touched = touched.count;
    memcpy(watch.touched, touched.at, touched.count * sizeof *touched.at);
    watch.inner->decide(self, view, plan);
}

struct bench {
    struct workload workload;
    struct cluster cluster;
    struct cluster_spec spec;
    struct ledger ledger;
    struct arena arena;
    struct policy_ops policy;
    struct estimator estimators[2]; /* run times, demand */
    struct engine engine;
};

static void *defaults(struct bench *b, const struct option *rows, size_t size)
{
    void *config = arena_alloc(&b->arena, size + 1);
    option_defaults(rows, config);
    return config;
}

static struct placer make_placer(struct bench *b)
{
    const struct placer_ops *ops = placers[0];
    return (struct placer){.ops = ops,
                           .config =
                               defaults(b, ops->options, ops->config_size),
                           .self = arena_alloc(&b->arena, ops->state_size + 1)};
}

static void fill_parts(struct bench *b, struct engine_parts *parts)
{
    const struct workload *w = &b->workload;
    static const char *const names[] = {"oracle", "workload"};
    for (size_t i = 0; i < 2; i++) {
        struct estimator *l = &b->estimators[i];
        if (estimator_find(text_from(names[i]), &l->ops, NULL) != STATUS_OK)
            continue;
        l->self = arena_alloc(&b->arena, l->ops->state_size + 1);
        l->config = defaults(b, l->ops->options, l->ops->config_size);
        l->below = i == 0 ? &b->estimators[1] : NULL;
    }
    *parts = (struct engine_parts){
        .jobs = w->jobs,
        .truths = w->truths,
        .n_jobs = w->n_jobs,
        .cluster = &b->cluster,
        .policy = &b->policy,
        .policy_config = defaults(b, b->policy.options, b->policy.config_size),
        .placer = make_placer(b),
        .admission = make_placer(b),
        .estimator = &b->estimators[0],
        .env = {.jobs = w->jobs, .n_jobs = w->n_jobs, .arena = &b->arena},
        .interference = {interferences[0],
                         defaults(b, interferences[0]->options,
                                  interferences[0]->config_size)},
        .throughput = {throughputs[0], defaults(b, throughputs[0]->options,
                                                throughputs[0]->config_size)},
        .overhead = {overheads[0], defaults(b, overheads[0]->options,
                                            overheads[0]->config_size)},
        .ledger = &b->ledger,
    };
    option_defaults(engine_options, &parts->config);
    parts->config.share_limit = b->cluster.share_limit;
    parts->belief = parts->interference;
}

/* Asks again; true if it plans nothing. */
static bool settles(struct engine *e)
{
    for (uint32_t i = 0; i < watch.n_touched; i++)
        board_touch(&e->board, watch.touched[i]);
    watch.inner->decide(e->policy_self, &e->view, &e->plan);
    bool settled = e->plan.n_actions == 0;
    plan_undo_to(&e->plan, 0);
    plan_clear(&e->plan);
    board_untouch(&e->board);
    arena_reset(&e->scratch);
    return settled;
}

static enum status run_all(struct bench *b, struct error *err)
{
    struct engine *e = &b->engine;
    enum status st;
    while ((st = engine_step(e, err)) == STATUS_OK) {
        if (!settles(e))
            return error_set(err, STATUS_BROKEN,
                             "asked again at %g s, it plans something",
                             span_seconds(e->board.now));
    }
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status check(const struct lab *lab, const struct policy_ops *policy,
                         struct error *err)
{
    static struct bench b;
    struct engine_parts parts;
    struct load_options all = {.from = TRACE_NO_TIME, .to = TRACE_NO_TIME};
    b = (struct bench){.policy = *policy};
    b.policy.decide = watch_decide;
    watch = (struct watch){.inner = policy};
    arena_init(&b.arena);
    enum status st =
        workload_load(lab->trace, "native", &all, &b.workload, err);
    if (st != STATUS_OK)
        return st;
    ledger_init(&b.ledger, b.workload.n_jobs);
    st = describe_cluster(lab->cluster, &b.arena, &b.spec, err);
    if (st == STATUS_OK)
        st = cluster_init(&b.cluster, &b.spec,
                          policy->needs & POLICY_SHARES ? 2 : 1, err);
    if (st == STATUS_OK) {
        for (uint32_t i = 0; i < b.workload.n_jobs; i++)
            b.workload.jobs[i].vc =
                cluster_vc_find(&b.cluster, lab->jobs[i].vc);
        fill_parts(&b, &parts);
        st = engine_init(&b.engine, &parts, &b.spec, err);
    }
    if (st == STATUS_OK) {
        st = run_all(&b, err);
        engine_fini(&b.engine);
    }
    cluster_fini(&b.cluster);
    ledger_fini(&b.ledger);
    workload_fini(&b.workload);
    arena_fini(&b.arena);
    return st;
}

int main(void)
{
    static struct error err;
    struct lab *lab = lab_new();
    int number = 0, broken = 0;
    if (!lab)
        return 1;
    for (size_t i = 0; policies[i]; i++) {
        int failed = 0;
        if (policies[i]->needs & POLICY_PROFILES)
            continue; /* needs more than a plain cluster */
        for (uint64_t seed = 0; seed < WORKLOADS; seed++) {
            gsl_rng *rng = rng_open(seed, "test settle");
            lab_clear(lab);
            draw_lab(rng, lab);
            rng_free(rng);
            enum status st = lab_write(lab, &err);
            if (st == STATUS_OK)
                st = check(lab, policies[i], &err);
            if (st != STATUS_OK && failed++ == 0)
                printf("# workload %d: %s\n", (int)seed, err.message);
        }
        printf("%sok %d - %s settles\n", failed ? "not " : "", ++number,
               policies[i]->name);
        if (failed)
            printf("# in %d workloads it does not\n", failed);
        broken += failed;
    }
    printf("1..%d\n", number);
    lab_free(lab);
    return broken > 0;
}
