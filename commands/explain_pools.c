/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GPUs of a result over time, for `explain`: which nodes are in service,
 * which GPUs are free, and whether a job of some size could be placed. */
#include "commands/explain_internal.h"

#include <string.h>

struct explain_node {
    uint32_t n_busy;
    bool down, lent;
};

static struct explain_pool *pool_for(struct explain_pools *pools,
                                     const struct verify_node *node)
{
    uint32_t vc = pools->data->merged ? EXPLAIN_ANY_VC : node->vc;
    for (uint32_t i = 0; i < pools->n; i++) {
        if (pools->at[i].vc == vc && pools->at[i].type == node->type)
            return &pools->at[i];
    }
    struct explain_pool *pool = &pools->at[pools->n++];
    *pool = (struct explain_pool){.vc = vc, .type = node->type};
    return pool;
}

static void add_nodes(struct explain_pools *pools, const struct verify_data *d)
{
    for (size_t i = 0; i < d->n_nodes; i++) {
        const struct verify_node *node = &d->nodes[i];
        pools->of_node[i] = UINT32_MAX;
        if (node->profiler)
            continue;
        struct explain_pool *pool = pool_for(pools, node);
        pools->of_node[i] = (uint32_t)(pool - pools->at);
        pool->widest = node->gpus > pool->widest ? node->gpus : pool->widest;
        pool->up += node->gpus;
        pool->free += node->gpus;
        pool->n_nodes[node->gpus]++;
        pool->n_level[node->gpus]++;
        pool->n_idle[node->gpus]++;
    }
}

void explain_pools_init(struct explain_pools *pools,
                        const struct verify_data *d, const uint32_t *jobs,
                        size_t n_jobs, struct arena *arena)
{
    const char *placer =
        json_string_value(json_object_get(d->manifest, "placer"));
    uint32_t *n_ranks = ARENA_ARRAY(arena, uint32_t, d->vcs.n_strings + 1);
    size_t places = (size_t)d->n_gpus * d->share_limit;
    *pools = (struct explain_pools){
        .data = d,
        .at = ARENA_ARRAY(arena, struct explain_pool, d->n_nodes + 1),
        .of_node = ARENA_ARRAY(arena, uint32_t, d->n_nodes + 1),
        .nodes = ARENA_ARRAY(arena, struct explain_node, d->n_nodes + 1),
        .rank = ARENA_ARRAY(arena, uint32_t, d->n_jobs + 1),
        .holders = ARENA_ARRAY(arena, uint32_t, places + 1),
        .n_holders = ARENA_ARRAY(arena, uint8_t, d->n_gpus + 1),
        .scattered = placer && strcmp(placer, "consolidate") != 0};
    memset(pools->nodes, 0, d->n_nodes * sizeof *pools->nodes);
    memset(pools->n_holders, 0, d->n_gpus);
    memset(n_ranks, 0, (d->vcs.n_strings + 1) * sizeof *n_ranks);
    for (size_t i = 0, k = 0; i < d->n_jobs; i++) {
        /* jobs that may use the same nodes are ranked together */
        uint32_t line = d->merged ? 0 : d->jobs[i].vc;
        pools->rank[i] = n_ranks[line];
        if (k < n_jobs && jobs[k] == i) {
            n_ranks[line]++;
            k++;
        }
    }
    add_nodes(pools, d);
    for (uint32_t i = 0; i < pools->n; i++)
        pools->at[i].held = explain_sums_new(
            arena, n_ranks[d->merged ? 0 : pools->at[i].vc] + 1);
}

/* Adds an available node to the counts of its pool (sign 1), or takes it out of
 * them (-1). */
static void count_node(struct explain_pools *pools, uint32_t node, int sign)
{
    const struct explain_node *n = &pools->nodes[node];
    uint32_t width = pools->data->nodes[node].gpus, left = width - n->n_busy;
    if (n->down || pools->of_node[node] == UINT32_MAX)
        return;
    struct explain_pool *pool = &pools->at[pools->of_node[node]];
    if (n->lent) {
        pool->lent += sign * (int64_t)width;
        return;
    }
    pool->n_level[left] += (uint32_t)sign;
    pool->n_idle[width] += n->n_busy == 0 ? (uint32_t)sign : 0;
    pool->free += sign * (int64_t)left;
    pool->up += sign * (int64_t)width;
}

