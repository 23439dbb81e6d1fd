/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/python/py_config.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"
#include "schedmate/advisor/python/py_yaml.h"

enum { DEEP_MAX = 16, BASES_MAX = 12 };
/* Steps (of PY_STEPS_MAX) that reading a file of settings that is no Python
 * costs, besides one for every 8 bytes. The evaluation of a node of a syntax
 * tree costs one. */
enum { FILE_STEPS = 500 };

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

/* What all values of a file share. */
struct reading {
    struct arena *arena;
    const char *path;
    enum setting_rank rank;
};

static struct py_value *new_value(const struct reading *reading,
                                  enum py_type type)
{
    struct py_value *value = py_value_new(reading->arena, type);
    value->where = reading->path;
    value->rank = (uint8_t)reading->rank;
    if (type == PYV_DICT || type == PYV_LIST)
        value->map = ARENA_NEW(reading->arena, struct py_map);
    return value;
}

static struct py_value *from_json(const struct reading *reading, json_t *json,
                                  unsigned depth)
{
    struct py_value *value = new_value(reading, PYV_NONE);
    const char *name;
    json_t *member;
    size_t i;
    if (depth > DEEP_MAX)
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

static struct text trimmed(struct text t)
{
    t = text_trim(t);
    while (t.len && (t.at[t.len - 1] == '\r' || t.at[t.len - 1] == ','))
        t = text_trim((struct text){t.at, t.len - 1});
    return t;
}

/* Returns the dictionary at a dotted key, which is made if there is none. */
static struct py_value *section_of(const struct reading *reading,
                                   struct py_value *root, struct text key)
{
    for (int i = 0; key.len && i < DEEP_MAX; i++) {
        struct text part = text_split(key, '.', &key);
        struct py_value *inner = py_map_get(root->map, part);
        if (!inner || inner->type != PYV_DICT) {
            inner = new_value(reading, PYV_DICT);
            py_map_set(root->map, reading->arena, part, inner);
        }
        root = inner;
    }
    return root;
}

/* Reads TOML, INI and the bindings of gin: [sections] and key = value. */
static struct py_value *from_ini(const struct reading *reading,
                                 struct text source)
{
    struct py_value *root = new_value(reading, PYV_DICT), *section = root;
    for (unsigned number = 1; source.len; number++) {
        struct text line = text_split(source, '\n', &source), value;
        line = trimmed(settings_without_comment(line));
        while (line.len > 2 && line.at[0] == '[' &&
               line.at[line.len - 1] == ']') {
            line = (struct text){line.at + 1, line.len - 2};
            if (line.at[0] != '[')
                section = section_of(reading, root, line);
        }
        struct text key = text_split(line, '=', &value);
        if (key.len == line.len || !value.len)
            continue;
        char where[4200];
        int n =
            snprintf(where, sizeof where, "%.4096s:%u", reading->path, number);
        const char *dot = key.len ? memrchr(key.at, '.', key.len) : NULL;
        struct py_value *into = section;
        key = text_trim(key);
        if (dot) {
            into = section_of(reading, section,
                              (struct text){key.at, (size_t)(dot - key.at)});
            key = text_trim(text_skip(key, (size_t)(dot + 1 - key.at)));
        }
        py_map_set(into->map, reading->arena, key,
                   py_plain_value(reading->arena, trimmed(value),
                                  arena_copy(reading->arena, where, (size_t)n),
                                  reading->rank));
    }
    return root;
}

/* Returns the value of a file's text in the format that the ending of its path
 * says: YAML, JSON, or TOML, INI and the like. Several documents in one YAML
 * file are merged. Scalars have `rank` and say where they stand. Returns NULL
 * if the text has no value, is of another format or is JSON with an error;
 * after an error in YAML, only what stands before it. */
static struct py_value *config_value(struct text source, const char *path,
                                     enum setting_rank rank,
                                     struct arena *arena)
{
    const struct reading reading = {arena, path, rank};
    if (ends_with(path, ".json")) {
        json_t *json = json_loadb(source.at, source.len, 0, NULL);
        struct py_value *value = json ? from_json(&reading, json, 0) : NULL;
        json_decref(json);
        return value;
    }
    if (ends_with(path, ".yaml") || ends_with(path, ".yml"))
        return py_yaml_value(source, path, rank, arena);
    if (ends_with(path, ".toml") || ends_with(path, ".ini") ||
        ends_with(path, ".cfg") || ends_with(path, ".gin") ||
        ends_with(path, ".conf"))
        return from_ini(&reading, source);
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
    for (size_t i = 0;
         names->type == PYV_LIST && i < names->map->n && i < BASES_MAX; i++)
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
        struct text name =
            trimmed(text_skip(line, (size_t)(hit - line.at) + sizeof mark - 1));
        struct py_value *text = py_value_new(machine->arena, PYV_TEXT);
        text->text = name;
        py_map_set(value->map, machine->arena, text_from("%package"), text);
        return;
    }
}

struct py_value *py_read_found(struct py_machine *machine, const char *path)
{
    struct text source;
    struct py_value *value = NULL;
    if (ends_with(path, ".py"))
        value = from_python(machine, path);
    else if (machine->steps < PY_STEPS_MAX &&
             machine->host->read(machine->host->self, path, &source)) {
        machine->steps += FILE_STEPS + source.len / 8;
        value = config_value(source, path, SETTING_CONFIG, machine->arena);
    }
    if (value && value->type == PYV_DICT && !ends_with(path, ".py"))
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
