/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets nodes of a described cluster aside for profiling, and takes GPUs away
 * for a language model. */
#include "sim/run/run_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define GROUP_NONE SIZE_MAX

enum status partition_parse(struct text text, struct partition *out,
                            struct error *err)
{
    *out = (struct partition){0};
    struct text nodes = text_split(text, ':', &out->names);
    bool names_none = nodes.len < text.len && out->names.len == 0;
    bool good;
    if (nodes.len && nodes.at[nodes.len - 1] == '%') {
        nodes.len--;
        good = text_to_double(nodes, &out->percent) && out->percent >= 0 &&
               out->percent <= 100;
    } else {
        good =
            text_to_u32(nodes, &out->nodes) && out->nodes <= CLUSTER_NODES_MAX;
    }
    if (names_none || !good)
        return error_set(err, STATUS_USAGE,
                         "--profilers: '%.*s' is not N[:NAME[+NAME...]] with "
                         "at most %d nodes, or P%%[:NAME...]",
                         TEXT_ARGS(text), CLUSTER_NODES_MAX);
    return STATUS_OK;
}

uint32_t partition_nodes(const struct partition *p,
                         const struct cluster_spec *spec)
{
    uint64_t nodes = 0;
    for (size_t i = 0; i < spec->n_groups; i++)
        nodes += spec->groups[i].count;
    return p->percent > 0 ? (uint32_t)ceil(p->percent / 100 * (double)nodes)
                          : p->nodes;
}

bool partition_has_profilers(const struct cluster_spec *spec)
{
    for (size_t i = 0; i < spec->n_groups; i++) {
        if (spec->groups[i].profiler && spec->groups[i].count)
            return true;
    }
    return false;
}

/* Finds the last group of a virtual cluster that still has a node, with nodes
 * of type `type` (UINT16_MAX: any type) and at least `gpus` GPUs. Returns
 * GROUP_NONE if there is none. */
static size_t last_group(const struct cluster_spec *spec, uint16_t vc,
                         uint16_t type, uint32_t gpus)
{
    for (size_t i = spec->n_groups; i-- > 0;) {
        const struct node_group *g = &spec->groups[i];
        if (g->vc == vc && g->count && !g->profiler && g->gpus >= gpus &&
            (type == UINT16_MAX || g->type == type))
            return i;
    }
    return GROUP_NONE;
}

/* Makes the last node of the group a group of its own, directly after the
 * group. Returns the new group. */
static struct node_group *partition_split_last(struct cluster_spec *spec,
                                               struct arena *arena,
                                               size_t group)
{
    size_t n = spec->n_groups + 1;
    struct node_group *groups = ARENA_ARRAY(arena, struct node_group, n);
    memcpy(groups, spec->groups, (group + 1) * sizeof *groups);
    memcpy(groups + group + 2, spec->groups + group + 1,
           (spec->n_groups - group - 1) * sizeof *groups);
    groups[group].count--;
    groups[group + 1] = groups[group];
    groups[group + 1].count = 1;
    spec->groups = groups;
    spec->n_groups = n;
    return &groups[group + 1];
}

static void take_from(struct cluster_spec *spec, struct arena *arena,
                      size_t group)
{
    partition_split_last(spec, arena, group)->profiler = true;
}

static uint16_t partition_find_vc(const struct cluster_spec *spec,
                                  struct text name)
{
    for (uint16_t vc = 0; vc < spec->n_vcs; vc++) {
        if (text_is(name, spec->vcs[vc]))
            return vc;
    }
    return UINT16_MAX;
}

static uint16_t partition_find_type(const struct cluster_spec *spec,
                                    struct text name)
{
    for (uint16_t type = 0; type < spec->n_types; type++) {
        if (text_is(name, spec->types[type].name))
            return type;
    }
    return UINT16_MAX;
}

