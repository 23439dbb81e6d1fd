/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/describe_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"

struct builder {
    struct arena *arena;
    struct gpu_type_spec types[CLUSTER_TYPES_MAX];
    const char **vcs;
    struct node_group *groups;
    struct capacity_change *changes;
    size_t n_types, n_vcs, n_groups, n_changes;
    size_t cap_vcs, cap_groups, cap_changes;
    struct accounts accounts;
    const char *path;
    const struct quota_tree *quotas; /* NULL: the file states none */
};

static enum status describe_file(struct builder *b, struct error *err);

/* Memory of well-known GPU types, MiB (data sheets of the makers). Other types
 * count as unlimited. There is no such table of speeds, because the speed
 * depends on the model that a job trains: an A100 is 0.9 to 5.8 times as fast
 * as a T4 in the tables of Sia's applications. The user or a model of
 * throughput gives the speeds. */
static const struct {
    const char *name;
    double mem_mib;
} known_types[] = {
    {"A800", 81920}, {"A100", 81920}, {"H100", 81920}, {"V100", 32768},
    {"T4", 16384},   {"RTX", 11264},  {"P100", 16384}, {"RTX3090", 24576},
};

double describe_type_memory(struct text name)
{
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++) {
        if (text_is(name, known_types[i].name))
            return known_types[i].mem_mib;
    }
    return 0;
}

/* Returns the number of the GPU type `name`, which is added if it is new;
 * UINT16_MAX if there are too many types. */
static uint16_t builder_type(struct builder *b, struct text name)
{
    for (size_t i = 0; i < b->n_types; i++) {
        if (text_is(name, b->types[i].name))
            return (uint16_t)i;
    }
    if (b->n_types == CLUSTER_TYPES_MAX)
        return UINT16_MAX;
    struct gpu_type_spec *type = &b->types[b->n_types];
    type->name = arena_copy(b->arena, name.at, name.len);
    type->speed = 1;
    type->mem_mib = describe_type_memory(name);
    return (uint16_t)b->n_types++;
}

/* Returns the array with room for one more element. An arena cannot enlarge an
 * allocation, so a full array is copied to one of twice the size. */
static void *grown(struct arena *arena, void *old, size_t n, size_t *cap,
                   size_t element)
{
    if (n < *cap)
        return old;
    *cap = *cap ? 2 * *cap : 16;
    void *room = arena_alloc(arena, *cap * element);
    if (n)
        memcpy(room, old, n * element);
    return room;
}

/* Returns the number of the virtual cluster `name`, which is added if it is
 * new; UINT16_MAX if there are too many. */
static uint16_t builder_vc(struct builder *b, struct text name)
{
    for (size_t i = 0; i < b->n_vcs; i++) {
        if (text_is(name, b->vcs[i]))
            return (uint16_t)i;
    }
    if (b->n_vcs == CLUSTER_VCS_MAX)
        return UINT16_MAX;
    b->vcs = grown(b->arena, b->vcs, b->n_vcs, &b->cap_vcs, sizeof *b->vcs);
    b->vcs[b->n_vcs] = arena_copy(b->arena, name.at, name.len);
    return (uint16_t)b->n_vcs++;
}

static void builder_group(struct builder *b, struct node_group group)
{
    b->groups = grown(b->arena, b->groups, b->n_groups, &b->cap_groups,
                      sizeof *b->groups);
    b->groups[b->n_groups++] = group;
}

static void builder_change(struct builder *b, struct capacity_change change)
{
    b->changes = grown(b->arena, b->changes, b->n_changes, &b->cap_changes,
                       sizeof *b->changes);
    b->changes[b->n_changes++] = change;
}

static void describe_finish(struct builder *b, const char *name,
                            const char *source, struct cluster_spec *out)
{
    struct gpu_type_spec *types =
        ARENA_ARRAY(b->arena, struct gpu_type_spec, b->n_types);
    memcpy(types, b->types, b->n_types * sizeof *types);
    *out = (struct cluster_spec){
        .name = name,
        .source = source,
        .types = types,
        .vcs = b->vcs,
        .groups = b->groups,
        .changes = b->changes,
        .n_types = b->n_types,
        .n_vcs = b->n_vcs,
        .n_groups = b->n_groups,
        .n_changes = b->n_changes,
        .accounts = b->accounts,
        .quotas = b->quotas,
    };
}

