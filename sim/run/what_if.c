/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/what_if.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/describe.h"

#define WHAT_IF_ANY UINT16_MAX

/* The description while it is changed. */
struct what_if_change {
    const struct what_if_clause *clause;
    uint16_t label; /* number of the clause, from 1 */
    bool as_one;
    struct arena *arena;
    struct cluster_spec *spec;
    struct node_group *groups;
    /* By group: the number that its first node has without --what-if;
     * WHAT_IF_NO_ORIGIN: it has none. */
    uint32_t *origins;
    size_t n, cap, cap_origins;
    /* virtual cluster, GPU type and GPUs per node of the nodes that the clause
     * means. vc or type WHAT_IF_ANY: all of them; gpus 0: any number */
    uint16_t vc, type;
    uint32_t gpus;
    /* the only rack whose nodes are meant; WHAT_IF_NO_RACK: any rack */
    uint32_t rack;
    uint64_t count; /* number of nodes that come or go */
    struct error *err;
};

#define WHAT_IF_NO_ORIGIN UINT32_MAX

/* Finds the nodes that a clause of --what-if means. */

/* True if the clause means the nodes of the group. False for profiler nodes and
 * for a group without nodes. */
static bool what_if_means(const struct what_if_change *c,
                          const struct node_group *g)
{
    return g->count && !g->profiler &&
           (c->vc == WHAT_IF_ANY || g->vc == c->vc) &&
           (c->type == WHAT_IF_ANY || g->type == c->type) &&
           (c->gpus == 0 || g->gpus == c->gpus) &&
           (c->rack == WHAT_IF_NO_RACK || g->rack == c->rack);
}

/* Distinct names, as an array and as one text for messages, each as far as
 * there is room. */
struct what_if_names {
    const char *at[CLUSTER_VCS_MAX];
    size_t n;
    char list[1024];
};

static void if_add_name(struct what_if_names *names, const char *name)
{
    size_t len = strlen(names->list);
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->at[i], name) == 0)
            return;
    }
    if (names->n == CLUSTER_VCS_MAX)
        return;
    names->at[names->n++] = name;
    if (len + strlen(name) + 8 < sizeof names->list)
        snprintf(names->list + len, sizeof names->list - len, "%s%s",
                 len ? ", " : "", name);
    else if (len > 3 && names->list[len - 1] != '.')
        memcpy(names->list + len, ", ...", sizeof ", ...");
}

/* Makes the error "--what-if: 'CLAUSE': WHY". */
static enum status what_if_refuse(const struct what_if_change *c,
                                  const char *why)
{
    return error_set(c->err, STATUS_USAGE, "--what-if: '%.*s': %s",
                     TEXT_ARGS(c->clause->text), why);
}

/* Refuses a name that the cluster does not have. */
static enum status if_unknown(const struct what_if_change *c, const char *what,
                              struct text name,
                              const struct what_if_names *names,
                              const char *more)
{
    char why[1536];
    const char *near = text_nearest(name, names->at, names->n);
    snprintf(why, sizeof why, "no %s '%.*s'%s%.60s%s; the cluster has %s%s",
             what, TEXT_ARGS(name), near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "", names->list, more);
    return what_if_refuse(c, why);
}

/* Finds the virtual cluster that the clause names, or the only one that it can
 * mean. */
static enum status if_find_vc(struct what_if_change *c,
                              struct what_if_names *names)
{
    const struct cluster_spec *spec = c->spec;
    c->vc = WHAT_IF_ANY;
    *names = (struct what_if_names){0};
    for (uint16_t vc = 0; vc < spec->n_vcs; vc++) {
        if_add_name(names, spec->vcs[vc]);
        if (c->clause->vc.len && text_is(c->clause->vc, spec->vcs[vc]))
            c->vc = vc;
    }
    if (c->clause->vc.len && c->vc == WHAT_IF_ANY)
        return if_unknown(c, "virtual cluster", c->clause->vc, names, "");
    if (c->clause->vc.len || c->as_one || spec->n_vcs == 1)
        return STATUS_OK;
    char why[1536];
    snprintf(why, sizeof why,
             "the cluster has %zu virtual clusters: write 'in NAME', one of %s",
             spec->n_vcs, names->list);
    return what_if_refuse(c, why);
}

