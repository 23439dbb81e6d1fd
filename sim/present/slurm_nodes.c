/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes of `sinfo --json` or `scontrol show nodes --json` as the cluster of
 * a state. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/present/slurm_internal.h"
#include "traces/formats/slurm_internal.h"

static uint32_t partition_root(const struct slurm_reader *r, uint32_t symbol)
{
    while (r->parent[symbol] != symbol)
        symbol = r->parent[symbol];
    return symbol;
}

static uint32_t partition_symbol(struct slurm_reader *r, struct text name)
{
    const size_t known = r->partitions.n_strings;
    const uint32_t symbol = interner_add(&r->partitions, name);
    if (symbol == known) {
        r->parent =
            mem_grow(r->parent, &r->cap_parent, symbol + 1, sizeof *r->parent);
        r->names =
            mem_grow(r->names, &r->cap_names, symbol + 1, sizeof *r->names);
        r->parent[symbol] = symbol;
        r->names[symbol] = slurm_copy(r, name);
    }
    return symbol;
}

/* Puts two partitions that share a node into one set, named "a+b". */
static void partition_join(struct slurm_reader *r, uint32_t a, uint32_t b)
{
    char name[512];
    a = partition_root(r, a);
    b = partition_root(r, b);
    if (a == b)
        return;
    snprintf(name, sizeof name, "%.250s+%.250s", r->names[a], r->names[b]);
    r->parent[b] = a;
    r->names[a] = slurm_copy(r, text_from(name));
}

void slurm_cluster_partitions(struct slurm_reader *r)
{
    const json_t *nodes = json_object_get(r->state->cluster, "nodes");
    interner_init(&r->partitions);
    partition_symbol(r, (struct text){0});
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        struct text rest = slurm_word(json_array_get(nodes, i), "vc");
        uint32_t first = 0;
        while (rest.len) { /* "a+b" are two that share nodes */
            const uint32_t symbol =
                partition_symbol(r, text_split(rest, '+', &rest));
            if (first)
                partition_join(r, first, symbol);
            else
                first = symbol;
        }
    }
}

const char *slurm_partition(struct slurm_reader *r, struct text name)
{
    const uint32_t symbol =
        name.len ? interner_find(&r->partitions, name) : UINT32_MAX;
    return symbol == UINT32_MAX ? slurm_copy(r, name)
                                : r->names[partition_root(r, symbol)];
}

void slurm_reader_fini(struct slurm_reader *r)
{
    interner_fini(&r->partitions);
    free(r->parent);
    free(r->names);
}

/* A node that is being read. */
struct slurm_node {
    const char *name;
    uint32_t gpus, partition; /* symbol */
    struct text type;
    double mem_mib;
};

struct slurm_nodes_read {
    struct slurm_reader *r;
    struct slurm_node *at;
    size_t n, cap;
    struct interner names;
    uint64_t n_without, n_unknown; /* nodes without GPUs or with many */
};

/* Returns why jobs may not start on a node of these states; NULL: they may.
 * `reserved`: a reservation that is followed keeps it. */
static const char *out_of(const json_t *object, const char *key,
                          const char *flags, bool reserved)
{
    static const char *const words[] = {
        /* the first three are the states of a reserved node */
        "MAINT",  "MAINTENANCE",   "RESERVED",       "DOWN",        "DOWN*",
        "DRAIN",  "DRAINED",       "DRAINING",       "FAIL",        "FAILING",
        "ERROR",  "INVAL",         "NOT_RESPONDING", "INVALID_REG", "UNKNOWN",
        "FUTURE", "POWERING_DOWN",
    };
    for (size_t i = reserved ? 3 : 0; i < sizeof words / sizeof *words; i++) {
        if (slurm_has_flag(object, key, words[i]) ||
            slurm_has_flag(object, flags, words[i]))
            return words[i];
    }
    return NULL;
}

/* Adds a node, or the further partition of a node that is known. */
static struct slurm_node *nodes_put(struct slurm_nodes_read *nodes,
                                    struct text name, struct text gres,
                                    const char *out, struct text reason)
{
    struct slurm_reader *r = nodes->r;
    const size_t known = nodes->names.n_strings;
    struct text type = text_from("GPU");
    uint32_t gpus = slurm_gres(gres, &type);
    uint32_t symbol = interner_find(&nodes->names, name);
    if (symbol != UINT32_MAX)
        return &nodes->at[symbol - 1];
    if (gpus == 0 || gpus > 64) {
        nodes->n_without += gpus == 0;
        nodes->n_unknown += gpus > 64;
        return NULL;
    }
    interner_add(&nodes->names, name);
    nodes->at = mem_grow(nodes->at, &nodes->cap, known, sizeof *nodes->at);
    struct slurm_node *node = &nodes->at[nodes->n++];
    *node = (struct slurm_node){
        .name = slurm_copy(r, name), .gpus = gpus, .type = type};
    state_add_name(r->state, node->name);
    if (out) {
        struct state_out *away = state_add_out(r->state);
        char why[256];
        snprintf(why, sizeof why, "%s%s%.*s", out, reason.len ? ": " : "",
                 TEXT_ARGS(reason));
        away->node = node->name;
        away->why = slurm_copy(r, text_from(why));
    }
    return node;
}

