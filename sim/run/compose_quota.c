/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layer `quota` of a run, as in "backfill+quota": its settings, the quotas,
 * and the nodes that all virtual clusters then share. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/run_internal.h"

const struct option *run_quota_options(size_t *config_size)
{
    *config_size = sizeof(struct lending_config);
    return lending_options;
}

enum status compose_quota_read(struct run *run, struct error *err)
{
    struct arena *arena = &run->result.arena;
    const char *settings = run->config.quota;
    struct spec spec = {.name = text_from("quota")};
    enum status st = STATUS_OK;
    if (!run->lends && settings)
        return error_set(err, STATUS_USAGE,
                         "--quota: the policy has no layer quota; try --policy "
                         "%s+quota",
                         run->parts.policy.ops->name);
    if (!run->lends)
        return STATUS_OK;
    if (run->parts.policy.ops->needs & POLICY_OWNS_NODES)
        return error_set(err, STATUS_USAGE,
                         "policy %s+quota: %s plans all nodes of a virtual "
                         "cluster at once, so virtual clusters cannot share "
                         "nodes under it",
                         run->parts.policy.ops->name,
                         run->parts.policy.ops->name);
    if (settings)
        st = spec_parse("quota",
                        text_from(compose_prefix(arena, "quota:", settings)),
                        &spec, err);
    if (st == STATUS_OK)
        st = spec_apply(&spec, lending_options, &run->lending_config, "quota",
                        arena, err);
    if (st == STATUS_OK)
        compose_note_options(run, "quota", lending_options,
                             &run->lending_config);
    return st;
}

static int64_t quota_gpus_of(const struct cluster_spec *spec, size_t vc)
{
    int64_t gpus = 0;
    for (size_t i = 0; i < spec->n_groups; i++) {
        const struct node_group *g = &spec->groups[i];
        if (vc == SIZE_MAX || g->vc == vc)
            gpus += (int64_t)g->count * g->gpus;
    }
    return gpus;
}

/* True if a queue has the name of the virtual cluster. */
static bool quota_names_vc(const struct quota_tree *tree, const char *vc)
{
    for (uint32_t i = 0; i < tree->n; i++) {
        if (tree->nodes[i].is_queue && strcmp(tree->nodes[i].name, vc) == 0)
            return true;
    }
    return false;
}

void compose_quota_name_vcs(struct run *run)
{
    struct cluster_spec *spec = &run->spec;
    const struct quota_tree *tree = spec->quotas;
    if (!run->lends || !tree || spec->n_vcs != 1 ||
        strcmp(spec->vcs[0], "all") != 0)
        return;
    const char **vcs = ARENA_ARRAY(&run->result.arena, const char *, tree->n);
    spec->n_vcs = 0;
    for (uint32_t i = 0; i < tree->n; i++) {
        if (tree->nodes[i].is_queue)
            vcs[spec->n_vcs++] = tree->nodes[i].name;
    }
    spec->vcs = vcs;
    run->nameless_nodes = true;
}

bool compose_quota_knows(const struct run *run, const char *vc)
{
    return !run->spec.quotas || run->result.jobset.vcs.n_strings <= 1 ||
           quota_names_vc(run->spec.quotas, vc);
}

/* The quotas of a cluster that states none: each virtual cluster has the GPUs
 * of its nodes, and all lend to each other. */
static const struct quota_tree *quota_of_nodes(struct run *run)
{
    const struct cluster_spec *spec = &run->spec;
    struct arena *arena = &run->result.arena;
    struct quota_tree *tree = arena_alloc(arena, sizeof *tree);
    tree->nodes = ARENA_ARRAY(arena, struct quota_node, spec->n_vcs + 1);
    tree->nodes[0] = (struct quota_node){.name = "all",
                                         .parent = QUOTA_NO_PARENT,
                                         .borrowing_limit = QUOTA_NO_LIMIT,
                                         .lending_limit = QUOTA_NO_LIMIT,
                                         .weight = 1};
    for (size_t v = 0; v < spec->n_vcs; v++)
        tree->nodes[v + 1] =
            (struct quota_node){.name = spec->vcs[v],
                                .is_queue = true,
                                .nominal = quota_gpus_of(spec, v),
                                .borrowing_limit = QUOTA_NO_LIMIT,
                                .lending_limit = QUOTA_NO_LIMIT,
                                .weight = 1,
                                .reclaim = QUOTA_ANY};
    tree->n = (uint32_t)spec->n_vcs + 1;
    quota_tree_init(tree);
    remarks_add(
        &run->result.remarks, REMARK_NUMBERS,
        "quota: the cluster states no quotas, so each virtual cluster "
        "has those of its nodes, and all lend to each other and reclaim "
        "from any job that borrows (\"queues\" in a cluster file)");
    return tree;
}

/* Returns the quotas of the description with a queue for each virtual cluster:
 * one without a queue has the GPUs of its nodes, and lends to nobody. */