/* Adds a GPU type to the description. */
static enum status add_type(struct what_if_change *c)
{
    struct cluster_spec *spec = c->spec;
    const struct what_if_clause *clause = c->clause;
    struct gpu_type_spec *types =
        ARENA_ARRAY(c->arena, struct gpu_type_spec, spec->n_types + 1);
    if (spec->n_types == CLUSTER_TYPES_MAX)
        return what_if_refuse(c,
                              "the cluster has 64 GPU types, and no more are "
                              "possible");
    memcpy(types, spec->types, spec->n_types * sizeof *types);
    types[spec->n_types] = (struct gpu_type_spec){
        .name = arena_copy(c->arena, clause->type.at, clause->type.len),
        .mem_mib = describe_type_memory(clause->type),
        .speed = clause->speed > 0 ? clause->speed : 1,
        .speed_known = clause->speed > 0};
    c->type = (uint16_t)spec->n_types++;
    spec->types = types;
    return STATUS_OK;
}

static enum status check_speed(const struct what_if_change *c)
{
    const struct gpu_type_spec *type = &c->spec->types[c->type];
    char why[240];
    if (c->clause->speed <= 0 ||
        (type->speed_known && type->speed == c->clause->speed))
        return STATUS_OK;
    if (type->speed_known)
        snprintf(why, sizeof why, "GPU type %.60s has the speed %g already",
                 type->name, type->speed);
    else
        snprintf(why, sizeof why,
                 "the cluster has GPU type %.60s and states no speed for it; "
                 "leave out '@%g' or state it in --cluster",
                 type->name, c->clause->speed);
    return what_if_refuse(c, why);
}

/* Finds the GPU type that the clause names, or the only one that the nodes
 * have. Adds a new type if a clause that adds nodes names it with its GPUs per
 * node. */
static enum status if_find_type(struct what_if_change *c,
                                struct what_if_names *names)
{
    const struct what_if_clause *clause = c->clause;
    uint16_t only = WHAT_IF_ANY;
    c->type = WHAT_IF_ANY;
    c->gpus = 0;
    *names = (struct what_if_names){0};
    for (uint16_t t = 0; clause->type.len && t < c->spec->n_types; t++) {
        if_add_name(names, c->spec->types[t].name);
        if (text_is(clause->type, c->spec->types[t].name))
            c->type = t;
    }
    if (c->type != WHAT_IF_ANY)
        return check_speed(c);
    if (clause->type.len && clause->nodes > 0 && clause->gpus)
        return add_type(c);
    if (clause->type.len)
        return if_unknown(c, "GPU type", clause->type, names,
                          clause->nodes > 0
                              ? ". For a new type write the GPUs "
                                "of a node too, such as 'of 8xH100'"
                              : "");
    for (size_t i = 0; i < c->n; i++) {
        if (!what_if_means(c, &c->groups[i]))
            continue;
        only = c->groups[i].type;
        if_add_name(names, c->spec->types[only].name);
    }
    c->type = only;
    if (names->n == 1)
        return STATUS_OK;
    char why[1536];
    snprintf(why, sizeof why,
             names->n ? "there are nodes of several GPU types: write 'of "
                        "TYPE', one of %s"
                      : "the cluster has no node of this kind to add more of%s",
             names->list);
    return what_if_refuse(c, why);
}

/* Finds the number of GPUs of a node: of the nodes that the clause means or, if
 * there are none yet, of the nodes of the type in any virtual cluster. */
static enum status if_find_gpus(struct what_if_change *c,
                                struct what_if_names *names)
{
    const uint16_t vc = c->vc;
    char word[24], why[1536];
    *names = (struct what_if_names){0};
    c->gpus = c->clause->gpus;
    if (c->gpus)
        return STATUS_OK;
    for (int pass = 0; pass < 2 && names->n == 0; pass++) {
        c->vc = pass ? WHAT_IF_ANY : vc;
        for (size_t i = 0; i < c->n; i++) {
            c->gpus = 0;
            if (!what_if_means(c, &c->groups[i]))
                continue;
            snprintf(word, sizeof word, "%" PRIu32, c->groups[i].gpus);
            if_add_name(names, arena_copy(c->arena, word, strlen(word)));
        }
    }
    c->vc = vc;
    if (names->n == 1) {
        c->gpus = (uint32_t)strtoul(names->at[0], NULL, 10);
        return STATUS_OK;
    }
    snprintf(why, sizeof why,
             "nodes of type %.60s have %s GPUs: name one kind, such as 'of "
             "%.8sx%.60s'",
             c->spec->types[c->type].name, names->n ? names->list : "no",
             names->n ? names->at[0] : "8", c->spec->types[c->type].name);
    return what_if_refuse(c, why);
}

