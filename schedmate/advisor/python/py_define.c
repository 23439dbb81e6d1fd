/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines functions and classes, and imports modules of the project. */
#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

/* Steps that the search for a module costs; the evaluation of a node costs one.
 */
enum { IMPORT_STEPS = 50 };

/* Applies a decorator. A decorator of the project is called. A decorator of a
 * library is only noted, as "@name", because most of these return the function
 * itself. */
static struct py_value *decorate(struct py_machine *machine,
                                 const struct py_node *node,
                                 struct py_value *value, struct py_scope *scope)
{
    struct py_value *decorator = py_evaluate(machine, node->a, scope);
    struct text name = decorator->text;
    if (decorator->type == PYV_OBJECT && decorator->call)
        name = decorator->call->name;
    bool own = decorator->type == PYV_FUNCTION ||
               decorator->type == PYV_CLASS ||
               (decorator->type == PYV_METHOD && decorator->node);
    if (own) {
        struct py_value *made = py_call_with(machine, decorator, value);
        bool useful = made->type == PYV_FUNCTION || made->type == PYV_CLASS ||
                      made->type == PYV_OBJECT;
        return useful ? made : value;
    }
    if (name.len && value->map)
        py_map_set(
            value->map, machine->arena,
            py_join(machine->arena, text_from("@"), "", py_last_name(name)),
            decorator);
    py_decorated(machine, decorator, value);
    return value;
}

static struct py_value *decorate_all(struct py_machine *machine,
                                     const struct py_node *node,
                                     struct py_value *value,
                                     struct py_scope *scope)
{
    if (!node)
        return value;
    value = decorate_all(machine, node->next, value, scope);
    return decorate(machine, node, value, scope);
}

enum py_flow py_define(struct py_machine *machine, const struct py_node *node,
                       struct py_scope *scope)
{
    struct py_value *value = py_value_new(machine->arena, PYV_FUNCTION);
    value->node = node;
    value->text = node->text;
    value->scope = scope->is_class ? scope->up : scope;
    value->map = py_dict_value(machine)->map;
    value = decorate_all(machine, node->c, value, scope);
    py_set(machine, &scope->names, node->text, value);
    return PY_GO;
}

enum py_flow py_define_class(struct py_machine *machine,
                             const struct py_node *node, struct py_scope *scope)
{
    struct py_value *value = py_value_new(machine->arena, PYV_CLASS);
    struct py_scope *inner = ARENA_NEW(machine->arena, struct py_scope);
    *inner = (struct py_scope){.up = scope,
                               .file = scope->file,
                               .is_class = true,
                               .names.maybe = machine->maybe};
    value->node = node;
    value->text = node->text;
    value->scope = inner;
    value->map = &inner->names;
    value->bases = ARENA_NEW(machine->arena, struct py_map);
    for (const struct py_node *base = node->a; base; base = base->next)
        py_map_set(value->bases, machine->arena, base->text,
                   py_evaluate(machine, base->a, scope));
    enum setting_rank rank = machine->rank;
    machine->rank = SETTING_ASSIGNED;
    py_execute(machine, node->b, inner);
    machine->rank = rank;
    value = decorate_all(machine, node->c, value, scope);
    py_set(machine, &scope->names, node->text, value);
    return PY_GO;
}

struct py_file *py_load(struct py_machine *machine, const char *path)
{
    struct text source;
    for (size_t i = 0; i < machine->n_files; i++) {
        if (strcmp(machine->files[i]->path, path) == 0)
            return machine->files[i];
    }
    if (machine->n_files == PY_FILES_MAX ||
        !machine->host->read(machine->host->self, path, &source))
        return NULL;
    struct py_file *file = ARENA_NEW(machine->arena, struct py_file);
    file->path = path;
    file->is_library =
        strncmp(path, PY_LIBRARY_PATH, sizeof PY_LIBRARY_PATH - 1) == 0;
    file->scope.file = file;
    file->scope.names.maybe = machine->maybe;
    file->value = py_value_new(machine->arena, PYV_FILE);
    file->value->file = file;
    file->value->map = &file->scope.names;
    machine->files[machine->n_files++] = file;

