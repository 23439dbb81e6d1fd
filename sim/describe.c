/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/describe.h"

#include <jansson.h>
#include <string.h>

/* A description being built up. */
struct builder {
    struct arena *arena;
    struct gpu_type_spec types[CLUSTER_TYPES_MAX];
    const char **vcs;
    struct node_group *groups;
    struct capacity_change *changes;
    size_t n_types, n_vcs, n_groups, n_changes;
    size_t cap_vcs, cap_groups, cap_changes;
    const char *path;
};

/* Memory of the types that are named often, MiB (makers' data sheets); others
 * are not limited. The speed of all is 1 until a throughput model says more. */
static const struct {
    const char *name;
    double mem_mib;
} known_types[] = {
    {"A800", 81920}, {"A100", 81920}, {"H100", 81920}, {"V100", 32768},
    {"T4", 16384},   {"RTX", 11264},  {"P100", 16384}, {"RTX3090", 24576},
};

static uint16_t type_index(struct builder *b, struct text name)
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
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++) {
        if (text_is(name, known_types[i].name))
            type->mem_mib = known_types[i].mem_mib;
    }
    return (uint16_t)b->n_types++;
}

/* Arrays of a description live in its arena, which never moves what it gave:
 * growing means copying to twice the room. */
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

static uint16_t vc_index(struct builder *b, struct text name)
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

static void add_group(struct builder *b, struct node_group group)
{
    b->groups = grown(b->arena, b->groups, b->n_groups, &b->cap_groups,
                      sizeof *b->groups);
    b->groups[b->n_groups++] = group;
}

static void finish(struct builder *b, const char *name, const char *source,
                   struct cluster_spec *out)
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
    };
}

static bool parse_nodes(struct builder *b, struct text nodes, uint16_t vc)
{
    struct text type, gpus, count, use;
    struct node_group group = {.vc = vc};
    nodes = text_split(nodes, ':', &type);
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
        return false;
    group.type = type_index(b, type.len ? type : text_from("GPU"));
    add_group(b, group);
    return group.type != UINT16_MAX;
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
        uint16_t vc = vc_index(b, name);
        if (vc == UINT16_MAX)
            return error_set(err, STATUS_USAGE,
                             "--cluster: more than %d virtual clusters",
                             CLUSTER_VCS_MAX);
        do {
            struct text one = text_split(nodes, '+', &nodes);
            if (!parse_nodes(b, one, vc))
                return error_set(err, STATUS_USAGE,
                                 "--cluster: '%.*s' is not "
                                 "NODESxGPUS[:TYPE][:profiler] with 1 to %d "
                                 "nodes of 1 to %d GPUs",
                                 TEXT_ARGS(one), CLUSTER_NODES_MAX,
                                 NODE_GPUS_MAX);
        } while (nodes.len);
    }
    return STATUS_OK;
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

static struct text string(const json_t *object, const char *key,
                          const char *deflt)
{
    const json_t *value = json_object_get(object, key);
    return text_from(json_is_string(value) ? json_string_value(value) : deflt);
}

static enum status read_types(struct builder *b, const json_t *types,
                              struct error *err)
{
    size_t i;
    const json_t *item;
    json_array_foreach(types, i, item)
    {
        double mem, speed;
        struct text name = string(item, "name", "");
        if (name.len == 0 || !number(item, "mem_mib", 0, 0, 1e9, &mem) ||
            !number(item, "speed", 1, 1e-6, 1e6, &speed))
            return expected(b, "types", i,
                            "{\"name\": text, \"mem_mib\": MiB, \"speed\": "
                            "factor above 0}",
                            err);
        uint16_t type = type_index(b, name);
        if (type == UINT16_MAX)
            return expected(b, "types", i, "at most 64 types", err);
        if (json_object_get(item, "mem_mib"))
            b->types[type].mem_mib = mem;
        b->types[type].speed = speed;
    }
    return STATUS_OK;
}

static enum status read_nodes(struct builder *b, const json_t *nodes,
                              struct error *err)
{
    size_t i;
    const json_t *item;
    json_array_foreach(nodes, i, item)
    {
        int64_t count, gpus, rack;
        struct node_group group = {
            .profiler = json_is_true(json_object_get(item, "profiler"))};
        if (!whole(item, "count", 1, 0, CLUSTER_NODES_MAX, &count) ||
            !whole(item, "gpus", 0, 1, NODE_GPUS_MAX, &gpus) ||
            !whole(item, "rack", 0, 0, CLUSTER_NODES_MAX, &rack))
            return expected(b, "nodes", i,
                            "{\"count\": nodes, \"gpus\": 1 to 64, \"type\", "
                            "\"vc\": text, \"rack\": number}",
                            err);
        group.count = (uint32_t)count;
        group.gpus = (uint32_t)gpus;
        group.rack = (uint32_t)rack;
        group.type = type_index(b, string(item, "type", "GPU"));
        group.vc = vc_index(b, string(item, "vc", "all"));
        if (group.type == UINT16_MAX || group.vc == UINT16_MAX)
            return expected(b, "nodes", i,
                            "at most 64 types and 4096 virtual clusters", err);
        add_group(b, group);
    }
    return STATUS_OK;
}

static enum status read_changes(struct builder *b, const json_t *changes,
                                struct error *err)
{
    size_t i;
    const json_t *item;
    int64_t n_nodes = 0;
    for (size_t g = 0; g < b->n_groups; g++)
        n_nodes += b->groups[g].count;
    json_array_foreach(changes, i, item)
    {
        int64_t node;
        double at;
        const json_t *up = json_object_get(item, "up");
        if (!number(item, "at_s", -1, 0, SECONDS_MAX, &at) ||
            !whole(item, "node", -1, 0, n_nodes - 1, &node) ||
            !json_is_boolean(up))
            return expected(b, "changes", i,
                            "{\"at_s\": seconds, \"node\": number of a node, "
                            "\"up\": true or false}",
                            err);
        b->changes = grown(b->arena, b->changes, b->n_changes, &b->cap_changes,
                           sizeof *b->changes);
        b->changes[b->n_changes++] = (struct capacity_change){
            span_from_seconds(at), (node_id)node, json_is_true(up)};
    }
    return STATUS_OK;
}

static enum status read_file(struct builder *b, struct error *err)
{
    json_error_t why;
    json_t *root = json_load_file(b->path, JSON_REJECT_DUPLICATES, &why);
    if (!root && why.line < 0)
        return error_set(err, STATUS_USAGE,
                         "--cluster: '%s' is no preset, no NODESxGPUS[:TYPE] "
                         "and no file that can be read",
                         b->path);
    if (!root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: %s", b->path,
                         why.line, why.column, why.text);
    enum status st = STATUS_OK;
    if (!json_is_array(json_object_get(root, "nodes")))
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: expected an object with an array \"nodes\"",
                       b->path);
    if (st == STATUS_OK)
        st = read_types(b, json_object_get(root, "types"), err);
    if (st == STATUS_OK)
        st = read_nodes(b, json_object_get(root, "nodes"), err);
    if (st == STATUS_OK)
        st = read_changes(b, json_object_get(root, "changes"), err);
    json_decref(root);
    return st;
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
        finish(&b, presets[i].name, source, out);
        return st;
    }
    bool is_shorthand =
        strchr(text, 'x') && !strchr(text, '/') && !strstr(text, ".json");
    st = is_shorthand ? parse_shorthand(&b, text_from(text), err)
                      : read_file(&b, err);
    if (st == STATUS_OK)
        finish(&b, arena_copy(arena, text, strlen(text)), NULL, out);
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
