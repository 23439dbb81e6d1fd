/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs each placer of the registry, with each combination of its boolean
 * options and choices, on 200 random clusters. A placer must return nothing, or
 * exactly the requested number of GPUs. These GPUs must be free, different and
 * in the pool. The call must leave the number of free GPUs as it was. The
 * placer `spread` must choose the same GPUs as a search over all nodes for each
 * single GPU. could_place must not deny what place does. */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "policies/registry.h"

enum { CLUSTERS = 200, QUESTIONS = 40, ROOM = 1024 };

static const struct gpu_type_spec types[] = {
    {.name = "a", .speed = 1, .speed_known = true},
    {.name = "b", .speed = 2, .speed_known = true}};
static const char *const vcs[] = {"one", "two"};

/* Draws a cluster in which some GPUs are taken and some nodes are down. */
static enum status draw_cluster(gsl_rng *rng, struct cluster *c)
{
    static const uint32_t widths[] = {1, 2, 3, 4, 8, 8, 8, 16, 64};
    static struct error err;
    struct node_group groups[6];
    struct cluster_spec spec = {.name = "drawn",
                                .types = types,
                                .vcs = vcs,
                                .groups = groups,
                                .n_types = 2,
                                .n_vcs = 2,
                                .n_groups = 1 + rng_below(rng, 6)};
    for (size_t i = 0; i < spec.n_groups; i++)
        groups[i] = (struct node_group){
            .count = 1 + rng_below(rng, rng_below(rng, 4) ? 6 : 90),
            .gpus = widths[rng_below(rng, 9)],
            .type = (uint16_t)rng_below(rng, 2),
            .vc = (uint16_t)rng_below(rng, 2),
            .rack = rng_below(rng, 3)};
    enum status st = cluster_init(c, &spec, 1, &err);
    if (st != STATUS_OK)
        return st;
    uint32_t busy = rng_below(rng, 101);
    for (node_id n = 0; n < c->n_nodes; n++) {
        if (rng_below(rng, 20) == 0) {
            cluster_set_up(c, n, false);
            continue;
        }
        uint64_t mask = 0;
        for (uint32_t g = 0; g < c->nodes[n].gpus; g++)
            mask |= (uint64_t)(rng_below(rng, 100) < busy) << g;
        if (mask)
            cluster_take(c, (struct gpu_slice){n, mask}, 0);
    }
    return STATUS_OK;
}

/* Returns a message that says what is wrong with the answer of a placer; NULL
 * if it is right. */
static const char *judge(const struct cluster *c, const struct pool *pool,
                         uint32_t gpus, const struct gpu_slice *at, uint32_t n)
{
    if (n == 0)
        return NULL;
    if (n > gpus)
        return "more slices than GPUs";
    if (gpu_set_size((struct gpu_set){at, n}) != gpus)
        return "not the number of GPUs asked for";
    for (uint32_t i = 0; i < n; i++) {
        if (at[i].node < pool->first_node ||
            at[i].node >= pool->first_node + pool->n_nodes)
            return "a node of another pool";
        if (at[i].mask == 0 || (at[i].mask & ~c->nodes[at[i].node].free))
            return "a GPU that is not free";
        for (uint32_t k = 0; k < i; k++) {
            if (at[k].node == at[i].node)
                return "one node twice";
        }
    }
    return NULL;
}

/* Chooses the GPUs one by one, each from the node with the most free GPUs; of
 * several such nodes, from the first. */
static uint32_t spread_by_search(const struct cluster *c,
                                 const struct pool *pool, uint32_t gpus,
                                 struct gpu_slice *out)
{
    uint32_t n = 0;
    static uint32_t left[1024];
    for (uint32_t i = 0; i < pool->n_nodes; i++)
        left[i] = c->nodes[pool->first_node + i].n_free;
    for (; gpus > 0; gpus--) {
        uint32_t best = 0, k = 0;
        for (uint32_t i = 1; i < pool->n_nodes; i++) {
            if (left[i] > left[best])
                best = i;
        }
        left[best]--;
        while (k < n && out[k].node != pool->first_node + best)
            k++;
        if (k == n)
            out[n++] = (struct gpu_slice){pool->first_node + best, 0};
        uint64_t rest = c->nodes[out[k].node].free & ~out[k].mask;
        out[k].mask |= rest & -rest;
    }
    return n;
}

/* Draws a pool. Returns NULL if it has no free GPUs. */
static const struct pool *draw_pool(gsl_rng *rng, const struct cluster *c)
{
    const struct pool *pool = &c->pools[rng_below(rng, c->n_pools)];
    return pool->n_free ? pool : NULL;
}

static uint32_t draw_gpus(gsl_rng *rng, const struct pool *pool)
{
    uint32_t most = pool->n_free < ROOM ? pool->n_free : ROOM;
    return 1 + rng_below(rng, rng_below(rng, 2) || most < 16 ? most : 16);
}

