/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions about classes and modules: isinstance, data classes, named tuples,
 * modules that the code loads by name or path. */
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

/* True if a class is `base` or is derived from it. */
static bool comes_from(const struct py_value *class,
                       const struct py_value *base, unsigned depth)
{
    bool yes = class == base;
    for (size_t i = 0; !yes && class->type == PYV_CLASS && depth < 6 &&
                       i < class->bases->n && i < 3;
         i++)
        yes = comes_from(class->bases->at[i].value, base, depth + 1);
    return yes;
}

/* Returns whether the class of an object is `class` or is derived from it.
 * Unknown for a class outside the project, but false for types such as int. */
static struct py_value *is_object_of(struct py_machine *machine,
                                     const struct py_value *object,
                                     const struct py_value *class)
{
    static const char *const plain[] = {"str",   "list", "tuple", "int",
                                        "float", "bool", NULL};
    bool own = object->of && object->of->type == PYV_CLASS;
    if (class->type == PYV_LIBRARY && py_is_one_of(class->text, plain))
        return py_bool_value(machine, false);
    if (class->type != PYV_CLASS || !own)
        return machine->unknown;
    return py_bool_value(machine, comes_from(object->of, class, 0));
}

/* Evaluates isinstance(x, int) and the like, if x is known. */
static struct py_value *is_instance(struct py_machine *machine,
                                    struct py_call *call)
{
    static const struct {
        const char *name;
        enum py_type type;
    } rows[] = {{"str", PYV_TEXT},   {"dict", PYV_DICT},  {"list", PYV_LIST},
                {"tuple", PYV_LIST}, {"int", PYV_NUMBER}, {"float", PYV_NUMBER},
                {"bool", PYV_BOOL}};
    const struct py_value *of = py_argument(call, 0, "\1");
    const struct py_value *class = py_argument(call, 1, "\1");
    if (of && class && of->type == PYV_OBJECT)
        return is_object_of(machine, of, class);
    bool data = of && class && class->type == PYV_LIBRARY &&
                (py_is_scalar(of) || of->type == PYV_LIST ||
                 of->type == PYV_DICT || of->type == PYV_NONE);
    for (size_t i = 0; data && i < sizeof rows / sizeof *rows; i++) {
        if (text_is(class->text, rows[i].name))
            return py_bool_value(machine, of->type == rows[i].type);
    }
    return machine->unknown;
}

/* Evaluates X(1, 2) after X = namedtuple("X", "a b") to a dictionary of the
 * fields. */
static struct py_value *named_tuple(struct py_machine *machine,
                                    struct py_call *call)
{
    const struct py_call *made = call->self ? call->self->call : NULL;
    const struct py_value *names =
        made ? py_argument(made, 1, "field_names") : NULL;
    struct py_value *out = py_dict_value(machine);
    if (py_is_text(names)) { /* the names in one text: "a b" */
        struct py_call split = {.name = text_from("split"),
                                .self = (struct py_value *)(uintptr_t)names};
        names = py_builtin_method(machine, &split);
    }
    if (!names || names->type != PYV_LIST)
        return NULL;
    for (size_t i = 0; i < names->map->n; i++) {
        struct text name = names->map->at[i].value->text;
        struct py_value *value = py_map_get(&call->arguments, name);
        if (!value)
            value = py_argument(call, (int)i, "\1");
        if (name.len)
            py_map_set(out->map, machine->arena, name,
                       value ? value : machine->unknown);
    }
    return out;
}

/* Evaluates dataclasses.fields(class) to objects with name, type, default and,
 * if there is one, default factory. */
