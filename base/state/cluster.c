/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/state/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/state/cluster_spec.h"

/* Checks the numbers of types, virtual clusters, nodes, and GPUs per node.
 * STATUS_BAD_INPUT if one is out of range; the error says which. */
static enum status cluster_spec_check(const struct cluster_spec *spec,
                                      struct error *err)
{
    uint64_t nodes = 0;
    if (spec->n_types == 0 || spec->n_types > CLUSTER_TYPES_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "cluster %s: %zu GPU types, expected 1 to %d",
                         spec->name, spec->n_types, CLUSTER_TYPES_MAX);
    if (spec->n_vcs == 0 || spec->n_vcs > CLUSTER_VCS_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "cluster %s: %zu virtual clusters, expected 1 to %d",
                         spec->name, spec->n_vcs, CLUSTER_VCS_MAX);
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        if (g->gpus < 1 || g->gpus > NODE_GPUS_MAX)
            return error_set(err, STATUS_BAD_INPUT,
                             "cluster %s: %u GPUs on a node, expected 1 to %d",
                             spec->name, g->gpus, NODE_GPUS_MAX);
        CHECK(g->type < spec->n_types && g->vc < spec->n_vcs);
        nodes += g->count;
    }
    if (nodes == 0 || nodes > CLUSTER_NODES_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "cluster %s: %llu nodes, expected 1 to %d", spec->name,
                         (unsigned long long)nodes, CLUSTER_NODES_MAX);
    return STATUS_OK;
}

double cluster_spec_cpus(const struct cluster_spec *spec)
{
    double sum = 0;
    for (size_t i = 0; i < spec->n_groups; i++) {
        if (spec->groups[i].count && !spec->groups[i].cpus)
            return 0;
        sum += (double)spec->groups[i].count * spec->groups[i].cpus;
    }
    return sum;
}

double cluster_spec_memory(const struct cluster_spec *spec)
{
    double sum = 0;
    for (size_t i = 0; i < spec->n_groups; i++) {
        if (spec->groups[i].count && !(spec->groups[i].mem_mib > 0))
            return 0;
        sum += spec->groups[i].count * spec->groups[i].mem_mib;
    }
    return sum;
}

node_id cluster_spec_number(const struct cluster_spec *spec, size_t group)
{
    const struct node_group *own = &spec->groups[group];
    node_id n = 0;
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        int order = (g->vc > own->vc) - (g->vc < own->vc);
        if (order == 0)
            order = (g->type > own->type) - (g->type < own->type);
        if (order == 0)
            order = (int)g->profiler - (int)own->profiler;
        if (order < 0 || (order == 0 && i < group))
            n += g->count;
    }
    return n;
}

/* Returns the bit of pool.levels for nodes with n_free free GPUs; 0 for nodes
 * with none, which have no level. */
static inline uint64_t level_of(uint32_t n_free)
{
    return n_free ? UINT64_C(1) << (n_free - 1) : 0;
}

static inline void level_join(struct pool *pool, const struct node *node,
                              uint32_t n_free)
{
    pool->bits[n_free][node->local / 64] |= UINT64_C(1) << node->local % 64;
    pool->levels |= level_of(n_free);
}

static inline void level_leave(struct pool *pool, const struct node *node,
                               uint32_t n_free)
{
    uint64_t *words = pool->bits[n_free];
    words[node->local / 64] &= ~(UINT64_C(1) << node->local % 64);
    for (uint32_t w = 0; w < pool->n_words; w++) {
        if (words[w])
            return;
    }
    pool->levels &= ~level_of(n_free);
}

static uint16_t home_of(const struct cluster_spec *spec,
                        const struct node_group *g)
{
    return spec->merged ? g->home : g->vc;
}

/* Appends the pool for the nodes of one virtual cluster and GPU type: for its
 * profiler nodes if `profiler`, otherwise for its other nodes. Appends none if
 * there are no such nodes. */
