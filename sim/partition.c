/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/partition.h"

#include <string.h>

#define GROUP_NONE SIZE_MAX

enum status partition_parse(struct text text, struct partition *out,
                            struct error *err)
{
    struct text nodes = text_split(text, ':', &out->vcs);
    bool names_none = nodes.len < text.len && out->vcs.len == 0;
    if (names_none || !text_to_u32(nodes, &out->nodes) ||
        out->nodes > CLUSTER_NODES_MAX)
        return error_set(err, STATUS_USAGE,
                         "--profilers: '%.*s' is not N[:VC[+VC...]] with at "
                         "most %d nodes",
                         TEXT_ARGS(text), CLUSTER_NODES_MAX);
    return STATUS_OK;
}

bool partition_has_profilers(const struct cluster_spec *spec)
{
    for (size_t i = 0; i < spec->n_groups; i++) {
        if (spec->groups[i].profiler && spec->groups[i].count)
            return true;
    }
    return false;
}

/* The last group for jobs of a virtual cluster that has a node; of a type, or
 * of any. */
static size_t last_group(const struct cluster_spec *spec, uint16_t vc,
                         uint16_t type)
{
    for (size_t i = spec->n_groups; i-- > 0;) {
        const struct node_group *g = &spec->groups[i];
        if (g->vc == vc && g->count && !g->profiler &&
            (type == UINT16_MAX || g->type == type))
            return i;
    }
    return GROUP_NONE;
}

/* The last node of the group becomes a group of its own, right behind it. */
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

enum status partition_take_named(const struct partition *p,
                                 struct cluster_spec *spec, struct arena *arena,
                                 struct error *err)
{
    struct text rest = p->vcs;
    for (uint32_t taken = 0; taken < p->nodes; taken++) {
        struct text name = text_split(rest.len ? rest : p->vcs, '+', &rest);
        uint16_t vc = find_vc(spec, name);
        if (vc == UINT16_MAX)
            return error_set(err, STATUS_USAGE,
                             "--profilers: cluster %s has no virtual cluster "
                             "'%.*s'",
                             spec->name, TEXT_ARGS(name));
        size_t group = last_group(spec, vc, UINT16_MAX);
        if (group == GROUP_NONE)
            return error_set(err, STATUS_USAGE,
                             "--profilers: virtual cluster '%.*s' has no node "
                             "left to set aside",
                             TEXT_ARGS(name));
        take_from(spec, arena, group);
    }
    return STATUS_OK;
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

/* The group to take the next node from. */
static size_t richest(const struct cluster_spec *spec)
{
    uint32_t most = 1;
    size_t best = GROUP_NONE;
    for (uint16_t vc = 0; vc < spec->n_vcs; vc++) {
        for (uint16_t type = 0; type < spec->n_types; type++) {
            uint32_t nodes = nodes_of(spec, vc, type);
            if (nodes <= most)
                continue;
            most = nodes;
            best = last_group(spec, vc, type);
        }
    }
    return best;
}

uint32_t partition_take_any(uint32_t nodes, struct cluster_spec *spec,
                            struct arena *arena)
{
    uint32_t taken = 0;
    for (; taken < nodes; taken++) {
        size_t group = richest(spec);
        if (group == GROUP_NONE)
            break;
        take_from(spec, arena, group);
    }
    return taken;
}
