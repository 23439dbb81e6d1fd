/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the evaluator of Python knows of the classes of configurations:
 * OmegaConf, yacs, ConfigDict, namespaces. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static const struct text none = {"", 0};

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

static struct py_value *structured(struct py_machine *machine,
                                   struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "obj");
    if (of && of->type == PYV_CLASS)
        of = py_call_with(machine, of, NULL);
    return of && of->map
               ? py_as_dict(machine,
                            &(struct py_call){
                                .arguments = {.at = &(struct py_item){none, of},
                                              .n = 1}})
               : machine->unknown;
}

static struct py_value *copied(struct py_machine *machine, struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "x");
    return of ? py_copy(machine, of, 0) : machine->unknown;
}

static struct py_value *nothing(struct py_machine *machine,
                                struct py_call *call)
{
    (void)call;
    return machine->unknown;
}

static const struct py_library_row rows[] = {
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
    {"OmegaConf.structured", structured},
    {"OmegaConf.to_container", py_first},
    {"OmegaConf.to_object", py_first},
    {"OmegaConf.set_struct", nothing},
    {"copy.deepcopy", copied},
    {"deepcopy", copied},
    {"copy.copy", copied},
};

struct py_value *py_config_call(struct py_machine *machine,
                                struct py_call *call)
{
    return py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
}
