/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what a search varies, from the text of --vary and the cluster. */
#include <stdio.h>
#include <string.h>

#include "commands/study/size.h"
#include "sim/run/describe.h"
#include "sim/run/what_if.h"

#define SIZE_SPACE_LOAD_MOST \
    10000                 /* largest load if --most is not given, percent */
#define LOAD_LIMIT 100000 /* largest load that --what-if takes, percent */

/* The parts of --vary, and the cluster of the run. */
struct size_space_reading {
    const char *text;
    struct text first, type, vc;
    uint32_t gpus, most;
    bool as_one;
    struct cluster_spec spec;
    struct arena *arena;
    struct size_space *space;
    struct error *err;
};

static enum status space_refuse(const struct size_space_reading *r,
                                const char *why)
{
    return error_set(r->err, STATUS_USAGE, "--vary: '%.200s': %s", r->text,
                     why);
}

static struct text space_next_word(struct text *rest)
{
    *rest = text_trim(*rest);
    return text_split(*rest, ' ', rest);
}

/* Reads "of [GPUSx]TYPE" or "in VC" after the first word. */
static enum status space_read_tail(struct size_space_reading *r,
                                   struct text word, struct text name)
{
    const enum size_vary vary = r->space->vary;
    bool of = text_is(word, "of") && vary == SIZE_NODES,
         in = text_is(word, "in") && (vary == SIZE_NODES || vary == SIZE_TYPE);
    char why[200];
    if ((of || in) && name.len == 0) {
        snprintf(why, sizeof why, "a name is missing after '%.*s'",
                 TEXT_ARGS(word));
        return space_refuse(r, why);
    }
    if (in) {
        r->vc = name;
        return STATUS_OK;
    }
    if (!of) {
        snprintf(why, sizeof why, "'%.*s' is not understood after '%.*s'",
                 TEXT_ARGS(word), TEXT_ARGS(r->first));
        return space_refuse(r, why);
    }
    struct text type, gpus = text_split(name, 'x', &type);
    bool wide = gpus.len < name.len && text_to_u32(gpus, &r->gpus);
    r->type = wide ? type : name;
    return STATUS_OK;
}

static enum status space_read_words(struct size_space_reading *r)
{
    static const struct {
        const char *word;
        enum size_vary vary;
    } kinds[] = {{"nodes", SIZE_NODES},
                 {"vc", SIZE_VC},
                 {"load", SIZE_LOAD},
                 {"gpu-type", SIZE_TYPE}};
    struct text rest = text_from(r->text), word;
    bool known = false;
    enum status st = STATUS_OK;
    r->first = space_next_word(&rest);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!text_is(r->first, kinds[i].word))
            continue;
        r->space->vary = kinds[i].vary;
        known = true;
    }
    if (!known)
        return space_refuse(
            r, "expected nodes [of [GPUSx]TYPE] [in VC], vc, load or "
               "gpu-type [in VC]");
    while (st == STATUS_OK && (word = space_next_word(&rest)).len)
        st = space_read_tail(r, word, space_next_word(&rest));
    return st;
}

/* Refuses a range beyond what --what-if can do, before the search begins. */
static enum status check_most(const struct size_space_reading *r)
{
    const bool load = r->space->vary == SIZE_LOAD;
    const uint32_t limit = load ? LOAD_LIMIT : CLUSTER_NODES_MAX;
    if (r->most <= limit)
        return STATUS_OK;
    return error_set(r->err, STATUS_USAGE, "--most: %u: expected at most %u %s",
                     r->most, limit, load ? "percent of the load" : "nodes");
}

/* Describes the cluster of the run, changed by its own --what-if. */
static enum status space_describe(struct size_space_reading *r,
                                  const struct run_config *config,
                                  const struct run_result *base)
{
    struct what_if what_if;
    const char *cluster =
        config->cluster ? config->cluster : base->cluster_name;
    enum status st = describe_cluster(cluster, r->arena, &r->spec, r->err);
    r->as_one = base->cluster.n_vcs == 1;
    if (st != STATUS_OK || !config->what_if)
        return st;
    const struct what_if_clock clock = {.zero = base->jobset.zero};
    st = what_if_parse(config->what_if, &clock, r->arena, &what_if, r->err);
    if (st == STATUS_OK)
        st = what_if_nodes(&what_if, r->as_one, (struct node_names){0},
                           &r->spec, r->arena, NULL, r->err);
    return st;
}

/* Adds nodes to the pool of their virtual cluster, type and GPUs. Makes the
 * pool if there is none. */
