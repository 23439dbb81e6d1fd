/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a cluster from a JSON file. Keys that are not in the table below are
 * refused, because ignoring a misspelt key would silently ignore what the user
 * asked for. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json_keys.h"
#include "sim/run/describe_internal.h"

const struct cluster_key cluster_keys[] = {
    {.list = "",
     .key = "nodes",
     .unit = "list",
     .required = true,
     .help = "groups of equal nodes, in order"},
    {.list = "",
     .key = "types",
     .unit = "list",
     .help = "GPU types; if this list is given, nodes may name no other type"},
    {.list = "",
     .key = "changes",
     .unit = "list",
     .help = "planned changes of capacity, ordered by time"},
    {.list = "",
     .key = "name",
     .unit = "text",
     .help = "a comment for readers; the program ignores it"},
    {.list = "",
     .key = "comment",
     .unit = "text",
     .help = "a comment for readers; the program ignores it"},
    {.list = "types",
     .key = "name",
     .unit = "text",
     .required = true,
     .help = "name of the type in nodes and traces"},
    {.list = "types",
     .key = "mem_mib",
     .unit = "MiB",
     .help = "memory of a GPU; default: as the maker states for a known type, "
             "otherwise not limited"},
    {.list = "types",
     .key = "speed",
     .unit = "factor",
     .help = "work per time of a rigid job, the reference type = 1. Where jobs "
             "may run on several types, all but one must state it"},
    {.list = "types",
     .key = "comment",
     .unit = "text",
     .help = "a comment for readers; the program ignores it"},
    {.list = "nodes",
     .key = "count",
     .unit = "nodes",
     .help = "number of nodes; default 1"},
    {.list = "nodes",
     .key = "gpus",
     .unit = "GPUs",
     .required = true,
     .help = "GPUs of each node, 1 to 64"},
    {.list = "nodes",
     .key = "type",
     .unit = "text",
     .help = "GPU type of the nodes; default GPU"},
    {.list = "nodes",
     .key = "vc",
     .unit = "text",
     .help = "virtual cluster of the nodes; default all"},
    {.list = "nodes",
     .key = "rack",
     .unit = "number",
     .help = "nodes of one rack share a switch; default 0"},
    {.list = "nodes",
     .key = "profiler",
     .unit = "true or false",
     .help = "true: the nodes are set aside for profiling; default false"},
    {.list = "nodes",
     .key = "comment",
     .unit = "text",
     .help = "a comment for readers; the program ignores it"},
    {.list = "changes",
     .key = "at_s",
     .unit = "s",
     .required = true,
     .help = "time of the change, counted from the first submission"},
    {.list = "changes",
     .key = "node",
     .unit = "number",
     .required = true,
     .help = "number of the node from 0; nodes are numbered by virtual "
             "cluster, then type, then the order in this file"},
    {.list = "changes",
     .key = "up",
     .unit = "true or false",
     .required = true,
     .help = "false: the node leaves, its jobs stop and keep their work; true: "
             "the node returns"},
    {.list = "changes",
     .key = "comment",
     .unit = "text",
     .help = "a comment for readers; the program ignores it"},
    {.key = NULL},
};

#define KEYS_MAX 16

/* Lists the keys of the elements of `list`, or of the top-level object if
 * `list` is "". *out ends with NULL. */
static void keys_of(const char *list, const char *out[KEYS_MAX])
{
    size_t n = 0;
    for (const struct cluster_key *k = cluster_keys; k->key; k++) {
        if (strcmp(k->list, list) == 0 && n + 1 < KEYS_MAX)
            out[n++] = k->key;
    }
    out[n] = NULL;
}

static enum status expected(const struct builder *b, const char *where,
                            size_t i, const char *what, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%s: %s[%zu]: expected %s", b->path,
                     where, i, what);
}

