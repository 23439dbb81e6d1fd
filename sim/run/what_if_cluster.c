/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clauses of --what-if that change nodes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/what_if_internal.h"

/* Inserts a group and its origin at index `at`. */
static void insert(struct what_if_change *c, size_t at, struct node_group group,
                   uint32_t origin)
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

static void add_nodes(struct what_if_change *c)
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
    insert(c, c->n, group, WHAT_IF_NO_ORIGIN);
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
        insert(c, i + 1, gone,
               c->origins[i] == WHAT_IF_NO_ORIGIN ? WHAT_IF_NO_ORIGIN
                                                  : c->origins[i] + g->count);
    }
    return STATUS_OK;
}

static void remark(const struct what_if_change *c, struct remarks *remarks)
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
    add_nodes(c);
    return STATUS_OK;
}

static enum status apply(struct what_if_change *c, struct remarks *remarks)
{
    const struct what_if_clause *clause = c->clause;
    enum status st = what_if_find(c);
    if (st == STATUS_OK)
        st = clause->racks || clause->rack != WHAT_IF_NO_RACK ? take_racks(c)
                                                              : change_nodes(c);
    if (st == STATUS_OK)
        remark(c, remarks);
    return st;
}

/* Gives the planned changes the new numbers of their nodes. Changes of nodes
 * that are gone are dropped. */
static void renumber(const struct what_if_change *c)
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
        insert(&c, i, spec->groups[i], cluster_spec_number(spec, i));
    for (size_t i = 0; i < what_if->n && st == STATUS_OK; i++) {
        c.clause = &what_if->clauses[i];
        c.label = (uint16_t)(i + 1);
        if (c.clause->nodes)
            st = apply(&c, remarks);
    }
    struct node_group *groups = ARENA_ARRAY(arena, struct node_group, c.n + 1);
    if (c.n)
        memcpy(groups, c.groups, c.n * sizeof *groups);
    spec->groups = groups;
    spec->n_groups = c.n;
    if (st == STATUS_OK)
        renumber(&c);
    free(c.groups);
    free(c.origins);
    return st;
}

static int by_time(const void *a, const void *b, void *changes)
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
    qsort_r(order, n, sizeof *order, by_time, all);
    for (size_t i = 0; i < n; i++)
        sorted[i] = all[order[i]];
    spec->changes = sorted;
    spec->n_changes = n;
}
