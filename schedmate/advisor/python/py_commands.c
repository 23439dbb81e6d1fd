/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions and classes whose parameters are options of the command: fire,
 * tyro, jsonargparse, HfArgumentParser, pyrallis and the like. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};

static bool is_option_word(struct text word)
{
    double number;
    return word.len > 1 && word.at[0] == '-' && !text_to_double(word, &number);
}

static struct text option_name(struct py_machine *machine, struct text word)
{
    while (word.len && (word.at[0] == '-' || word.at[0] == '+'))
        word = text_skip(word, 1);
    char *at = arena_copy(machine->arena, word.at, word.len);
    for (size_t i = 0; i < word.len; i++)
        at[i] = at[i] == '-' ? '_' : at[i];
    return (struct text){at, word.len};
}

static struct py_value *read_words(struct py_machine *machine)
{
    struct py_value *out = py_dict_value(machine);
    const struct py_map *words = machine->words;
    for (size_t i = 0; i < words->n; i++) {
        struct py_value *word = words->at[i].value, *value;
        if (!py_is_text(word))
            continue;
        bool option = is_option_word(word->text);
        struct text rest, key = text_split(word->text, '=', &rest);
        struct text next =
            i + 1 < words->n && py_is_text(words->at[i + 1].value)
                ? words->at[i + 1].value->text
                : none;
        bool pair = key.len < word->text.len && key.len;
        if (!option && !pair) {
            py_map_set(out->map, machine->arena, none, word);
            continue;
        }
        if (!pair && (!next.len || is_option_word(next)))
            rest = text_from("true");
        else if (!pair)
            rest = next, i++;
        key = option_name(machine, key);
        value = py_plain_value(machine->arena, rest, word->where, word->rank);
        py_map_set(out->map, machine->arena, key, value);
    }
    return out;
}

struct py_value *py_command_words(struct py_machine *machine)
{
    if (machine->options_of != machine->words) {
        machine->options = read_words(machine);
        machine->options_of = machine->words;
    }
    return machine->options;
}

/* What the command and a configuration give for the parameters of a function or
 * class. */
struct given {
    const struct py_value *words, *config;
    struct text prefix;
    size_t positional;
};

static struct py_value *value_for(struct py_machine *machine,
                                  struct given *given, struct text name)
{
    struct text dotted = py_join(machine->arena, given->prefix, "", name);
    struct py_value *value = py_map_get(given->words->map, dotted);
    if (!value && given->prefix.len && !given->config)
        value = py_map_get(given->words->map, name);
    if (!value && given->config && given->config->map)
        value = py_map_get(given->config->map, name);
    return value;
}

static void take(struct py_machine *machine, struct given *given,
                 const struct py_node *annotation, struct py_scope *scope,
                 struct text name, struct py_map *out)
{
    struct py_value *value = value_for(machine, given, name);
    struct py_value *type = annotation && annotation->kind != PY_STRING
                                ? py_evaluate(machine, annotation, scope)
                                : NULL;
    if (type && type->type == PYV_CLASS && machine->depth < 12 &&
        (!value || value->type == PYV_DICT || value->type == PYV_OBJECT)) {
        struct text prefix = py_join(
            machine->arena, py_join(machine->arena, given->prefix, "", name),
            ".", none);
        machine->depth++;
        value = py_from_command(machine, type, prefix, value);
        machine->depth--;
    }
    if (value)
        py_map_set(out, machine->arena, name, value);
}

static void take_fields(struct py_machine *machine, struct given *given,
                        const struct py_value *class, struct py_map *out,
                        unsigned depth)
{
    if (class->type != PYV_CLASS || depth > 5)
        return;
    for (size_t i = 0; i < class->bases->n && i < 3; i++)
        take_fields(machine, given, class->bases->at[i].value, out, depth + 1);
    for (const struct py_node *node = class->node->b; node; node = node->next) {
        if (node->kind == PY_ANN && node->a->kind == PY_NAME)
            take(machine, given, node->b, class->scope->up, node->a->text, out);
    }
}