static uint32_t nodes_of(const struct cluster_spec *spec, uint16_t vc,
                         uint16_t type)
{
    uint32_t nodes = 0;
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        if (g->vc == vc && g->type == type && !g->profiler)
            nodes += g->count;
    }
    return nodes;
}

/* Finds the group that gives the next node. Among all pairs of virtual cluster
 * and GPU type, takes the pair with the most nodes. It must have more than
 * `keep` nodes and a group whose nodes have at least `gpus` GPUs. `of`: the
 * only GPU type to consider; UINT16_MAX: all. Returns GROUP_NONE if no pair
 * qualifies. */
static size_t richest(const struct cluster_spec *spec, uint16_t of,
                      uint32_t keep, uint32_t gpus)
{
    uint32_t most = keep;
    size_t best = GROUP_NONE;
    for (uint16_t vc = 0; vc < spec->n_vcs; vc++) {
        for (uint16_t type = 0; type < spec->n_types; type++) {
            uint32_t nodes = nodes_of(spec, vc, type);
            size_t group = last_group(spec, vc, type, gpus);
            if (nodes <= most || group == GROUP_NONE ||
                (of != UINT16_MAX && of != type))
                continue;
            most = nodes;
            best = group;
        }
    }
    return best;
}

enum status partition_take_named(const struct partition *p,
                                 struct cluster_spec *spec, struct arena *arena,
                                 struct error *err)
{
    struct text rest = p->names;
    uint32_t nodes = partition_nodes(p, spec);
    for (uint32_t taken = 0; taken < nodes; taken++) {
        struct text name = text_split(rest.len ? rest : p->names, '+', &rest);
        uint16_t vc = partition_find_vc(spec, name),
                 type = partition_find_type(spec, name);
        if (vc == UINT16_MAX && type == UINT16_MAX)
            return error_set(err, STATUS_USAGE,
                             "--profilers: cluster %s has no virtual cluster "
                             "or GPU type '%.*s'",
                             spec->name, TEXT_ARGS(name));
        size_t group = vc != UINT16_MAX ? last_group(spec, vc, UINT16_MAX, 0)
                                        : richest(spec, type, 0, 0);
        if (group == GROUP_NONE)
            return error_set(err, STATUS_USAGE,
                             "--profilers: %s '%.*s' has no node left to set "
                             "aside",
                             vc != UINT16_MAX ? "virtual cluster" : "GPU type",
                             TEXT_ARGS(name));
        take_from(spec, arena, group);
    }
    return STATUS_OK;
}

/* Returns the number of GPUs of the widest node that can be spared, but at most
 * `gpus`. */
static uint32_t widest(const struct cluster_spec *spec, uint32_t gpus)
{
    uint32_t best = 0;
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        if (g->count && !g->profiler && g->gpus > best &&
            nodes_of(spec, g->vc, g->type) > 1)
            best = g->gpus;
    }
    return best < gpus ? best : gpus;
}

uint32_t partition_take_any(uint32_t nodes, uint32_t gpus,
                            struct cluster_spec *spec, struct arena *arena)
{
    uint32_t taken = 0;
    for (; taken < nodes; taken++) {
        size_t group = richest(spec, UINT16_MAX, 1, widest(spec, gpus));
        if (group == GROUP_NONE)
            break;
        take_from(spec, arena, group);
    }
    return taken;
}

/* Returns the number that cluster_init will give the last node of a group. */
static node_id number_of_last(const struct cluster_spec *spec, size_t group)
{
    return cluster_spec_number(spec, group) + spec->groups[group].count - 1;
}

/* Gives the planned changes of capacity the numbers that nodes have after the
 * node `gone` has left the description. Returns false if the node itself is to
 * leave or return. */
static bool partition_renumber(struct cluster_spec *spec, struct arena *arena,
                               node_id gone)
{
    if (spec->n_changes == 0)
        return true;
    struct capacity_change *changes =
        ARENA_ARRAY(arena, struct capacity_change, spec->n_changes);
    memcpy(changes, spec->changes, spec->n_changes * sizeof *changes);
    for (size_t i = 0; i < spec->n_changes; i++) {
        if (changes[i].node == gone)
            return false;
        changes[i].node -= changes[i].node > gone;
    }
    spec->changes = changes;
    return true;
}

