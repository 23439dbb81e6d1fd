/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls functions and makes objects in the evaluator of Python. */

#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

/* Defines functions and classes, and imports modules of the project. */

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

/* Largest depth of nested calls. */
enum { CALLS_DEEP_MAX = 28 };

/* Sets the parameters with stars: a parameter with one star gets the arguments
 * without a name from index `next` on, a parameter with two stars the arguments
 * whose name no parameter has. */
static void bind_rest(struct py_machine *machine, struct py_scope *scope,
                      const struct py_node *const stars[2],
                      const struct py_map *given, size_t next)
{
    struct py_value *list = py_list_value(machine),
                    *dict = py_dict_value(machine);
    list->map->open = dict->map->open = given->open;
    machine->steps += given->n;
    for (size_t i = 0; i < given->n; i++) {
        const struct py_item *item = &given->at[i];
        if (item->key.len && !py_map_get(&scope->names, item->key))
            py_map_set(dict->map, machine->arena, item->key, item->value);
        else if (!item->key.len && i >= next)
            py_map_set(list->map, machine->arena, item->key, item->value);
    }
    for (size_t i = 0; i < 2 && stars[i]; i++)
        py_map_set(&scope->names, machine->arena, stars[i]->text,
                   stars[i]->c->text.len == 2 ? dict : list);
}

/* Sets the parameters of a function from the arguments of a call, else from
 * their defaults. A parameter is unknown if it has neither, or if not all
 * arguments are known. */
static void bind_arguments(struct py_machine *machine,
                           const struct py_node *node, struct py_scope *scope,
                           struct py_scope *outer, const struct py_map *given)
{
    size_t next = 0;
    const struct py_node *stars[2] = {NULL, NULL};
    size_t n_stars = 0;
    for (const struct py_node *param = node->a; param; param = param->next) {
        struct py_value *value = NULL;
        if (param->c) {
            if (n_stars < 2)
                stars[n_stars++] = param;
            continue;
        }
        while (!n_stars && next < given->n && given->at[next].key.len)
            next++;
        if (!n_stars && next < given->n)
            value = given->at[next++].value;
        if (!value)
            value = py_map_get(given, param->text);
        if (!value && param->b && !given->open)
            value = py_evaluate(machine, param->b, outer);
        py_map_set(&scope->names, machine->arena, param->text,
                   value ? value : machine->unknown);
    }
    if (n_stars)
        bind_rest(machine, scope, stars, given, next);
}

/* Runs a function. `owner` is the class of a method, or NULL. */
static struct py_value *call_run(struct py_machine *machine,
                                 const struct py_node *node,
                                 struct py_scope *outer, struct py_value *owner,
                                 const struct py_map *given)
{
    if (machine->depth >= CALLS_DEEP_MAX)
        return machine->unknown;
    struct py_scope *scope = ARENA_NEW(machine->arena, struct py_scope);
    struct py_frame frame = {.owner = owner,
                             .scope = scope,
                             .self = given->n ? given->at[0].value : NULL};
    struct py_frame *caller = machine->frame;
    struct py_file *file = machine->file;
    enum setting_rank rank = machine->rank;
    unsigned loops = machine->loops;
    uint32_t line = machine->line;
    *scope = (struct py_scope){
        .up = outer, .file = outer->file, .names.maybe = machine->maybe};
    machine->depth++;
    machine->frame = &frame;
    machine->file = outer->file;
    machine->rank = SETTING_LOCAL;
    machine->loops = 0;
    bind_arguments(machine, node, scope, outer, given);
    if (node->kind == PY_LAMBDA)
        frame.result = py_evaluate(machine, node->b, scope);
    else
        py_execute(machine, node->b, scope);
    machine->depth--;
    machine->frame = caller;
    machine->file = file;
    machine->rank = rank;
    machine->loops = loops;
    machine->line = line;
    if (frame.result && frame.result->call && !frame.result->call->builder.len)
        frame.result->call->builder = node->text;
    return frame.result ? frame.result : machine->none;
}

