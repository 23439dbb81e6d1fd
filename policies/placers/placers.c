/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The placers: consolidate, first-fit, random, spread. */

#include "base/rng.h"
#include "policies/decide/placer.h"

enum placers_fit { FIT_BEST, FIT_FIRST };

enum remainder { REMAINDER_BEST, REMAINDER_EMPTIEST };

struct consolidate_config {
    unsigned fit, remainder;
    bool one_rack;
};

static const char *const fits[] = {"best", "first", NULL};

static const char *const remainders[] = {"best", "emptiest", NULL};

static const struct option consolidate_options[] = {
    OPT_CHOICE(struct consolidate_config, fit, "fit", FIT_BEST, fits,
               "node for a job that fits on one: best: the fullest; first: the "
               "first",
               "best: Helios, Lucid; first: Tiresias"),
    OPT_CHOICE(
        struct consolidate_config, remainder, "remainder", REMAINDER_BEST,
        remainders,
        "node for the remainder of a job that is larger than a node: best: "
        "the fullest; emptiest: the one with most free GPUs",
        "best: Helios; emptiest: Lucid's simulator"),
    OPT_BOOL(struct consolidate_config, one_rack, "one_rack", false,
             "place each job within one rack",
             "assumed: false; Tiresias' yarn: true"),
    {0},
};

/* The nodes that the search may use: those of a pool; with the option one_rack,
 * those of one rack of the pool. */
struct placers_search {
    const struct cluster *c;
    const struct pool *pool;
    const struct consolidate_config *config;
    uint32_t rack;
};

static bool allowed(const struct placers_search *s, node_id node)
{
    return !s->config->one_rack || s->c->nodes[node].rack == s->rack;
}

/* Returns the first allowed node after `after` with exactly `n_free` free GPUs;
 * NODE_NONE if there is none. */
static node_id next_at(const struct placers_search *s, uint32_t n_free,
                       node_id after)
{
    node_id node = after;
    do
        node = pool_next_at(s->c, s->pool, n_free, node);
    while (node != NODE_NONE && !allowed(s, node));
    return node;
}

static bool placers_is_taken(const struct gpu_slice *out, uint32_t n,
                             node_id node)
{
    for (uint32_t i = 0; i < n; i++) {
        if (out[i].node == node)
            return true;
    }
    return false;
}

/* Returns a node with at least `gpus` free GPUs that is not taken yet;
 * NODE_NONE if there is none. With `emptiest`, this is the one with the most
 * free GPUs; else, with fit=best, the one with the fewest; with fit=first, the
 * first one. */
static node_id one_node(const struct placers_search *s, uint32_t gpus,
                        bool emptiest, const struct gpu_slice *out, uint32_t n)
{
    node_id first = NODE_NONE;
    uint32_t widest = s->pool->widest;
    for (uint32_t i = gpus; i <= widest; i++) {
        uint32_t level = emptiest ? widest - (i - gpus) : i;
        if (!(s->pool->levels >> (level - 1) & 1))
            continue;
        node_id node = next_at(s, level, NODE_NONE);
        while (node != NODE_NONE && placers_is_taken(out, n, node))
            node = next_at(s, level, node);
        if (node == NODE_NONE)
            continue;
        if (s->config->fit == FIT_BEST || emptiest)
            return node;
        if (first == NODE_NONE || node < first)
            first = node;
    }
    return first;
}

/* Returns the widest idle node that is not taken yet; among equally wide ones,
 * the first; NODE_NONE if there is none. Nodes are taken in order of
 * falling width, so all wider idle nodes are taken already. */
static node_id placers_idle_node(const struct placers_search *s,
                                 const struct gpu_slice *out, uint32_t n)
{
    node_id node = n ? out[n - 1].node : NODE_NONE;
    uint32_t level = n ? s->c->nodes[node].gpus : s->pool->widest;
    for (; level > 0; level--, node = NODE_NONE) {
        if (!(s->pool->levels >> (level - 1) & 1))
            continue;
        do
            node = next_at(s, level, node);
        while (node != NODE_NONE && s->c->nodes[node].gpus != level);
        if (node != NODE_NONE)
            return node;
    }
    return NODE_NONE;
}

static void placers_take(const struct cluster *c, struct gpu_slice *slice,
                         node_id node, uint32_t gpus)
{
    *slice = (struct gpu_slice){node, node_lowest(&c->nodes[node], gpus)};
}

/* Returns a lower bound on the number of GPUs that the job takes on idle
 * nodes. */
static uint32_t idle_needed(const struct pool *pool, uint32_t gpus)
{
    if (gpus <= pool->widest)
        return 0;
    return pool->narrowest == pool->widest ? gpus - gpus % pool->widest
                                           : gpus - pool->widest;
}

/* Returns the width of the widest allowed node that is not taken yet; 0 if all
 * are taken. In a pool of equally wide nodes, ignores racks. */
