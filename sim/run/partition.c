/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/partition.h"

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

/* Makes the last node of the group a group of its own, of one profiler node,
 * directly after the group. */
static void take_from(struct cluster_spec *spec, struct arena *arena,
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
    groups[group + 1].profiler = true;
    spec->groups = groups;
    spec->n_groups = n;
}

static uint16_t find_vc(const struct cluster_spec *spec, struct text name)
{
    for (uint16_t vc = 0; vc < spec->n_vcs; vc++) {
        if (text_is(name, spec->vcs[vc]))
            return vc;
    }
    return UINT16_MAX;
}

static uint16_t find_type(const struct cluster_spec *spec, struct text name)
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
        uint16_t vc = find_vc(spec, name), type = find_type(spec, name);
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