/* Returns the arguments with one more in front. */
static struct py_map with_first(struct py_machine *machine,
                                struct py_value *first,
                                const struct py_map *arguments)
{
    struct py_map out = {.maybe = machine->maybe, .open = arguments->open};
    py_map_set(&out, machine->arena, (struct text){"", 0}, first);
    machine->steps += arguments->n;
    for (size_t i = 0; i < arguments->n; i++)
        py_map_set(&out, machine->arena, arguments->at[i].key,
                   arguments->at[i].value);
    return out;
}

/* Makes the record of a call, and adds it to the list of calls unless that has
 * PY_CALLS_MAX already. */
static struct py_call *record(struct py_machine *machine, struct text name,
                              struct py_value *callee,
                              const struct py_map *arguments)
{
    struct py_call *call = ARENA_NEW(machine->arena, struct py_call);
    *call = (struct py_call){.name = name,
                             .callee = callee,
                             .arguments = *arguments,
                             .unsure = machine->maybe > 0,
                             .where = py_where(machine, machine->line)};
    if (machine->n_calls < PY_CALLS_MAX)
        machine->calls[machine->n_calls++] = call;
    return call;
}

/* Sets the fields of a data class or of a similar class without __init__. */
static void set_fields(struct py_machine *machine, struct py_value *object,
                       struct py_value *class, const struct py_map *arguments,
                       size_t *next, unsigned depth)
{
    if (class->type != PYV_CLASS || depth > 5)
        return;
    for (size_t i = 0; i < class->bases->n && i < 3; i++)
        set_fields(machine, object, class->bases->at[i].value, arguments, next,
                   depth + 1);
    for (const struct py_node *node = class->node->b; node; node = node->next) {
        if (node->kind != PY_ANN || node->a->kind != PY_NAME)
            continue;
        struct py_value *value = py_map_get(arguments, node->a->text);
        if (!value && *next < arguments->n && !arguments->at[*next].key.len)
            value = arguments->at[(*next)++].value;
        if (!value)
            value = arguments->open ? machine->unknown
                                    : py_map_get(class->map, node->a->text);
        if (value)
            py_map_set(object->map, machine->arena, node->a->text,
                       py_field_default(machine, value));
    }
}

struct py_value *py_field_default(struct py_machine *machine,
                                  struct py_value *value)
{
    const struct py_call *call = value->call;
    if (value->type != PYV_OBJECT || !call ||
        (!py_name_ends(call->name, "field") &&
         !py_name_ends(call->name, "Field") &&
         !py_name_ends(call->name, "Option") &&
         !py_name_ends(call->name, "Argument")))
        return value;
    struct py_value *plain = py_argument(call, -1, "default");
    struct py_value *factory = py_argument(call, -1, "default_factory");
    if (!plain && !py_name_ends(call->name, "field"))
        plain = py_argument(call, 0, "default");
    if (plain)
        return plain;
    return factory ? py_call(machine, factory, &(struct py_map){0})
                   : machine->unknown;
}

static struct py_value *make(struct py_machine *machine, struct py_value *class,
                             const struct py_map *arguments)
{
    struct py_value *object = py_dict_value(machine), *owner;
    object->type = PYV_OBJECT;
    object->of = class;
    object->call = record(machine, class->text, class, arguments);
    object->call->result = object;
    struct py_value *init =
        py_class_attribute(class, text_from("__init__"), &owner, 0);
    size_t next = 0;
    object->call->first = object->call->end = machine->n_calls;
    if (init && init->type == PYV_FUNCTION) {
        struct py_map all = with_first(machine, object, arguments);
        call_run(machine, init->node, init->scope, owner, &all);
        object->call->end = machine->n_calls;
        return object;
    }
    set_fields(machine, object, class, arguments, &next, 0);
    for (size_t i = 0; i < arguments->n; i++) {
        const struct py_item *item = &arguments->at[i];
        if (item->key.len && !py_map_get(object->map, item->key))
            py_map_set(object->map, machine->arena, item->key, item->value);
    }
    struct py_value *after = py_method(machine, object, "__post_init__");
    if (after)
        py_call(machine, after, &(struct py_map){0});
    /* An object of a class derived from dict takes the items of its argument.
     */
    if (arguments->n && arguments->at[0].value->type == PYV_DICT &&
        py_name_ends(py_library_base(class, 0), "dict"))
        *object->map = *arguments->at[0].value->map;
    return object;
}