static void add_pool(struct cluster *c, const struct cluster_spec *spec,
                     uint16_t vc, uint16_t type, bool profiler)
{
    struct pool *pool = &c->pools[c->n_pools];
    *pool = (struct pool){
        .vc = vc, .type = type, .profiler = profiler, .first_node = c->n_nodes};
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        if (g->vc != vc || g->type != type || g->profiler != profiler)
            continue;
        if (g->gpus > pool->widest && g->count)
            pool->widest = g->gpus;
        if (g->count && (pool->narrowest == 0 || g->gpus < pool->narrowest))
            pool->narrowest = g->gpus;
        for (uint32_t k = 0; k < g->count; k++) {
            c->nodes[c->n_nodes++] = (struct node){
                .free =
                    g->gpus == 64 ? ~UINT64_C(0) : (UINT64_C(1) << g->gpus) - 1,
                .first_gpu = c->n_gpus,
                .rack = g->rack,
                .home = home_of(spec, g),
                .pool = (uint16_t)c->n_pools,
                .local = (uint16_t)pool->n_nodes++,
                .gpus = (uint8_t)g->gpus,
                .n_free = (uint8_t)g->gpus,
                .up = true,
                .lends = g->lends,
            };
            c->n_gpus += g->gpus;
        }
    }
    if (pool->n_nodes == 0)
        return;
    pool->n_words = (pool->n_nodes + 63) / 64;
    pool->bits = ARENA_ARRAY(&c->arena, uint64_t *, pool->widest + 1);
    for (uint32_t f = 0; f <= pool->widest; f++)
        pool->bits[f] = ARENA_ARRAY(&c->arena, uint64_t, pool->n_words);
    for (uint32_t n = 0; n < pool->n_nodes; n++) {
        struct node *node = &c->nodes[pool->first_node + n];
        pool->n_gpus += node->gpus;
        level_join(pool, node, node->n_free);
    }
    pool->n_free = pool->n_idle = pool->n_gpus;
    c->n_pools++;
}

enum status cluster_init(struct cluster *c, const struct cluster_spec *spec,
                         uint32_t share_limit, struct error *err)
{
    enum status st = cluster_spec_check(spec, err);
    if (st != STATUS_OK)
        return st;
    *c = (struct cluster){.share_limit = share_limit};
    arena_init(&c->arena);
    size_t nodes = 0;
    for (size_t i = 0; i < spec->n_groups; i++)
        nodes += spec->groups[i].count;
    c->nodes = ARENA_ARRAY(&c->arena, struct node, nodes);
    c->n_types = (uint32_t)spec->n_types;
    c->types = ARENA_ARRAY(&c->arena, struct gpu_type_spec, spec->n_types);
    for (size_t i = 0; i < spec->n_types; i++) {
        const char *name = spec->types[i].name;
        c->types[i] = spec->types[i];
        c->types[i].name = arena_copy(&c->arena, name, strlen(name));
    }
    c->n_vcs = (uint32_t)spec->n_vcs;
    c->vcs = ARENA_ARRAY(&c->arena, const char *, spec->n_vcs);
    for (size_t i = 0; i < spec->n_vcs; i++)
        c->vcs[i] = arena_copy(&c->arena, spec->vcs[i], strlen(spec->vcs[i]));
    /* For each virtual cluster and type: a pool for jobs, one for profiling,
     * and one for nodes lent to profiling. */
    c->pools =
        ARENA_ARRAY(&c->arena, struct pool, spec->n_vcs * spec->n_types * 3);
    c->vc_pools = ARENA_ARRAY(&c->arena, struct pool_range, spec->n_vcs);
    c->merged = spec->merged;
    for (uint16_t vc = 0; vc < spec->n_vcs; vc++) {
        c->vc_pools[vc].first = c->n_pools;
        for (uint16_t type = 0; type < spec->n_types; type++) {
            add_pool(c, spec, vc, type, false);
            add_pool(c, spec, vc, type, true);
        }
        c->vc_pools[vc].end = c->n_pools;
        if (c->merged) /* virtual cluster 0 has all nodes */
            c->vc_pools[vc] = c->vc_pools[0];
    }
    c->n_own_pools = c->n_pools;
    c->n_free = c->n_gpus;
    c->n_holders = ARENA_ARRAY(&c->arena, uint8_t, c->n_gpus);
    c->holders =
        ARENA_ARRAY(&c->arena, job_id, (size_t)c->n_gpus * share_limit);
    return STATUS_OK;
}

void cluster_fini(struct cluster *c)
{
    arena_fini(&c->arena);
    *c = (struct cluster){0};
}