static bool whole(const json_t *object, const char *key, int64_t deflt,
                  int64_t lo, int64_t hi, int64_t *out)
{
    const json_t *value = json_object_get(object, key);
    *out = value ? json_integer_value(value) : deflt;
    return (!value || json_is_integer(value)) && *out >= lo && *out <= hi;
}

static bool number(const json_t *object, const char *key, double deflt,
                   double lo, double hi, double *out)
{
    const json_t *value = json_object_get(object, key);
    *out = value ? json_number_value(value) : deflt;
    return (!value || json_is_number(value)) && *out >= lo && *out <= hi;
}

/* Reads a text. Returns false if it is empty or not a text. `deflt`: its value
 * if the key is missing. */
static bool string(const json_t *object, const char *key, const char *deflt,
                   struct text *out)
{
    const json_t *value = json_object_get(object, key);
    *out = text_from(json_is_string(value) ? json_string_value(value) : deflt);
    return (!value || json_is_string(value)) && out->len > 0;
}

static bool boolean(const json_t *object, const char *key, bool *out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_is_true(value);
    return !value || json_is_boolean(value);
}

/* Checks the keys of element `i` of a list. */
static enum status check_keys(const struct builder *b, const char *where,
                              size_t i, const json_t *item, struct error *err)
{
    const char *names[KEYS_MAX];
    char place[64];
    keys_of(where, names);
    snprintf(place, sizeof place, "%s[%zu]", where, i);
    if (!json_is_object(item))
        return expected(b, where, i, "an object", err);
    return json_keys_known(item, names, b->path, place, err);
}

static enum status read_type(struct builder *b, size_t i, const json_t *item,
                             struct error *err)
{
    double mem, speed;
    struct text name;
    size_t before = b->n_types;
    enum status st = check_keys(b, "types", i, item, err);
    if (st != STATUS_OK)
        return st;
    if (!string(item, "name", "", &name) ||
        !number(item, "mem_mib", 0, 0, 1e9, &mem) ||
        !number(item, "speed", 1, TYPE_SPEED_MIN, TYPE_SPEED_MAX, &speed))
        return expected(b, "types", i,
                        "{\"name\": text, \"mem_mib\": MiB, \"speed\": "
                        "factor above 0}",
                        err);
    uint16_t type = builder_type(b, name);
    if (type == UINT16_MAX)
        return expected(b, "types", i, "at most 64 types", err);
    if (b->n_types == before)
        return expected(b, "types", i, "a type that is not listed yet", err);
    if (json_object_get(item, "mem_mib"))
        b->types[type].mem_mib = mem;
    b->types[type].speed = speed;
    b->types[type].speed_known = json_object_get(item, "speed") != NULL;
    return STATUS_OK;
}

/* Finds the type of a node, and adds it if it is new. If the file lists types,
 * the node must name one of them. */