/* Calls a function or class outside the project. The result is an object of
 * `name`, unless the evaluator knows the function. */
static struct py_value *call_library(struct py_machine *machine,
                                     struct text name, struct py_value *callee,
                                     struct py_value *self,
                                     const struct py_map *arguments)
{
    struct py_call *call = record(machine, name, callee, arguments);
    call->self = self;
    struct py_value *result = py_library_call(machine, call);
    if (!result) {
        result = py_object_value(machine, name);
        result->call = call;
    }
    call->result = result;
    return result;
}

/* Returns the dotted name of a method of an object. */
static struct text method_name(struct py_machine *machine,
                               const struct py_value *method)
{
    const struct py_value *of = method->of;
    const struct py_value *class = of->type == PYV_OBJECT ? of->of : of;
    struct text name = class ? py_library_base(class, 0) : of->text;
    if (class && !name.len)
        name = class->text;
    return py_join(machine->arena, name, ".", method->text);
}

/* Marks a function as run, so that py_call_later does not call it again. */
static void mark(struct py_machine *machine, const struct py_value *function)
{
    if (function->map)
        py_map_set(function->map, machine->arena, text_from("%run"),
                   machine->none);
}

static struct py_value *call_method(struct py_machine *machine,
                                    struct py_value *method,
                                    const struct py_map *arguments)
{
    if (method->node) {
        mark(machine, method);
        struct py_map all = with_first(machine, method->of, arguments);
        return call_run(machine, method->node, method->scope, method->owner,
                        &all);
    }
    if (method->of->type != PYV_OBJECT && method->of->type != PYV_CLASS) {
        struct py_call call = {.name = method->text,
                               .callee = method,
                               .self = method->of,
                               .arguments = *arguments};
        struct py_value *value = py_builtin_method(machine, &call);
        return value ? value : machine->unknown;
    }
    struct text name = method_name(machine, method);
    if (text_is(method->text, "__init__"))
        name.len -= sizeof ".__init__" - 1;
    return call_library(machine, name, method, method->of, arguments);
}

static struct py_value *call_object(struct py_machine *machine,
                                    struct py_value *object,
                                    const struct py_map *arguments)
{
    struct py_value *method = py_method(machine, object, "__call__");
    if (method)
        return py_call(machine, method, arguments);
    if (object->of && object->of->type == PYV_CLASS)
        return machine->unknown;
    struct text name =
        py_join(machine->arena, object->of->text, ".", text_from("__call__"));
    return call_library(machine, name, object, object, arguments);
}

struct py_value *py_run(struct py_machine *machine, struct py_value *function,
                        const struct py_map *arguments)
{
    mark(machine, function);
    return call_run(machine, function->node, function->scope, NULL, arguments);
}

struct py_value *py_call(struct py_machine *machine, struct py_value *callee,
                         const struct py_map *arguments)
{
    struct py_value *value;
    if (callee->type == PYV_FUNCTION) {
        value = py_command_call(machine, callee, arguments);
        return value ? value : py_run(machine, callee, arguments);
    }
    if (callee->type == PYV_CLASS && machine->depth < CALLS_DEEP_MAX)
        return make(machine, callee, arguments);
    if (callee->type == PYV_METHOD)
        return call_method(machine, callee, arguments);
    if (callee->type == PYV_LIBRARY)
        return call_library(machine, callee->text, callee, NULL, arguments);
    if (callee->type == PYV_OBJECT)
        return call_object(machine, callee, arguments);
    return machine->unknown;
}

