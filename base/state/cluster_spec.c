/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/state/cluster_spec.h"

#include "base/check.h"

enum status cluster_spec_check(const struct cluster_spec *spec,
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
