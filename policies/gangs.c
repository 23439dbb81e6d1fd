/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/gangs.h"

#include <stdlib.h>

#include "base/arena.h"

/* Orders gangs by pool, then by size, largest first; among gangs of equal size,
 * those that stay come first; then by id of the job. */
static int gangs_by_size(const void *a, const void *b)
{
    const struct gang *x = a, *y = b;
    if (x->pool != y->pool)
        return (x->pool > y->pool) - (x->pool < y->pool);
    if (x->gpus != y->gpus)
        return x->gpus > y->gpus ? -1 : 1;
    if (x->stays != y->stays)
        return x->stays ? -1 : 1;
    return (x->job->id > y->job->id) - (x->job->id < y->job->id);
}

/* Returns, among the idle nodes after `after`, the one on which jobs that
 * should stay held the fewest GPUs; among equal ones, the first; NODE_NONE if
 * no node is idle. */
static node_id calmest(const struct cluster *c, const struct pool *pool,
                       const uint32_t *stay, node_id after)
{
    node_id best = NODE_NONE;
    for (node_id n = pool_next_at(c, pool, pool->widest, after); n != NODE_NONE;
         n = pool_next_at(c, pool, pool->widest, n)) {
        if (best == NODE_NONE ||
            stay[n - pool->first_node] < stay[best - pool->first_node])
            best = n;
    }
    return best;
}

/* Finds GPUs on one node for a gang. Takes the fullest node with enough free
 * GPUs or, if only idle nodes have enough, the one on which jobs that should
 * stay held the fewest GPUs. Returns an empty set if no node has enough. Used
 * when a pool is filled anew. */
static struct gpu_set find_calm(struct plan *plan, const struct gang *gang,
                                const uint32_t *stay)
{
    const struct cluster *c = plan->cluster;
    const struct pool *pool = gang->pool;
    node_id node = pool_tightest(c, pool, gang->gpus);
    if (node != NODE_NONE && c->nodes[node].n_free == pool->widest)
        node = calmest(c, pool, stay, NODE_NONE);
    if (node == NODE_NONE)
        return (struct gpu_set){0};
    struct gpu_slice *at = plan_scratch(plan, sizeof *at);
    *at = (struct gpu_slice){node, node_lowest(&c->nodes[node], gang->gpus)};
    return (struct gpu_set){at, 1};
}

/* Finds GPUs for a gang: takes as many idle nodes as the gang can use whole,
 * and the rest of its GPUs from the fullest other node with enough free GPUs.
 * Returns an empty set if there are too few idle nodes, or no other node with
 * enough. */
static struct gpu_set gangs_find_gpus(struct plan *plan,
                                      const struct gang *gang)
{
    const struct cluster *c = plan->cluster;
    const struct pool *pool = gang->pool;
    uint32_t whole = gang->gpus / pool->widest, n = 0;
    uint32_t rest = gang->gpus % pool->widest;
    struct gpu_slice *at = plan_scratch(plan, (whole + (size_t)1) * sizeof *at);
    node_id node = NODE_NONE;
    for (; n < whole; n++) {
        node = pool_next_at(c, pool, pool->widest, node);
        if (node == NODE_NONE)
            return (struct gpu_set){0};
        at[n] = (struct gpu_slice){node,
                                   node_lowest(&c->nodes[node], pool->widest)};
    }
    if (rest) {
        /* If the node is idle, it must not be one of those just taken. */
        node_id last = pool_tightest(c, pool, rest);
        if (last != NODE_NONE && c->nodes[last].n_free == pool->widest)
            last = pool_next_at(c, pool, pool->widest, node);
        if (last == NODE_NONE)
            return (struct gpu_set){0};
        at[n++] = (struct gpu_slice){last, node_lowest(&c->nodes[last], rest)};
    }
    return (struct gpu_set){at, n};
}

static bool gangs_is_free(const struct cluster *c, struct gpu_set set)
{
    for (uint32_t i = 0; i < set.count; i++) {
        const struct node *node = &c->nodes[set.at[i].node];
        if (!node->up || (node->free & set.at[i].mask) != set.at[i].mask)
            return false;
    }
    return true;
}

/* Starts a gang. `stay`: by node of the pool, the number of GPUs that jobs
 * which should stay held; NULL: these jobs still hold their GPUs. Returns false
 * if the gang cannot be placed. */
static bool gangs_place_one(struct plan *plan, const struct gang *gang,
                            const uint32_t *stay)
{
    struct gpu_set set = {0};
    if (gang->stays &&
        gangs_is_free(plan->cluster, view_where(plan->view, gang->job)))
        set = view_where(plan->view, gang->job);
    else if (stay && gang->gpus <= gang->pool->widest)
        set = find_calm(plan, gang, stay);
    else
        set = gangs_find_gpus(plan, gang);
    return set.count && plan_start_on(plan, gang->job, set);
}

/* Starts a gang on any number of nodes, if it fits and has not been started. */
static void place_somehow(struct plan *plan, const struct gang *gang)
{
    struct shape shape = {.gpu_type = (uint8_t)gang->pool->type,
                          .gpus = gang->gpus};
    if (!plan_is_started(plan, gang->job))
        plan_start_as(plan, gang->job, shape);
}

/* Starts, on the free GPUs, the gangs that do not stay. Returns false if one of
 * them cannot be placed; those before it have then been started. */
static bool fill_gaps(struct plan *plan, const struct gang *gangs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!gangs[i].stays && !gangs_place_one(plan, &gangs[i], NULL))
            return false;
    }
    return true;
}

/* Stops the jobs that should stay, and places all gangs of the pool anew, the
 * largest first. */
static void fill_anew(struct plan *plan, const struct gang *gangs, size_t n)
{
    const struct pool *pool = gangs[0].pool;
    uint32_t *stay = plan_scratch(plan, pool->n_nodes * sizeof *stay);
    for (size_t i = 0; i < n; i++) {
        if (!gangs[i].stays)
            continue;
        struct gpu_set where = view_where(plan->view, gangs[i].job);
        for (uint32_t k = 0; k < where.count; k++)
            stay[where.at[k].node - pool->first_node] +=
                mask_count(where.at[k].mask);
        plan_stop(plan, gangs[i].job);
    }
    for (size_t i = 0; i < n; i++)
        gangs_place_one(plan, &gangs[i], stay);
    for (size_t i = 0; i < n; i++)
        place_somehow(plan, &gangs[i]);
}

void gangs_place(struct plan *plan, struct gang *gangs, size_t n)
{
    if (n)
        qsort(gangs, n, sizeof *gangs, gangs_by_size);
    for (size_t i = 0; i < n; i++) {
        if (!gangs[i].stays && gangs[i].job->state == JOB_RUNNING)
            plan_stop(plan, gangs[i].job);
    }
    for (size_t i = 0, next; i < n; i = next) {
        next = i;
        while (next < n && gangs[next].pool == gangs[i].pool)
            next++;
        if (!gangs[i].pool)
            continue;
        size_t mark = plan_mark(plan);
        if (!fill_gaps(plan, gangs + i, next - i)) {
            plan_undo_to(plan, mark);
            fill_anew(plan, gangs + i, next - i);
        }
    }
}