/* True if nodes of the cluster have different racks. */
static bool has_racks(const struct what_if_change *c)
{
    for (size_t i = 1; i < c->n; i++) {
        if (c->groups[i].rack != c->groups[0].rack)
            return true;
    }
    return false;
}

/* Finds the virtual cluster of a clause about racks, which means nodes of any
 * kind. */
static enum status find_racks(struct what_if_change *c,
                              struct what_if_names *names)
{
    c->type = WHAT_IF_ANY;
    c->gpus = 0;
    c->vc = WHAT_IF_ANY;
    if (!has_racks(c))
        return what_if_refuse(c, "the cluster has no racks: a cluster file "
                                 "gives them (\"rack\" of its nodes)");
    return c->clause->vc.len ? if_find_vc(c, names) : STATUS_OK;
}

/* Sets `vc`, `type` and `gpus` to what the clause names or to the only values
 * that it can mean. Adds the type of nodes that come to the description if the
 * type is new. Returns STATUS_USAGE if the clause is ambiguous, names what the
 * cluster lacks, contradicts the speed of a type, or adds one type too many. */
static enum status what_if_find(struct what_if_change *c)
{
    struct what_if_names *names = mem_zalloc(1, sizeof *names);
    enum status st;
    c->rack = WHAT_IF_NO_RACK;
    if (c->clause->racks || c->clause->rack != WHAT_IF_NO_RACK) {
        st = find_racks(c, names);
        free(names);
        return st;
    }
    st = if_find_vc(c, names);
    if (st == STATUS_OK)
        st = if_find_type(c, names);
    if (st == STATUS_OK)
        st = if_find_gpus(c, names);
    free(names);
    return st;
}

/* The clauses of --what-if that change nodes. */

/* Inserts a group and its origin at index `at`. */
static void if_insert(struct what_if_change *c, size_t at,
                      struct node_group group, uint32_t origin)
{
    c->groups = mem_grow(c->groups, &c->cap, c->n + 1, sizeof *c->groups);
    c->origins =
        mem_grow(c->origins, &c->cap_origins, c->n + 1, sizeof *c->origins);
    memmove(c->groups + at + 1, c->groups + at,
            (c->n - at) * sizeof *c->groups);
    memmove(c->origins + at + 1, c->origins + at,
            (c->n - at) * sizeof *c->origins);
    c->groups[at] = group;
    c->origins[at] = origin;
    c->n++;
}

static bool is_for_good(const struct what_if_clause *clause)
{
    return clause->from == 0 && clause->until == TIME_NEVER;
}

static void if_add_nodes(struct what_if_change *c)
{
    struct node_group group = {.count = (uint32_t)c->count,
                               .gpus = c->gpus,
                               .type = c->type,
                               .vc = c->vc == WHAT_IF_ANY ? 0 : c->vc,
                               .clause = is_for_good(c->clause) ? 0 : c->label};
    for (size_t i = 0; i < c->n; i++) {
        if (!what_if_means(c, &c->groups[i]))
            continue;
        group.rack = c->groups[i].rack;
        group.vc = c->groups[i].vc;
    }
    if_insert(c, c->n, group, WHAT_IF_NO_ORIGIN);
}

/* Returns the number of nodes that the clause means and no other one takes. */
static uint64_t count_free(const struct what_if_change *c)
{
    uint64_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += what_if_means(c, &c->groups[i]) && !c->groups[i].clause
                 ? c->groups[i].count
                 : 0;
    return n;
}

/* Takes the last nodes that the clause means: out of the description if they go
 * for good, else into groups of their own that carry the number of the clause.
 * Returns STATUS_USAGE if there are too few. */
static enum status take_nodes(struct what_if_change *c)
{
    uint64_t there = count_free(c), left = c->count;
    char why[200];
    if (there < left) {
        snprintf(why, sizeof why,
                 "%" PRIu64 " such node%s that no other clause takes", there,
                 there == 1 ? " is there" : "s are there");
        return what_if_refuse(c, why);
    }
    for (size_t i = c->n; i-- > 0 && left;) {
        struct node_group *g = &c->groups[i];
        if (!what_if_means(c, g) || g->clause)
            continue;
        uint32_t n = g->count < left ? g->count : (uint32_t)left;
        struct node_group gone = *g;
        left -= n;
        g->count -= n;
        if (is_for_good(c->clause))
            continue;
        gone.count = n;
        gone.clause = c->label;
        if_insert(c, i + 1, gone,
                  c->origins[i] == WHAT_IF_NO_ORIGIN
                      ? WHAT_IF_NO_ORIGIN
                      : c->origins[i] + g->count);
    }
    return STATUS_OK;
}