/* Parses "TYPE[@SPEED]". */
static enum status parse_type(struct builder *b, struct text text,
                              uint16_t *out, struct error *err)
{
    struct text speed, name = text_split(text, '@', &speed);
    double factor = 1;
    bool stated = name.len < text.len;
    if (stated && (!text_to_double(speed, &factor) || factor < TYPE_SPEED_MIN ||
                   factor > TYPE_SPEED_MAX))
        return error_set(err, STATUS_USAGE,
                         "--cluster: '%.*s': '%.*s' is not a speed, which is "
                         "work per time, %g to %g",
                         TEXT_ARGS(text), TEXT_ARGS(speed), TYPE_SPEED_MIN,
                         TYPE_SPEED_MAX);
    uint16_t type = builder_type(b, name.len ? name : text_from("GPU"));
    if (type == UINT16_MAX)
        return error_set(err, STATUS_USAGE, "--cluster: more than %d GPU types",
                         CLUSTER_TYPES_MAX);
    struct gpu_type_spec *of = &b->types[type];
    if (stated && of->speed_known && of->speed != factor)
        return error_set(err, STATUS_USAGE,
                         "--cluster: type %.60s has two speeds, %g and %g",
                         of->name, of->speed, factor);
    if (stated)
        of->speed = factor;
    of->speed_known |= stated;
    *out = type;
    return STATUS_OK;
}

/* Parses "NODESxGPUS[:TYPE[@SPEED]][:profiler]". */
static enum status parse_nodes(struct builder *b, struct text text, uint16_t vc,
                               struct error *err)
{
    struct text type, gpus, count, use, nodes;
    struct node_group group = {.vc = vc};
    nodes = text_split(text, ':', &type);
    type = text_split(type, ':', &use);
    if (use.len == 0 && text_is(type, "profiler")) {
        use = type;
        type.len = 0;
    }
    group.profiler = use.len > 0;
    count = text_split(nodes, 'x', &gpus);
    if (!text_to_u32(count, &group.count) || !text_to_u32(gpus, &group.gpus) ||
        group.count == 0 || group.count > CLUSTER_NODES_MAX ||
        group.gpus == 0 || group.gpus > NODE_GPUS_MAX ||
        (group.profiler && !text_is(use, "profiler")))
        return error_set(err, STATUS_USAGE,
                         "--cluster: '%.*s' is not "
                         "NODESxGPUS[:TYPE[@SPEED]][:profiler] with 1 to %d "
                         "nodes of 1 to %d GPUs",
                         TEXT_ARGS(text), CLUSTER_NODES_MAX, NODE_GPUS_MAX);
    enum status st = parse_type(b, type, &group.type, err);
    if (st == STATUS_OK)
        builder_group(b, group);
    return st;
}

static enum status parse_shorthand(struct builder *b, struct text text,
                                   struct error *err)
{
    struct text rest = text;
    while (rest.len) {
        struct text nodes, part = text_split(rest, ',', &rest), name;
        name = text_split(part, '=', &nodes);
        if (name.len == part.len) {
            nodes = part;
            name = text_from("all");
        }
        if (!name.len)
            return error_set(err, STATUS_USAGE,
                             "--cluster: '%.*s' names no virtual cluster "
                             "before the '='",
                             TEXT_ARGS(part));
        uint16_t vc = builder_vc(b, name);
        if (vc == UINT16_MAX)
            return error_set(err, STATUS_USAGE,
                             "--cluster: more than %d virtual clusters",
                             CLUSTER_VCS_MAX);
        do {
            struct text one = text_split(nodes, '+', &nodes);
            enum status st = parse_nodes(b, one, vc, err);
            if (st != STATUS_OK)
                return st;
        } while (nodes.len);
    }
    return STATUS_OK;
}

