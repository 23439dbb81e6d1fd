/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the evaluator of Python knows of built-in functions. */
#include <math.h>
#include <string.h>

#include "schedmate/advisor/python/py_config.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static struct py_value *second(struct py_machine *machine, struct py_call *call)
{
    struct py_value *value = py_argument(call, 1, "iterable");
    return value ? value : machine->unknown;
}

static struct py_value *yes(struct py_machine *machine, struct py_call *call)
{
    (void)call;
    return py_bool_value(machine, true);
}

static struct py_value *nothing(struct py_machine *machine,
                                struct py_call *call)
{
    (void)call;
    return machine->unknown;
}

/* Evaluates int(x), float(x), bool(x) and str(x) if x is known. */
static struct py_value *convert(struct py_machine *machine,
                                struct py_call *call)
{
    struct py_value *value = py_argument(call, 0, "\1"), *made;
    if (!py_is_scalar(value))
        return machine->unknown;
    made = py_with_source(machine, value, value->where, value->rank);
    if (text_is(call->name, "str")) {
        made->text = py_value_text(value, machine->arena);
        made->type = PYV_TEXT;
        return made;
    }
    if (text_is(call->name, "bool")) {
        made->number = py_truth(value) == PY_YES;
        made->type = PYV_BOOL;
        return made;
    }
    if (value->type == PYV_TEXT)
        made = py_plain_value(machine->arena, value->text, value->where,
                              value->rank);
    if (made->type != PYV_NUMBER && made->type != PYV_BOOL)
        return machine->unknown;
    made->type = PYV_NUMBER;
    if (text_is(call->name, "int"))
        made->number = trunc(made->number);
    return made;
}

static struct py_value *smallest(struct py_machine *machine,
                                 struct py_call *call)
{
    bool least = text_is(call->name, "min");
    struct py_value *best = NULL;
    const struct py_map *items = &call->arguments;
    if (items->n == 1 && items->at[0].value->type == PYV_LIST)
        items = items->at[0].value->map;
    for (size_t i = 0; i < items->n; i++) {
        struct py_value *one = items->at[i].value;
        if (one->type != PYV_NUMBER)
            return machine->unknown;
        if (!best ||
            (least ? one->number < best->number : one->number > best->number))
            best = one;
    }
    return best ? best : machine->unknown;
}

static struct py_value *length(struct py_machine *machine, struct py_call *call)
{
    const struct py_value *of = py_argument(call, 0, "\1");
    bool known =
        of && (of->type == PYV_LIST || of->type == PYV_DICT) && !of->map->open;
    return known ? py_number_value(machine, (double)of->map->n)
                 : machine->unknown;
}

static struct py_value *as_list(struct py_machine *machine,
                                struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "\1");
    if (!of)
        return py_list_value(machine);
    return of->type == PYV_DICT ? machine->unknown : of;
}

static struct py_value *get_attribute(struct py_machine *machine,
                                      struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "\1");
    const struct py_value *name = py_argument(call, 1, "\1");
    struct py_value *other = py_argument(call, 2, "\1");
    if (!of || !py_is_text(name))
        return machine->unknown;
    struct py_value *value = py_attribute(machine, of, name->text);
    bool missing = value->type == PYV_METHOD && !value->node &&
                   of->type != PYV_OBJECT && of->type != PYV_CLASS;
    if (missing && other)
        return other;
    py_note(machine, name->text, value);
    return value;
}

static struct py_value *set_attribute(struct py_machine *machine,
                                      struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "\1");
    const struct py_value *name = py_argument(call, 1, "\1");
    struct py_value *value = py_argument(call, 2, "\1");
    if (of && of->map && value && py_is_text(name) && of->type != PYV_LIST)
        py_set(machine, of->map, name->text, value);
    return machine->none;
}

static struct py_value *has_attribute(struct py_machine *machine,
                                      struct py_call *call)
{
    const struct py_value *of = py_argument(call, 0, "\1");
    const struct py_value *name = py_argument(call, 1, "\1");
    if (!of || !of->map || !py_is_text(name) || of->type == PYV_LIST)
        return machine->unknown;
    if (py_map_get(of->map, name->text))
        return py_bool_value(machine, true);
    return of->type == PYV_DICT && !of->map->open
               ? py_bool_value(machine, false)
               : machine->unknown;
}

/* Evaluates super() in a method to an object that holds self and the class of
 * the method. */
static struct py_value *super_of(struct py_machine *machine,
                                 struct py_call *call)
{
    (void)call;
    if (!machine->frame || !machine->frame->owner || !machine->frame->self)
        return machine->unknown;
    struct py_value *value = py_object_value(machine, text_from("super"));
    value->text = text_from("super");
    value->owner = machine->frame->owner;
    value->of = machine->frame->self;
    return value;
}