static void cluster_remark(const struct what_if_change *c,
                           struct remarks *remarks)
{
    const struct what_if_clause *clause = c->clause;
    char from[48] = "", until[48] = "", kind[96] = "";
    if (c->gpus)
        snprintf(kind, sizeof kind, " of %" PRIu32 " %.60s", c->gpus,
                 c->spec->types[c->type].name);
    if (clause->from > 0)
        snprintf(from, sizeof from, ", from day %.10g",
                 span_seconds(clause->from) / 86400);
    if (clause->until != TIME_NEVER)
        snprintf(until, sizeof until, "%s until day %.10g",
                 clause->from > 0 ? "" : ",",
                 span_seconds(clause->until) / 86400);
    remarks_add(remarks, REMARK_DETAIL,
                "what if: %" PRIu64 " %s nodes%s in %.60s%s%s (--what-if)",
                c->count, clause->nodes > 0 ? "more" : "fewer", kind,
                c->vc == WHAT_IF_ANY ? "the cluster" : c->spec->vcs[c->vc],
                from, until);
}

/* Takes the nodes of a rack. Returns STATUS_USAGE if no node of it is left. */
static enum status take_rack(struct what_if_change *c, uint32_t rack)
{
    uint64_t before = c->count;
    char why[80];
    c->rack = rack;
    c->count = count_free(c);
    snprintf(why, sizeof why, "no node of rack %" PRIu32 " is there", rack);
    if (c->count == 0)
        return what_if_refuse(c, why);
    enum status st = take_nodes(c);
    c->count += before;
    return st;
}

/* Takes the racks that the clause names or, of those that are left, the ones
 * with the highest numbers. */
static enum status take_racks(struct what_if_change *c)
{
    enum status st = STATUS_OK;
    c->count = 0;
    if (c->clause->rack != WHAT_IF_NO_RACK)
        return take_rack(c, c->clause->rack);
    for (uint32_t k = 0; k < c->clause->racks && st == STATUS_OK; k++) {
        uint32_t last = WHAT_IF_NO_RACK;
        c->rack = WHAT_IF_NO_RACK;
        for (size_t i = 0; i < c->n; i++) {
            const struct node_group *g = &c->groups[i];
            if (what_if_means(c, g) && !g->clause &&
                (last == WHAT_IF_NO_RACK || g->rack > last))
                last = g->rack;
        }
        st = last == WHAT_IF_NO_RACK
                 ? what_if_refuse(c, "the cluster has fewer racks")
                 : take_rack(c, last);
    }
    return st;
}

/* Takes or adds nodes, by number or as a share of those that are there, rounded
 * to a whole number of at least 1. */
static enum status change_nodes(struct what_if_change *c)
{
    const struct what_if_clause *clause = c->clause;
    c->count = (uint64_t)llabs(clause->nodes);
    if (clause->percent > 0)
        c->count = (uint64_t)fmax(
            1, round((double)count_free(c) * clause->percent / 100));
    if (clause->nodes < 0)
        return take_nodes(c);
    if (c->count > CLUSTER_NODES_MAX)
        return what_if_refuse(c, "a cluster has at most 65535 nodes");
    if_add_nodes(c);
    return STATUS_OK;
}

static enum status if_apply(struct what_if_change *c, struct remarks *remarks)
{
    const struct what_if_clause *clause = c->clause;
    enum status st = what_if_find(c);
    if (st == STATUS_OK)
        st = clause->racks || clause->rack != WHAT_IF_NO_RACK ? take_racks(c)
                                                              : change_nodes(c);
    if (st == STATUS_OK)
        cluster_remark(c, remarks);
    return st;
}

/* Gives the planned changes the new numbers of their nodes. Changes of nodes
 * that are gone are dropped. */
static void if_renumber(const struct what_if_change *c)
{
    struct cluster_spec *spec = c->spec;
    struct capacity_change *changes =
        ARENA_ARRAY(c->arena, struct capacity_change, spec->n_changes + 1);
    size_t n = 0;
    for (size_t k = 0; k < spec->n_changes; k++) {
        for (size_t i = 0; i < c->n; i++) {
            uint32_t at = spec->changes[k].node - c->origins[i];
            if (c->origins[i] == WHAT_IF_NO_ORIGIN || at >= c->groups[i].count)
                continue;
            changes[n] = spec->changes[k];
            changes[n++].node = cluster_spec_number(spec, i) + at;
            break;
        }
    }
    spec->changes = changes;
    spec->n_changes = n;
}