static bool is_shorthand(const char *text)
{
    return strchr(text, 'x') && !strchr(text, '/') && !strstr(text, ".json");
}

bool describe_is_file(const char *text)
{
    for (size_t i = 0; presets[i].name; i++) {
        if (strcmp(presets[i].name, text) == 0)
            return false;
    }
    return !is_shorthand(text);
}

enum status describe_cluster(const char *text, struct arena *arena,
                             struct cluster_spec *out, struct error *err)
{
    struct builder b = {.arena = arena, .path = text};
    const char *source = NULL;
    enum status st;
    for (size_t i = 0; presets[i].name; i++) {
        if (strcmp(presets[i].name, text) != 0)
            continue;
        source = presets[i].source;
        st = parse_shorthand(&b, text_from(presets[i].shorthand), err);
        describe_finish(&b, presets[i].name, source, out);
        return st;
    }
    st = is_shorthand(text) ? parse_shorthand(&b, text_from(text), err)
                            : describe_file(&b, err);
    /* Use the file name only: the path of a file is not part of the cluster. */
    const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    if (st == STATUS_OK)
        describe_finish(&b, arena_copy(arena, name, strlen(name)), NULL, out);
    return st;
}

void describe_as_one(struct cluster_spec *spec, struct arena *arena)
{
    struct node_group *groups =
        ARENA_ARRAY(arena, struct node_group, spec->n_groups);
    const char **vcs = ARENA_ARRAY(arena, const char *, 1);
    memcpy(groups, spec->groups, spec->n_groups * sizeof *groups);
    for (size_t i = 0; i < spec->n_groups; i++)
        groups[i].vc = 0;
    vcs[0] = "all";
    spec->groups = groups;
    spec->vcs = vcs;
    spec->n_vcs = 1;
}

/* Reads a cluster from a JSON file. Keys that are not in the table below are
 * refused, because ignoring a misspelt key would silently ignore what the user
 * asked for. */

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
     .key = "accounts",
     .unit = "list",
     .help = "accounts and users with shares, for policies that share out "
             "fairly; an account of a job is its vc in the trace. Default: "
             "one share for each account and user"},
    {.list = "",
     .key = "queues",
     .unit = "list",
     .help = "quotas of virtual clusters, for the layer quota "
             "(backfill+quota), under which all of them share the nodes"},
    {.list = "",
     .key = "cohorts",
     .unit = "list",
     .help = "groups of queues that lend to each other"},
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
     .key = "cpus",
     .unit = "CPUs",
     .help = "CPUs of each node. A job that could not have its CPUs, of which "
             "each of its GPUs takes an equal share, even on empty nodes is "
             "rejected; beyond that CPUs limit nothing. Default: not limited"},
    {.list = "nodes",
     .key = "mem_mib",
     .unit = "MiB",
     .help = "main memory of each node, with the same effect as cpus; default: "
             "not limited"},
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
    {.list = "accounts",
     .key = "name",
     .unit = "text",
     .required = true,
     .help = "name of the account; root: the account above all others"},
    {.list = "accounts",
     .key = "parent",
     .unit = "text",
     .help = "the account that it is part of; default root"},
    {.list = "accounts",
     .key = "shares",
     .unit = "shares",
     .help = "its shares beside the other children of its parent, 0 or more; "
             "default 1"},
    {.list = "accounts",
     .key = "users",
     .unit = "object",
     .help = "shares of users in the account, by name; a user that only the "
             "trace names has 1"},
    {.list = "accounts",
     .key = "comment",
     .unit = "text",
     .help = "a comment for readers; the program ignores it"},
    {.list = "queues",
     .key = "vc",
     .unit = "text",
     .required = true,
     .help = "its virtual cluster"},
    {.list = "queues",
     .key = "nominal",
     .unit = "GPUs",
     .required = true,
     .help = "its own quota"},
    {.list = "queues",
     .key = "cohort",
     .unit = "text",
     .help = "whose queues it lends to and borrows from; default: none"},
    {.list = "queues",
     .key = "borrowing_limit",
     .unit = "GPUs",
     .help = "most that it may use beyond nominal; default: no limit"},
    {.list = "queues",
     .key = "lending_limit",
     .unit = "GPUs",
     .help = "most of nominal that others may use; default: all"},
    {.list = "queues",
     .key = "weight",
     .unit = "number",
     .help = "weight of its share under --quota fair; default 1"},
    {.list = "queues",
     .key = "reclaim",
     .unit = "word",
     .help = "which jobs of queues that borrow its jobs may have stopped: any "
             "(default), lower (of lower priority), lower-or-newer (or equal "
             "and submitted later) or never"},
    {.list = "queues",
     .key = "within",
     .unit = "word",
     .help = "which jobs of its own queue its jobs may have stopped; default "
             "never"},
    {.list = "queues",
     .key = "borrow_within",
     .unit = "number",
     .help = "its jobs may have jobs of lower priority, at most this one, "
             "stopped even to borrow; default: they may not"},
    {.list = "cohorts",
     .key = "name",
     .unit = "text",
     .required = true,
     .help = "its name"},
    {.list = "cohorts",
     .key = "parent",
     .unit = "text",
     .help = "the cohort that it is part of; default: none"},
    {.list = "cohorts",
     .key = "nominal",
     .unit = "GPUs",
     .help = "quota beside that of its queues, for all of them; default 0"},
    {.list = "cohorts",
     .key = "borrowing_limit",
     .unit = "GPUs",
     .help = "most that it may take from its parent; default: no limit"},
    {.list = "cohorts",
     .key = "lending_limit",
     .unit = "GPUs",
     .help = "most that it gives its parent; default: all"},
    {.list = "cohorts",
     .key = "weight",
     .unit = "number",
     .help = "as in queues"},
    {.key = NULL},
};