/* Evaluates type(x): the class of an object. */
static struct py_value *type_of(struct py_machine *machine,
                                struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "\1");
    return of && of->type == PYV_OBJECT && of->of ? of->of : machine->unknown;
}

static struct py_value *names_of(struct py_machine *machine,
                                 struct py_call *call)
{
    struct py_value *of = py_argument(call, 0, "\1");
    if (!of || !of->map || of->type == PYV_LIST)
        return machine->unknown;
    struct py_value *dict = py_dict_value(machine);
    dict->map = of->map;
    return dict;
}

/* Evaluates eval(text) in the scope of the file, if the text is short. */
static struct py_value *evaluate(struct py_machine *machine,
                                 struct py_call *call)
{
    const struct py_value *text = py_argument(call, 0, "\1");
    if (!py_is_text(text) || text->text.len > 200)
        return machine->unknown;
    const struct py_node *node = py_parse(text->text, machine->arena);
    return node && node->kind == PY_EXPR && machine->depth < 20
               ? py_evaluate(machine, node->a, &machine->file->scope)
               : machine->unknown;
}

/* Evaluates exec(...), by which some scripts let the command, and the files
 * that the command names, override their global names: sets these names. */
static struct py_value *execute(struct py_machine *machine,
                                struct py_call *call)
{
    struct py_map *names = &machine->file->scope.names;
    (void)call;
    struct py_value *words = py_command_words(machine);
    for (size_t i = 0; i < words->map->n; i++) {
        const struct py_item *item = &words->map->at[i];
        struct py_value *file = NULL;
        if (!item->key.len && py_is_text(item->value))
            file = py_read_config(machine, item->value->text);
        if (file && file->type == PYV_DICT) {
            for (size_t k = 0; k < file->map->n; k++) {
                py_map_set(names, machine->arena, file->map->at[k].key,
                           file->map->at[k].value);
                py_note(machine, file->map->at[k].key, file->map->at[k].value);
            }
        } else if (item->key.len && py_map_get(names, item->key)) {
            py_map_set(names, machine->arena, item->key, item->value);
            py_note(machine, item->key, item->value);
        }
    }
    return machine->none;
}

static struct py_value *call_partial(struct py_machine *machine,
                                     struct py_call *call)
{
    const struct py_call *made = call->self ? call->self->call : NULL;
    struct py_value *callee = made ? py_argument(made, 0, "func") : NULL;
    struct py_map all = {.maybe = machine->maybe};
    if (!callee || machine->depth > 20)
        return NULL;
    for (size_t i = 1; i < made->arguments.n; i++)
        py_map_set(&all, machine->arena, made->arguments.at[i].key,
                   made->arguments.at[i].value);
    for (size_t i = 0; i < call->arguments.n; i++)
        py_map_set(&all, machine->arena, call->arguments.at[i].key,
                   call->arguments.at[i].value);
    return py_call(machine, callee, &all);
}

/* Functions without a module: the whole name counts. */
static const struct py_library_row plain[] = {
    {"int", convert},
    {"float", convert},
    {"str", convert},
    {"bool", convert},
    {"min", smallest},
    {"max", smallest},
    {"len", length},
    {"list", as_list},
    {"tuple", as_list},
    {"sorted", as_list},
    {"set", as_list},
    {"iter", as_list},
    {"reversed", as_list},
    {"dict", py_as_dict},
    {"getattr", get_attribute},
    {"setattr", set_attribute},
    {"hasattr", has_attribute},
    {"super", super_of},
    {"type", type_of},
    {"vars", names_of},
    {"eval", evaluate},
    {"exec", execute},
    {"filter", second},
    {"print", nothing},
    {"round", nothing},
    {"abs", nothing},
    {"sum", nothing},
};

static const struct py_library_row rows[] = {
    {"defaultdict", nothing},
    {"asdict", names_of},
    {"partial.__call__", call_partial},
    {"tqdm", py_first},
    {"torch.cuda.is_available", yes},
    {"cuda.is_available", yes},
    /* NVIDIA's GPUs for data centres have supported bfloat16 since 2020. */
    {"is_bf16_supported", yes},
    {"is_bfloat16_supported", yes},
    {"is_main_process", yes},
    {"torch.compile", py_first},
    {"jax.jit", py_first},
    {"tf.function", py_first},
};

struct py_value *py_function_call(struct py_machine *machine,
                                  struct py_call *call)
{
    struct py_value *value = NULL;
    bool dotted = memchr(call->name.at, '.', call->name.len) != NULL;
    if (!dotted && !call->self)
        value = py_by_rows(machine, call, plain, sizeof plain / sizeof *plain);
    return value ? value
                 : py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
}