static void space_add_nodes(struct size_space_reading *r,
                            const struct node_group *g)
{
    struct size_space *space = r->space;
    const struct gpu_type_spec *type = &r->spec.types[g->type];
    const char *vc = r->as_one ? NULL : r->spec.vcs[g->vc];
    size_t i = 0;
    for (; i < space->n_pools; i++) {
        const struct size_pool *p = &space->pools[i];
        if (p->vc == vc && p->type == type->name && p->gpus == g->gpus)
            break;
    }
    if (i == space->n_pools)
        space->pools[space->n_pools++] =
            (struct size_pool){.vc = vc,
                               .type = type->name,
                               .gpus = g->gpus,
                               .speed = type->speed_known ? type->speed : 0};
    space->pools[i].nodes += g->count;
}

static void read_pools(struct size_space_reading *r, size_t more)
{
    r->space->pools =
        ARENA_ARRAY(r->arena, struct size_pool, r->spec.n_groups + more + 1);
    for (size_t i = 0; i < r->spec.n_groups; i++) {
        const struct node_group *g = &r->spec.groups[i];
        if (g->count && !g->profiler)
            space_add_nodes(r, g);
    }
}

/* Sets the range of a unit of n_pools pools: from one node in each pool to
 * --most or, if that is not given, to 16 times today's nodes, but at least 64
 * and at most CLUSTER_NODES_MAX / 2. n_pools 0: the range begins at 0 nodes. */
static void set_range(const struct size_space_reading *r,
                      struct size_unit *unit, size_t n_pools)
{
    int64_t most = 16 * unit->now > 64 ? 16 * unit->now : 64;
    most = most > CLUSTER_NODES_MAX / 2 ? CLUSTER_NODES_MAX / 2 : most;
    unit->least = (int64_t)n_pools;
    unit->most = r->most ? (int64_t)r->most : most;
    if (unit->most < unit->least)
        unit->most = unit->least;
}

static bool is_meant(const struct size_space_reading *r,
                     const struct size_pool *pool)
{
    return (!r->type.len || text_is(r->type, pool->type)) &&
           (!r->gpus || r->gpus == pool->gpus) &&
           (!r->vc.len || r->as_one || text_is(r->vc, pool->vc));
}

static enum status no_such_nodes(const struct size_space_reading *r)
{
    const char *names[128];
    char why[300];
    size_t n = 0;
    for (size_t i = 0; i < r->space->n_pools && n + 2 < 128; i++) {
        names[n++] = r->space->pools[i].type;
        if (r->space->pools[i].vc)
            names[n++] = r->space->pools[i].vc;
    }
    const char *near = NULL;
    if (r->vc.len)
        near = text_nearest(r->vc, names, n);
    if (!near && r->type.len)
        near = text_nearest(r->type, names, n);
    snprintf(why, sizeof why, "the cluster has no such nodes%s",
             text_suggest(near).words);
    return space_refuse(r, why);
}

static enum status vary_nodes(struct size_space_reading *r)
{
    struct size_space *space = r->space;
    size_t n = 0, last = 0;
    char what[200];
    space->units = ARENA_ARRAY(r->arena, struct size_unit, 1);
    space->units[0].name = "nodes";
    for (size_t i = 0; i < space->n_pools; i++) {
        struct size_pool *p = &space->pools[i];
        if (!is_meant(r, p))
            continue;
        p->varies = 1;
        space->units[0].now += p->nodes;
        last = i;
        n++;
    }
    if (n == 0)
        return no_such_nodes(r);
    space->n_units = 1;
    set_range(r, space->units, n);
    const struct size_pool *p = &space->pools[last];
    if (n == 1)
        snprintf(what, sizeof what, "nodes of %u %.60s%s%.60s", p->gpus,
                 p->type, p->vc ? " in " : "", p->vc ? p->vc : "");
    else
        snprintf(what, sizeof what,
                 "nodes of %zu kinds or virtual clusters, in today's "
                 "proportion",
                 n);
    space->what = arena_copy(r->arena, what, strlen(what));
    return STATUS_OK;
}

static enum status vary_vcs(struct size_space_reading *r)
{
    struct size_space *space = r->space;
    if (r->as_one)
        return space_refuse(r,
                            "the run has one virtual cluster only; vary nodes");
    space->joint = true;
    space->units = ARENA_ARRAY(r->arena, struct size_unit, r->spec.n_vcs);
    space->n_units = r->spec.n_vcs;
    for (size_t u = 0; u < space->n_units; u++) {
        size_t n = 0;
        space->units[u].name = r->spec.vcs[u];
        for (size_t i = 0; i < space->n_pools; i++) {
            struct size_pool *p = &space->pools[i];
            if (p->vc != r->spec.vcs[u])
                continue;
            p->varies = (uint32_t)(u + 1);
            space->units[u].now += p->nodes;
            n++;
        }
        if (n)
            set_range(r, &space->units[u], n);
    }
    space->what = "nodes of each virtual cluster by itself";
    return STATUS_OK;
}

