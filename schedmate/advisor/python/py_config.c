/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads configuration files as values, and merges such values. */
#include "schedmate/advisor/python/py_machine_internal.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "schedmate/advisor/python/py_value.h"
#include "schedmate/advisor/python/settings.h"

/* What the evaluator of Python knows of the classes of configurations:
 * OmegaConf, yacs, ConfigDict, namespaces. */

static struct py_value *py_read_found(struct py_machine *machine,
                                      const char *path);

struct py_value *py_first(struct py_machine *machine, struct py_call *call)
{
    struct py_value *value = py_argument(call, 0, "obj");
    return value ? value : machine->unknown;
}

/* Evaluates dict(...), Namespace(...), ConfigDict(...) and the like to a
 * dictionary, which is `open` if the items of an argument are not known. */
struct py_value *py_as_dict(struct py_machine *machine, struct py_call *call)
{
    struct py_value *dict = py_dict_value(machine);
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_item *item = &call->arguments.at[i];
        if (item->key.len)
            py_map_set(dict->map, machine->arena, item->key, item->value);
        else if (item->value->type == PYV_DICT)
            py_merge(machine, dict, py_copy(machine, item->value, 0), false);
        else if (item->value->type == PYV_OBJECT)
            py_merge(machine, dict, item->value, false);
        else
            dict->map->open = true;
    }
    dict->map->open |= call->arguments.open;
    return dict;
}

/* Evaluates OmegaConf.merge(a, b, ...). */
static struct py_value *merge_all(struct py_machine *machine,
                                  struct py_call *call)
{
    struct py_value *out = py_dict_value(machine);
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_value *one = call->arguments.at[i].value;
        if (one->type == PYV_DICT || one->type == PYV_OBJECT)
            py_merge(machine, out, py_copy(machine, one, 0), true);
        else
            out->map->open = true;
    }
    py_interpolate(machine, out);
    return out;
}

static struct py_value *from_cli(struct py_machine *machine,
                                 struct py_call *call)
{
    struct py_value *out = py_dict_value(machine);
    struct py_value *words = py_list_value(machine);
    const struct py_value *given = py_argument(call, 0, "args_list");
    words->map = (struct py_map *)(uintptr_t)machine->words;
    py_merge_list(machine, out,
                  given && given->type == PYV_LIST ? given : words);
    return out;
}

static struct py_value *omegaconf_copied(struct py_machine *machine,
                                         struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "x");
    return of ? py_copy(machine, of, 0) : machine->unknown;
}

static struct py_value *config_nothing(struct py_machine *machine,
                                       struct py_call *call)
{
    (void)call;
    return machine->unknown;
}

static const struct py_library_row py_config_rows[] = {
    {"SimpleNamespace", py_as_dict},
    {"Namespace", py_as_dict},
    {"EasyDict", py_as_dict},
    {"edict", py_as_dict},
    {"AttrDict", py_as_dict},
    {"ConfigDict", py_as_dict},
    {"FrozenConfigDict", py_as_dict},
    {"OrderedDict", py_as_dict},
    {"CfgNode", py_as_dict},
    {"CN", py_as_dict},
    {"Munch", py_as_dict},
    {"munchify", py_first},
    {"DotMap", py_as_dict},
    {"Box", py_as_dict},
    {"addict.Dict", py_as_dict},
    {"OmegaConf.create", py_as_dict},
    {"OmegaConf.merge", merge_all},
    {"OmegaConf.unsafe_merge", merge_all},
    {"OmegaConf.from_cli", from_cli},
    {"OmegaConf.to_container", py_first},
    {"OmegaConf.to_object", py_first},
    {"OmegaConf.set_struct", config_nothing},
    {"copy.deepcopy", omegaconf_copied},
    {"deepcopy", omegaconf_copied},
    {"copy.copy", omegaconf_copied},
};

struct py_value *py_config_call(struct py_machine *machine,
                                struct py_call *call)
{
    return py_by_rows(machine, call, py_config_rows,
                      sizeof py_config_rows / sizeof *py_config_rows);
}

/* Reads YAML with libyaml. */

enum { PY_CONFIG_NODES_MAX = 20000, YAML_DEEP_MAX = 40 };

