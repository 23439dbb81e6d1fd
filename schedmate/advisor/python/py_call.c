/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls functions and makes objects in the evaluator of Python. */
#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

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
static struct py_value *run(struct py_machine *machine,
                            const struct py_node *node, struct py_scope *outer,
                            struct py_value *owner, const struct py_map *given)
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
        run(machine, init->node, init->scope, owner, &all);
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
        return run(machine, method->node, method->scope, method->owner, &all);
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
    return run(machine, function->node, function->scope, NULL, arguments);
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