struct py_value *py_call_with(struct py_machine *machine,
                              struct py_value *callee, struct py_value *first)
{
    struct py_map arguments = {.maybe = machine->maybe};
    if (first)
        py_map_set(&arguments, machine->arena, (struct text){"", 0}, first);
    return py_call(machine, callee, &arguments);
}

struct py_value *py_argument(const struct py_call *call, int place,
                             const char *keyword)
{
    struct py_value *value = py_map_find(&call->arguments, keyword);
    for (size_t i = 0; !value && place >= 0 && i < call->arguments.n; i++) {
        const struct py_item *item = &call->arguments.at[i];
        if (!item->key.len && place-- == 0)
            value = item->value;
    }
    return value;
}

bool py_name_ends(struct text name, const char *end)
{
    size_t n = strlen(end);
    if (name.len < n || memcmp(name.at + name.len - n, end, n) != 0)
        return false;
    return name.len == n || name.at[name.len - n - 1] == '.';
}

/* Finds names, attributes and items in the evaluator of Python. */

/* Largest depth of bases, and largest number of bases of a class, that are
 * examined. The limits bound the work for classes that repeat their bases. */
enum { PY_CALL_BASES_MAX = 5, SIBLINGS_MAX = 3 };

struct py_value *py_lookup(struct py_machine *machine, struct py_scope *scope,
                           struct text name)
{
    bool first = true;
    for (struct py_scope *in = scope; in; in = in->up, first = false) {
        struct py_scope *at =
            py_map_get(&in->globals, name) ? &scope->file->scope : in;
        struct py_value *value = py_map_get(&at->names, name);
        if (value && (first || !at->is_class))
            return value;
    }
    if (text_is(name, "__name__"))
        return py_text_value(machine, text_from(scope->file == machine->files[0]
                                                    ? "__main__"
                                                    : scope->file->path));
    if (text_is(name, "__file__"))
        return py_text_value(machine, text_from(scope->file->path));
    return py_library_value(machine, name);
}

struct py_value *py_class_attribute(const struct py_value *class,
                                    struct text name, struct py_value **owner,
                                    unsigned depth)
{
    struct py_value *value =
        class->type == PYV_CLASS ? py_map_get(class->map, name) : NULL;
    *owner = (struct py_value *)(uintptr_t) class;
    if (value || class->type != PYV_CLASS || depth > PY_CALL_BASES_MAX)
        return value;
    for (size_t i = 0; !value && i < class->bases->n && i < SIBLINGS_MAX; i++)
        value = py_class_attribute(class->bases->at[i].value, name, owner,
                                   depth + 1);
    return value;
}

struct text py_library_base(const struct py_value *class, unsigned depth)
{
    struct text name = {"", 0};
    if (class->type == PYV_LIBRARY)
        return class->text;
    if (class->type != PYV_CLASS || depth > PY_CALL_BASES_MAX)
        return name;
    for (size_t i = 0; !name.len && i < class->bases->n && i < SIBLINGS_MAX;
         i++) {
        if (!class->bases->at[i].key.len)
            name = py_library_base(class->bases->at[i].value, depth + 1);
    }
    return name;
}

static bool derives(const struct py_value *class, const char *base,
                    unsigned depth)
{
    if (class->type == PYV_LIBRARY)
        return py_name_ends(class->text, base);
    if (class->type != PYV_CLASS || depth > PY_CALL_BASES_MAX)
        return false;
    for (size_t i = 0; i < class->bases->n && i < SIBLINGS_MAX; i++) {
        if (derives(class->bases->at[i].value, base, depth + 1))
            return true;
    }
    return false;
}

bool py_derives(const struct py_value *class, const char *base)
{
    return derives(class, base, 0);
}

/* Makes a method of an object: `function` of its class or, if that is NULL, a
 * method of a library. */