struct yaml_reading {
    yaml_parser_t parser;
    struct arena *arena;
    const char *path;
    enum setting_rank rank;
    struct py_map anchors;
    size_t nodes;
    bool ended;
};

static struct text yaml_copied(const struct yaml_reading *reading,
                               const void *at, size_t len)
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

static void config_set_text(struct yaml_reading *reading, struct py_map *map,
                            const char *key, const char *text)
{
    struct py_value *value = py_value_new(reading->arena, PYV_TEXT);
    value->text = yaml_copied(reading, text, strlen(text));
    value->where = reading->path;
    value->rank = (uint8_t)reading->rank;
    py_map_set(map, reading->arena, text_from(key), value);
}

/* Writes what a tag of HyperPyYAML names as Hydra does: as _target_, and as
 * _partial_ if the class or function is not called yet. */
static void add_target(struct yaml_reading *reading, struct py_map *map,
                       const yaml_char_t *tag)
{
    const char *name = named_by(tag);
    if (!name)
        return;
    config_set_text(reading, map, "_target_", name);
    if (strncmp((const char *)tag, "!name:", 6) == 0) {
        struct py_value *yes = py_value_new(reading->arena, PYV_BOOL);
        yes->number = 1;
        py_map_set(map, reading->arena, text_from("_partial_"), yes);
    }
}

/* Writes <key> of "!ref <key>/x" as ${key}. */
static struct text as_reference(struct yaml_reading *reading, struct text text)
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

