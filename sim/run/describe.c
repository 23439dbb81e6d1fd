/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/describe.h"

#include <string.h>

#include "sim/run/describe_internal.h"

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

uint16_t builder_type(struct builder *b, struct text name)
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

uint16_t builder_vc(struct builder *b, struct text name)
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

void builder_group(struct builder *b, struct node_group group)
{
    b->groups = grown(b->arena, b->groups, b->n_groups, &b->cap_groups,
                      sizeof *b->groups);
    b->groups[b->n_groups++] = group;
}

void builder_change(struct builder *b, struct capacity_change change)
{
    b->changes = grown(b->arena, b->changes, b->n_changes, &b->cap_changes,
                       sizeof *b->changes);
    b->changes[b->n_changes++] = change;
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
        finish(&b, presets[i].name, source, out);
        return st;
    }
    st = is_shorthand(text) ? parse_shorthand(&b, text_from(text), err)
                            : describe_file(&b, err);
    /* Use the file name only: the path of a file is not part of the cluster. */
    const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    if (st == STATUS_OK)
        finish(&b, arena_copy(arena, name, strlen(name)), NULL, out);
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