struct question {
    const struct placer_ops *ops;
    const void *config;
    void *self;
    uint32_t answered, denied;
};

/* Asks could_place about a pool of equal nodes; true elsewhere. */
static bool could_place(const struct placer_ops *ops, const struct cluster *c,
                        const struct pool *pool, uint32_t gpus)
{
    uint32_t nodes[NODE_GPUS_MAX + 1] = {0};
    if (!ops->could_place || pool->narrowest != pool->widest)
        return true;
    for (uint32_t i = 0; i < pool->n_nodes; i++)
        nodes[c->nodes[pool->first_node + i].n_free]++;
    return ops->could_place(nodes, pool->widest, gpus);
}

static const char *ask(struct question *q, const struct cluster *c,
                       const struct pool *pool, uint32_t gpus)
{
    static struct gpu_slice out[ROOM], want[ROOM];
    uint32_t n_free = c->n_free;
    uint32_t n = q->ops->place(q->self, q->config, c, pool, gpus, out);
    q->answered += n > 0;
    const char *bad = judge(c, pool, gpus, out, n);
    bool could = could_place(q->ops, c, pool, gpus);
    q->denied += !could;
    if (!bad && n > 0 && !could)
        bad = "could_place denies it";
    if (!bad && c->n_free != n_free)
        bad = "the cluster changed";
    if (bad || strcmp(q->ops->name, "spread") != 0)
        return bad;
    uint32_t m = spread_by_search(c, pool, gpus, want);
    bool same = n == m;
    for (uint32_t i = 0; same && i < n; i++)
        same = out[i].node == want[i].node && out[i].mask == want[i].mask;
    return same ? NULL : "a search chooses other GPUs";
}

/* Checks one combination of settings and prints one TAP line. */
static bool check(struct question *q, int number, const char *words)
{
    const char *bad = NULL;
    for (uint64_t seed = 0; seed < CLUSTERS && !bad; seed++) {
        gsl_rng *rng = rng_open(seed, "test placers");
        struct cluster c = {0};
        if (draw_cluster(rng, &c) != STATUS_OK)
            bad = "the cluster cannot be made";
        for (int i = 0; i < QUESTIONS && !bad; i++) {
            const struct pool *pool = draw_pool(rng, &c);
            if (pool)
                bad = ask(q, &c, pool, draw_gpus(rng, pool));
        }
        if (bad)
            printf("# cluster %d: %s\n", (int)seed, bad);
        cluster_fini(&c);
        rng_free(rng);
    }
    if (!bad && q->answered < CLUSTERS)
        bad = "it hardly ever answers";
    if (!bad && q->ops->could_place && q->denied < CLUSTERS)
        bad = "could_place hardly ever denies";
    printf("%sok %d - %s%s\n", bad ? "not " : "", number, q->ops->name, words);
    return !bad;
}

/* Sets the i-th combination of values of the boolean options and choices, and
 * writes it to `words`. Returns false if there are no more combinations. */
static bool combine(const struct option *rows, void *config, uint32_t i,
                    char *words, size_t room)
{
    struct error err;
    size_t at = 0;
    words[0] = '\0';
    for (const struct option *row = rows; row && row->kind != OPTION_END;
         row++) {
        static const char *const flags[] = {"false", "true", NULL};
        const char *const *values =
            row->kind == OPTION_CHOICE ? row->choices : flags;
        uint32_t n = 0;
        if (row->kind != OPTION_CHOICE && row->kind != OPTION_BOOL)
            continue;
        while (values[n])
            n++;
        if (option_set(rows, config, "placer", text_from(row->name),
                       text_from(values[i % n]), NULL, &err) != STATUS_OK)
            return false;
        at += (size_t)snprintf(words + at, room - at, " %s=%s", row->name,
                               values[i % n]);
        i /= n;
    }
    return i == 0;
}

int main(void)
{
    const struct run_env env = {.seed = 1};
    int number = 0, failed = 0;
    for (size_t i = 0; placers[i]; i++) {
        const struct placer_ops *ops = placers[i];
        void *config = mem_zalloc(1, ops->config_size + 1);
        option_defaults(ops->options, config);
        char words[256];
        for (uint32_t k = 0;
             combine(ops->options, config, k, words, sizeof words); k++) {
            struct question q = {.ops = ops,
                                 .config = config,
                                 .self = mem_zalloc(1, ops->state_size + 1)};
            if (ops->init)
                failed += ops->init(q.self, config, &env, NULL) != STATUS_OK;
            failed += !check(&q, ++number, words);
            if (ops->fini)
                ops->fini(q.self);
            free(q.self);
        }
        free(config);
    }
    printf("1..%d\n", number);
    return failed > 0;
}