enum status what_if_nodes(const struct what_if *what_if, bool as_one,
                          struct cluster_spec *spec, struct arena *arena,
                          struct remarks *remarks, struct error *err)
{
    struct what_if_change c = {
        .as_one = as_one, .arena = arena, .spec = spec, .err = err};
    enum status st = STATUS_OK;
    for (size_t i = 0; i < spec->n_groups; i++)
        if_insert(&c, i, spec->groups[i], cluster_spec_number(spec, i));
    for (size_t i = 0; i < what_if->n && st == STATUS_OK; i++) {
        c.clause = &what_if->clauses[i];
        c.label = (uint16_t)(i + 1);
        if (c.clause->nodes)
            st = if_apply(&c, remarks);
    }
    struct node_group *groups = ARENA_ARRAY(arena, struct node_group, c.n + 1);
    if (c.n)
        memcpy(groups, c.groups, c.n * sizeof *groups);
    spec->groups = groups;
    spec->n_groups = c.n;
    if (st == STATUS_OK)
        if_renumber(&c);
    free(c.groups);
    free(c.origins);
    return st;
}

static int if_by_time(const void *a, const void *b, void *changes)
{
    const struct capacity_change *all = changes;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (all[x].at != all[y].at)
        return all[x].at < all[y].at ? -1 : 1;
    return (x > y) - (x < y);
}

/* Adds the changes of one node; returns the number of changes. */
static size_t add_changes(const struct what_if_clause *clause, node_id node,
                          struct capacity_change *to)
{
    const enum capacity_plan plan = PLAN_OF_WHAT_IF;
    bool comes = clause->nodes > 0;
    size_t n = 0;
    if (comes && clause->from > 0)
        to[n++] = (struct capacity_change){0, node, false, plan};
    if (!comes || clause->from > 0)
        to[n++] = (struct capacity_change){clause->from, node, comes, plan};
    if (clause->until != TIME_NEVER)
        to[n++] = (struct capacity_change){clause->until, node, !comes, plan};
    return n;
}

void what_if_changes(const struct what_if *what_if, struct cluster_spec *spec,
                     struct arena *arena)
{
    size_t n = spec->n_changes;
    for (size_t i = 0; i < spec->n_groups; i++)
        n += spec->groups[i].clause ? (size_t)spec->groups[i].count * 3 : 0;
    if (n == spec->n_changes)
        return;
    struct capacity_change *all = ARENA_ARRAY(arena, struct capacity_change, n),
                           *sorted =
                               ARENA_ARRAY(arena, struct capacity_change, n);
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, n);
    n = spec->n_changes;
    if (n)
        memcpy(all, spec->changes, n * sizeof *all);
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        node_id first = cluster_spec_number(spec, i);
        for (uint32_t k = 0; g->clause && k < g->count; k++)
            n += add_changes(&what_if->clauses[g->clause - 1], first + k,
                             all + n);
    }
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, if_by_time, all);
    for (size_t i = 0; i < n; i++)
        sorted[i] = all[order[i]];
    spec->changes = sorted;
    spec->n_changes = n;
}

/* The clauses of --what-if that change the load. */

/* Returns the product of the factors of the load that are in force at a time of
 * the trace. */
static double what_if_factor_at(const struct what_if *what_if, sim_time at)
{
    double factor = 1;
    for (size_t i = 0; i < what_if->n; i++) {
        const struct what_if_clause *c = &what_if->clauses[i];
        if (!c->nodes && at >= c->from && at < c->until)
            factor *= c->load;
    }
    return factor;
}

/* Returns the first time after `at` at which a factor changes. */
static sim_time change_after(const struct what_if *what_if, sim_time at)
{
    sim_time best = TIME_NEVER;
    for (size_t i = 0; i < what_if->n; i++) {
        const struct what_if_clause *c = &what_if->clauses[i];
        if (c->nodes)
            continue;
        if (c->from > at && c->from < best)
            best = c->from;
        if (c->until > at && c->until < best)
            best = c->until;
    }
    return best;
}