static struct py_value *method_of(struct py_machine *machine,
                                  struct py_value *object,
                                  const struct py_value *function,
                                  struct py_value *owner, struct text name)
{
    struct py_value *method = py_value_new(machine->arena, PYV_METHOD);
    method->of = object;
    method->text = name;
    if (function) {
        method->node = function->node;
        method->scope = function->scope;
        method->map = function->map;
        method->owner = owner;
    }
    return method;
}

static bool is_marked(const struct py_value *function, const char *mark)
{
    return function->map && py_map_find(function->map, mark);
}

/* Returns what an object or a class gives for the attribute `value` of the
 * class: a method is bound to the object, a property is called. */
static struct py_value *bound(struct py_machine *machine,
                              struct py_value *object, struct py_value *value,
                              struct py_value *owner, struct text name)
{
    if (value->type != PYV_FUNCTION || is_marked(value, "@staticmethod"))
        return value;
    if (is_marked(value, "@classmethod"))
        return method_of(machine,
                         object->type == PYV_OBJECT ? object->of : object,
                         value, owner, name);
    if (object->type == PYV_CLASS)
        return value;
    struct py_value *method = method_of(machine, object, value, owner, name);
    if (is_marked(value, "@property") || is_marked(value, "@cached_property"))
        return py_call(machine, method, &(struct py_map){0});
    return method;
}

/* Returns an attribute of super(), which looks in the bases of the class whose
 * method calls it. */
static struct py_value *attribute_of_super(struct py_machine *machine,
                                           struct py_value *super,
                                           struct text name)
{
    struct py_value *owner, *value;
    const struct py_value *class = super->owner;
    for (size_t i = 0;
         class && class->bases && i < class->bases->n && i < SIBLINGS_MAX;
         i++) {
        struct py_value *base = class->bases->at[i].value;
        value = py_class_attribute(base, name, &owner, 0);
        if (value)
            return bound(machine, super->of, value, owner, name);
        if (base->type == PYV_LIBRARY)
            return method_of(machine, super->of, NULL, NULL, name);
    }
    return machine->unknown;
}

static struct py_value *as_dict(struct py_machine *machine,
                                struct py_map *names)
{
    struct py_value *dict = py_dict_value(machine);
    dict->map = names;
    return dict;
}

static struct py_value *attribute_of_file(struct py_machine *machine,
                                          struct py_value *file,
                                          struct text name)
{
    struct py_file *outer = machine->file;
    struct text library = {"", 0};
    if (file->file && file->file->is_library)
        library =
            text_skip(text_from(file->file->path), sizeof PY_LIBRARY_PATH - 1);
    machine->file = file->file;
    struct py_value *value =
        py_import(machine, py_join(machine->arena, library, ".", name));
    machine->file = outer;
    if (!value && library.len)
        value = py_library_value(machine,
                                 py_join(machine->arena, library, ".", name));
    return value ? value : machine->unknown;
}

static struct py_value *attribute_of_object(struct py_machine *machine,
                                            struct py_value *object,
                                            struct text name)
{
    struct py_value *owner, *value;
    if (object->of && object->of->type == PYV_CLASS) {
        if (text_is(name, "__class__"))
            return object->of;
        value = py_class_attribute(object->of, name, &owner, 0);
        if (value)
            return bound(machine, object, value, owner, name);
        value =
            py_class_attribute(object->of, text_from("__getattr__"), &owner, 0);
        if (value && value->type == PYV_FUNCTION && machine->depth < 20 &&
            !text_starts(name, "__"))
            return py_call_with(machine,
                                method_of(machine, object, value, owner, name),
                                py_text_value(machine, name));
    }
    return method_of(machine, object, NULL, NULL, name);
}