static struct py_value *scalar_of(struct yaml_reading *reading,
                                  const yaml_event_t *event)
{
    char where[4200];
    int n = snprintf(where, sizeof where, "%.4096s:%zu", reading->path,
                     event->start_mark.line + 1);
    const char *at = arena_copy(reading->arena, where, (size_t)n);
    struct text text = yaml_copied(reading, event->data.scalar.value,
                                   event->data.scalar.length);
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

static struct py_value *next_node(struct yaml_reading *reading, unsigned depth,
                                  yaml_event_type_t *end);

static void remember(struct yaml_reading *reading, const yaml_char_t *anchor,
                     struct py_value *value)
{
    if (anchor)
        py_map_set(&reading->anchors, reading->arena,
                   yaml_copied(reading, anchor, strlen((const char *)anchor)),
                   value);
}

/* Adds the number of values inside a value that an alias repeats to the number
 * of nodes. */
static void count(struct yaml_reading *reading, const struct py_value *value,
                  unsigned depth)
{
    for (size_t i = 0;
         value->map && i < value->map->n && depth < YAML_DEEP_MAX &&
         reading->nodes < PY_CONFIG_NODES_MAX;
         i++) {
        reading->nodes++;
        count(reading, value->map->at[i].value, depth + 1);
    }
}

/* Sets the items of a map, or of the maps of a list, that `<<` names. Items
 * that are set already stay. */
static void merge_keys(struct yaml_reading *reading, struct py_map *into,
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

static void read_map(struct yaml_reading *reading, struct py_value *map,
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

static void config_read_list(struct yaml_reading *reading,
                             struct py_value *list, unsigned depth)
{
    yaml_event_type_t end = YAML_NO_EVENT;
    struct py_value *value;
    while (!reading->ended && (value = next_node(reading, depth, &end)))
        py_map_set(list->map, reading->arena, (struct text){"", 0}, value);
}

static struct py_value *config_collection(struct yaml_reading *reading,
                                          enum py_type type,
                                          const yaml_char_t *anchor,
                                          const yaml_char_t *tag,
                                          unsigned depth)
{
    struct py_value *value = py_value_new(reading->arena, type);
    value->map = ARENA_NEW(reading->arena, struct py_map);
    value->where = reading->path;
    value->rank = (uint8_t)reading->rank;
    if (depth >= YAML_DEEP_MAX)
        reading->ended = true;
    else if (type == PYV_DICT)
        read_map(reading, value, depth + 1);
    else
        config_read_list(reading, value, depth + 1);
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

static struct py_value *alias_of(struct yaml_reading *reading,
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
static struct py_value *next_node(struct yaml_reading *reading, unsigned depth,
                                  yaml_event_type_t *end)
{
    yaml_event_t event;
    struct py_value *value = NULL;
    if (reading->ended || reading->nodes++ > PY_CONFIG_NODES_MAX ||
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
        value = config_collection(reading, PYV_DICT,
                                  event.data.mapping_start.anchor,
                                  event.data.mapping_start.tag, depth);
    } else if (event.type == YAML_SEQUENCE_START_EVENT) {
        value = config_collection(reading, PYV_LIST,
                                  event.data.sequence_start.anchor,
                                  event.data.sequence_start.tag, depth);
    } else if (event.type == YAML_STREAM_END_EVENT) {
        reading->ended = true;
    }
    yaml_event_delete(&event);
    return value;
}

/* Returns the value of a YAML text, NULL if it has none. Documents that are
 * maps are merged into one. An alias means the value of its anchor, and `<<`
 * merges maps. Nodes that aliases repeat are counted again, so that the work is
 * bounded; after an error or too many nodes the rest is left out. */
static struct py_value *py_yaml_value(struct text source, const char *path,
                                      enum setting_rank rank,
                                      struct arena *arena)
{
    struct yaml_reading reading = {.arena = arena, .path = path, .rank = rank};
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

enum { CONFIG_DEEP_MAX = 16, PY_CONFIG_BASES_MAX = 12 };

/* Steps (of PY_STEPS_MAX) that reading a file of settings that is no Python
 * costs, besides one for every 8 bytes. The evaluation of a node of a syntax
 * tree costs one. */
enum { PY_CONFIG_FILE_STEPS = 500 };

static bool config_ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* What all values of a file share. */
struct config_reading {
    struct arena *arena;
    const char *path;
    enum setting_rank rank;
};

static struct py_value *new_value(const struct config_reading *reading,
                                  enum py_type type)
{
    struct py_value *value = py_value_new(reading->arena, type);
    value->where = reading->path;
    value->rank = (uint8_t)reading->rank;
    if (type == PYV_DICT || type == PYV_LIST)
        value->map = ARENA_NEW(reading->arena, struct py_map);
    return value;
}

static struct py_value *from_json(const struct config_reading *reading,
                                  json_t *json, unsigned depth)
{
    struct py_value *value = new_value(reading, PYV_NONE);
    const char *name;
    json_t *member;
    size_t i;
    if (depth > CONFIG_DEEP_MAX)
        return value;
    if (json_is_object(json)) {
        value = new_value(reading, PYV_DICT);
        json_object_foreach(json, name, member) py_map_set(
            value->map, reading->arena,
            text_from(arena_copy(reading->arena, name, strlen(name))),
            from_json(reading, member, depth + 1));
    } else if (json_is_array(json)) {
        value = new_value(reading, PYV_LIST);
        json_array_foreach(json, i, member)
            py_map_set(value->map, reading->arena, (struct text){"", 0},
                       from_json(reading, member, depth + 1));
    } else if (json_is_string(json)) {
        value->type = PYV_TEXT;
        const char *text = json_string_value(json);
        value->text = text_from(arena_copy(reading->arena, text, strlen(text)));
    } else if (json_is_number(json)) {
        value->type = PYV_NUMBER;
        value->number = json_number_value(json);
    } else if (json_is_boolean(json)) {
        value->type = PYV_BOOL;
        value->number = json_is_true(json);
    }
    return value;
}

static struct text config_trimmed(struct text t)
{
    t = text_trim(t);
    while (t.len && (t.at[t.len - 1] == '\r' || t.at[t.len - 1] == ','))
        t = text_trim((struct text){t.at, t.len - 1});
    return t;
}

/* Returns the value of a file's text in the format that the ending of its path
 * says: YAML or JSON. Several documents in one YAML
 * file are merged. Scalars have `rank` and say where they stand. Returns NULL
 * if the text has no value, is of another format or is JSON with an error;
 * after an error in YAML, only what stands before it. */
static struct py_value *config_value(struct text source, const char *path,
                                     enum setting_rank rank,
                                     struct arena *arena)
{
    const struct config_reading reading = {arena, path, rank};
    if (config_ends_with(path, ".json")) {
        json_t *json = json_loadb(source.at, source.len, 0, NULL);
        struct py_value *value = json ? from_json(&reading, json, 0) : NULL;
        json_decref(json);
        return value;
    }
    if (config_ends_with(path, ".yaml") || config_ends_with(path, ".yml"))
        return py_yaml_value(source, path, rank, arena);
    return NULL;
}

void py_mark_config(struct py_machine *machine, struct py_value *value,
                    unsigned depth)
{
    for (size_t i = 0; value->map && depth < 8 && i < value->map->n &&
                       machine->steps++ < PY_STEPS_MAX;
         i++) {
        struct py_value *item = value->map->at[i].value;
        if (py_is_scalar(item) && item->rank > SETTING_CONFIG)
            value->map->at[i].value =
                py_with_source(machine, item, item->where, SETTING_CONFIG);
        else if (item->type == PYV_DICT || item->type == PYV_LIST)
            py_mark_config(machine, item, depth + 1);
    }
}

/* Reads a configuration that is a Python module: its global names whose values
 * are scalars, lists or dictionaries. */
static struct py_value *from_python(struct py_machine *machine,
                                    const char *path)
{
    struct py_file *file = py_load(machine, path);
    struct py_value *value = py_dict_value(machine);
    for (size_t i = 0; file && i < file->scope.names.n; i++) {
        const struct py_item *item = &file->scope.names.at[i];
        bool data = py_is_scalar(item->value) ||
                    item->value->type == PYV_DICT ||
                    item->value->type == PYV_LIST;
        if (data)
            py_map_set(value->map, machine->arena, item->key, item->value);
    }
    py_mark_config(machine, value, 0);
    return value;
}

/* Returns what a configuration names as its bases: a text or a list; NULL if it
 * names none. */
static const struct py_value *bases_of(const struct py_value *value)
{
    static const char *const keys[] = {"_base_", "_BASE_",      "__base__",
                                       "_base",  "base_config", "BASE_CONFIG",
                                       "BASE",   "inherit_from"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct py_value *names = py_map_find(value->map, keys[i]);
        if (names && (names->type == PYV_LIST || names->type == PYV_TEXT))
            return names;
    }
    return NULL;
}

/* Merges the base with this name into a configuration. */
static void add_base(struct py_machine *machine, struct py_value *out,
                     const char *path, const struct py_value *name)
{
    const struct py_host *host = machine->host;
    if (!py_is_text(name) || machine->config_depth >= 8)
        return;
    const char *found =
        host->find(host->self, path,
                   arena_copy(machine->arena, name->text.at, name->text.len));
    if (!found || strcmp(found, path) == 0)
        return;
    machine->config_depth++;
    const struct py_value *base = py_read_found(machine, found);
    machine->config_depth--;
    if (base && base->type == PYV_DICT)
        py_merge(machine, out, base, true);
}

/* Returns a configuration merged over the bases that it names. */
static struct py_value *with_bases(struct py_machine *machine,
                                   struct py_value *value, const char *path)
{
    const struct py_value *names = bases_of(value);
    if (!names)
        return value;
    struct py_value *out = py_dict_value(machine);
    if (names->type == PYV_TEXT)
        add_base(machine, out, path, names);
    for (size_t i = 0; names->type == PYV_LIST && i < names->map->n &&
                       i < PY_CONFIG_BASES_MAX;
         i++)
        add_base(machine, out, path, names->map->at[i].value);
    py_merge(machine, out, value, true);
    return out;
}

/* Keeps under the key "%package" the package of a Hydra file, which a comment
 * "# @package NAME" in its first lines names. */
static void keep_package(struct py_machine *machine, struct text source,
                         const struct py_value *value)
{
    static const char mark[] = "@package";
    for (int i = 0; i < 6 && source.len; i++) {
        struct text line = text_trim(text_split(source, '\n', &source));
        const char *hit = line.len && line.at[0] == '#'
                              ? memmem(line.at, line.len, mark, sizeof mark - 1)
                              : NULL;
        if (!hit)
            continue;
        struct text name = config_trimmed(
            text_skip(line, (size_t)(hit - line.at) + sizeof mark - 1));
        struct py_value *text = py_value_new(machine->arena, PYV_TEXT);
        text->text = name;
        py_map_set(value->map, machine->arena, text_from("%package"), text);
        return;
    }
}

/* Returns the value of the file at a path that the host has found, merged over
 * its bases; NULL if it has none. */
static struct py_value *py_read_found(struct py_machine *machine,
                                      const char *path)
{
    struct text source;
    struct py_value *value = NULL;
    if (config_ends_with(path, ".py"))
        value = from_python(machine, path);
    else if (machine->steps < PY_STEPS_MAX &&
             machine->host->read(machine->host->self, path, &source)) {
        machine->steps += PY_CONFIG_FILE_STEPS + source.len / 8;
        value = config_value(source, path, SETTING_CONFIG, machine->arena);
    }
    if (value && value->type == PYV_DICT && !config_ends_with(path, ".py"))
        keep_package(machine, source, value);
    return value && value->type == PYV_DICT
               ? with_bases(machine, py_copy(machine, value, 0), path)
               : value;
}

struct py_value *py_read_config(struct py_machine *machine, struct text path)
{
    const char *name = arena_copy(machine->arena, path.at, path.len);
    const char *found = machine->host->find(machine->host->self, NULL, name);
    if (!found)
        found =
            machine->host->find(machine->host->self, machine->file->path, name);
    struct py_value *value = found ? py_read_found(machine, found) : NULL;
    if (value && value->type == PYV_DICT)
        py_map_set(&machine->loaded, machine->arena, (struct text){"", 0},
                   py_copy(machine, value, 0));
    return value;
}

struct py_value *py_exists(struct py_machine *machine, struct text path)
{
    const char *name = arena_copy(machine->arena, path.at, path.len);
    const struct py_host *host = machine->host;
    return host->find(host->self, NULL, name) ||
                   host->find(host->self, machine->file->path, name)
               ? py_bool_value(machine, true)
               : machine->unknown;
}

struct py_value *py_open(struct py_machine *machine, struct text path)
{
    struct py_value *file = py_object_value(machine, text_from("open"));
    py_map_set(file->map, machine->arena, text_from("name"),
               py_text_value(machine, path));
    return file;
}

/* Composes configurations as Hydra does. */

static const struct text hydra_none = {"", 0};

enum { PY_CONFIG_GROUPS_MAX = 60, PY_CONFIG_PATH_BYTES = 512 };

/* A configuration that is being composed. */
struct compose {
    struct py_machine *machine;
    const char *folder; /* folder in which the groups lie */
    const char *from;   /* file to whose folder `folder` is relative */
    struct py_value *root;
    /* The files that the command chooses: group -> name. */
    struct py_map chosen;
    struct py_map taken; /* files chosen so far: group -> name */
    unsigned n_groups;
};

/* Reads FOLDER/GROUP/NAME.yaml, or FOLDER/NAME.yaml if `group` is empty.
 * Returns NULL if there is no such file or it is not a dictionary. */
static struct py_value *read_named(struct compose *compose, struct text group,
                                   struct text name)
{
    char path[PY_CONFIG_PATH_BYTES];
    bool yaml =
        name.len > 5 && (memcmp(name.at + name.len - 5, ".yaml", 5) == 0);
    while (name.len && name.at[0] == '/')
        name = text_skip(name, 1);
    int n = snprintf(path, sizeof path, "%s/%.*s%s%.*s%s", compose->folder,
                     (int)group.len, group.at, group.len ? "/" : "",
                     (int)name.len, name.at, yaml ? "" : ".yaml");
    if (n < 0 || (size_t)n >= sizeof path ||
        compose->n_groups++ > PY_CONFIG_GROUPS_MAX)
        return NULL;
    const struct py_host *host = compose->machine->host;
    const char *found = host->find(host->self, compose->from, path);
    struct py_value *value =
        found ? py_read_found(compose->machine, found) : NULL;
    return value && value->type == PYV_DICT ? value : NULL;
}

static void merge_at(struct compose *compose, struct text package,
                     const struct py_value *value)
{
    struct py_machine *machine = compose->machine;
    struct py_value *into = compose->root;
    if (package.len) {
        into = py_get_dotted(compose->root, package);
        if (!into || into->type != PYV_DICT) {
            into = py_dict_value(machine);
            py_set_dotted(machine, compose->root, package, into);
        }
    }
    py_merge(machine, into, py_copy(machine, value, 0), true);
}

static struct text as_package(struct py_machine *machine, struct text group)
{
    char *at = arena_copy(machine->arena, group.at, group.len);
    for (size_t i = 0; i < group.len; i++)
        at[i] = at[i] == '/' ? '.' : at[i];
    return (struct text){at, group.len};
}

static void config_add_file(struct compose *compose, struct text group,
                            struct text name, struct text package,
                            unsigned depth);

/* Replaces the first ${group} in the name of a file by the name of the file
 * chosen for that group. */
static struct text with_choices(struct compose *compose, struct text name)
{
    struct text rest, before = text_split(name, '$', &rest);
    if (text_char(rest, 0) != '{')
        return name;
    struct text group = text_split(text_skip(rest, 1), '}', &rest);
    const struct py_value *chosen = py_map_get(&compose->taken, group);
    if (!py_is_text(chosen))
        return name;
    struct arena *arena = compose->machine->arena;
    return py_join(arena, py_join(arena, before, "", chosen->text), "", rest);
}

/* Adds the entry `key: name` of a list of defaults: the file `name` of the
 * group that `key` means within `group`, unless the command chooses another
 * file of that group. */
static void add_default(struct compose *compose, struct text group,
                        struct text key, struct text name, unsigned depth)
{
    struct py_machine *machine = compose->machine;
    struct text package;
    static const char *const words[] = {"override ", "optional "};
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < 2; i++) {
            if (text_starts(key, words[i]))
                key = text_trim(text_skip(key, strlen(words[i])));
        }
    }
    key = text_split(key, '@', &package);
    bool absolute = text_char(key, 0) == '/';
    if (absolute)
        key = text_skip(key, 1);
    if (group.len && !absolute)
        key = key.len ? py_join(machine->arena, group, "/", key) : group;
    const struct py_value *chosen = py_map_get(&compose->chosen, key);
    if (py_is_text(chosen))
        name = chosen->text;
    name = with_choices(compose, name);
    if (name.len)
        py_map_set(&compose->taken, machine->arena, key,
                   py_text_value(machine, name));
    if (!package.len)
        package = as_package(machine, key);
    else if (text_is(package, "_global_"))
        package = hydra_none;
    else if (text_is(package, "_here_"))
        package = as_package(machine, group);
    config_add_file(compose, key, name, package, depth);
}

/* Adds the files in the list of defaults of a file. `self`, the value of the
 * file itself, is merged where _self_ stands, or last. */
static void add_defaults(struct compose *compose, struct text group,
                         const struct py_value *list,
                         const struct py_value *self, struct text package,
                         unsigned depth)
{
    struct py_machine *machine = compose->machine;
    bool merged = false;
    for (size_t i = 0; list && list->type == PYV_LIST && i < list->map->n;
         i++) {
        const struct py_value *one = list->map->at[i].value;
        if (py_is_text(one) && text_is(one->text, "_self_")) {
            merge_at(compose, package, self);
            merged = true;
        } else if (py_is_text(one)) {
            config_add_file(compose, group, one->text, package, depth + 1);
        } else if (one->type == PYV_DICT && one->map->n) {
            const struct py_item *item = &one->map->at[0];
            struct text name = py_value_text(item->value, machine->arena);
            add_default(compose, group, item->key, name, depth + 1);
        }
    }
    if (!merged)
        merge_at(compose, package, self);
}

/* Reads a file of a group and merges it and its defaults at `package`. A
 * comment "# @package NAME" at the start of the file, which the reader keeps as
 * the key "%package", names another package. */
static void config_add_file(struct compose *compose, struct text group,
                            struct text name, struct text package,
                            unsigned depth)
{
    struct py_value *value =
        name.len && depth < 8 ? read_named(compose, group, name) : NULL;
    if (!value)
        return;
    const struct py_value *list = py_map_find(value->map, "defaults");
    const struct py_value *own = py_map_find(value->map, "%package");
    py_map_remove(value->map, text_from("defaults"));
    py_map_remove(value->map, text_from("%package"));
    if (py_is_text(own))
        package = text_is(own->text, "_global_") ? hydra_none : own->text;
    add_defaults(compose, group, list, value, package, depth);
}

/* True if the group `key` has a file `name`, so that the word KEY=NAME of the
 * command chooses it, as model=vit does. */
static bool is_group(struct compose *compose, struct text key, struct text name)
{
    char path[PY_CONFIG_PATH_BYTES];
    const struct py_host *host = compose->machine->host;
    int n = snprintf(path, sizeof path, "%s/%.*s/%.*s.yaml", compose->folder,
                     (int)key.len, key.at, (int)name.len, name.at);
    return n > 0 && (size_t)n < sizeof path &&
           host->find(host->self, compose->from, path);
}

/* Collects the files that the command chooses for groups, as in model=vit; if
 * `append`, instead adds the files that words such as +model=vit choose. */
static void choose(struct compose *compose, const struct py_map *words,
                   bool append)
{
    for (size_t i = 0; i < words->n; i++) {
        struct text name, key;
        if (!py_is_text(words->at[i].value))
            continue;
        key = text_split(words->at[i].value->text, '=', &name);
        bool plus = text_char(key, 0) == '+';
        while (text_char(key, 0) == '+')
            key = text_skip(key, 1);
        struct text package, group = text_split(key, '@', &package);
        if (!name.len || !is_group(compose, group, name))
            continue;
        if (!append)
            py_map_set(&compose->chosen, compose->machine->arena, group,
                       py_text_value(compose->machine, name));
        else if (plus)
            add_default(compose, hydra_none, key, name, 1);
    }
}

/* Returns the value of the option `name` of the command, or of its short form
 * `brief`; an empty text if there is none. */
static struct text option(struct py_machine *machine, const char *name,
                          const char *brief)
{
    const struct py_value *words = py_command_words(machine);
    const struct py_value *value = py_map_find(words->map, name);
    if (!value)
        value = py_map_find(words->map, brief);
    return py_is_text(value) ? value->text : hydra_none;
}

static void find_folder(struct compose *compose, const struct py_call *main)
{
    struct py_machine *machine = compose->machine;
    const struct py_value *path = py_argument(main, 0, "config_path");
    struct text folder = option(machine, "config_dir", "cd");
    if (!folder.len)
        folder = option(machine, "config_path", "cp");
    compose->from = machine->files[0]->path;
    if (!folder.len && py_is_text(path)) {
        folder = path->text;
        if (main->where) {
            struct text rest,
                file = text_split(text_from(main->where), ':', &rest);
            compose->from = arena_copy(machine->arena, file.at, file.len);
        }
    }
    if (!folder.len)
        folder = text_from(".");
    while (folder.len > 1 && folder.at[folder.len - 1] == '/')
        folder.len--;
    compose->folder = arena_copy(machine->arena, folder.at, folder.len);
}

void py_note_all(struct py_machine *machine, const struct py_value *value,
                 struct text path, unsigned depth)
{
    for (size_t i = 0; value->type == PYV_DICT && depth < 10 &&
                       i < value->map->n && machine->steps++ < PY_STEPS_MAX;
         i++) {
        const struct py_item *item = &value->map->at[i];
        struct text key = path.len
                              ? py_join(machine->arena, path, ".", item->key)
                              : item->key;
        if (item->value->type == PYV_DICT)
            py_note_all(machine, item->value, key, depth + 1);
        else
            py_note(machine, key, item->value);
    }
}

struct py_value *py_hydra_compose(struct py_machine *machine,
                                  const struct py_call *main)
{
    struct compose compose = {.machine = machine,
                              .root = py_dict_value(machine)};
    const struct py_value *name = py_argument(main, 1, "config_name");
    struct text file = option(machine, "config_name", "cn");
    if (!file.len && py_is_text(name))
        file = name->text;
    find_folder(&compose, main);
    choose(&compose, machine->words, false);
    if (file.len)
        config_add_file(&compose, hydra_none, file, hydra_none, 0);
    choose(&compose, machine->words, true);
    py_interpolate(machine, compose.root);
    py_note_all(machine, compose.root, hydra_none, 0);
    return compose.root;
}
