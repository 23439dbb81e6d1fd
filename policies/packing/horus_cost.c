/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of a GPU, and the search for the GPUs of a gang. Each GPU of the
 * gang carries the whole demand of the job. The number of jobs on a GPU weighs
 * most, so on one node the job takes GPUs without jobs first; then GPUs on
 * which the utilisations add up to nearly 100 %.
 *
 * The search looks for the fewest nodes, then for the lowest cost. The
 * published search tries as many start nodes as the gang has workers; this one
 * tries all nodes of all GPU types that the job may use. */
#include "policies/packing/horus_cost.h"

#include <stdlib.h>

void horus_offers_init(struct horus_offers *offers,
                       const struct horus_config *config,
                       const struct cluster *cluster)
{
    *offers = (struct horus_offers){
        .config = config,
        .nodes = mem_zalloc(cluster->n_nodes, sizeof *offers->nodes),
        .news = 1,
    };
}

void horus_offers_fini(struct horus_offers *offers)
{
    free(offers->nodes);
}

/* Returns the cost of a GPU. `util`, `mem_mib`: sums over the n_jobs jobs that
 * are on the GPU already. `cap_mib`: memory of the GPU; 0: unknown. */
static double gpu_cost(const struct horus_config *config, double util,
                       double mem_mib, double cap_mib,
                       const struct horus_mine *mine, uint32_t n_jobs)
{
    double over = (util < 100 ? util : 100) + mine->util - 100;
    double balance = over > 0 ? config->overload * over : -over;
    double memory = 0;
    if (cap_mib > 0)
        memory = config->cost == HORUS_COST_CODED
                     ? mem_mib + mine->mem_mib / cap_mib
                     : (mem_mib + mine->mem_mib) / cap_mib;
    return config->memory_weight * memory + balance / 100 + n_jobs;
}

/* Computes the cost of putting the job on a GPU. Returns false if the job does
 * not fit there, or if it or a job on the GPU must not share. */
static bool horus_cost_of(const struct horus_config *config,
                          const struct plan *plan, const struct job *job,
                          gpu_id gpu, double cap_mib, double *cost)
{
    const struct horus_mine *mine = view_mine(plan->view, job);
    const struct cluster *c = plan->cluster;
    const job_id *list = c->holders + (size_t)gpu * c->share_limit;
    uint32_t n = c->n_holders[gpu];
    double util = 0, mem_mib = 0;
    bool barred = !view_may_share(plan->view, job);
    for (uint32_t k = 0; k < n; k++) {
        const struct job *holder = view_job(plan->view, list[k]);
        const struct horus_mine *other = view_mine(plan->view, holder);
        barred |= !view_may_share(plan->view, holder);
        util += other->util;
        mem_mib += other->mem_mib;
    }
    double rest = cap_mib - mem_mib - mine->mem_mib;
    if (n >= c->share_limit || (n > 0 && barred) ||
        (n > 0 && cap_mib > 0 && rest <= config->headroom_mib))
        return false;
    *cost = gpu_cost(config, util, mem_mib, cap_mib, mine, n);
    return true;
}

/* Inserts a GPU so that the list stays ordered by cost; among equal costs, the
 * lowest number comes first. */
static void cost_add_gpu(struct horus_offer *offer, uint8_t gpu, double cost)
{
    uint32_t at = offer->n++;
    for (; at > 0 && offer->cost[at - 1] > cost; at--) {
        offer->cost[at] = offer->cost[at - 1];
        offer->gpu[at] = offer->gpu[at - 1];
    }
    offer->cost[at] = cost;
    offer->gpu[at] = gpu;
}

static bool cost_holds(const struct horus_offer *offer,
                       const struct horus_mine *mine, bool may_share,
                       const struct node *node, uint32_t news)
{
    return offer->news == news && offer->node_changes == node->changes &&
           offer->util == mine->util && offer->mem_mib == mine->mem_mib &&
           offer->may_share == may_share;
}

/* Returns the GPUs of a node that can take the job, with the sums of their
 * costs. */
static const struct horus_offer *cost_offer_of(struct horus_offers *offers,
                                               const struct plan *plan,
                                               const struct job *job,
                                               node_id id)
{
    const struct cluster *c = plan->cluster;
    const struct node *node = &c->nodes[id];
    const struct horus_mine *mine = view_mine(plan->view, job);
    struct horus_offer *offer = &offers->nodes[id];
    bool may_share = view_may_share(plan->view, job);
    if (cost_holds(offer, mine, may_share, node, offers->news))
        return offer;
    double cap_mib = c->types[c->pools[node->pool].type].mem_mib;
    offer->util = mine->util;
    offer->mem_mib = mine->mem_mib;
    offer->may_share = may_share;
    offer->node_changes = node->changes;
    offer->news = offers->news;
    offer->n = 0;
    for (uint8_t g = 0; node->up && g < node->gpus; g++) {
        double cost;
        if (horus_cost_of(offers->config, plan, job, node->first_gpu + g,
                          cap_mib, &cost))
            cost_add_gpu(offer, g, cost);
    }
    for (uint32_t i = 1; i < offer->n; i++)
        offer->cost[i] += offer->cost[i - 1];
    return offer;
}

/* True if `a` gives more of the GPUs that are still needed, or equally many at
 * less cost. */
static bool cost_is_better(const struct horus_offer *a,
                           const struct horus_offer *b, uint32_t gpus)
{
    uint32_t x = a->n < gpus ? a->n : gpus, y = b->n < gpus ? b->n : gpus;
    if (x != y)
        return x > y;
    return x > 0 && a->cost[x - 1] < b->cost[x - 1];
}