static void take_parameters(struct py_machine *machine, struct given *given,
                            const struct py_value *function, struct py_map *out)
{
    for (const struct py_node *node = function->node->a; node;
         node = node->next) {
        if (node->c || text_is(node->text, "self"))
            continue;
        take(machine, given, node->a, function->scope, node->text, out);
        struct py_value *plain =
            node->b ? py_evaluate(machine, node->b, function->scope) : NULL;
        if (!py_map_get(out, node->text) && !node->b) {
            const struct py_map *words = given->words->map;
            while (given->positional < words->n &&
                   words->at[given->positional].key.len)
                given->positional++;
            if (given->positional < words->n)
                py_map_set(out, machine->arena, node->text,
                           words->at[given->positional++].value);
        } else if (!py_map_get(out, node->text) && plain) {
            plain = py_field_default(machine, plain);
            if (py_is_scalar(plain))
                plain = py_with_source(machine, plain, plain->where,
                                       SETTING_DECLARED);
            py_map_set(out, machine->arena, node->text, plain);
        }
    }
}

/* Reports each value of an object, because the program can read any of them. A
 * value that stands in the code gets the rank of a declared option. */
static void note_fields(struct py_machine *machine, struct py_value *object)
{
    for (size_t i = 0; object->map && i < object->map->n; i++) {
        struct py_item *item = &object->map->at[i];
        if (py_is_scalar(item->value) && item->value->rank > SETTING_DECLARED)
            item->value = py_with_source(machine, item->value,
                                         item->value->where, SETTING_DECLARED);
        py_note(machine, item->key, item->value);
    }
}

struct py_value *py_from_command(struct py_machine *machine,
                                 struct py_value *callee, struct text prefix,
                                 const struct py_value *config)
{
    struct given given = {
        .words = py_command_words(machine), .config = config, .prefix = prefix};
    struct py_map arguments = {.maybe = machine->maybe};
    struct py_value *owner;
    if (callee->type == PYV_FUNCTION) {
        take_parameters(machine, &given, callee, &arguments);
        for (size_t i = 0; i < arguments.n; i++)
            py_note(machine, arguments.at[i].key, arguments.at[i].value);
        return py_run(machine, callee, &arguments);
    }
    if (callee->type != PYV_CLASS) {
        struct py_value *object = py_object_value(machine, callee->text);
        py_merge(machine, object, given.words, false);
        return object;
    }
    struct py_value *init =
        py_class_attribute(callee, text_from("__init__"), &owner, 0);
    if (init && init->type == PYV_FUNCTION)
        take_parameters(machine, &given, init, &arguments);
    else
        take_fields(machine, &given, callee, &arguments, 0);
    struct py_value *object = py_call(machine, callee, &arguments);
    /* A base outside the project declares further options. */
    if (object->type == PYV_OBJECT && !prefix.len && !init &&
        py_name_ends(py_library_base(callee, 0), "Arguments"))
        py_merge(machine, object, given.words, false);
    if (object->type == PYV_OBJECT && !init)
        note_fields(machine, object);
    return object;
}

/* Calls the method of an object that the first word of the command names, as
 * fire does. Returns the object if the word names none. */
static struct py_value *named_method(struct py_machine *machine,
                                     struct py_value *object)
{
    const struct py_value *word =
        machine->words->n ? machine->words->at[0].value : NULL;
    struct py_value *method =
        py_is_text(word) && object->type == PYV_OBJECT && word->text.len < 60
            ? py_method(
                  machine, object,
                  arena_copy(machine->arena, word->text.at, word->text.len))
            : NULL;
    if (!method)
        return object;
    method->type = PYV_FUNCTION;
    struct py_map self = {0};
    py_map_set(&self, machine->arena, none, object);
    return py_run(machine, method, &self);
}

/* Evaluates calls such as tyro.cli(X), simple_parsing.parse(X), CLI(f) and
 * Fire(f). */