/* Returns the rank of the job that was submitted first of those that hold a
 * GPU; UINT32_MAX: it is free. */
static uint32_t first_holder(const struct explain_pools *pools, uint32_t gpu)
{
    const uint32_t *all =
        &pools->holders[(size_t)gpu * pools->data->share_limit];
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < pools->n_holders[gpu]; i++)
        first = all[i] < first ? all[i] : first;
    return first;
}

static void add_held(struct explain_pool *pool, uint32_t rank, int sign)
{
    if (rank == UINT32_MAX)
        return;
    explain_sums_add(&pool->held, rank, (uint64_t)(int64_t)sign);
    pool->n_held += (uint64_t)(int64_t)sign;
}

/* Adds a job to the holders of a GPU, or takes it out of them. */
static void hold(struct explain_pools *pools, uint32_t gpu, uint32_t rank,
                 bool takes)
{
    uint32_t limit = pools->data->share_limit, i = 0;
    uint32_t *all = &pools->holders[(size_t)gpu * limit];
    uint8_t *n = &pools->n_holders[gpu];
    uint32_t node = pools->data->node_of[gpu];
    uint32_t before = first_holder(pools, gpu);
    if (takes && *n < limit) {
        all[(*n)++] = rank;
    } else if (!takes) {
        while (i < *n && all[i] != rank)
            i++;
        if (i < *n)
            all[i] = all[--*n];
    }
    uint32_t now = first_holder(pools, gpu);
    if (now == before || pools->of_node[node] == UINT32_MAX)
        return;
    struct explain_pool *pool = &pools->at[pools->of_node[node]];
    add_held(pool, before, -1);
    add_held(pool, now, 1);
    if (before == UINT32_MAX || now == UINT32_MAX) {
        count_node(pools, node, -1);
        pools->nodes[node].n_busy += now == UINT32_MAX ? UINT32_MAX : 1;
        count_node(pools, node, 1);
    }
}

static void move(struct explain_pools *pools, const struct verify_attempt *a,
                 bool starts)
{
    for (uint32_t i = 0; i < a->n_ranges; i++) {
        struct verify_range r = pools->data->ranges[a->first_gpu_range + i];
        for (uint32_t gpu = r.first; gpu <= r.last; gpu++)
            hold(pools, gpu, pools->rank[a->job], starts);
    }
}

void explain_pools_start(struct explain_pools *pools,
                         const struct verify_attempt *attempt)
{
    move(pools, attempt, true);
}

void explain_pools_end(struct explain_pools *pools,
                       const struct verify_attempt *attempt)
{
    move(pools, attempt, false);
}

void explain_pools_change(struct explain_pools *pools,
                          const struct verify_change *change)
{
    struct explain_node *node = &pools->nodes[change->node];
    count_node(pools, change->node, -1);
    if (change->kind == NODE_GOES || change->kind == NODE_COMES)
        node->down = change->kind == NODE_GOES;
    else
        node->lent = change->kind == NODE_LENT;
    count_node(pools, change->node, 1);
}

/* Returns the width of the widest node of the pool that is not taken yet. */
static uint32_t widest_left(const struct explain_pool *pool,
                            const uint32_t *taken)
{
    uint32_t width = pool->widest;
    while (width > 0 && pool->n_nodes[width] == taken[width])
        width--;
    return width;
}

static bool fits_together(const struct explain_pool *pool, uint32_t gpus)
{
    uint32_t taken[EXPLAIN_WIDTH_MAX + 1] = {0};
    uint32_t widest = pool->widest, level = pool->widest;
    bool any = false;
    while (gpus > widest || (any && gpus > 0 && gpus == widest)) {
        while (level > 0 && pool->n_idle[level] == taken[level])
            level--;
        if (level == 0)
            return false;
        taken[level]++;
        gpus -= level;
        any = true;
        widest = widest_left(pool, taken);
    }
    for (uint32_t i = gpus; i <= pool->widest && gpus > 0; i++) {
        if (pool->n_level[i] > taken[i])
            return true;
    }
    return gpus == 0;
}

bool explain_pools_fit(const struct explain_pools *pools,
                       const struct explain_pool *pool, uint32_t gpus)
{
    return pool->free >= (int64_t)gpus &&
           (pools->scattered || fits_together(pool, gpus));
}