static uint32_t partition_gpus_of(const struct cluster_spec *spec, uint16_t vc,
                                  uint16_t type)
{
    uint32_t gpus = 0;
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        if (g->vc == vc && g->type == type && !g->profiler)
            gpus += g->count * g->gpus;
    }
    return gpus;
}

/* Finds the pair of virtual cluster and GPU type with the most GPUs. Of
 * several, takes the last, because the fewest nodes then come after it and
 * change their numbers. `vc`, `type`: the only ones to consider; UINT16_MAX:
 * all. Returns its last group and sets *gpus to its number of GPUs; GROUP_NONE
 * if no pair has two GPUs. */
static size_t largest(const struct cluster_spec *spec, uint16_t vc,
                      uint16_t type, uint32_t *gpus)
{
    size_t best = GROUP_NONE;
    *gpus = 2;
    for (uint16_t v = 0; v < spec->n_vcs; v++) {
        for (uint16_t t = 0; t < spec->n_types; t++) {
            uint32_t n = partition_gpus_of(spec, v, t);
            if (n < *gpus || (vc != UINT16_MAX && vc != v) ||
                (type != UINT16_MAX && type != t))
                continue;
            *gpus = n;
            best = last_group(spec, v, t, 1);
        }
    }
    return best;
}

/* Takes up to `want` GPUs of the last node of the group, and counts them in
 * *out. Returns STATUS_USAGE if the node would be taken whole and has a planned
 * change of capacity. */
static enum status partition_take_gpus_one(struct cluster_spec *spec,
                                           struct arena *arena, size_t group,
                                           uint32_t want,
                                           struct partition_gpus *out,
                                           struct error *err)
{
    node_id number = number_of_last(spec, group);
    struct node_group *last = partition_split_last(spec, arena, group);
    if (want < last->gpus) {
        out->gpus += want;
        out->parts++;
        last->gpus -= want;
        return STATUS_OK;
    }
    out->gpus += last->gpus;
    out->nodes++;
    last->count = 0;
    if (partition_renumber(spec, arena, number))
        return STATUS_OK;
    return error_set(err, STATUS_USAGE,
                     "cluster %s: node %" PRIu32 " would serve the language "
                     "model, but the description says that it leaves or "
                     "returns",
                     spec->name, number);
}

enum status partition_take_gpus(uint32_t gpus, struct text name,
                                struct cluster_spec *spec, struct arena *arena,
                                struct partition_gpus *out, struct error *err)
{
    enum status st = STATUS_OK;
    uint16_t vc = partition_find_vc(spec, name), type = UINT16_MAX;
    if (name.len && vc == UINT16_MAX)
        type = partition_find_type(spec, name);
    if (name.len && vc == UINT16_MAX && type == UINT16_MAX)
        return error_set(err, STATUS_USAGE,
                         "cluster %s has no virtual cluster or GPU type "
                         "'%.*s'",
                         spec->name, TEXT_ARGS(name));
    *out = (struct partition_gpus){0};
    while (out->gpus < gpus && st == STATUS_OK) {
        uint32_t pool, want = gpus - out->gpus;
        size_t group = largest(spec, vc, type, &pool);
        if (group == GROUP_NONE)
            return error_set(err, STATUS_USAGE,
                             "cluster %s can spare %" PRIu32 " GPUs%s%.*s, not "
                             "%" PRIu32 ", because each virtual cluster keeps "
                             "one of each GPU type for jobs",
                             spec->name, out->gpus, name.len ? " of " : "",
                             TEXT_ARGS(name), gpus);
        st = partition_take_gpus_one(spec, arena, group,
                                     want < pool ? want : pool - 1, out, err);
    }
    return st;
}