static struct py_value *fields_of(struct py_machine *machine,
                                  struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "class_or_instance");
    struct py_value *list = py_list_value(machine);
    if (of && of->type == PYV_OBJECT)
        of = of->of;
    if (!of || of->type != PYV_CLASS)
        return machine->unknown;
    for (const struct py_node *node = of->node->b; node; node = node->next) {
        if (node->kind != PY_ANN || node->a->kind != PY_NAME)
            continue;
        struct py_value *one =
            py_object_value(machine, text_from("dataclasses.Field"));
        struct py_value *plain = py_map_get(of->map, node->a->text);
        struct py_value *made =
            plain && plain->call
                ? py_argument(plain->call, -1, "default_factory")
                : NULL;
        py_map_set(one->map, machine->arena, text_from("name"),
                   py_text_value(machine, node->a->text));
        py_map_set(one->map, machine->arena, text_from("type"),
                   py_evaluate(machine, node->b, of->scope->up));
        py_map_set(one->map, machine->arena, text_from("default"),
                   plain && !made ? py_field_default(machine, plain)
                                  : machine->unknown);
        if (made)
            py_map_set(one->map, machine->arena, text_from("default_factory"),
                       made);
        py_map_set(list->map, machine->arena, (struct text){"", 0}, one);
    }
    return list;
}

static struct py_value *is_dataclass(struct py_machine *machine,
                                     struct py_call *call)
{
    const struct py_value *of = py_argument(call, 0, "obj");
    bool other = of && (of->type == PYV_LIBRARY || py_is_scalar(of) ||
                        of->type == PYV_NONE);
    if (of && of->type == PYV_CLASS)
        return py_bool_value(machine,
                             py_map_find(of->map, "@dataclass") != NULL);
    return other ? py_bool_value(machine, false) : machine->unknown;
}

static struct py_value *import_module(struct py_machine *machine,
                                      struct py_call *call)
{
    const struct py_value *name = py_argument(call, 0, "name");
    if (!py_is_text(name))
        return machine->unknown;
    struct py_value *module = py_import(machine, name->text);
    return module ? module : py_library_value(machine, name->text);
}

/* Loads the module at a path in the project; unknown if the project has no such
 * file. */
static struct py_value *load_path(struct py_machine *machine,
                                  const struct py_value *path)
{
    const struct py_host *host = machine->host;
    if (!py_is_text(path))
        return machine->unknown;
    const char *found =
        host->find(host->self, machine->file->path,
                   arena_copy(machine->arena, path->text.at, path->text.len));
    if (!found)
        found = host->find(
            host->self, NULL,
            arena_copy(machine->arena, path->text.at, path->text.len));
    machine->steps += 50;
    struct py_file *file = found ? py_load(machine, found) : NULL;
    return file ? file->value : machine->unknown;
}

/* Evaluates importlib.util.module_from_spec(spec), where the spec was made from
 * a path. */
static struct py_value *module_of_spec(struct py_machine *machine,
                                       struct py_call *call)
{
    const struct py_value *spec = py_argument(call, 0, "spec");
    return spec && spec->call
               ? load_path(machine, py_argument(spec->call, 1, "location"))
               : NULL;
}

/* Evaluates SourceFileLoader(name, path).load_module(). */
static struct py_value *module_of_loader(struct py_machine *machine,
                                         struct py_call *call)
{
    const struct py_call *made = call->self ? call->self->call : NULL;
    return made ? load_path(machine, py_argument(made, 1, "path")) : NULL;
}

/* Evaluates object.__setattr__(name, value). */
static struct py_value *set_by_name(struct py_machine *machine,
                                    struct py_call *call)
{
    const struct py_value *name = py_argument(call, 0, "\1");
    struct py_value *value = py_argument(call, 1, "\1");
    if (!call->self || !call->self->map || !py_is_text(name) || !value)
        return NULL;
    py_set(machine, call->self->map, name->text, value);
    return machine->none;
}

struct py_value *py_class_call(struct py_machine *machine, struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"isinstance", is_instance},
        {"__setattr__", set_by_name},
        {"fields", fields_of},
        {"is_dataclass", is_dataclass},
        {"namedtuple.__call__", named_tuple},
        {"import_module", import_module},
        {"__import__", import_module},
        {"module_from_spec", module_of_spec},
        {"load_module", module_of_loader},
    };
    return py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
}
