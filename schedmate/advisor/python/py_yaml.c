/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/python/py_yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "schedmate/advisor/python/py_config.h"

enum { NODES_MAX = 20000, DEEP_MAX = 40 };

struct reading {
    yaml_parser_t parser;
    struct arena *arena;
    const char *path;
    enum setting_rank rank;
    struct py_map anchors;
    size_t nodes;
    bool ended;
};

static struct text copied(const struct reading *reading, const void *at,
                          size_t len)
{
    return (struct text){arena_copy(reading->arena, at, len), len};
}

/* Returns the name after the tag "!new:NAME", "!name:NAME" or "!apply:NAME" of
 * HyperPyYAML; NULL for another tag. */
static const char *named_by(const yaml_char_t *tag)
{
    static const char *const tags[] = {"!new:", "!name:", "!apply:"};
    for (size_t i = 0; tag && i < sizeof tags / sizeof *tags; i++) {
        size_t n = strlen(tags[i]);
        if (strncmp((const char *)tag, tags[i], n) == 0)
            return (const char *)tag + n;
    }
    return NULL;
}

static void set_text(struct reading *reading, struct py_map *map,
                     const char *key, const char *text)
{
    struct py_value *value = py_value_new(reading->arena, PYV_TEXT);
    value->text = copied(reading, text, strlen(text));
    value->where = reading->path;
    value->rank = (uint8_t)reading->rank;
    py_map_set(map, reading->arena, text_from(key), value);
}

/* Writes what a tag of HyperPyYAML names as Hydra does: as _target_, and as
 * _partial_ if the class or function is not called yet. */
static void add_target(struct reading *reading, struct py_map *map,
                       const yaml_char_t *tag)
{
    const char *name = named_by(tag);
    if (!name)
        return;
    set_text(reading, map, "_target_", name);
    if (strncmp((const char *)tag, "!name:", 6) == 0) {
        struct py_value *yes = py_value_new(reading->arena, PYV_BOOL);
        yes->number = 1;
        py_map_set(map, reading->arena, text_from("_partial_"), yes);
    }
}

/* Writes <key> of "!ref <key>/x" as ${key}. */
static struct text as_reference(struct reading *reading, struct text text)
{
    struct text out = {"", 0};
    while (text.len) {
        struct text part = text_split(text, '<', &text);
        out = py_join(reading->arena, out, "", part);
        if (!text.len)
            break;
        part = text_split(text, '>', &text);
        out = py_join(reading->arena, out, "${", part);
        out = py_join(reading->arena, out, "}", (struct text){"", 0});
    }
    return out;
}

static struct py_value *scalar_of(struct reading *reading,
                                  const yaml_event_t *event)
{
    char where[4200];
    int n = snprintf(where, sizeof where, "%.4096s:%zu", reading->path,
                     event->start_mark.line + 1);
    const char *at = arena_copy(reading->arena, where, (size_t)n);
    struct text text =
        copied(reading, event->data.scalar.value, event->data.scalar.length);
    struct py_value *value;
    const yaml_char_t *tag = event->data.scalar.tag;
    if (named_by(tag)) {
        value = py_value_new(reading->arena, PYV_DICT);
        value->map = ARENA_NEW(reading->arena, struct py_map);
        add_target(reading, value->map, tag);
        return value;
    }
    if (tag && (strcmp((const char *)tag, "!ref") == 0 ||
                strcmp((const char *)tag, "!copy") == 0))
        text = as_reference(reading, text);
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return py_plain_value(reading->arena, text, at, reading->rank);
    value = py_value_new(reading->arena, PYV_TEXT);
    value->text = text;
    value->where = at;
    value->rank = (uint8_t)reading->rank;
    return value;
}

static struct py_value *next_node(struct reading *reading, unsigned depth,
                                  yaml_event_type_t *end);

static void remember(struct reading *reading, const yaml_char_t *anchor,
                     struct py_value *value)
{
    if (anchor)
        py_map_set(&reading->anchors, reading->arena,
                   copied(reading, anchor, strlen((const char *)anchor)),
                   value);
}

/* Adds the number of values inside a value that an alias repeats to the number
 * of nodes. */
static void count(struct reading *reading, const struct py_value *value,
                  unsigned depth)
{
    for (size_t i = 0; value->map && i < value->map->n && depth < DEEP_MAX &&
                       reading->nodes < NODES_MAX;
         i++) {
        reading->nodes++;
        count(reading, value->map->at[i].value, depth + 1);
    }
}

/* Sets the items of a map, or of the maps of a list, that `<<` names. Items
 * that are set already stay. */