void describe_keys_of(const char *list, const char *out[CLUSTER_KEYS_MAX])
{
    size_t n = 0;
    for (const struct cluster_key *k = cluster_keys; k->key; k++) {
        if (strcmp(k->list, list) == 0 && n + 1 < CLUSTER_KEYS_MAX)
            out[n++] = k->key;
    }
    out[n] = NULL;
}

static enum status describe_expected(const struct builder *b, const char *where,
                                     size_t i, const char *what,
                                     struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "%s: %s[%zu]: expected %s", b->path,
                     where, i, what);
}

static bool describe_whole(const json_t *object, const char *key, int64_t deflt,
                           int64_t lo, int64_t hi, int64_t *out)
{
    const json_t *value = json_object_get(object, key);
    *out = value ? json_integer_value(value) : deflt;
    return (!value || json_typeof(value) == JSON_INTEGER) && *out >= lo &&
           *out <= hi;
}

static bool describe_number(const json_t *object, const char *key, double deflt,
                            double lo, double hi, double *out)
{
    const json_t *value = json_object_get(object, key);
    const json_type type = value ? json_typeof(value) : JSON_REAL;
    *out = value ? json_number_value(value) : deflt;
    return (type == JSON_INTEGER || type == JSON_REAL) && *out >= lo &&
           *out <= hi;
}

/* Reads a text. Returns false if it is empty or not a text. `deflt`: its value
 * if the key is missing. */
static bool describe_string(const json_t *object, const char *key,
                            const char *deflt, struct text *out)
{
    const json_t *value = json_object_get(object, key);
    const char *text = value ? json_string_value(value) : deflt;
    *out = text_from(text ? text : "");
    return out->len > 0;
}

static bool boolean(const json_t *object, const char *key, bool *out)
{
    const json_t *value = json_object_get(object, key);
    const json_type type = value ? json_typeof(value) : JSON_FALSE;
    *out = type == JSON_TRUE;
    return *out || type == JSON_FALSE;
}

/* Checks the keys of element `i` of a list. */
static enum status describe_check_keys(const struct builder *b,
                                       const char *where, size_t i,
                                       const json_t *item, struct error *err)
{
    const char *names[CLUSTER_KEYS_MAX];
    char place[64];
    describe_keys_of(where, names);
    snprintf(place, sizeof place, "%s[%zu]", where, i);
    if (!json_is_object(item))
        return describe_expected(b, where, i, "an object", err);
    return json_keys_known(item, names, b->path, place, err);
}

