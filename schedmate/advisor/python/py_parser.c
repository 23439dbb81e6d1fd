/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of the library argparse and of similar libraries. A parser keeps its
 * options as the recorded calls of add_argument. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};

static const char calls_key[] = "%calls", defaults_key[] = "%defaults",
                  commands_key[] = "%commands";

/* Returns the list or dictionary that an object keeps under a hidden name, and
 * makes it if there is none. */
static struct py_value *kept(struct py_machine *machine,
                             struct py_value *object, const char *key)
{
    struct py_value *value = py_map_find(object->map, key);
    if (!value) {
        value =
            key == calls_key ? py_list_value(machine) : py_dict_value(machine);
        py_map_set(object->map, machine->arena, text_from(key), value);
    }
    return value;
}

static struct py_value *add_option(struct py_machine *machine,
                                   struct py_call *call)
{
    if (!call->self || !call->self->map)
        return NULL;
    struct py_value *option = py_object_value(machine, call->name);
    option->call = call;
    py_map_set(kept(machine, call->self, calls_key)->map, machine->arena, none,
               option);
    return option;
}

static struct py_value *same_parser(struct py_machine *machine,
                                    struct py_call *call)
{
    (void)machine;
    return call->self;
}

static struct py_value *add_commands(struct py_machine *machine,
                                     struct py_call *call)
{
    struct py_value *dest = py_argument(call, -1, "dest");
    if (call->self->map && py_is_text(dest))
        py_map_set(call->self->map, machine->arena, text_from("%dest"), dest);
    return call->self;
}

static struct py_value *add_command(struct py_machine *machine,
                                    struct py_call *call)
{
    const struct py_value *name = py_argument(call, 0, "name");
    if (!call->self || !call->self->map || !py_is_text(name))
        return NULL;
    struct py_value *parser =
        py_object_value(machine, text_from("argparse.ArgumentParser"));
    parser->call = call;
    py_map_set(kept(machine, call->self, commands_key)->map, machine->arena,
               name->text, parser);
    return parser;
}

static struct py_value *set_defaults(struct py_machine *machine,
                                     struct py_call *call)
{
    if (!call->self || !call->self->map)
        return NULL;
    struct py_value *defaults = kept(machine, call->self, defaults_key);
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_item *item = &call->arguments.at[i];
        if (item->key.len)
            py_map_set(defaults->map, machine->arena, item->key, item->value);
        else if (item->value->type == PYV_DICT)
            py_merge(machine, defaults, item->value, false);
    }
    return machine->none;
}

static void add_calls(struct py_machine *machine, struct py_value *list,
                      const struct py_value *parser)
{
    const struct py_value *calls = py_map_find(parser->map, calls_key);
    for (size_t i = 0; calls && i < calls->map->n; i++)
        py_map_set(list->map, machine->arena, none, calls->map->at[i].value);
}

/* Adds the options of a parser, of its parents, and of the subcommand that the
 * command names. The defaults of all are merged into `defaults`. */
static void collect(struct py_machine *machine, struct py_value *parser,
                    struct py_value *list, struct py_value *defaults,
                    unsigned depth)
{
    const struct py_value *parents =
        parser->call ? py_argument(parser->call, -1, "parents") : NULL;
    for (size_t i = 0; parents && parents->type == PYV_LIST &&
                       i < parents->map->n && depth < 4;
         i++) {
        if (parents->map->at[i].value->map)
            collect(machine, parents->map->at[i].value, list, defaults,
                    depth + 1);
    }
    add_calls(machine, list, parser);
    const struct py_value *given = py_map_find(parser->map, defaults_key);
    if (given)
        py_merge(machine, defaults, given, false);
    struct py_value *commands = py_map_find(parser->map, commands_key);
    for (size_t i = 0; commands && i < machine->words->n && depth < 4; i++) {
        struct py_value *found =
            py_map_get(commands->map, machine->words->at[i].value->text);
        if (found) {
            py_map_set(defaults->map, machine->arena, text_from("%command"),
                       machine->words->at[i].value);
            collect(machine, found, list, defaults, depth + 1);
            return;
        }
    }
}

