/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the objects that configurations name: _target_ of Hydra, `type` of
 * registries. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};

struct py_value *py_located(struct py_machine *machine, struct text name)
{
    struct text last = py_last_name(name);
    struct py_value *module = NULL;
    if (last.len < name.len)
        module =
            py_import(machine, (struct text){name.at, name.len - last.len - 1});
    struct py_value *value = module ? py_map_get(module->map, last) : NULL;
    return value ? value : py_library_value(machine, name);
}

static struct py_value *made(struct py_machine *machine,
                             struct py_value *config, unsigned depth);

/* Adds the arguments without a name: _args_ of a configuration. */
static void add_first(struct py_machine *machine, const struct py_value *config,
                      unsigned depth, struct py_map *arguments)
{
    const struct py_value *list = py_map_find(config->map, "_args_");
    for (size_t i = 0;
         list && list->type == PYV_LIST && i < list->map->n && depth < 10;
         i++) {
        struct py_value *one = list->map->at[i].value;
        py_map_set(arguments, machine->arena, none,
                   one->type == PYV_DICT ? made(machine, one, depth + 1) : one);
    }
}

/* Makes the objects that the items of a configuration name, and returns the
 * object that the configuration itself names; if it names none, a dictionary of
 * the items. */
static struct py_value *made(struct py_machine *machine,
                             struct py_value *config, unsigned depth)
{
    struct py_map arguments = {.maybe = machine->maybe};
    const struct py_value *target = py_map_find(config->map, "_target_");
    const struct py_value *partial = py_map_find(config->map, "_partial_");
    add_first(machine, config, depth, &arguments);
    for (size_t i = 0; i < config->map->n && depth < 10; i++) {
        struct py_item item = config->map->at[i];
        if (text_starts(item.key, "_") && item.key.len > 2 &&
            item.key.at[item.key.len - 1] == '_')
            continue;
        if (item.value->type == PYV_DICT)
            item.value = made(machine, item.value, depth + 1);
        py_map_set(&arguments, machine->arena, item.key, item.value);
    }
    if (!py_is_text(target)) {
        struct py_value *dict = py_dict_value(machine);
        *dict->map = arguments;
        return dict;
    }
    struct py_value *callee = py_located(machine, target->text);
    if (!partial || py_truth(partial) != PY_YES)
        return py_call(machine, callee, &arguments);
    struct py_map all = {.maybe = machine->maybe};
    py_map_set(&all, machine->arena, none, callee);
    for (size_t i = 0; i < arguments.n; i++)
        py_map_set(&all, machine->arena, arguments.at[i].key,
                   arguments.at[i].value);
    return py_call(machine,
                   py_library_value(machine, text_from("functools.partial")),
                   &all);
}

static struct py_value *instantiate(struct py_machine *machine,
                                    struct py_call *call)
{
    struct py_value *config = py_argument(call, 0, "config");
    if (!config || config->type != PYV_DICT)
        return machine->unknown;
    config = py_copy(machine, config, 0);
    for (size_t i = 0; i < call->arguments.n; i++) {
        if (call->arguments.at[i].key.len)
            py_map_set(config->map, machine->arena, call->arguments.at[i].key,
                       call->arguments.at[i].value);
    }
    struct py_value *object = made(machine, config, 0);
    /* instantiate(cfg, x): x goes to the partial function */
    struct py_value *more = py_argument(call, 1, "\1");
    return more && object->type == PYV_OBJECT &&
                   py_name_ends(object->of->text, "partial")
               ? py_call_with(machine, object, more)
               : object;
}

static struct py_value *locate(struct py_machine *machine, struct py_call *call)
{
    const struct py_value *name = py_argument(call, 0, "path");
    return py_is_text(name) ? py_located(machine, name->text) : NULL;
}

/* Evaluates REGISTRY.build(dict(type="X", ...)) and build_from_cfg(cfg,
 * REGISTRY). */
static struct py_value *build(struct py_machine *machine, struct py_call *call)
{
    const struct py_value *config = py_argument(call, 0, "cfg"), *type;
    struct py_map arguments = {.maybe = machine->maybe};
    if (!config || config->type != PYV_DICT)
        return NULL;
    type = py_map_find(config->map, "type");
    struct py_value *callee =
        py_is_text(type) ? py_map_get(&machine->registry, type->text) : NULL;
    if (!py_is_text(type))
        return NULL;
    for (size_t i = 0; i < config->map->n; i++) {
        if (!text_is(config->map->at[i].key, "type"))
            py_map_set(&arguments, machine->arena, config->map->at[i].key,
                       config->map->at[i].value);
    }
    if (!callee)
        callee = py_library_value(machine, type->text);
    return py_call(machine, callee, &arguments);
}

static struct py_value *from_registry(struct py_machine *machine,
                                      struct py_call *call)
{
    const struct py_value *name = py_argument(call, 0, "name");
    return call->self && py_is_text(name)
               ? py_map_get(&machine->registry, name->text)
               : NULL;
}

/* Evaluates hydra.compose(config_name="x") after
 * hydra.initialize(config_path="y"). */
static struct py_value *compose_call(struct py_machine *machine,
                                     struct py_call *call)
{
    struct py_call main = *call;
    for (size_t i = machine->n_calls; i-- > 0;) {
        const struct py_call *before = machine->calls[i];
        if (py_name_ends(before->name, "initialize") &&
            py_argument(before, -1, "config_path"))
            py_map_set(&main.arguments, machine->arena,
                       text_from("config_path"),
                       py_argument(before, -1, "config_path"));
    }
    return py_hydra_compose(machine, &main);
}

/* Makes the objects that a configuration names by `type`, those of its parts
 * first. Only classes of the project are made, because the calls in their code
 * show their layers. Returns NULL for any other class. */
static struct py_value *build_parts(struct py_machine *machine,
                                    const struct py_value *config,
                                    unsigned depth)
{
    struct py_map arguments = {.maybe = machine->maybe};
    const struct py_value *type = py_map_find(config->map, "type");
    for (size_t i = 0; i < config->map->n && depth < 4; i++) {
        struct py_item item = config->map->at[i];
        struct py_value *part =
            item.value->type == PYV_DICT
                ? build_parts(machine, item.value, depth + 1)
                : NULL;
        if (!text_is(item.key, "type"))
            py_map_set(&arguments, machine->arena, item.key,
                       part ? part : item.value);
    }
    struct py_value *callee =
        py_is_text(type) ? py_map_get(&machine->registry, type->text) : NULL;
    return callee ? py_call(machine, callee, &arguments) : NULL;
}

/* Evaluates a function build_X of a library that makes what a configuration
 * names. */
static struct py_value *build_by_function(struct py_machine *machine,
                                          struct py_call *call)
{
    const struct py_value *config = py_argument(call, 0, "cfg");
    if (!text_starts(py_last_name(call->name), "build_") || !config ||
        config->type != PYV_DICT || !py_map_find(config->map, "type"))
        return NULL;
    return build_parts(machine, config, 0);
}

struct py_value *py_hydra_call(struct py_machine *machine, struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"instantiate", instantiate},
        {"get_class", locate},
        {"get_method", locate},
        {"get_object", locate},
        {"pydoc.locate", locate},
        {"locate", locate},
        {"hydra.compose", compose_call},
        {"build_from_cfg", build},
        {"build", build},
        {"Registry.get", from_registry}};
    struct py_value *value =
        py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
    return value ? value : build_by_function(machine, call);
}