static enum status vary_load(struct size_space_reading *r)
{
    r->space->units = ARENA_ARRAY(r->arena, struct size_unit, 1);
    r->space->n_units = 1;
    r->space->units[0] = (struct size_unit){
        .name = "load",
        .now = 100,
        .least = 1,
        .most = r->most ? (int64_t)r->most : SIZE_SPACE_LOAD_MOST};
    r->space->what = "load: how many times as fast submissions come";
    return STATUS_OK;
}

/* Makes the pool and the unit of the nodes of one type that could be bought. */
static enum status add_candidate(struct size_space_reading *r,
                                 const struct size_price *price, const char *vc)
{
    struct size_space *space = r->space;
    struct size_pool pool = {.vc = vc,
                             .type = price->type,
                             .gpus = price->gpus,
                             .speed = price->speed};
    bool is_there = false;
    double known = 0; /* speed that the cluster states */
    char why[300];
    for (size_t i = 0; i < space->n_pools; i++) {
        const struct size_pool *p = &space->pools[i];
        if (strcmp(p->type, price->type) != 0 || p->varies)
            continue;
        is_there = true;
        pool.gpus = pool.gpus ? pool.gpus : p->gpus;
        pool.speed = known = p->speed;
    }
    if (is_there && !(known > 0)) {
        snprintf(why, sizeof why,
                 "the cluster does not state the speed of %.60s; state it in "
                 "--cluster, such as %.60s@1",
                 price->type, price->type);
        return space_refuse(r, why);
    }
    snprintf(why, sizeof why,
             "%s of %.60s is not known; add \"%s\" to this type in the file "
             "of --prices",
             pool.gpus ? "the speed" : "the number of GPUs of a node",
             price->type, pool.gpus ? "speed" : "gpus");
    if (!pool.gpus || !(pool.speed > 0))
        return space_refuse(r, why);
    pool.varies = (uint32_t)(space->n_units + 1);
    space->pools[space->n_pools++] = pool;
    struct size_unit *unit = &space->units[space->n_units++];
    *unit = (struct size_unit){.name = price->type};
    set_range(r, unit, 0);
    return STATUS_OK;
}

static enum status vary_type(struct size_space_reading *r,
                             const struct size_prices *prices)
{
    struct size_space *space = r->space;
    const char *vc = NULL;
    enum status st = STATUS_OK;
    if (!prices || prices->n == 0)
        return space_refuse(
            r, "gpu-type needs --prices FILE, which names the types "
               "that can be bought, their prices and speeds");
    for (size_t i = 0; i < r->spec.n_vcs && r->vc.len; i++) {
        if (text_is(r->vc, r->spec.vcs[i]))
            vc = r->spec.vcs[i];
    }
    if (r->vc.len && !vc)
        return no_such_nodes(r);
    if (!r->vc.len && !r->as_one)
        return space_refuse(
            r, "the cluster has several virtual clusters; name one: "
               "gpu-type in VC");
    space->units = ARENA_ARRAY(r->arena, struct size_unit, prices->n);
    for (size_t i = 0; i < prices->n && st == STATUS_OK; i++)
        st = add_candidate(r, &prices->types[i], r->as_one ? NULL : vc);
    space->what = "nodes to buy, of one GPU type";
    return st;
}

enum status size_space_parse(const char *text, const struct run_config *config,
                             const struct run_result *base,
                             const struct size_prices *prices, uint32_t most,
                             struct arena *arena, struct size_space *out,
                             struct error *err)
{
    struct size_space_reading r = {
        .text = text, .most = most, .arena = arena, .space = out, .err = err};
    *out = (struct size_space){0};
    enum status st = space_read_words(&r);
    if (st == STATUS_OK)
        st = check_most(&r);
    if (st == STATUS_OK)
        st = space_describe(&r, config, base);
    if (st != STATUS_OK)
        return st;
    out->more_is_better = out->vary != SIZE_LOAD;
    read_pools(&r, prices ? prices->n : 0);
    switch (out->vary) {
    case SIZE_NODES:
        return vary_nodes(&r);
    case SIZE_VC:
        return vary_vcs(&r);
    case SIZE_LOAD:
        return vary_load(&r);
    case SIZE_TYPE:
        break;
    }
    return vary_type(&r, prices);
}