/* Reads the file that an option for configuration files names, and sets its
 * values, except where the command gives a value. */
static void add_config_file(struct py_machine *machine,
                            const struct py_map *options,
                            struct py_value *values)
{
    for (size_t i = 0; i < options->n; i++) {
        const struct py_call *option = options->at[i].value->call;
        const struct py_value *mark = py_argument(option, -1, "is_config_file");
        bool is = (mark && py_truth(mark) == PY_YES) ||
                  py_is_library(py_argument(option, -1, "action"),
                                "ActionConfigFile");
        struct py_value *path =
            is ? py_map_get(values->map, py_option_name(machine, option))
               : NULL;
        struct py_value *file =
            py_is_text(path) ? py_read_config(machine, path->text) : NULL;
        if (!file || file->type != PYV_DICT)
            continue;
        for (size_t k = 0; k < file->map->n; k++) {
            const struct py_item *item = &file->map->at[k];
            struct text key = py_plain_name(machine, item->key);
            struct py_value *old = py_map_get(values->map, key);
            if (!old || old->rank != SETTING_COMMAND)
                py_map_set(values->map, machine->arena, key, item->value);
        }
    }
}

/* Returns the parser to which a function of a library has added options, which
 * is the argument of that function; otherwise `parser`. */
static struct py_value *inner_parser(struct py_value *parser)
{
    struct py_value *inner =
        parser->call ? py_argument(parser->call, 0, "parser") : NULL;
    bool own = py_map_find(parser->map, calls_key) || !inner ||
               inner->type != PYV_OBJECT;
    return !own && py_map_find(inner->map, calls_key) ? inner : parser;
}

static struct py_value *parse_args(struct py_machine *machine,
                                   struct py_call *call)
{
    struct py_value *given = py_argument(call, 0, "args");
    const struct py_map *words = machine->words;
    if (!call->self || !call->self->map)
        return NULL;
    call->self = inner_parser(call->self);
    if (given && given->type == PYV_LIST && !given->map->open)
        machine->words = given->map;
    struct py_value *list = py_list_value(machine);
    struct py_value *defaults = py_dict_value(machine);
    collect(machine, call->self, list, defaults, 0);
    struct py_value *values = py_parse_options(machine, list->map);
    for (size_t i = 0; i < defaults->map->n; i++) {
        const struct py_item *item = &defaults->map->at[i];
        struct py_value *old = py_map_get(values->map, item->key);
        if (!old || (old->rank != SETTING_COMMAND && old != item->value))
            py_map_set(values->map, machine->arena, item->key, item->value);
    }
    const struct py_value *command = py_map_find(defaults->map, "%command");
    const struct py_value *dest = py_map_find(call->self->map, "%dest");
    if (command)
        py_map_set(
            values->map, machine->arena,
            dest ? dest->text : text_from("command"),
            py_with_source(machine, command, command->where, SETTING_COMMAND));
    add_config_file(machine, list->map, values);
    machine->words = words;
    for (size_t i = 0; i < values->map->n; i++)
        py_note_read(machine, values->map->at[i].key, values->map->at[i].value);
    return values;
}

static struct py_value *parse_known(struct py_machine *machine,
                                    struct py_call *call)
{
    struct py_value *values = parse_args(machine, call);
    struct py_value *pair = py_list_value(machine);
    struct py_value *rest = py_list_value(machine);
    if (!values)
        return NULL;
    rest->map->open = true;
    py_map_set(pair->map, machine->arena, none, values);
    py_map_set(pair->map, machine->arena, none, rest);
    return pair;
}

struct py_value *py_option_call(struct py_machine *machine,
                                struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"add_argument", add_option},
        {"add_arg", add_option},
        {"add_argument_group", same_parser},
        {"add_mutually_exclusive_group", same_parser},
        {"add_subparsers", add_commands},
        {"add_parser", add_command},
        {"set_defaults", set_defaults},
        {"parse_args", parse_args},
        {"parse_known_args", parse_known},
        {"parse_known_intermixed_args", parse_known}};
    return call->self
               ? py_by_rows(machine, call, rows, sizeof rows / sizeof *rows)
               : NULL;
}
