/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the values of the evaluator of Python, merges two values that a
 * variable may have, and reports values as settings. */
#include <stdio.h>
#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

const char *py_where(struct py_machine *machine, uint32_t line)
{
    char where[4200];
    int n = snprintf(where, sizeof where, "%.4096s:%u", machine->file->path,
                     (unsigned)line);
    return arena_copy(machine->arena, where, (size_t)n);
}

static struct py_value *literal(struct py_machine *machine, enum py_type type)
{
    struct py_value *value = py_value_new(machine->arena, type);
    value->rank = (uint8_t)machine->rank;
    value->where = py_where(machine, machine->line);
    return value;
}

struct py_value *py_number_value(struct py_machine *machine, double number)
{
    struct py_value *value = literal(machine, PYV_NUMBER);
    value->number = number;
    return value;
}

struct py_value *py_bool_value(struct py_machine *machine, bool is)
{
    struct py_value *value = literal(machine, PYV_BOOL);
    value->number = is;
    return value;
}

struct py_value *py_text_value(struct py_machine *machine, struct text text)
{
    struct py_value *value = literal(machine, PYV_TEXT);
    value->text = text;
    return value;
}

static struct py_value *collection(struct py_machine *machine,
                                   enum py_type type)
{
    struct py_value *value = py_value_new(machine->arena, type);
    value->map = ARENA_NEW(machine->arena, struct py_map);
    value->map->maybe = machine->maybe;
    return value;
}

struct py_value *py_list_value(struct py_machine *machine)
{
    return collection(machine, PYV_LIST);
}

struct py_value *py_dict_value(struct py_machine *machine)
{
    return collection(machine, PYV_DICT);
}

struct py_value *py_library_value(struct py_machine *machine, struct text name)
{
    struct py_value *value = py_value_new(machine->arena, PYV_LIBRARY);
    value->text = name;
    return value;
}

struct py_value *py_object_value(struct py_machine *machine, struct text name)
{
    struct py_value *value = collection(machine, PYV_OBJECT);
    value->of = py_library_value(machine, name);
    return value;
}

struct py_value *py_with_source(struct py_machine *machine,
                                const struct py_value *value, const char *where,
                                enum setting_rank rank)
{
    struct py_value *copy = ARENA_NEW(machine->arena, struct py_value);
    *copy = *value;
    copy->where = where;
    copy->rank = (uint8_t)rank;
    return copy;
}

static bool is_known(const struct py_value *value)
{
    return value && value->type != PYV_UNKNOWN && value->type != PYV_NONE &&
           value->type != PYV_METHOD;
}

/* True if the call that made `outer` had `inner` as an argument, as in model =
 * wrap(model), or was a method of it. */
static bool wraps(const struct py_value *outer, const struct py_value *inner)
{
    const struct py_call *call = outer->call;
    for (size_t i = 0; call && i < call->arguments.n; i++) {
        if (call->arguments.at[i].value == inner)
            return true;
    }
    return call && call->self == inner;
}

static bool same_maker(const struct py_value *a, const struct py_value *b)
{
    return a->type == PYV_OBJECT && b->type == PYV_OBJECT && a->of && b->of &&
           (a->of == b->of ||
            (a->of->text.len && text_equal(a->of->text, b->of->text)));
}

/* True if two values are equal, made by the same class, or both functions. */
static bool agree(const struct py_value *a, const struct py_value *b)
{
    return a == b || same_maker(a, b) ||
           (py_is_scalar(a) && py_is_scalar(b) && py_same(a, b)) ||
           (a->type == PYV_FUNCTION && b->type == PYV_FUNCTION);
}

struct py_value *py_either(struct py_machine *machine, struct py_value *a,
                           struct py_value *b)
{
    if (!is_known(a))
        return is_known(b) ? b : a ? a : b;
    if (!is_known(b) || agree(a, b) || wraps(a, b))
        return a;
    if (wraps(b, a))
        return b;
    if ((a->type == PYV_LIST || a->type == PYV_DICT) && a->type == b->type)
        return a->map->n ? a : b;
    return machine->unknown;
}

void py_set(struct py_machine *machine, struct py_map *map, struct text key,
            struct py_value *value)
{
    struct py_value *old = py_map_get(map, key);
    if (old && machine->maybe > map->maybe)
        value = py_either(machine, old, value);
    py_map_set(map, machine->arena, key, value);
}

/* Largest number of recent settings that are searched for an equal one. */
enum { RECENT = 200 };

/* True if a module that describes a library reads a value of such a module. */
static bool is_internal(const struct py_machine *machine,
                        const struct py_value *value)
{
    return machine->file && machine->file->is_library &&
           text_starts(text_from(value->where), PY_LIBRARY_PATH);
}

void py_note_read(struct py_machine *machine, struct text name,
                  const struct py_value *value)
{
    machine->reads = true;
    py_note(machine, name, value);
    machine->reads = false;
}

void py_note(struct py_machine *machine, struct text name,
             const struct py_value *value)
{
    struct settings *settings = machine->settings;
    if (!py_is_scalar(value) || !value->where || !name.len || !settings ||
        value->text.len > 200 || is_internal(machine, value))
        return;
    enum setting_rank rank = value->rank == SETTING_COMMAND
                                 ? SETTING_CARRIED
                                 : (enum setting_rank)value->rank;
    for (size_t i = settings->n; i && settings->n - i < RECENT; i--) {
        struct setting *known = &settings->at[i - 1];
        if (known->rank <= rank && strcmp(known->where, value->where) == 0 &&
            text_is(name, known->key)) {
            known->is_read |= machine->reads;
            return;
        }
    }
    size_t n = settings->n;
    settings_add(settings, rank, name, py_value_text(value, machine->arena),
                 value->where, 0);
    if (settings->n > n) {
        settings->at[n].used = !machine->whole;
        settings->at[n].is_read = machine->reads;
    }
}