static uint32_t placers_widest_left(const struct placers_search *s,
                                    const struct gpu_slice *out, uint32_t n)
{
    const struct pool *pool = s->pool;
    uint32_t widest = 0;
    if (n == 0 || pool->narrowest == pool->widest)
        return n < pool->n_nodes ? pool->widest : 0;
    for (node_id node = pool->first_node;
         node < pool->first_node + pool->n_nodes && widest < pool->widest;
         node++) {
        uint32_t gpus = s->c->nodes[node].gpus;
        if (gpus > widest && allowed(s, node) &&
            !placers_is_taken(out, n, node))
            widest = gpus;
    }
    return widest;
}

/* Takes idle nodes, the widest first, until the rest of the job can go to one
 * node. Returns the number of nodes; 0 if the job cannot be placed. */
static uint32_t placers_place_in(const struct placers_search *s, uint32_t gpus,
                                 struct gpu_slice *out)
{
    uint32_t n = 0, widest = s->pool->widest;
    if (s->pool->n_idle < idle_needed(s->pool, gpus))
        return 0; /* saves time for large jobs that cannot be placed */
    while (gpus > widest || (n > 0 && gpus > 0 && gpus == widest)) {
        node_id node = placers_idle_node(s, out, n);
        if (node == NODE_NONE)
            return 0;
        placers_take(s->c, &out[n++], node, s->c->nodes[node].gpus);
        gpus -= s->c->nodes[node].gpus;
        widest = placers_widest_left(s, out, n);
    }
    if (gpus == 0)
        return n;
    bool emptiest = n > 0 && s->config->remainder == REMAINDER_EMPTIEST;
    node_id node = one_node(s, gpus, emptiest, out, n);
    if (node == NODE_NONE)
        return 0;
    placers_take(s->c, &out[n++], node, gpus);
    return n;
}

/* Places a job for which the index of the pool cannot give a node. Not inline,
 * so that consolidate_place, which is called for each start, stays small. */
static __attribute__((noinline)) uint32_t place_by_search(
    const struct consolidate_config *options, const struct cluster *c,
    const struct pool *pool, uint32_t gpus, struct gpu_slice *out)
{
    struct placers_search s = {.c = c, .pool = pool, .config = options};
    if (!options->one_rack)
        return placers_place_in(&s, gpus, out);
    for (uint32_t i = 0; i < pool->n_nodes; i++) {
        uint32_t rack = c->nodes[pool->first_node + i].rack;
        if (i > 0 && rack == s.rack)
            continue;
        s.rack = rack;
        uint32_t n = placers_place_in(&s, gpus, out);
        if (n)
            return n;
    }
    return 0;
}

static uint32_t consolidate_place(void *self, const void *config,
                                  const struct cluster *c,
                                  const struct pool *pool, uint32_t gpus,
                                  struct gpu_slice *out)
{
    const struct consolidate_config *options = config;
    (void)self;
    if (options->one_rack || gpus > pool->widest || options->fit != FIT_BEST)
        return place_by_search(options, c, pool, gpus, out);
    /* the most common case: the pool keeps an index for it */
    node_id node = pool_tightest(c, pool, gpus);
    if (node == NODE_NONE)
        return 0;
    placers_take(c, out, node, gpus);
    return 1;
}

/* Idle nodes hold all but the remainder, which goes to one more node. */
static bool consolidate_could(const uint32_t *nodes, uint32_t width,
                              uint32_t gpus)
{
    uint32_t whole = gpus / width, rest = gpus % width, enough = 0;
    for (uint32_t free = rest; free <= width; free++)
        enough += nodes[free];
    return nodes[width] >= whole && (rest == 0 || enough > whole);
}

const struct placer_ops placer_consolidate = {
    .name = "consolidate",
    .summary = "as few nodes as the job needs, the fullest that fit",
    .options = consolidate_options,
    .config_size = sizeof(struct consolidate_config),
    .place = consolidate_place,
    .could_place = consolidate_could,
};

/* Takes all free GPUs of node after node until the job has as many as it asks
 * for. This never fails while enough GPUs are free, wherever they are. It is
 * Tiresias' scheme `count`, and Lucid's placer `random`, which is not random.
 */

static uint32_t first_fit_place(void *self, const void *config,
                                const struct cluster *c,
                                const struct pool *pool, uint32_t gpus,
                                struct gpu_slice *out)
{
    uint32_t n = 0;
    (void)self;
    (void)config;
    for (uint32_t i = 0; gpus > 0 && i < pool->n_nodes; i++) {
        const struct node *node = &c->nodes[pool->first_node + i];
        uint32_t take = node->n_free < gpus ? node->n_free : gpus;
        if (take == 0 || !pool_has(c, pool, pool->first_node + i))
            continue;
        out[n++] =
            (struct gpu_slice){pool->first_node + i, node_lowest(node, take)};
        gpus -= take;
    }
    return gpus == 0 ? n : 0;
}

const struct placer_ops placer_first_fit = {
    .name = "first-fit",
    .summary = "any free GPUs, node after node",
    .place = first_fit_place,
};

