/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What decorators of click, typer and Hydra and flags of absl mean, and the
 * calls of functions with values of the command. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};

/* Evaluates absl.flags.DEFINE_integer("name", default, ...) and the like.
 * Returns NULL for any other call. */
static struct py_value *define_flag(struct py_machine *machine,
                                    struct py_call *call)
{
    struct text kind = py_last_name(call->name);
    struct py_value *name = py_argument(call, 0, "name");
    struct py_value *value = py_argument(call, 1, "default");
    if (!text_starts(kind, "DEFINE_") || !py_is_text(name))
        return NULL;
    struct py_value *words = py_command_words(machine);
    struct py_value *given = py_map_get(words->map, name->text);
    bool config = text_starts(kind, "DEFINE_config_");
    if (config && given && py_is_text(given))
        value = given;
    else if (given && !config)
        value = given;
    else if (py_is_scalar(value))
        value = py_with_source(machine, value, value->where, SETTING_DECLARED);
    if (config && value)
        value = py_config_flag(machine, name->text, value, words);
    py_note_read(machine, name->text, value);
    if (value)
        py_map_set(&machine->flags, machine->arena, name->text, value);
    return machine->none;
}

struct py_value *py_config_flag(struct py_machine *machine, struct text name,
                                struct py_value *value,
                                const struct py_value *words)
{
    struct py_value *config = value;
    if (py_is_text(value)) {
        /* config.py:argument calls get_config(argument) */
        struct text argument, path = text_split(value->text, ':', &argument);
        const char *found =
            machine->host->find(machine->host->self, NULL,
                                arena_copy(machine->arena, path.at, path.len));
        struct py_file *file = found ? py_load(machine, found) : NULL;
        struct py_value *get =
            file ? py_map_find(&file->scope.names, "get_config") : NULL;
        if (!get)
            return value;
        config = py_call_with(machine, get,
                              argument.len ? py_text_value(machine, argument)
                                           : NULL);
    }
    if (config->type != PYV_DICT && config->type != PYV_OBJECT)
        return config;
    py_mark_config(machine, config, 0);
    py_map_set(&machine->loaded, machine->arena, none, config);
    struct text prefix = py_join(machine->arena, name, ".", none);
    for (size_t i = 0; i < words->map->n; i++) {
        struct text key = words->map->at[i].key;
        if (key.len > prefix.len && memcmp(key.at, prefix.at, prefix.len) == 0)
            py_set_dotted(machine, config, text_skip(key, prefix.len),
                          words->map->at[i].value);
    }
    return config;
}

/* Calls a function of click or typer with the values of its options. */
static struct py_value *run_options(struct py_machine *machine,
                                    struct py_value *function,
                                    const struct py_value *calls)
{
    struct py_value *values = py_parse_options(machine, calls->map);
    for (size_t i = 0; i < values->map->n; i++)
        py_note_read(machine, values->map->at[i].key, values->map->at[i].value);
    return py_run(machine, function, values->map);
}

/* Calls the function of a group that the command names, or the only one. */
static struct py_value *run_command(struct py_machine *machine,
                                    const struct py_value *commands)
{
    struct py_value *chosen = NULL;
    for (size_t i = 0; !chosen && i < machine->words->n; i++) {
        struct py_value *word = machine->words->at[i].value;
        if (py_is_text(word))
            chosen =
                py_map_get(commands->map, py_plain_name(machine, word->text));
    }
    if (!chosen && commands->map->n == 1)
        chosen = commands->map->at[0].value;
    if (!chosen || chosen->type != PYV_FUNCTION)
        return machine->unknown;
    const struct py_value *calls = py_map_find(chosen->map, "%options");
    return calls ? run_options(machine, chosen, calls)
                 : py_from_command(machine, chosen, none, NULL);
}

void py_decorated(struct py_machine *machine, struct py_value *decorator,
                  struct py_value *value)
{
    struct py_call *call =
        decorator->type == PYV_OBJECT ? decorator->call : NULL;
    if (!call || !value->map)
        return;
    if (py_name_ends(call->name, "option") ||
        py_name_ends(call->name, "click.argument")) {
        struct py_value *list = py_map_find(value->map, "%options");
        if (!list) {
            list = py_list_value(machine);
            py_map_set(value->map, machine->arena, text_from("%options"), list);
        }
        py_map_set(list->map, machine->arena, none, decorator);
    }
    if (py_name_ends(call->name, "command") && call->self && call->self->map) {
        const struct py_value *name = py_argument(call, 0, "name");
        py_set_dotted(machine, call->self,
                      py_join(machine->arena, text_from("%commands."), "",
                              py_is_text(name)
                                  ? py_plain_name(machine, name->text)
                                  : value->text),
                      value);
    }
    if (py_name_ends(call->name, "register_module") ||
        py_name_ends(call->name, "register")) {
        const struct py_value *name = py_argument(call, 0, "name");
        py_map_set(&machine->registry, machine->arena,
                   py_is_text(name) ? name->text : value->text, value);
    }
}

struct py_value *py_command_call(struct py_machine *machine,
                                 struct py_value *function,
                                 const struct py_map *arguments)
{
    if (arguments->n || !function->map || function->node->kind != PY_DEF)
        return NULL;
    const struct py_value *calls = py_map_find(function->map, "%options");
    const struct py_value *commands = py_map_find(function->map, "%commands");
    const struct py_value *main = py_map_find(function->map, "@main");
    const struct py_value *wrap = py_map_find(function->map, "@wrap");
    if (main && main->call) {
        struct py_map all = {.maybe = machine->maybe};
        py_map_set(&all, machine->arena, none,
                   py_hydra_compose(machine, main->call));
        return py_run(machine, function, &all);
    }
    if (commands)
        return run_command(machine, commands);
    if (calls)
        return run_options(machine, function, calls);
    const struct py_node *first = function->node->a;
    if (wrap && first && first->a) {
        struct py_value *class =
            py_evaluate(machine, first->a, function->scope);
        struct py_value *path =
            py_map_find(py_command_words(machine)->map, "config_path");
        struct py_value *file =
            py_is_text(path) ? py_read_config(machine, path->text) : NULL;
        struct py_map all = {.maybe = machine->maybe};
        py_map_set(&all, machine->arena, none,
                   py_from_command(machine, class, none, file));
        return py_run(machine, function, &all);
    }
    return NULL;
}

static struct py_value *run_app(struct py_machine *machine,
                                struct py_call *call)
{
    const struct py_value *commands =
        call->self && call->self->map
            ? py_map_find(call->self->map, "%commands")
            : NULL;
    return commands ? run_command(machine, commands) : NULL;
}

/* Evaluates typer.run(f). */
static struct py_value *typer_run(struct py_machine *machine,
                                  struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "function");
    return of && of->type == PYV_FUNCTION
               ? py_from_command(machine, of, none, NULL)
               : NULL;
}

struct py_value *py_click_call(struct py_machine *machine, struct py_call *call)
{
    static const struct py_library_row rows[] = {{"typer.run", typer_run},
                                                 {"Typer.__call__", run_app}};
    struct py_value *value =
        py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
    return value ? value : define_flag(machine, call);
}