static struct gpu_slice cost_slice_of(const struct horus_offer *offer,
                                      node_id node, uint32_t gpus)
{
    struct gpu_slice slice = {.node = node};
    for (uint32_t i = 0; i < gpus && i < offer->n; i++)
        slice.mask |= UINT64_C(1) << offer->gpu[i];
    return slice;
}

/* The place of a gang in one pool. */
struct site {
    struct gpu_slice *slices;
    uint32_t n;  /* number of slices; 0: the gang does not fit */
    double cost; /* cost of all its GPUs together */
};

/* Returns the number of GPUs of a pool that have fewer jobs than they may have:
 * an upper bound on those that can take one more. */
static uint32_t gpus_with_room(const struct cluster *c, const struct pool *pool)
{
    const struct node *first = &c->nodes[pool->first_node];
    const struct node *last = first + pool->n_nodes - 1;
    const uint8_t *n = c->n_holders + first->first_gpu;
    uint32_t count = 0, all = last->first_gpu + last->gpus - first->first_gpu;
    for (uint32_t g = 0; g < all; g++)
        count += n[g] < c->share_limit;
    return count;
}

/* Returns the first node whose GPUs without jobs are as many as any node can
 * give of the `left` GPUs still needed. It is the best one, because a GPU
 * without jobs costs less than 1, if the job uses the GPU at all, and one with
 * jobs at least 1. NODE_NONE if there is none. */
static node_id cost_idle_node(const struct horus_offers *offers,
                              const struct plan *plan, const struct job *job,
                              const struct pool *pool, uint32_t left)
{
    const struct horus_mine *mine = view_mine(plan->view, job);
    uint32_t want = left < pool->widest ? left : pool->widest;
    if (!(mine->util > 0) || !(pool->levels >> (want - 1)))
        return NODE_NONE;
    for (uint32_t i = 0; i < pool->n_nodes; i++) {
        node_id id = pool->first_node + i;
        if (plan->cluster->nodes[id].n_free >= want &&
            pool_has(plan->cluster, pool, id) &&
            offers->nodes[id].search != offers->n_searches)
            return id;
    }
    return NODE_NONE;
}

/* Returns the best node for `left` GPUs of a gang among those that it has not
 * taken yet; NODE_NONE if no node has room. */
static node_id best_node(struct horus_offers *offers, const struct plan *plan,
                         const struct job *job, const struct pool *pool,
                         uint32_t left)
{
    const struct horus_offer *best = NULL;
    node_id found = cost_idle_node(offers, plan, job, pool, left);
    if (found != NODE_NONE)
        return found;
    for (uint32_t i = 0; i < pool->n_nodes; i++) {
        node_id node = pool->first_node + i;
        if (offers->nodes[node].search == offers->n_searches ||
            !pool_has(plan->cluster, pool, node))
            continue;
        const struct horus_offer *offer =
            cost_offer_of(offers, plan, job, node);
        if (offer->n && (!best || cost_is_better(offer, best, left))) {
            best = offer;
            found = node;
        }
    }
    return found;
}

/* Finds the GPUs of a gang in a pool: takes node after node, each time the node
 * that gives the most of the GPUs still needed; if several give equally many,
 * the cheapest of them, then the first. The slices live in the scratch of the
 * plan. */
static struct site cost_place_in(struct horus_offers *offers, struct plan *plan,
                                 const struct job *job, const struct pool *pool)
{
    uint32_t left = job->gpus;
    uint32_t room = left < pool->n_nodes ? left : pool->n_nodes;
    struct site site = {.slices =
                            plan_scratch(plan, room * sizeof *site.slices)};
    if (pool->n_free < left && gpus_with_room(plan->cluster, pool) < left)
        return (struct site){0};
    offers->n_searches++;
    while (left) {
        node_id node = best_node(offers, plan, job, pool, left);
        if (node == NODE_NONE)
            return (struct site){0};
        const struct horus_offer *best = cost_offer_of(offers, plan, job, node);
        uint32_t taken = best->n < left ? best->n : left;
        site.slices[site.n++] = cost_slice_of(best, node, left);
        offers->nodes[node].search = offers->n_searches;
        site.cost += best->cost[taken - 1];
        left -= taken;
    }
    return site;
}

static bool may_use(const struct plan *plan, const struct job *job,
                    const struct pool *pool)
{
    return !pool->profiler &&
           (job->gpu_type == GPU_TYPE_ANY || job->gpu_type == pool->type) &&
           (uint64_t)pool->n_gpus * plan->cluster->share_limit >= job->gpus &&
           view_is_able(plan->view, job, (uint8_t)pool->type, job->gpus);
}

struct gpu_set horus_place(struct horus_offers *offers, struct plan *plan,
                           const struct job *job)
{
    const struct cluster *c = plan->cluster;
    struct site best = {0};
    for (uint32_t p = c->vc_pools[job->vc].first; p < c->vc_pools[job->vc].end;
         p++) {
        const struct pool *pool = &c->pools[p];
        if (!may_use(plan, job, pool))
            continue;
        struct site site = cost_place_in(offers, plan, job, pool);
        if (site.n && (!best.n || site.n < best.n ||
                       (site.n == best.n && site.cost < best.cost)))
            best = site;
    }
    return (struct gpu_set){best.slices, best.n};
}