static const struct quota_tree *quota_complete(struct run *run)
{
    const struct cluster_spec *spec = &run->spec;
    const struct quota_tree *from = spec->quotas;
    struct arena *arena = &run->result.arena;
    struct quota_tree *tree = arena_alloc(arena, sizeof *tree);
    tree->nodes = ARENA_ARRAY(arena, struct quota_node, from->n + spec->n_vcs);
    memcpy(tree->nodes, from->nodes, from->n * sizeof *tree->nodes);
    tree->n = from->n;
    const char *first = NULL;
    for (size_t v = 0; v < spec->n_vcs; v++) {
        if (quota_names_vc(from, spec->vcs[v]))
            continue;
        first = first ? first : spec->vcs[v];
        tree->nodes[tree->n++] =
            (struct quota_node){.name = spec->vcs[v],
                                .parent = QUOTA_NO_PARENT,
                                .is_queue = true,
                                .nominal = quota_gpus_of(spec, v),
                                .borrowing_limit = QUOTA_NO_LIMIT,
                                .lending_limit = QUOTA_NO_LIMIT,
                                .weight = 1};
    }
    if (first)
        remarks_add(
            &run->result.remarks, REMARK_NUMBERS,
            "quota: %" PRIu32 " virtual clusters have nodes and no "
            "quota, so they have the GPUs of their nodes and lend none; "
            "the first is '%.60s'",
            tree->n - from->n, first);
    quota_tree_init(tree);
    return tree;
}

/* Says if the quotas are more or less than the cluster has. */
static void quota_remark_sum(struct run *run, const struct quota_tree *tree)
{
    int64_t sum = 0, gpus = quota_gpus_of(&run->spec, SIZE_MAX);
    for (uint32_t i = 0; i < tree->n; i++) {
        if (tree->nodes[i].parent == QUOTA_NO_PARENT)
            sum += tree->nodes[i].subtree;
    }
    if (sum != gpus)
        remarks_add(&run->result.remarks, REMARK_CONCLUSION,
                    "quota: the quotas add up to %" PRId64
                    " GPUs, the nodes have %" PRId64 "%s",
                    sum, gpus,
                    sum < gpus ? ", so some are never used"
                               : ", so not every quota can be used at once");
}

/* Sorts groups by virtual cluster; those of one keep their order. */
static void quota_sort_groups(struct node_group *groups, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct node_group group = groups[i];
        size_t k = i;
        for (; k > 0 && groups[k - 1].vc > group.vc; k--)
            groups[k] = groups[k - 1];
        groups[k] = group;
    }
}

/* Puts all nodes into virtual cluster 0, in the order of their virtual
 * clusters, and gives planned changes the numbers that the nodes then have. */
static void quota_merge_nodes(struct run *run)
{
    struct cluster_spec *spec = &run->spec;
    struct arena *arena = &run->result.arena;
    size_t n = spec->n_groups;
    struct node_group *groups = ARENA_ARRAY(arena, struct node_group, n);
    struct capacity_change *changes =
        ARENA_ARRAY(arena, struct capacity_change, spec->n_changes);
    node_id *old = mem_alloc((n + 1) * sizeof *old);
    memcpy(groups, spec->groups, n * sizeof *groups);
    for (size_t i = 0; i < n; i++)
        groups[i].row = (uint32_t)i;
    quota_sort_groups(groups, n);
    if (spec->n_changes)
        memcpy(changes, spec->changes, spec->n_changes * sizeof *changes);
    spec->groups = groups;
    for (size_t i = 0; i < n; i++)
        old[i] = cluster_spec_number(spec, i);
    for (size_t i = 0; i < n; i++) {
        groups[i].home = run->nameless_nodes ? UINT16_MAX : groups[i].vc;
        groups[i].vc = 0;
    }
    for (size_t k = 0; k < spec->n_changes; k++) {
        for (size_t i = 0; i < n; i++) {
            node_id was = spec->changes[k].node;
            if (was >= old[i] && was - old[i] < groups[i].count)
                changes[k].node = cluster_spec_number(spec, i) + was - old[i];
        }
    }
    spec->changes = changes;
    spec->merged = true;
    free(old);
}

void compose_quota_note_nominal(struct run *run)
{
    struct cluster *c = &run->result.cluster;
    const struct quota_tree *tree = run->result.quotas;
    if (!tree)
        return;
    uint32_t *nominal = ARENA_ARRAY(&c->arena, uint32_t, c->n_vcs);
    for (uint32_t i = 0; i < tree->n; i++) {
        if (tree->nodes[i].is_queue)
            nominal[cluster_vc_find(c, tree->nodes[i].name)] =
                (uint32_t)tree->nodes[i].nominal;
    }
    c->nominal = nominal;
}

enum status compose_quota_merge(struct run *run, struct error *err)
{
    struct policy *policy = &run->parts.policy;
    if (!run->lends) {
        if (run->spec.quotas)
            remarks_add(&run->result.remarks, REMARK_CONCLUSION,
                        "the cluster file states quotas, which policy %s does "
                        "not keep; %s+quota does",
                        policy->ops->name, policy->ops->name);
        return STATUS_OK;
    }
    if (run->result.jobset.vcs.n_strings <= 1)
        return error_set(err, STATUS_USAGE,
                         "policy %s: no job of the trace names a virtual "
                         "cluster; a column can be taken for it, such as "
                         "--format csv:vc=user",
                         run->result.policy);
    run->spec.quotas =
        run->spec.quotas ? quota_complete(run) : quota_of_nodes(run);
    run->result.quotas = run->spec.quotas;
    quota_remark_sum(run, run->spec.quotas);
    quota_merge_nodes(run);
    lending_wrap(&run->lending, policy->ops, policy->config,
                 &run->lending_config, run->spec.quotas);
    policy->ops = &run->lending.ops;
    policy->config = &run->lending;
    return STATUS_OK;
}