static struct py_value *cli(struct py_machine *machine, struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "component");
    if (!of)
        of = py_argument(call, -1, "config_class");
    if (of && of->type == PYV_DICT && machine->words->n) {
        /* as in fire.Fire({"train": f}) */
        of = py_map_get(of->map, machine->words->at[0].value->text);
    }
    if (!of || (of->type != PYV_FUNCTION && of->type != PYV_CLASS))
        return machine->unknown;
    struct py_value *path =
        py_map_find(py_command_words(machine)->map, "config_path");
    struct py_value *file =
        py_is_text(path) ? py_read_config(machine, path->text) : NULL;
    struct py_value *plain = py_argument(call, -1, "default");
    if (!file && plain && plain->type == PYV_OBJECT)
        file = plain;
    struct py_value *made = py_from_command(machine, of, none, file);
    return py_name_ends(call->name, "Fire") ? named_method(machine, made)
                                            : made;
}

/* Evaluates fire.Fire(), which without an argument calls the function, or makes
 * an object of the class, that the first word of the command names. */
static struct py_value *fire(struct py_machine *machine, struct py_call *call)
{
    if (call->arguments.n || !machine->words->n)
        return cli(machine, call);
    struct py_value *named = py_map_get(&machine->file->scope.names,
                                        machine->words->at[0].value->text);
    return named && (named->type == PYV_FUNCTION || named->type == PYV_CLASS)
               ? py_from_command(machine, named, none, NULL)
               : machine->unknown;
}

/* Returns the values of the configuration file that the call or the command
 * names, for the parsers of data classes that take one; for parse_dict, a copy
 * of its dictionary. Returns NULL if there is none. */
static struct py_value *named_config(struct py_machine *machine,
                                     const struct py_call *call)
{
    const struct py_value *path = py_argument(call, 0, "json_file");
    struct py_value *words = py_command_words(machine), *file = NULL;
    if (path && path->type == PYV_DICT) /* as in parse_dict(values) */
        return py_copy(machine, path, 0);
    if (!path)
        path = py_argument(call, -1, "yaml_file");
    if (!path)
        path = py_map_find(words->map, "config");
    if (!path && words->map->n && !words->map->at[0].key.len)
        path = words->map->at[0].value;
    if (py_is_text(path))
        file = py_read_config(machine, path->text);
    return file && file->type == PYV_DICT ? file : NULL;
}

/* Evaluates HfArgumentParser((A, B)).parse_args_into_dataclasses() and the
 * like. */
static struct py_value *into_dataclasses(struct py_machine *machine,
                                         struct py_call *call)
{
    const struct py_call *made = call->self ? call->self->call : NULL;
    struct py_value *of = made ? py_argument(made, 0, "dataclass_types") : NULL;
    struct py_value *list = py_list_value(machine);
    struct py_value *file = named_config(machine, call);
    if (!of)
        return NULL;
    if (of->type != PYV_LIST) {
        struct py_value *one = of;
        of = py_list_value(machine);
        py_map_set(of->map, machine->arena, none, one);
    }
    for (size_t i = 0; i < of->map->n; i++) {
        struct py_value *class = of->map->at[i].value;
        struct py_value *object = py_from_command(machine, class, none, file);
        if (file && object->type == PYV_OBJECT &&
            (class->type == PYV_LIBRARY || py_library_base(class, 0).len))
            for (size_t k = 0; k < file->map->n; k++) {
                const struct py_item *item = &file->map->at[k];
                if (!py_map_get(object->map, item->key))
                    py_map_set(object->map, machine->arena, item->key,
                               item->value);
            }
        py_map_set(list->map, machine->arena, none, object);
    }
    for (size_t i = 0; file && i < file->map->n; i++)
        py_note(machine, file->map->at[i].key, file->map->at[i].value);
    return list;
}

struct py_value *py_command_library(struct py_machine *machine,
                                    struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"tyro.cli", cli},
        {"simple_parsing.parse", cli},
        {"draccus.parse", cli},
        {"pyrallis.parse", cli},
        {"jsonargparse.CLI", cli},
        {"jsonargparse.auto_cli", cli},
        {"auto_cli", cli},
        {"CLI", cli},
        {"argbind.cli", cli},
        {"fire.Fire", fire},
        {"Fire", fire},
        {"parse_args_into_dataclasses", into_dataclasses},
        {"parse_args_and_config", into_dataclasses},
        {"parse_dict", into_dataclasses},
        {"parse_json_file", into_dataclasses},
        {"parse_yaml_file", into_dataclasses}};
    return py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
}