static void nodes_in_partition(struct slurm_nodes_read *nodes,
                               struct slurm_node *node, struct text name)
{
    if (!node || !name.len)
        return;
    uint32_t symbol = partition_symbol(nodes->r, name);
    if (node->partition)
        partition_join(nodes->r, node->partition, symbol);
    else
        node->partition = symbol;
}

/* An element of "nodes", one node. */
static bool take_node(struct slurm_nodes_read *nodes, const json_t *node)
{
    const json_t *partitions = json_object_get(node, "partitions");
    struct text name = slurm_word(node, "name");
    if (!name.len || !json_object_get(node, "gres"))
        return false;
    struct slurm_node *put = nodes_put(
        nodes, name, slurm_word(node, "gres"),
        out_of(node, "state", "state_flags", slurm_is_reserved(nodes->r, name)),
        slurm_word(node, "reason"));
    for (size_t i = 0; i < json_array_size(partitions); i++)
        nodes_in_partition(
            nodes, put,
            text_from(json_string_value(json_array_get(partitions, i))));
    return true;
}

/* An element of "sinfo" of 23.11 and later, a group of nodes of one
 * partition. */
static bool take_group(struct slurm_nodes_read *nodes, const json_t *group)
{
    const json_t *names =
        json_object_get(json_object_get(group, "nodes"), "nodes");
    const json_t *gres = json_object_get(group, "gres");
    const json_t *node = json_object_get(group, "node");
    const json_t *reason = json_object_get(group, "reason");
    if (!json_is_array(names) || !gres)
        return false;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const struct text name =
            text_from(json_string_value(json_array_get(names, i)));
        if (!name.len)
            return false;
        struct slurm_node *put = nodes_put(
            nodes, name, slurm_word(gres, "total"),
            out_of(node, "state", "flags", slurm_is_reserved(nodes->r, name)),
            slurm_word(reason, "description"));
        nodes_in_partition(
            nodes, put,
            slurm_word(json_object_get(group, "partition"), "name"));
    }
    return true;
}

/* Writes the cluster as the object of a cluster file. */
static json_t *nodes_cluster(const struct slurm_nodes_read *nodes)
{
    struct slurm_reader *r = nodes->r;
    json_t *cluster = json_object(), *list = json_array();
    for (size_t i = 0; i < nodes->n; i++) {
        const struct slurm_node *node = &nodes->at[i];
        json_t *one = json_object();
        json_put(one, "gpus", json_integer(node->gpus));
        json_put(one, "type", json_text(slurm_copy(r, node->type)));
        if (node->partition)
            json_put(one, "vc",
                     json_text(r->names[partition_root(r, node->partition)]));
        json_array_append_new(list, one);
    }
    json_put(cluster, "nodes", list);
    return cluster;
}

static void nodes_tell(const struct slurm_nodes_read *nodes)
{
    struct slurm_reader *r = nodes->r;
    if (nodes->n_without)
        state_note(r->state, "%" PRIu64 " nodes have no GPU and are left out",
                   nodes->n_without);
    if (nodes->n_unknown)
        state_note(r->state,
                   "%" PRIu64 " nodes have more than 64 GPUs and are left out",
                   nodes->n_unknown);
    for (uint32_t i = 1; i < r->partitions.n_strings; i++) {
        if (partition_root(r, i) == i && strchr(r->names[i], '+'))
            state_note(r->state,
                       "partitions %.300s share nodes: their jobs are taken to "
                       "run on any of them",
                       r->names[i]);
    }
}

enum status slurm_read_nodes(struct slurm_reader *r, const json_t *root,
                             const char *path, struct error *err)
{
    const json_t *list = json_object_get(root, "nodes");
    const bool are_groups = !json_is_array(list);
    struct slurm_nodes_read nodes = {.r = r};
    enum status st = STATUS_OK;
    if (are_groups)
        list = json_object_get(root, "sinfo");
    if (!json_is_array(list))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: no list \"nodes\" or \"sinfo\", as sinfo --json "
                         "and scontrol show nodes --json print them",
                         path);
    interner_init(&r->partitions);
    partition_symbol(r, (struct text){0});
    interner_init(&nodes.names);
    for (size_t i = 0; i < json_array_size(list) && st == STATUS_OK; i++) {
        const json_t *one = json_array_get(list, i);
        if (!(are_groups ? take_group(&nodes, one) : take_node(&nodes, one)))
            st = error_set(err, STATUS_BAD_INPUT, "%s: %s[%zu]: no %s and gres",
                           path, are_groups ? "sinfo" : "nodes", i,
                           are_groups ? "nodes" : "name");
    }
    if (st == STATUS_OK && nodes.n == 0)
        st = error_set(err, STATUS_BAD_INPUT, "%s: no node has a GPU", path);
    if (st == STATUS_OK) {
        r->state->cluster = nodes_cluster(&nodes);
        nodes_tell(&nodes);
    }
    interner_fini(&nodes.names);
    free(nodes.at);
    return st;
}