static enum status describe_read_type(struct builder *b, size_t i,
                                      const json_t *item, struct error *err)
{
    double mem, speed;
    struct text name;
    size_t before = b->n_types;
    enum status st = describe_check_keys(b, "types", i, item, err);
    if (st != STATUS_OK)
        return st;
    if (!describe_string(item, "name", "", &name) ||
        !describe_number(item, "mem_mib", 0, 0, 1e9, &mem) ||
        !describe_number(item, "speed", 1, TYPE_SPEED_MIN, TYPE_SPEED_MAX,
                         &speed))
        return describe_expected(
            b, "types", i,
            "{\"name\": text, \"mem_mib\": MiB, \"speed\": "
            "factor above 0}",
            err);
    uint16_t type = builder_type(b, name);
    if (type == UINT16_MAX)
        return describe_expected(b, "types", i, "at most 64 types", err);
    if (b->n_types == before)
        return describe_expected(b, "types", i, "a type that is not listed yet",
                                 err);
    if (json_object_get(item, "mem_mib"))
        b->types[type].mem_mib = mem;
    b->types[type].speed = speed;
    b->types[type].speed_known = json_object_get(item, "speed") != NULL;
    return STATUS_OK;
}

/* Finds the type of a node, and adds it if it is new. If the file lists types,
 * the node must name one of them. */
static enum status describe_find_type(struct builder *b, size_t i,
                                      struct text name, bool listed,
                                      uint16_t *out, struct error *err)
{
    const char *names[CLUSTER_TYPES_MAX];
    size_t n = b->n_types;
    for (size_t t = 0; t < n; t++)
        names[t] = b->types[t].name;
    *out = builder_type(b, name);
    if (*out == UINT16_MAX)
        return describe_expected(b, "nodes", i, "at most 64 types", err);
    if (!listed || b->n_types == n)
        return STATUS_OK;
    const char *near = text_nearest(name, names, n);
    return error_set(err, STATUS_BAD_INPUT,
                     "%s: nodes[%zu]: type: '%.*s' is not among the file's "
                     "\"types\"%s",
                     b->path, i, TEXT_ARGS(name), text_suggest(near).words);
}

static enum status read_node(struct builder *b, size_t i, const json_t *item,
                             bool listed, struct error *err)
{
    int64_t count, gpus, rack, cpus;
    struct text type, vc;
    struct node_group group = {0};
    enum status st = describe_check_keys(b, "nodes", i, item, err);
    if (st != STATUS_OK)
        return st;
    if (!describe_whole(item, "count", 1, 0, CLUSTER_NODES_MAX, &count) ||
        !describe_whole(item, "gpus", 0, 1, NODE_GPUS_MAX, &gpus) ||
        !describe_whole(item, "rack", 0, 0, CLUSTER_NODES_MAX, &rack) ||
        !describe_whole(item, "cpus", 0, 0, UINT32_MAX, &cpus) ||
        !describe_number(item, "mem_mib", 0, 0, 1e12, &group.mem_mib) ||
        !describe_string(item, "type", "GPU", &type) ||
        !describe_string(item, "vc", "all", &vc) ||
        !boolean(item, "profiler", &group.profiler))
        return describe_expected(
            b, "nodes", i,
            "{\"count\": nodes, \"gpus\": 1 to 64, \"type\", "
            "\"vc\": text, \"rack\": number, \"cpus\": CPUs, "
            "\"mem_mib\": MiB, \"profiler\": true or false}",
            err);
    group.count = (uint32_t)count;
    group.gpus = (uint32_t)gpus;
    group.rack = (uint32_t)rack;
    group.cpus = (uint32_t)cpus;
    group.vc = builder_vc(b, vc);
    if (group.vc == UINT16_MAX)
        return describe_expected(b, "nodes", i, "at most 4096 virtual clusters",
                                 err);
    st = describe_find_type(b, i, type, listed, &group.type, err);
    if (st == STATUS_OK)
        builder_group(b, group);
    return st;
}