static struct py_value *attribute_of_library(struct py_machine *machine,
                                             struct py_value *library,
                                             struct text name)
{
    struct text dotted = py_join(machine->arena, library->text, ".", name);
    if (text_is(dotted, "sys.argv")) {
        struct py_value *list = py_list_value(machine);
        struct py_value *script =
            py_text_value(machine, text_from(machine->files[0]->path));
        py_map_set(list->map, machine->arena, (struct text){"", 0}, script);
        for (size_t i = 0; i < machine->words->n; i++)
            py_map_set(list->map, machine->arena, (struct text){"", 0},
                       machine->words->at[i].value);
        return list;
    }
    /* an option of absl, as in FLAGS.lr */
    struct py_value *flag = py_name_ends(library->text, "FLAGS")
                                ? py_map_get(&machine->flags, name)
                                : NULL;
    return flag ? flag : py_library_value(machine, dotted);
}

/* Returns an attribute that the map of the value does not have. */
static struct py_value *attribute_by_type(struct py_machine *machine,
                                          struct py_value *value,
                                          struct text name)
{
    struct py_value *own, *owner;
    if (value->type == PYV_FILE)
        return attribute_of_file(machine, value, name);
    if (value->type == PYV_OBJECT)
        return attribute_of_object(machine, value, name);
    if (value->type == PYV_LIBRARY)
        return attribute_of_library(machine, value, name);
    if (value->type == PYV_METHOD)
        return value->node
                   ? machine->unknown
                   : method_of(machine, value->of, NULL, NULL,
                               py_join(machine->arena, value->text, ".", name));
    own = value->type == PYV_CLASS ? py_class_attribute(value, name, &owner, 0)
                                   : NULL;
    return own ? bound(machine, value, own, owner, name)
               : method_of(machine, value, NULL, NULL, name);
}

struct py_value *py_attribute(struct py_machine *machine,
                              struct py_value *value, struct text name)
{
    struct py_value *own;
    if (value->type == PYV_UNKNOWN || value->type == PYV_NONE)
        return machine->unknown;
    if (value->type == PYV_OBJECT && text_is(value->text, "super"))
        return attribute_of_super(machine, value, name);
    own = value->type != PYV_LIST && value->map ? py_map_get(value->map, name)
                                                : NULL;
    if (own && value->type != PYV_METHOD)
        return value->type == PYV_CLASS
                   ? bound(machine, value, own, value, name)
                   : own;
    if (text_is(name, "__dict__") && value->map)
        return as_dict(machine, value->map);
    if (text_is(name, "__name__") && value->text.len)
        return py_text_value(machine, py_last_name(value->text));
    return attribute_by_type(machine, value, name);
}

static struct py_value *item_of_list(struct py_machine *machine,
                                     const struct py_map *list,
                                     const struct py_value *key)
{
    double place =
        key->number < 0 ? key->number + (double)list->n : key->number;
    bool known = key->type == PYV_NUMBER && place >= 0 &&
                 place < (double)list->n && !(key->number < 0 && list->open);
    return known ? list->at[(size_t)place].value : machine->unknown;
}

struct py_value *py_item_at(struct py_machine *machine, struct py_value *value,
                            const struct py_value *key)
{
    struct py_value *found;
    if (value->type == PYV_LIST)
        return item_of_list(machine, value->map, key);
    if (value->type == PYV_LIBRARY && text_is(value->text, "os.environ")) {
        struct py_value *get =
            py_library_value(machine, text_from("os.environ.get"));
        found = py_call_with(machine, get, (struct py_value *)(uintptr_t)key);
        return found->type == PYV_NONE ? machine->unknown : found;
    }
    static const char names[] = ".__dict__";
    if (value->type == PYV_LIBRARY && py_is_text(key) &&
        py_name_ends(value->text, "__dict__")) {
        struct text module = {value->text.at,
                              value->text.len - (sizeof names - 1)};
        return py_library_value(
            machine, py_join(machine->arena, module, ".", key->text));
    }
    bool keyed = value->type == PYV_DICT || value->type == PYV_OBJECT;
    if (!keyed || !py_is_scalar(key))
        return machine->unknown;
    found = py_map_get(value->map, py_value_text(key, machine->arena));
    struct py_value *get =
        found ? NULL : py_method(machine, value, "__getitem__");
    if (get && machine->depth < 20)
        return py_call_with(machine, get, (struct py_value *)(uintptr_t)key);
    return found ? found : machine->unknown;
}

