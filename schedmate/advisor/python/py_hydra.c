/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Composes configurations as Hydra does. */
#include <stdio.h>
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};
enum { GROUPS_MAX = 60, PATH_BYTES = 512 };

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
    char path[PATH_BYTES];
    bool yaml =
        name.len > 5 && (memcmp(name.at + name.len - 5, ".yaml", 5) == 0);
    while (name.len && name.at[0] == '/')
        name = text_skip(name, 1);
    int n = snprintf(path, sizeof path, "%s/%.*s%s%.*s%s", compose->folder,
                     (int)group.len, group.at, group.len ? "/" : "",
                     (int)name.len, name.at, yaml ? "" : ".yaml");
    if (n < 0 || (size_t)n >= sizeof path || compose->n_groups++ > GROUPS_MAX)
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

static void add_file(struct compose *compose, struct text group,
                     struct text name, struct text package, unsigned depth);

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
        package = none;
    else if (text_is(package, "_here_"))
        package = as_package(machine, group);
    add_file(compose, key, name, package, depth);
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
            add_file(compose, group, one->text, package, depth + 1);
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
static void add_file(struct compose *compose, struct text group,
                     struct text name, struct text package, unsigned depth)
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
        package = text_is(own->text, "_global_") ? none : own->text;
    add_defaults(compose, group, list, value, package, depth);
}

/* True if the group `key` has a file `name`, so that the word KEY=NAME of the
 * command chooses it, as model=vit does. */
static bool is_group(struct compose *compose, struct text key, struct text name)
{
    char path[PATH_BYTES];
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
            add_default(compose, none, key, name, 1);
    }
}

/* Sets key=value, +key=value and ++key=value; removes ~key. */
static void override(struct compose *compose, const struct py_map *words)
{
    struct py_machine *machine = compose->machine;
    for (size_t i = 0; i < words->n; i++) {
        const struct py_value *word = words->at[i].value;
        struct text value, key;
        if (!py_is_text(word) || text_char(word->text, 0) == '-')
            continue;
        key = text_split(word->text, '=', &value);
        if (text_char(key, 0) == '~') {
            py_map_remove(compose->root->map, text_skip(key, 1));
            continue;
        }
        while (text_char(key, 0) == '+')
            key = text_skip(key, 1);
        if (!value.len || is_group(compose, key, value))
            continue;
        py_set_dotted(
            machine, compose->root, key,
            py_plain_value(machine->arena, value, word->where, word->rank));
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
    return py_is_text(value) ? value->text : none;
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
        add_file(&compose, none, file, none, 0);
    choose(&compose, machine->words, true);
    override(&compose, machine->words);
    py_interpolate(machine, compose.root);
    py_note_all(machine, compose.root, none, 0);
    return compose.root;
}