static enum status describe_read_change(struct builder *b, size_t i,
                                        const json_t *item, struct error *err)
{
    int64_t node, n_nodes = 0;
    double at;
    const json_t *up = json_object_get(item, "up");
    for (size_t g = 0; g < b->n_groups; g++)
        n_nodes += b->groups[g].count;
    enum status st = describe_check_keys(b, "changes", i, item, err);
    if (st != STATUS_OK)
        return st;
    if (!describe_number(item, "at_s", -1, 0, SECONDS_MAX, &at) ||
        !describe_whole(item, "node", -1, 0, n_nodes - 1, &node) ||
        !json_is_boolean(up))
        return describe_expected(
            b, "changes", i,
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
            st = describe_read_type(b, i, item, err);
    }
    json_array_foreach(json_object_get(root, "nodes"), i, item)
    {
        if (st == STATUS_OK)
            st = read_node(b, i, item, types != NULL, err);
    }
    json_array_foreach(json_object_get(root, "changes"), i, item)
    {
        if (st == STATUS_OK)
            st = describe_read_change(b, i, item, err);
    }
    static const char *const of_quotas[] = {"queues", "cohorts"};
    for (size_t k = 0; k < 2; k++) {
        json_array_foreach(json_object_get(root, of_quotas[k]), i, item)
        {
            if (st == STATUS_OK)
                st = describe_check_keys(b, of_quotas[k], i, item, err);
        }
    }
    struct cluster_spec so_far = {.vcs = b->vcs, .n_vcs = b->n_vcs};
    if (st == STATUS_OK)
        st = describe_quotas(b->path, root, b->arena, &so_far, err);
    b->quotas = so_far.quotas;
    return st;
}

/* Refuses the members that are no lists but should be. */
static enum status describe_lists_check(const struct builder *b,
                                        const json_t *root, struct error *err)
{
    static const char *const lists[] = {"types", "changes", "queues",
                                        "cohorts"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const json_t *value = json_object_get(root, lists[i]);
        if (value && json_typeof(value) != JSON_ARRAY)
            return error_set(err, STATUS_BAD_INPUT, "%s: %s: expected an array",
                             b->path, lists[i]);
    }
    return STATUS_OK;
}

static enum status describe_root(struct builder *b, const json_t *root,
                                 struct error *err)
{
    const char *names[CLUSTER_KEYS_MAX];
    describe_keys_of("", names);
    enum status st = json_keys_known(root, names, b->path, "", err);
    if (st == STATUS_OK && !json_is_array(json_object_get(root, "nodes")))
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: expected an object with an array \"nodes\"",
                       b->path);
    if (st == STATUS_OK)
        st = describe_lists_check(b, root, err);
    if (st == STATUS_OK)
        st = read_lists(b, root, err);
    if (st == STATUS_OK)
        st = describe_accounts(json_object_get(root, "accounts"), b->path,
                               b->arena, &b->accounts, err);
    return st;
}

/* Fills the builder from the JSON file b->path. Returns STATUS_USAGE if the
 * file cannot be opened, and STATUS_BAD_INPUT if it is not a description. */
static enum status describe_file(struct builder *b, struct error *err)
{
    json_error_t why;
    json_t *root = json_load_file(b->path, JSON_REJECT_DUPLICATES, &why);
    if (!root && why.line < 0)
        return error_set(err, STATUS_USAGE,
                         "--cluster: '%s' is not a preset, not "
                         "NODESxGPUS[:TYPE] (8x8 is 8 nodes of 8 GPUs) and "
                         "not a readable file",
                         b->path);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", b->path,
                         why.line, why.column, why.text);
    enum status st = describe_root(b, root, err);
    json_decref(root);
    return st;
}

enum status describe_json(const json_t *root, const char *path,
                          struct arena *arena, struct cluster_spec *out,
                          struct error *err)
{
    struct builder b = {.arena = arena, .path = path};
    enum status st = describe_root(&b, root, err);
    if (st == STATUS_OK)
        describe_finish(&b, arena_copy(arena, path, strlen(path)), NULL, out);
    return st;
}