    struct py_file *outer = machine->file;
    struct py_frame *frame = machine->frame;
    enum setting_rank rank = machine->rank;
    unsigned loops = machine->loops;
    uint32_t line = machine->line;
    machine->file = file;
    machine->frame = NULL;
    machine->rank = SETTING_ASSIGNED;
    machine->loops = 0;
    py_execute(machine, py_parse(source, machine->arena), &file->scope);
    machine->file = outer ? outer : file;
    machine->frame = frame;
    machine->rank = rank;
    machine->loops = loops;
    machine->line = line;
    return file;
}

struct py_value *py_import(struct py_machine *machine, struct text module)
{
    const struct py_host *host = machine->host;
    machine->steps += IMPORT_STEPS;
    if (machine->steps > PY_STEPS_MAX)
        return NULL;
    const char *path = host->module(host->self, machine->file->path, module);
    struct py_file *file = path ? py_load(machine, path) : NULL;
    return file ? file->value : NULL;
}

/* Sets a.b.c of `import a.b.c`: each part becomes an attribute of the part
 * before it. */
static void import_dotted(struct py_machine *machine, struct text name,
                          struct py_scope *scope)
{
    struct text rest = name, part;
    struct py_map *in = &scope->names;
    while (rest.len && in) {
        part = text_split(rest, '.', &rest);
        struct text dotted = {name.at, (size_t)(part.at + part.len - name.at)};
        struct py_value *value = py_import(machine, dotted);
        struct py_value *old = py_map_get(in, part);
        if (!value && old && old->type == PYV_FILE)
            value = old;
        if (!value && rest.len && py_import(machine, name)) {
            /* a folder without __init__.py */
            value = old && old->map ? old : py_dict_value(machine);
            value->type = PYV_FILE;
            if (!value->file)
                value->file = machine->file;
        }
        if (!value)
            value = py_library_value(machine, dotted);
        py_map_set(in, machine->arena, part, value);
        in = value->type == PYV_FILE ? value->map : NULL;
    }
}

enum py_flow py_import_names(struct py_machine *machine,
                             const struct py_node *node, struct py_scope *scope)
{
    for (const struct py_node *alias = node->a; alias; alias = alias->next) {
        if (!alias->a) {
            import_dotted(machine, alias->text, scope);
            continue;
        }
        struct py_value *value = py_import(machine, alias->text);
        py_map_set(&scope->names, machine->arena, alias->a->text,
                   value ? value : py_library_value(machine, alias->text));
    }
    return PY_GO;
}

/* Copies the names of a module, as `import *` does. */
static void import_all(struct py_machine *machine, const struct py_map *names,
                       struct py_scope *scope)
{
    for (size_t i = 0; i < names->n; i++) {
        if (text_char(names->at[i].key, 0) != '_')
            py_map_set(&scope->names, machine->arena, names->at[i].key,
                       names->at[i].value);
    }
}

static struct text submodule(struct py_machine *machine, struct text module,
                             struct text name)
{
    bool dots = !module.len || module.at[module.len - 1] == '.';
    return py_join(machine->arena, module, dots ? "" : ".", name);
}

enum py_flow py_import_from(struct py_machine *machine,
                            const struct py_node *node, struct py_scope *scope)
{
    struct py_value *module = py_import(machine, node->text);
    for (const struct py_node *alias = node->a; alias; alias = alias->next) {
        struct text name = alias->a ? alias->a->text : alias->text;
        if (text_is(alias->text, "*")) {
            if (module)
                import_all(machine, module->map, scope);
            continue;
        }
        struct py_value *value =
            module ? py_map_get(module->map, alias->text) : NULL;
        struct text dotted = submodule(machine, node->text, alias->text);
        if (!value)
            value = py_import(machine, dotted);
        bool hidden = module && !(module->file && module->file->is_library);
        if (!value)
            value =
                hidden ? machine->unknown : py_library_value(machine, dotted);
        py_map_set(&scope->names, machine->arena, name, value);
    }
    return PY_GO;
}