/* Takes free GPUs at random, each with equal probability: a baseline for the
 * other placers. This never fails while enough GPUs are free. */

struct random_placer {
    gsl_rng *rng;
};

static enum status random_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    (void)config;
    (void)err;
    ((struct random_placer *)self)->rng = rng_open(env->seed, "placer random");
    return STATUS_OK;
}

static void random_fini(void *self)
{
    rng_free(((struct random_placer *)self)->rng);
}

/* Selection sampling (Knuth, vol. 2, algorithm S): one pass over the free GPUs
 * takes each with the probability that makes all sets equally likely. */
static uint32_t random_place(void *self, const void *config,
                             const struct cluster *c, const struct pool *pool,
                             uint32_t gpus, struct gpu_slice *out)
{
    struct random_placer *s = self;
    uint32_t n = 0, rest = pool->n_free;
    (void)config;
    for (uint32_t i = 0; gpus > 0 && i < pool->n_nodes; i++) {
        uint64_t mask = 0;
        if (!pool_has(c, pool, pool->first_node + i))
            continue;
        for (struct gpu_walk w =
                 gpu_walk(0, c->nodes[pool->first_node + i].free);
             gpu_walk_next(&w);) {
            if (rng_below(s->rng, rest--) < gpus) {
                mask |= UINT64_C(1) << w.gpu;
                gpus--;
            }
        }
        if (mask)
            out[n++] = (struct gpu_slice){pool->first_node + i, mask};
    }
    return n;
}

const struct placer_ops placer_random = {
    .name = "random",
    .summary = "random free GPUs (seeded)",
    .state_size = sizeof(struct random_placer),
    .init = random_init,
    .fini = random_fini,
    .place = random_place,
};

/* Uses as many nodes as possible: takes one GPU at a time from the node that
 * has the most free GPUs left; among equal nodes, from the first. This is the
 * opposite of consolidate, and measures what consolidation gains.
 *
 * The GPUs are taken in passes. In the pass of level n each node that has at
 * least n free GPUs gives one GPU. The last pass may end early. The index of
 * the pool finds the nodes of each level, so the cost depends on the number of
 * nodes that give GPUs, not on the size of the cluster. */

/* Adds the nodes with exactly `level` free GPUs. Returns the new number of
 * slices, or UINT32_MAX if it would exceed `most`. */
static uint32_t add_level(const struct cluster *c, const struct pool *pool,
                          uint32_t level, struct gpu_slice *out, uint32_t n,
                          uint32_t most)
{
    if (!(pool->levels >> (level - 1) & 1))
        return n;
    for (node_id node = pool_next_at(c, pool, level, NODE_NONE);
         node != NODE_NONE; node = pool_next_at(c, pool, level, node)) {
        if (n == most)
            return UINT32_MAX;
        out[n++] = (struct gpu_slice){node, 0};
    }
    return n;
}

/* Chooses the nodes that give a GPU in the last pass: the first `count` nodes
 * that have at least `floor` free GPUs. Nodes with exactly `floor` are not in
 * the list yet and are added. Returns the last of the `count` nodes. */
static node_id placers_add_first(const struct cluster *c,
                                 const struct pool *pool, uint32_t floor,
                                 uint32_t count, struct gpu_slice *out,
                                 uint32_t *n)
{
    node_id next[NODE_GPUS_MAX + 1], last = NODE_NONE;
    for (uint32_t level = floor; level <= pool->widest; level++)
        next[level] = pool_next_at(c, pool, level, NODE_NONE);
    for (; count > 0; count--) {
        uint32_t at = floor;
        for (uint32_t level = floor + 1; level <= pool->widest; level++) {
            if (next[level] < next[at])
                at = level;
        }
        last = next[at];
        if (at == floor)
            out[(*n)++] = (struct gpu_slice){last, 0};
        next[at] = pool_next_at(c, pool, at, last);
    }
    return last;
}

static uint32_t spread_place(void *self, const void *config,
                             const struct cluster *c, const struct pool *pool,
                             uint32_t gpus, struct gpu_slice *out)
{
    uint32_t n = 0, floor = pool->widest;
    (void)self;
    (void)config;
    for (; floor > 1; floor--) {
        uint32_t all =
            n > gpus ? UINT32_MAX : add_level(c, pool, floor, out, n, gpus);
        if (all == UINT32_MAX)
            break; /* there are more nodes than GPUs to take */
        n = all;
        gpus -= n;
    }
    node_id last = gpus ? placers_add_first(c, pool, floor, gpus, out, &n) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct node *node = &c->nodes[out[i].node];
        bool gives_more = gpus > 0 && out[i].node <= last;
        out[i].mask = node_lowest(node, node->n_free - floor + gives_more);
    }
    return n;
}

const struct placer_ops placer_spread = {
    .name = "spread",
    .summary = "one GPU at a time from the emptiest node",
    .place = spread_place,
};