static void load_remark(const struct what_if_clause *c, const struct jobset *w,
                        sim_time last, struct remarks *remarks)
{
    sim_time now = w->n_jobs ? w->jobs[w->n_jobs - 1].submitted : 0;
    const char *some =
        c->from > 0 || c->until != TIME_NEVER ? " for a time" : "";
    if (now == last)
        remarks_add(remarks, REMARK_CONCLUSION,
                    "what if: submissions come %g times as fast%s, which moves "
                    "none: the last one comes on day %.4g (--what-if)",
                    c->load, some, span_seconds(last) / 86400);
    else
        remarks_add(remarks, REMARK_DETAIL,
                    "what if: submissions come %g times as fast%s: the last "
                    "one comes on day %.4g instead of %.4g (--what-if)",
                    c->load, some, span_seconds(now) / 86400,
                    span_seconds(last) / 86400);
}

void what_if_load(const struct what_if *what_if, struct jobset *w,
                  struct remarks *remarks)
{
    /* Time `from` of the trace is time `to` of the run. The factor holds until
     * the time `until` of the trace. */
    sim_time from = 0, to = 0, until = change_after(what_if, -1);
    sim_time last = w->n_jobs ? w->jobs[w->n_jobs - 1].submitted : 0;
    double factor = 1;
    bool any = false;
    for (size_t i = 0; i < what_if->n; i++)
        any |= !what_if->clauses[i].nodes;
    for (uint32_t i = 0; any && i < w->n_jobs; i++) {
        struct job *job = &w->jobs[i];
        while (job->submitted >= until) {
            to += (sim_span)((double)(until - from) / factor + 0.5);
            from = until;
            factor = what_if_factor_at(what_if, from);
            until = change_after(what_if, from);
        }
        job->submitted =
            to + (sim_span)((double)(job->submitted - from) / factor + 0.5);
    }
    for (size_t i = 0; i < what_if->n; i++) {
        if (!what_if->clauses[i].nodes)
            load_remark(&what_if->clauses[i], w, last, remarks);
    }
}

/* Largest number of clauses: two for each of the virtual clusters that a
 * cluster can have. */
#define CLAUSES_MAX (2 * CLUSTER_VCS_MAX)

#define LOAD_MIN 0.001

#define LOAD_MAX 1000.0

/* The words of one clause while they are read. */
struct words {
    struct text clause, rest;
    struct text word; /* the current word; empty: the clause is over */
    sim_time zero;
    struct error *err;
};

static void if_next(struct words *w)
{
    while (w->rest.len && (*w->rest.at == ' ' || *w->rest.at == '\t'))
        w->rest = text_skip(w->rest, 1);
    size_t n = 0;
    while (n < w->rest.len && w->rest.at[n] != ' ' && w->rest.at[n] != '\t')
        n++;
    w->word = (struct text){w->rest.at, n};
    w->rest = text_skip(w->rest, n);
}

/* Refuses the current word. `near`: the words that were possible; the message
 * proposes the one nearest to the current word. Ends with NULL; may be NULL. */
static enum status if_expected(const struct words *w, const char *what,
                               const char *const *near)
{
    const char *best = NULL;
    size_t n = 0;
    while (near && near[n])
        n++;
    if (n && w->word.len)
        best = text_nearest(w->word, near, n);
    return error_set(
        w->err, STATUS_USAGE,
        "--what-if: '%.*s': column %zu: expected %s, found %s%.*s%s%s%s%s",
        TEXT_ARGS(w->clause), (size_t)(w->word.at - w->clause.at) + 1, what,
        w->word.len ? "'" : "the end", TEXT_ARGS(w->word),
        w->word.len ? "'" : "", best ? "; did you mean '" : "",
        best ? best : "", best ? "'?" : "");
}

/* Reads a date, with or without a time of day after it. Returns false if there
 * is none. */
static bool if_read_date(struct words *w, sim_time *out)
{
    sim_time at;
    struct words after = *w;
    if_next(&after);
    struct text both = {w->word.at,
                        (size_t)(after.word.at - w->word.at) + after.word.len};
    if (after.word.len && memchr(after.word.at, ':', after.word.len) &&
        text_to_time(both, &at, NULL))
        *w = after;
    else if (!text_to_date(w->word, &at))
        return false;
    *out = at - w->zero;
    return true;
}

/* Reads the words of a time and goes to the word after it. */
static enum status if_read_when(struct words *w, sim_time *out)
{
    static const char what[] =
        "day D, hour H, a duration such as 36h or a date, not before the "
        "first submission";
    bool day = text_is(w->word, "day"), hour = text_is(w->word, "hour"), good;
    double number = 0;
    if (day || hour) {
        if_next(w);
        good = text_to_double(w->word, &number) && number >= 0 &&
               number * (day ? 86400 : 3600) <= SECONDS_MAX;
        if (good)
            *out = span_from_seconds(number * (day ? 86400 : 3600));
    } else {
        good = if_read_date(w, out) || text_to_duration(w->word, out);
    }
    if (!good || *out < 0 || *out > span_from_seconds(SECONDS_MAX))
        return if_expected(w, what, (const char *const[]){"day", "hour", NULL});
    if_next(w);
    return STATUS_OK;
}