static uint32_t vc_sum(const struct cluster *c, uint16_t vc, bool free)
{
    uint32_t n = 0;
    for (uint32_t p = c->vc_pools[vc].first; p < c->vc_pools[vc].end; p++) {
        if (!c->pools[p].profiler)
            n += free ? c->pools[p].n_free : c->pools[p].n_gpus;
    }
    return n;
}

uint32_t cluster_vc_gpus(const struct cluster *c, uint16_t vc)
{
    return vc_sum(c, vc, false);
}

uint32_t cluster_vc_free(const struct cluster *c, uint16_t vc)
{
    return vc_sum(c, vc, true);
}

const char *cluster_home(const struct cluster *c, node_id node)
{
    uint16_t home = c->nodes[node].home;
    return home == UINT16_MAX ? "all" : c->vcs[home];
}

uint16_t cluster_vc_find(const struct cluster *c, const char *name)
{
    for (uint16_t vc = 0; vc < c->n_vcs; vc++) {
        if (strcmp(c->vcs[vc], name) == 0)
            return vc;
    }
    return UINT16_MAX;
}

/* Sets the node's free mask, in which `after` bits are set, and updates the
 * counts of its pool and of the cluster. */
static inline void set_free(struct cluster *c, struct node *node, uint64_t free,
                            uint32_t after)
{
    struct pool *pool = &c->pools[node->pool];
    uint32_t before = node->n_free;
    node->changes++;
    node->free = free;
    if (before == after)
        return;
    level_leave(pool, node, before);
    level_join(pool, node, after);
    node->n_free = (uint8_t)after;
    /* The difference may wrap; the sum is right nevertheless. */
    pool->n_free += after - before;
    c->n_free += after - before;
    if (before != node->gpus && after != node->gpus)
        return;
    pool->n_idle += after == node->gpus ? node->gpus : 0u - node->gpus;
}

static job_id *holder_list(const struct cluster *c, gpu_id gpu)
{
    return c->holders + (size_t)gpu * c->share_limit;
}

/* Adds a holder to each GPU of the slice and keeps the holders sorted by job.
 * Undoing a plan then restores the holders exactly, whichever other jobs hold
 * the GPUs. Returns the number of GPUs that were free. */
static uint32_t insert_holder(struct cluster *c, struct gpu_slice slice,
                              job_id job)
{
    const struct node *node = &c->nodes[slice.node];
    uint32_t n_taken = 0;
    for (struct gpu_walk w = gpu_walk(node->first_gpu, slice.mask);
         gpu_walk_next(&w);) {
        job_id *list = holder_list(c, w.gpu);
        uint32_t at = c->n_holders[w.gpu]++;
        CHECK(at < c->share_limit);
        n_taken += at == 0;
        for (; at > 0 && list[at - 1] > job; at--)
            list[at] = list[at - 1];
        CHECK(at == 0 || list[at - 1] != job);
        list[at] = job;
    }
    return n_taken;
}

/* Makes `job` the only holder of the GPUs of the slice, which must be free.
 * Returns their number. */
static uint32_t set_holder(struct cluster *c, struct gpu_slice slice,
                           job_id job)
{
    uint32_t n_taken = 0;
    gpu_id first = c->nodes[slice.node].first_gpu;
    size_t limit = c->share_limit;
    job_id *holders = c->holders + first * limit;
    uint8_t *n_holders = c->n_holders + first;
    for (struct gpu_walk w = gpu_walk(0, slice.mask); gpu_walk_next(&w);) {
        n_holders[w.gpu] = 1;
        holders[w.gpu * limit] = job;
        n_taken++;
    }
    return n_taken;
}

void cluster_take(struct cluster *c, struct gpu_slice slice, job_id job)
{
    struct node *node = &c->nodes[slice.node];
    CHECK(node->up && slice.mask && (node->free & slice.mask) == slice.mask);
    uint32_t n_taken = set_holder(c, slice, job);
    set_free(c, node, node->free & ~slice.mask, node->n_free - n_taken);
}

