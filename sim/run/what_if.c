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
    bool as_one, has_present;
    sim_time now;
    struct node_names names;
    struct arena *arena;
    struct cluster_spec *spec; /* its groups are unchanged meanwhile */
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

/* Makes the error "--what-if: 'CLAUSE': column N: WHY" about a word of the
 * clause. */
static enum status if_refuse_at(const struct what_if_change *c,
                                const char *word, const char *why)
{
    return error_set(c->err, STATUS_USAGE, "--what-if: '%.*s': column %zu: %s",
                     TEXT_ARGS(c->clause->text),
                     (size_t)(word - c->clause->text.at) + 1, why);
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
    snprintf(why, sizeof why, "no %s '%.*s'%s; the cluster has %s%s", what,
             TEXT_ARGS(name), text_suggest(near).words, names->list, more);
    return if_refuse_at(c, name.at, why);
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

/* True if the nodes come or go at the beginning and stay so. From a state no
 * node does: until the present the run repeats what happened. */
static bool is_for_good(const struct what_if_change *c)
{
    return !c->has_present && c->clause->from == 0 &&
           c->clause->until == TIME_NEVER;
}

static void if_add_nodes(struct what_if_change *c)
{
    struct node_group group = {.count = (uint32_t)c->count,
                               .gpus = c->gpus,
                               .type = c->type,
                               .vc = c->vc == WHAT_IF_ANY ? 0 : c->vc,
                               .clause = is_for_good(c) ? 0 : c->label};
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

/* Takes `n` nodes of a group, from its node number `at` on. The nodes after
 * them become a group of their own. */
static void take_part(struct what_if_change *c, size_t i, uint32_t at,
                      uint32_t n)
{
    const uint32_t origin = c->origins[i];
    const bool is_new = origin == WHAT_IF_NO_ORIGIN;
    struct node_group part = c->groups[i];
    const uint32_t after = part.count - at - n;
    c->groups[i].count = at;
    part.count = after;
    if (after)
        if_insert(c, i + 1, part, is_new ? origin : origin + at + n);
    part.count = n;
    part.clause = c->label;
    if (!is_for_good(c))
        if_insert(c, i + 1, part, is_new ? origin : origin + at);
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
        const struct node_group *g = &c->groups[i];
        if (!what_if_means(c, g) || g->clause)
            continue;
        uint32_t n = g->count < left ? g->count : (uint32_t)left;
        left -= n;
        take_part(c, i, g->count - n, n);
    }
    return STATUS_OK;
}

static void cluster_remark(const struct what_if_change *c,
                           struct remarks *remarks)
{
    const struct what_if_clause *clause = c->clause;
    const char *goes = clause->drains ? "drained" : "fewer";
    char from[48] = "", until[48] = "", kind[96] = "";
    if (c->gpus)
        snprintf(kind, sizeof kind, " of %" PRIu32 " %.60s", c->gpus,
                 c->spec->types[c->type].name);
    const char *unit = c->has_present ? "hour" : "day";
    const double unit_s = c->has_present ? 3600 : 86400;
    if (clause->from > c->now)
        snprintf(from, sizeof from, ", from %s %.10g", unit,
                 span_seconds(clause->from - c->now) / unit_s);
    if (clause->until != TIME_NEVER)
        snprintf(until, sizeof until, "%s until %s %.10g",
                 clause->from > c->now ? "" : ",", unit,
                 span_seconds(clause->until - c->now) / unit_s);
    remarks_add(remarks, REMARK_DETAIL,
                WHAT_IF_REMARK "%" PRIu64
                               " %s nodes%s in %.60s%s%s (--what-if)",
                c->count, clause->nodes > 0 ? "more" : goes, kind,
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

/* Returns the number, without --what-if, of the node of this name; UINT32_MAX:
 * there is none. */
static uint32_t if_find_node(const struct what_if_change *c, struct text name)
{
    const struct cluster_spec *spec = c->spec;
    uint32_t number, i = 0;
    if (c->names.n == 0)
        return text_to_u32(name, &number) ? number : UINT32_MAX;
    for (size_t g = 0; g < spec->n_groups; g++) {
        const uint32_t first = cluster_spec_number(spec, g);
        for (uint32_t k = 0; k < spec->groups[g].count; k++, i++) {
            if (i < c->names.n && text_is(name, c->names.at[i]))
                return first + k;
        }
    }
    return UINT32_MAX;
}

static enum status if_no_node(const struct what_if_change *c, struct text name,
                              uint32_t n_nodes)
{
    const char *near = text_nearest(name, c->names.at, c->names.n);
    char why[320], numbers[64] = "";
    if (!c->names.n)
        snprintf(numbers, sizeof numbers,
                 "; the nodes have the numbers 0 to %" PRIu32, n_nodes - 1);
    snprintf(why, sizeof why, "no node '%.60s'%s%s",
             arena_copy(c->arena, name.at, name.len), text_suggest(near).words,
             numbers);
    return if_refuse_at(c, name.at, why);
}

/* Takes the nodes that the clause names. */
static enum status take_named(struct what_if_change *c)
{
    struct text rest = c->clause->names;
    uint32_t n_nodes = 0;
    char why[120];
    for (size_t i = 0; i < c->spec->n_groups; i++)
        n_nodes += c->spec->groups[i].count;
    c->vc = c->type = WHAT_IF_ANY;
    c->gpus = 0;
    for (c->count = 0; rest.len; c->count++) {
        struct text name = text_split(rest, ',', &rest);
        const uint32_t number = if_find_node(c, name);
        size_t i = 0;
        if (number >= n_nodes)
            return if_no_node(c, name, n_nodes);
        while (i < c->n && (c->origins[i] == WHAT_IF_NO_ORIGIN ||
                            number - c->origins[i] >= c->groups[i].count))
            i++;
        snprintf(why, sizeof why, "node '%.60s' is taken already",
                 arena_copy(c->arena, name.at, name.len));
        if (i == c->n || c->groups[i].clause)
            return if_refuse_at(c, name.at, why);
        take_part(c, i, number - c->origins[i], 1);
    }
    return STATUS_OK;
}

/* Takes or adds nodes, by number or as a share of those that are there, rounded
 * to a whole number of at least 1. */
static enum status change_nodes(struct what_if_change *c)
{
    const struct what_if_clause *clause = c->clause;
    char why[120];
    c->count = (uint64_t)llabs(clause->nodes);
    snprintf(why, sizeof why,
             "%" PRIu64 " GPUs are not whole nodes, which have %" PRIu32
             " GPUs",
             c->count, c->gpus);
    if (clause->counts_gpus && c->count % c->gpus)
        return what_if_refuse(c, why);
    if (clause->counts_gpus)
        c->count /= c->gpus;
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
    enum status st = clause->names.len ? STATUS_OK : what_if_find(c);
    if (st == STATUS_OK && clause->names.len)
        st = take_named(c);
    else if (st == STATUS_OK)
        st = clause->racks || clause->rack != WHAT_IF_NO_RACK ? take_racks(c)
                                                              : change_nodes(c);
    if (st == STATUS_OK && (!c->has_present || clause->nodes > 0))
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
                          struct node_names names, struct cluster_spec *spec,
                          struct arena *arena, struct remarks *remarks,
                          struct error *err)
{
    struct what_if_change c = {.as_one = as_one,
                               .has_present = what_if->has_present,
                               .now = what_if->now,
                               .names = names,
                               .arena = arena,
                               .spec = spec,
                               .err = err};
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
        to[n++] = (struct capacity_change){0, node, false, plan, false};
    if (!comes || clause->from > 0)
        to[n++] = (struct capacity_change){clause->from, node, comes, plan,
                                           clause->drains};
    if (clause->until != TIME_NEVER)
        to[n++] = (struct capacity_change){clause->until, node, !comes, plan,
                                           clause->drains};
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
                    WHAT_IF_REMARK
                    "submissions come %g times as fast%s, which moves "
                    "none: the last one comes on day %.4g (--what-if)",
                    c->load, some, span_seconds(last) / 86400);
    else
        remarks_add(remarks, REMARK_DETAIL,
                    WHAT_IF_REMARK
                    "submissions come %g times as fast%s: the last "
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