/* Reads "[GPUSx]TYPE[@SPEED]". */
static enum status if_read_type(struct words *w, struct what_if_clause *c)
{
    struct text speed, rest, type = text_split(w->word, '@', &speed);
    bool stated = type.len < w->word.len;
    struct text gpus = text_split(type, 'x', &rest);
    if (gpus.len < type.len && text_to_u32(gpus, &c->gpus)) {
        type = rest;
        if (c->gpus < 1 || c->gpus > NODE_GPUS_MAX)
            return if_expected(w, "1 to 64 GPUs a node", NULL);
    }
    if (stated && (!text_to_double(speed, &c->speed) ||
                   c->speed < TYPE_SPEED_MIN || c->speed > TYPE_SPEED_MAX))
        return if_expected(w, "[GPUSx]TYPE[@SPEED], a speed above 0", NULL);
    if (type.len == 0)
        return if_expected(w, "[GPUSx]TYPE[@SPEED]", NULL);
    c->type = type;
    if_next(w);
    return STATUS_OK;
}

static enum status read_vc(struct words *w, struct what_if_clause *c)
{
    if (w->word.len == 0)
        return if_expected(w, "the name of a virtual cluster", NULL);
    c->vc = w->word;
    if_next(w);
    return STATUS_OK;
}

/* Reads what may follow "nodes" or "load", in any order, each once. */
static enum status if_read_tail(struct words *w, struct what_if_clause *c)
{
    static const char *const nodes_words[] = {"of", "in", "from", "until",
                                              NULL};
    bool is_rack = c->racks || c->rack != WHAT_IF_NO_RACK;
    const char *const *allowed = nodes_words + (is_rack ? 1 : c->nodes ? 0 : 2);
    static const char *const heads[] = {"'of', 'in', 'from' or 'until'",
                                        "'in', 'from' or 'until'",
                                        "'from' or 'until'"};
    const size_t skipped = (size_t)(allowed - nodes_words);
    bool seen[4] = {false};
    while (w->word.len) {
        enum status st;
        size_t i = 0;
        if (text_is(w->word, "on"))
            w->word = text_from("from");
        while (allowed[i] && !text_is(w->word, allowed[i]))
            i++;
        if (!allowed[i])
            return if_expected(w, heads[skipped], allowed);
        i += skipped;
        if (seen[i])
            return if_expected(w, "each of 'of', 'in', 'from' and 'until' once",
                               NULL);
        seen[i] = true;
        if_next(w);
        st = i == 0   ? if_read_type(w, c)
             : i == 1 ? read_vc(w, c)
                      : if_read_when(w, i == 2 ? &c->from : &c->until);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

/* Reads "+N" or "-N". Returns false if the word is neither, or N is out of
 * range. */
static bool read_nodes(struct text word, int64_t *out)
{
    uint32_t nodes = 0;
    bool goes = text_char(word, 0) == '-';
    if ((!goes && text_char(word, 0) != '+') ||
        !text_to_u32(text_skip(word, 1), &nodes) || nodes == 0 ||
        nodes > CLUSTER_NODES_MAX)
        return false;
    *out = goes ? -(int64_t)nodes : (int64_t)nodes;
    return true;
}

/* Reads "+P%" or "-P%", or the words "+P %". Returns false if it is neither. */
static bool read_percent(struct words *w, struct what_if_clause *c)
{
    struct words after = *w;
    struct text number = text_skip(w->word, 1);
    char sign = text_char(w->word, 0);
    if_next(&after);
    bool apart = text_is(after.word, "%");
    if (number.len && number.at[number.len - 1] == '%')
        number.len--;
    else if (!apart)
        return false;
    if ((sign != '-' && sign != '+') || !text_to_double(number, &c->percent) ||
        c->percent <= 0 || c->percent > 1000)
        return false;
    c->nodes = sign == '-' ? -1 : 1;
    if (apart)
        *w = after;
    if_next(w);
    if (text_is(w->word, "nodes") || text_is(w->word, "node"))
        if_next(w);
    return true;
}

/* Reads "lose rack R". */
static enum status read_rack(struct words *w, struct what_if_clause *c)
{
    static const char *const rack[] = {"rack", NULL};
    if_next(w);
    if (!text_is(w->word, "rack"))
        return if_expected(w, "'rack'", rack);
    if_next(w);
    if (!text_to_u32(w->word, &c->rack) || c->rack == WHAT_IF_NO_RACK)
        return if_expected(w, "the number of a rack", NULL);
    c->nodes = -1;
    if_next(w);
    return STATUS_OK;
}

static bool read_load(struct text word, double *out)
{
    return text_to_double(text_skip(word, 1), out) && *out >= LOAD_MIN &&
           *out <= LOAD_MAX;
}

/* Reads "+N nodes", "-N nodes", "-P% nodes", "-N racks", "lose rack R" or
 * "xF load". */
static enum status if_read_head(struct words *w, struct what_if_clause *c)
{
    static const char *const load_words[] = {"load", NULL},
                             *const node_words[] = {"nodes", "node", NULL};
    bool is_load = text_char(w->word, 0) == 'x';
    if (text_is(w->word, "lose"))
        return read_rack(w, c);
    if (read_percent(w, c))
        return STATUS_OK;
    if (is_load && !read_load(w->word, &c->load))
        return if_expected(w, "xF with F from 0.001 to 1000", NULL);
    if (!is_load && !read_nodes(w->word, &c->nodes))
        return if_expected(
            w,
            "+N or -N (1 to 65535 nodes), -P%, 'lose rack R' or xF "
            "(load), such as 'x2 load' for twice the load",
            NULL);
    if_next(w);
    if (c->nodes < 0 &&
        (text_is(w->word, "rack") || text_is(w->word, "racks"))) {
        c->racks = (uint32_t)-c->nodes;
        if_next(w);
        return STATUS_OK;
    }
    const char *const *words = is_load ? load_words : node_words;
    for (size_t i = 0; words[i]; i++) {
        if (!text_is(w->word, words[i]))
            continue;
        if_next(w);
        return STATUS_OK;
    }
    return if_expected(w, is_load ? "'load'" : "'nodes'", words);
}

static enum status read_clause(struct text clause, sim_time zero,
                               struct what_if_clause *c, struct error *err)
{
    struct words w = {
        .clause = clause, .rest = clause, .zero = zero, .err = err};
    *c = (struct what_if_clause){
        .text = clause, .until = TIME_NEVER, .rack = WHAT_IF_NO_RACK};
    if_next(&w);
    enum status st = if_read_head(&w, c);
    if (st == STATUS_OK)
        st = if_read_tail(&w, c);
    if (st == STATUS_OK && c->until <= c->from)
        st = error_set(err, STATUS_USAGE,
                       "--what-if: '%.*s': 'until' must be after 'from'",
                       TEXT_ARGS(clause));
    return st;
}

/* Refuses a load below LOAD_MIN, which would move submissions beyond the times
 * that a run can have. The factors of clauses that overlap in time multiply.
 * The product changes only where a clause begins or ends, so it is checked at
 * these times. */
static enum status check_load(const struct what_if *what_if, struct error *err)
{
    for (size_t i = 0; i < 2 * what_if->n; i++) {
        const struct what_if_clause *c = &what_if->clauses[i / 2];
        const sim_time at = i % 2 ? c->until : c->from;
        const double factor = what_if_factor_at(what_if, at);
        if (factor < LOAD_MIN * (1 - 1e-9))
            return error_set(err, STATUS_USAGE,
                             "--what-if: '%.*s': with the other clauses the "
                             "load is x%g at that time; expected at least x%g",
                             TEXT_ARGS(c->text), factor, LOAD_MIN);
    }
    return STATUS_OK;
}

enum status what_if_parse(const char *text, sim_time zero, struct arena *arena,
                          struct what_if *out, struct error *err)
{
    struct text rest = text_from(text);
    size_t n = 1;
    *out = (struct what_if){0};
    for (size_t i = 0; i < rest.len; i++)
        n += rest.at[i] == ';';
    if (n > CLAUSES_MAX)
        return error_set(err, STATUS_USAGE, "--what-if: more than %d clauses",
                         CLAUSES_MAX);
    out->clauses = ARENA_ARRAY(arena, struct what_if_clause, n);
    while (out->n < n) {
        struct text clause = text_trim(text_split(rest, ';', &rest));
        enum status st =
            read_clause(clause, zero, &out->clauses[out->n++], err);
        if (st != STATUS_OK)
            return st;
    }
    return check_load(out, err);
}