void cluster_join(struct cluster *c, struct gpu_slice slice, job_id job)
{
    struct node *node = &c->nodes[slice.node];
    CHECK(node->up && slice.mask);
    uint32_t n_taken = insert_holder(c, slice, job);
    if (node->drains) {
        node->changes++;
        c->pools[node->pool].n_gpus += n_taken;
        return;
    }
    set_free(c, node, node->free & ~slice.mask, node->n_free - n_taken);
}

/* Removes the job from the holders of the slice. Returns the number of GPUs
 * that no job holds any more; *freed is their mask. */
static uint32_t remove_holder(struct cluster *c, struct gpu_slice slice,
                              job_id job, uint64_t *freed)
{
    const struct node *node = &c->nodes[slice.node];
    uint32_t n_freed = 0;
    *freed = 0;
    for (struct gpu_walk w = gpu_walk(node->first_gpu, slice.mask);
         gpu_walk_next(&w);) {
        job_id *list = holder_list(c, w.gpu);
        uint32_t n = c->n_holders[w.gpu], i = 0;
        while (i < n && list[i] != job)
            i++;
        CHECK(i < n);
        for (; i + 1 < n; i++)
            list[i] = list[i + 1];
        c->n_holders[w.gpu] = (uint8_t)(n - 1);
        if (n > 1)
            continue;
        *freed |= UINT64_C(1) << (w.gpu - w.first);
        n_freed++;
    }
    return n_freed;
}

/* Removes `job`, the only holder of the GPUs of the slice. Returns their
 * number. Only for a share limit of 1. */
static uint32_t clear_holder(struct cluster *c, struct gpu_slice slice,
                             job_id job)
{
    uint32_t n_freed = 0;
    gpu_id first = c->nodes[slice.node].first_gpu;
    const job_id *holders = c->holders + first;
    uint8_t *n_holders = c->n_holders + first;
    for (struct gpu_walk w = gpu_walk(0, slice.mask); gpu_walk_next(&w);) {
        CHECK(n_holders[w.gpu] == 1 && holders[w.gpu] == job);
        n_holders[w.gpu] = 0;
        n_freed++;
    }
    return n_freed;
}

void cluster_give(struct cluster *c, struct gpu_slice slice, job_id job)
{
    struct node *node = &c->nodes[slice.node];
    uint64_t freed = slice.mask;
    uint32_t n_freed = c->share_limit == 1
                           ? clear_holder(c, slice, job)
                           : remove_holder(c, slice, job, &freed);
    if (node->drains) {
        node->changes++;
        c->pools[node->pool].n_gpus -= n_freed;
        return;
    }
    set_free(c, node, node->free | freed, node->n_free + n_freed);
}

void cluster_set_up(struct cluster *c, node_id id, bool up)
{
    struct node *node = &c->nodes[id];
    struct pool *pool = &c->pools[node->pool];
    if (node->up == up)
        return;
    uint64_t all =
        node->gpus == 64 ? ~UINT64_C(0) : (UINT64_C(1) << node->gpus) - 1;
    if (up) {
        pool->n_gpus += node->gpus;
        set_free(c, node, all, node->gpus);
    } else {
        CHECK(node->free == all);
        set_free(c, node, 0, 0);
        pool->n_gpus -= node->gpus;
    }
    node->up = up;
}

void cluster_drain(struct cluster *c, node_id id, bool drains)
{
    struct node *node = &c->nodes[id];
    struct pool *pool = &c->pools[node->pool];
    uint64_t unheld = 0;
    CHECK(node->up && node->drains != drains);
    for (uint32_t g = 0; g < node->gpus; g++) {
        if (c->n_holders[node->first_gpu + g] == 0)
            unheld |= UINT64_C(1) << g;
    }
    const uint32_t n = (uint32_t)__builtin_popcountll(unheld);
    node->drains = drains;
    set_free(c, node, drains ? 0 : unheld, drains ? 0 : n);
    pool->n_gpus += drains ? 0u - n : n;
}

/* Returns the index of the pool for the nodes that pool `home` lends. That pool
 * lies after the pools of all virtual clusters and is made when its first node
 * is lent. */