static void merge_keys(struct reading *reading, struct py_map *into,
                       const struct py_value *from)
{
    for (size_t i = 0; from->type == PYV_LIST && i < from->map->n; i++) {
        if (from->map->at[i].value->type == PYV_DICT)
            merge_keys(reading, into, from->map->at[i].value);
    }
    for (size_t i = 0; from->type == PYV_DICT && i < from->map->n; i++) {
        const struct py_item *item = &from->map->at[i];
        if (!py_map_get(into, item->key))
            py_map_set(into, reading->arena, item->key, item->value);
    }
}

static void read_map(struct reading *reading, struct py_value *map,
                     unsigned depth)
{
    yaml_event_type_t end = YAML_NO_EVENT;
    struct py_value *merged = NULL;
    while (!reading->ended) {
        struct py_value *key = next_node(reading, depth, &end);
        if (!key)
            break;
        struct text name = py_value_text(key, reading->arena);
        struct py_value *value = next_node(reading, depth, &end);
        if (!value)
            break;
        if (text_is(name, "<<"))
            merged = value;
        else if (name.len)
            py_map_set(map->map, reading->arena, name, value);
    }
    if (merged)
        merge_keys(reading, map->map, merged);
}

static void read_list(struct reading *reading, struct py_value *list,
                      unsigned depth)
{
    yaml_event_type_t end = YAML_NO_EVENT;
    struct py_value *value;
    while (!reading->ended && (value = next_node(reading, depth, &end)))
        py_map_set(list->map, reading->arena, (struct text){"", 0}, value);
}

static struct py_value *collection(struct reading *reading, enum py_type type,
                                   const yaml_char_t *anchor,
                                   const yaml_char_t *tag, unsigned depth)
{
    struct py_value *value = py_value_new(reading->arena, type);
    value->map = ARENA_NEW(reading->arena, struct py_map);
    value->where = reading->path;
    value->rank = (uint8_t)reading->rank;
    if (depth >= DEEP_MAX)
        reading->ended = true;
    else if (type == PYV_DICT)
        read_map(reading, value, depth + 1);
    else
        read_list(reading, value, depth + 1);
    if (type == PYV_LIST && named_by(tag)) {
        /* the arguments without names */
        struct py_value *made = py_value_new(reading->arena, PYV_DICT);
        made->map = ARENA_NEW(reading->arena, struct py_map);
        py_map_set(made->map, reading->arena, text_from("_args_"), value);
        value = made;
    }
    if (value->type == PYV_DICT)
        add_target(reading, value->map, tag);
    /* Only now, because an alias within its own anchor would make a loop. */
    remember(reading, anchor, value);
    return value;
}

static struct py_value *alias_of(struct reading *reading,
                                 const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    struct py_value *value = py_map_get(&reading->anchors, text_from(name));
    if (!value)
        return py_value_new(reading->arena, PYV_NONE);
    count(reading, value, 0);
    return value;
}

/* Reads the next value and sets *end to the kind of the event that was read.
 * Returns NULL if the event is not a value, such as the end of a collection,
 * and, with `ended` set, after an error or too many nodes. */
static struct py_value *next_node(struct reading *reading, unsigned depth,
                                  yaml_event_type_t *end)
{
    yaml_event_t event;
    struct py_value *value = NULL;
    if (reading->ended || reading->nodes++ > NODES_MAX ||
        !yaml_parser_parse(&reading->parser, &event)) {
        reading->ended = true;
        return NULL;
    }
    *end = event.type;
    if (event.type == YAML_SCALAR_EVENT) {
        value = scalar_of(reading, &event);
        remember(reading, event.data.scalar.anchor, value);
    } else if (event.type == YAML_ALIAS_EVENT) {
        value = alias_of(reading, &event);
    } else if (event.type == YAML_MAPPING_START_EVENT) {
        value = collection(reading, PYV_DICT, event.data.mapping_start.anchor,
                           event.data.mapping_start.tag, depth);
    } else if (event.type == YAML_SEQUENCE_START_EVENT) {
        value = collection(reading, PYV_LIST, event.data.sequence_start.anchor,
                           event.data.sequence_start.tag, depth);
    } else if (event.type == YAML_STREAM_END_EVENT) {
        reading->ended = true;
    }
    yaml_event_delete(&event);
    return value;
}

struct py_value *py_yaml_value(struct text source, const char *path,
                               enum setting_rank rank, struct arena *arena)
{
    struct reading reading = {.arena = arena, .path = path, .rank = rank};
    struct py_value *root = NULL;
    if (!source.len || !yaml_parser_initialize(&reading.parser))
        return NULL;
    yaml_parser_set_input_string(&reading.parser,
                                 (const unsigned char *)source.at, source.len);
    while (!reading.ended) {
        yaml_event_type_t end;
        struct py_value *value = next_node(&reading, 0, &end);
        if (value && !root)
            root = value;
        else if (value && root->type == PYV_DICT && value->type == PYV_DICT)
            merge_keys(&reading, root->map, value);
    }
    yaml_parser_delete(&reading.parser);
    return root;
}