static enum status find_type(struct builder *b, size_t i, struct text name,
                             bool listed, uint16_t *out, struct error *err)
{
    const char *names[CLUSTER_TYPES_MAX];
    size_t n = b->n_types;
    for (size_t t = 0; t < n; t++)
        names[t] = b->types[t].name;
    *out = builder_type(b, name);
    if (*out == UINT16_MAX)
        return expected(b, "nodes", i, "at most 64 types", err);
    if (!listed || b->n_types == n)
        return STATUS_OK;
    const char *near = text_nearest(name, names, n);
    return error_set(err, STATUS_BAD_INPUT,
                     "%s: nodes[%zu]: type: '%.*s' is not among the file's "
                     "\"types\"%s%.60s%s",
                     b->path, i, TEXT_ARGS(name),
                     near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
}

static enum status read_node(struct builder *b, size_t i, const json_t *item,
                             bool listed, struct error *err)
{
    int64_t count, gpus, rack;
    struct text type, vc;
    struct node_group group = {0};
    enum status st = check_keys(b, "nodes", i, item, err);
    if (st != STATUS_OK)
        return st;
    if (!whole(item, "count", 1, 0, CLUSTER_NODES_MAX, &count) ||
        !whole(item, "gpus", 0, 1, NODE_GPUS_MAX, &gpus) ||
        !whole(item, "rack", 0, 0, CLUSTER_NODES_MAX, &rack) ||
        !string(item, "type", "GPU", &type) ||
        !string(item, "vc", "all", &vc) ||
        !boolean(item, "profiler", &group.profiler))
        return expected(b, "nodes", i,
                        "{\"count\": nodes, \"gpus\": 1 to 64, \"type\", "
                        "\"vc\": text, \"rack\": number, \"profiler\": true "
                        "or false}",
                        err);
    group.count = (uint32_t)count;
    group.gpus = (uint32_t)gpus;
    group.rack = (uint32_t)rack;
    group.vc = builder_vc(b, vc);
    if (group.vc == UINT16_MAX)
        return expected(b, "nodes", i, "at most 4096 virtual clusters", err);
    st = find_type(b, i, type, listed, &group.type, err);
    if (st == STATUS_OK)
        builder_group(b, group);
    return st;
}

static enum status read_change(struct builder *b, size_t i, const json_t *item,
                               struct error *err)
{
    int64_t node, n_nodes = 0;
    double at;
    const json_t *up = json_object_get(item, "up");
    for (size_t g = 0; g < b->n_groups; g++)
        n_nodes += b->groups[g].count;
    enum status st = check_keys(b, "changes", i, item, err);
    if (st != STATUS_OK)
        return st;
    if (!number(item, "at_s", -1, 0, SECONDS_MAX, &at) ||
        !whole(item, "node", -1, 0, n_nodes - 1, &node) || !json_is_boolean(up))
        return expected(b, "changes", i,
                        "{\"at_s\": seconds, \"node\": number of a node, "
                        "\"up\": true or false}",
                        err);
    builder_change(b, (struct capacity_change){.at = span_from_seconds(at),
                                               .node = (node_id)node,
                                               .up = json_is_true(up)});
    return STATUS_OK;
}

static enum status read_lists(struct builder *b, const json_t *root,
                              struct error *err)
{
    size_t i;
    const json_t *item, *types = json_object_get(root, "types");
    enum status st = STATUS_OK;
    json_array_foreach(types, i, item)
    {
        if (st == STATUS_OK)
            st = read_type(b, i, item, err);
    }
    json_array_foreach(json_object_get(root, "nodes"), i, item)
    {
        if (st == STATUS_OK)
            st = read_node(b, i, item, types != NULL, err);
    }
    json_array_foreach(json_object_get(root, "changes"), i, item)
    {
        if (st == STATUS_OK)
            st = read_change(b, i, item, err);
    }
    return st;
}

static bool is_list_or_none(const json_t *root, const char *key)
{
    const json_t *value = json_object_get(root, key);
    return !value || json_is_array(value);
}

enum status describe_file(struct builder *b, struct error *err)
{
    json_error_t why;
    json_t *root = json_load_file(b->path, JSON_REJECT_DUPLICATES, &why);
    if (!root && why.line < 0)
        return error_set(err, STATUS_USAGE,
                         "--cluster: '%s' is not a preset, not "
                         "NODESxGPUS[:TYPE] and not a readable file",
                         b->path);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", b->path,
                         why.line, why.column, why.text);
    const char *names[KEYS_MAX];
    keys_of("", names);
    enum status st = json_keys_known(root, names, b->path, "", err);
    if (st == STATUS_OK && !json_is_array(json_object_get(root, "nodes")))
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: expected an object with an array \"nodes\"",
                       b->path);
    if (st == STATUS_OK &&
        !(is_list_or_none(root, "types") && is_list_or_none(root, "changes")))
        st =
            error_set(err, STATUS_BAD_INPUT,
                      "%s: expected arrays \"types\" and \"changes\"", b->path);
    if (st == STATUS_OK)
        st = read_lists(b, root, err);
    json_decref(root);
    return st;
}