struct py_value *py_method(struct py_machine *machine, struct py_value *object,
                           const char *name)
{
    struct py_value *method =
        object->type == PYV_OBJECT
            ? py_attribute(machine, object, text_from(name))
            : NULL;
    return method && method->type == PYV_METHOD && method->node ? method : NULL;
}

/* Evaluates functions that the script does not call itself: those that a
 * library calls back, and the functions of a script that another program
 * starts. */

enum { LATER_MAX = 40 };

/* True if the value is a function of the project whose body was not run. */
static bool is_pending(const struct py_value *value)
{
    return value &&
           (value->type == PYV_FUNCTION || value->type == PYV_METHOD) &&
           value->node && value->node->kind == PY_DEF && value->map &&
           !py_map_find(value->map, "%run");
}

/* Calls a function with unknown values for the parameters without a default. */
static void call_open(struct py_machine *machine, struct py_value *function)
{
    struct py_map arguments = {.maybe = machine->maybe, .open = false};
    for (const struct py_node *param =
             function->type == PYV_FUNCTION ? function->node->a : NULL;
         param; param = param->next) {
        if (!param->c && !param->b)
            py_map_set(&arguments, machine->arena, param->text,
                       machine->unknown);
    }
    machine->file = function->scope->file;
    py_call(machine, function, &arguments);
    machine->file = machine->files[0];
}

/* Calls the functions that were given to libraries, such as the model function
 * of an estimator of TensorFlow. */
static void call_back(struct py_machine *machine)
{
    for (size_t i = 0, n = 0; i < machine->n_calls && n < LATER_MAX; i++) {
        const struct py_call *call = machine->calls[i];
        for (size_t k = 0; k < call->arguments.n && n < LATER_MAX; k++) {
            struct py_value *value = call->arguments.at[k].value;
            if (is_pending(value)) {
                call_open(machine, value);
                n++;
            }
        }
    }
}

/* Calls the methods by which libraries ask a class of the project for its
 * optimizer and its data. */
static void call_hooks(struct py_machine *machine)
{
    static const char *const names[] = {
        "configure_optimizers", "init_optimizers",      "create_optimizer",
        "train_dataloader",     "get_train_dataloader", "build_optimizer"};
    for (size_t i = 0; i < machine->n_calls; i++) {
        struct py_value *object = machine->calls[i]->result;
        if (!object || object->type != PYV_OBJECT || !object->of ||
            object->of->type != PYV_CLASS ||
            !py_library_base(object->of, 0).len)
            continue;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            struct py_value *method = py_method(machine, object, names[k]);
            if (is_pending(method))
                py_call(machine, method, &(struct py_map){0});
        }
    }
}

/* Calls functions of the script with names such as main or train. A script
 * whose evaluation reaches no training is started in another manner, such as by
 * the entry point of a package. */
static void call_own(struct py_machine *machine)
{
    static const char *const names[] = {"main",   "train",   "run",
                                        "cli",    "app",     "main_worker",
                                        "worker", "training"};
    const struct py_map *own = &machine->files[0]->scope.names;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct py_value *value = py_map_find(own, names[i]);
        if (is_pending(value) && value->scope->file == machine->files[0])
            call_open(machine, value);
        else if (value && value->type == PYV_OBJECT && i >= 3)
            py_call(machine, value, &(struct py_map){0});
    }
}

void py_call_later(struct py_machine *machine)
{
    static const char *const training[] = {"backward", "fit", "minimize",
                                           "parameters", "Trainer"};
    bool trains = false;
    for (size_t i = 0; i < sizeof training / sizeof *training; i++)
        trains |= py_calls_have(machine, training[i]);
    if (!trains)
        call_own(machine);
    call_back(machine);
    call_hooks(machine);
}