static uint32_t loan_of(struct cluster *c, uint32_t home)
{
    uint32_t first = c->n_own_pools;
    for (uint32_t i = first; i < c->n_pools; i++) {
        if (c->pools[i].home == home)
            return i;
    }
    struct pool *loan = &c->pools[c->n_pools], *of = &c->pools[home];
    *loan = (struct pool){
        .vc = of->vc,
        .type = of->type,
        .profiler = true,
        .loan = true,
        .home = (uint16_t)home,
        .n_nodes = of->n_nodes,
        .first_node = of->first_node,
        .widest = of->widest,
        .narrowest = of->narrowest,
        .n_words = of->n_words,
        .bits = ARENA_ARRAY(&c->arena, uint64_t *, of->widest + 1),
    };
    for (uint32_t f = 0; f <= of->widest; f++)
        loan->bits[f] = ARENA_ARRAY(&c->arena, uint64_t, of->n_words);
    return c->n_pools++;
}

/* Moves an idle node that is up to pool `to`. The totals of the cluster do not
 * change. */
static void move_node(struct cluster *c, struct node *node, uint32_t to)
{
    struct pool *from = &c->pools[node->pool], *pool = &c->pools[to];
    CHECK(node->up && node->n_free == node->gpus);
    level_leave(from, node, node->n_free);
    from->n_gpus -= node->gpus;
    from->n_free -= node->gpus;
    from->n_idle -= node->gpus;
    node->pool = (uint16_t)to;
    node->changes++;
    level_join(pool, node, node->n_free);
    pool->n_gpus += node->gpus;
    pool->n_free += node->gpus;
    pool->n_idle += node->gpus;
}

void cluster_lend(struct cluster *c, node_id id)
{
    struct node *node = &c->nodes[id];
    CHECK(!c->pools[node->pool].profiler);
    move_node(c, node, loan_of(c, node->pool));
}

void cluster_take_back(struct cluster *c, node_id id)
{
    struct node *node = &c->nodes[id];
    CHECK(c->pools[node->pool].loan);
    move_node(c, node, c->pools[node->pool].home);
}

bool cluster_close(struct cluster *c, node_id id)
{
    bool was_up = c->nodes[id].downs++ == 0;
    if (was_up)
        cluster_set_up(c, id, false);
    return was_up;
}

bool cluster_open(struct cluster *c, node_id id)
{
    CHECK(c->nodes[id].downs > 0);
    bool is_up = --c->nodes[id].downs == 0;
    if (is_up)
        cluster_set_up(c, id, true);
    return is_up;
}

/* Finds the nodes of a pool by their number of free GPUs, and free GPUs of a
 * node. */

/* Returns the first set bit at or after `from`; UINT32_MAX if there is none. */
static uint32_t next_bit(const uint64_t *words, uint32_t n_words, uint32_t from)
{
    for (uint32_t w = from / 64; w < n_words; w++) {
        uint64_t word = words[w];
        if (w == from / 64)
            word &= ~UINT64_C(0) << (from % 64);
        if (word)
            return w * 64 + (uint32_t)__builtin_ctzll(word);
    }
    return UINT32_MAX;
}

node_id pool_next_at(const struct cluster *c, const struct pool *pool,
                     uint32_t n_free, node_id after)
{
    uint32_t from = after == NODE_NONE ? 0 : c->nodes[after].local + 1u;
    if (n_free > pool->widest)
        return NODE_NONE;
    uint32_t bit = next_bit(pool->bits[n_free], pool->n_words, from);
    return bit == UINT32_MAX ? NODE_NONE : pool->first_node + bit;
}

uint32_t pool_count_at(const struct pool *pool, uint32_t n_free)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < pool->n_words; w++)
        n += (uint32_t)__builtin_popcountll(pool->bits[n_free][w]);
    return n;
}

node_id pool_tightest(const struct cluster *c, const struct pool *pool,
                      uint32_t gpus)
{
    if (gpus - 1 >= pool->widest) /* 0 too */
        return NODE_NONE;
    uint64_t fit = pool->levels >> (gpus - 1);
    if (!fit)
        return NODE_NONE;
    return pool_next_at(c, pool, gpus + (uint32_t)__builtin_ctzll(fit),
                        NODE_NONE);
}

uint64_t node_lowest(const struct node *node, uint32_t count)
{
    uint64_t rest = node->free, mask = 0;
    if (count == node->n_free)
        return rest;
    for (; count; count--) {
        mask |= rest & -rest;
        rest &= rest - 1;
    }
    return mask;
}
