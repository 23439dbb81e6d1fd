/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds names, attributes and items in the evaluator of Python. */
#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

/* Largest depth of bases, and largest number of bases of a class, that are
 * examined. The limits bound the work for classes that repeat their bases. */
enum { BASES_MAX = 5, SIBLINGS_MAX = 3 };

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
    if (value || class->type != PYV_CLASS || depth > BASES_MAX)
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
    if (class->type != PYV_CLASS || depth > BASES_MAX)
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
    if (class->type != PYV_CLASS || depth > BASES_MAX)
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
