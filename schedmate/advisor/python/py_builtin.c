/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods of the texts (paths, too), lists and dictionaries of Python, and of
 * the configurations that behave like dictionaries (OmegaConf, yacs,
 * ConfigDict). */

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/python/py_machine_internal.h"

static struct py_value *yes(struct py_machine *machine, struct py_call *call);

static const struct text py_builtin_none = {"", 0};

static struct text cased(struct py_machine *machine, struct text t, bool upper)
{
    char *at = arena_copy(machine->arena, t.at, t.len);
    for (size_t i = 0; i < t.len; i++) {
        if (upper ? at[i] >= 'a' && at[i] <= 'z' : ascii_is_upper(at[i]))
            at[i] ^= 32;
    }
    return (struct text){at, t.len};
}

/* Evaluates text.strip(set), lstrip and rstrip. */
static struct text stripped(struct text t, struct text set, struct text name)
{
    if (!set.len)
        set = text_from(" \t\r\n");
    while (t.len && name.at[0] != 'r' && memchr(set.at, t.at[0], set.len))
        t = text_skip(t, 1);
    while (t.len && name.at[0] != 'l' &&
           memchr(set.at, t.at[t.len - 1], set.len))
        t.len--;
    return t;
}

/* Returns the length of the part of a text before the separator; NULL: a
 * blank. */
static size_t part_length(struct text t, const char *separator)
{
    size_t n = 0;
    while (n < t.len &&
           (separator ? t.at[n] != *separator : !strchr(" \t\r\n", t.at[n])))
        n++;
    return n;
}

static struct py_value *builtin_split(struct py_machine *machine,
                                      const struct py_value *self,
                                      const struct py_call *call)
{
    struct py_value *list = py_list_value(machine);
    const struct py_value *by = py_argument(call, 0, "sep");
    const struct py_value *most = py_argument(call, 1, "maxsplit");
    double left = most && most->type == PYV_NUMBER && most->number >= 0
                      ? most->number
                      : 1e9;
    struct text t = self->text;
    bool blanks = !by || by->type == PYV_NONE;
    if (!blanks && (!py_is_text(by) || by->text.len != 1))
        return machine->unknown;
    for (bool more = true; more;) {
        struct text part, rest = py_builtin_none;
        if (blanks)
            t = stripped(t, py_builtin_none, text_from("left"));
        if (blanks && !t.len)
            break;
        size_t n =
            left-- > 0 ? part_length(t, blanks ? NULL : by->text.at) : t.len;
        part = (struct text){t.at, n};
        more = n < t.len;
        if (more)
            rest = text_skip(t, n + 1);
        struct py_value *value =
            py_with_source(machine, self, self->where, self->rank);
        value->text = part;
        py_map_set(list->map, machine->arena, py_builtin_none, value);
        t = rest;
    }
    return list;
}

/* Returns the parts before and after the last `c` of a text, as rsplit(c, 1)
 * does. */
static struct py_value *split_last(struct py_machine *machine,
                                   const struct py_value *self, char c)
{
    struct text t = self->text;
    struct py_value *list = py_list_value(machine);
    const char *hit = t.len ? memrchr(t.at, c, t.len) : NULL;
    size_t n = hit ? (size_t)(hit - t.at) : t.len;
    struct py_value *first =
        py_with_source(machine, self, self->where, self->rank);
    first->text = (struct text){t.at, n};
    py_map_set(list->map, machine->arena, py_builtin_none, first);
    if (hit) {
        struct py_value *last =
            py_with_source(machine, self, self->where, self->rank);
        last->text = text_skip(t, n + 1);
        py_map_set(list->map, machine->arena, py_builtin_none, last);
    }
    return list;
}

/* Evaluates text.split(c, n), text.rsplit(c) and text.rsplit(c, 1). Any other
 * text.rsplit(c, n) is unknown. */
static struct py_value *split_at(struct py_machine *machine,
                                 const struct py_value *self,
                                 const struct py_call *call)
{
    const struct py_value *by = py_argument(call, 0, "sep");
    const struct py_value *most = py_argument(call, 1, "maxsplit");
    if (text_is(call->name, "split") || !most)
        return builtin_split(machine, self, call);
    bool last = most->type == PYV_NUMBER && most->number == 1 &&
                py_is_text(by) && by->text.len == 1;
    return last ? split_last(machine, self, by->text.at[0]) : machine->unknown;
}

static struct py_value *builtin_replaced(struct py_machine *machine,
                                         struct text t, struct text old,
                                         struct text new)
{
    struct text out = py_builtin_none;
    while (t.len) {
        const char *hit = memmem(t.at, t.len, old.at, old.len);
        if (!hit)
            break;
        struct text before = {t.at, (size_t)(hit - t.at)};
        out = py_join(machine->arena, out, "", before);
        out = py_join(machine->arena, out, "", new);
        t = text_skip(t, before.len + old.len);
    }
    return py_text_value(machine, py_join(machine->arena, out, "", t));
}

/* Evaluates text.format(...): replaces {}, {0} and {name} by the arguments. */
static struct py_value *format(struct py_machine *machine, struct text t,
                               const struct py_call *call)
{
    struct text out = py_builtin_none, printed;
    int next = 0;
    while (t.len) {
        struct text part = text_split(t, '{', &t), rest;
        out = py_join(machine->arena, out, "", py_one_brace(machine, part));
        if (!t.len)
            break;
        if (t.at[0] == '{') {
            out = py_join(machine->arena, out, "{", py_builtin_none);
            t = text_skip(t, 1);
            continue;
        }
        struct text name = text_split(t, '}', &t);
        name = text_split(name, ':', &rest);
        uint32_t place;
        char key[64] = "";
        if (name.len && name.len < sizeof key)
            memcpy(key, name.at, name.len);
        const struct py_value *value =
            !name.len                   ? py_argument(call, next++, "\1")
            : text_to_u32(name, &place) ? py_argument(call, (int)place, "\1")
                                        : py_argument(call, -1, key);
        if (!value || !py_print(machine, value, rest, &printed))
            return machine->unknown;
        out = py_join(machine->arena, out, "", printed);
    }
    return py_text_value(machine, out);
}

static bool has_end(struct text t, struct text end, bool at_start)
{
    return t.len >= end.len &&
           (!end.len || memcmp(at_start ? t.at : t.at + t.len - end.len, end.at,
                               end.len) == 0);
}

static struct py_value *builtin_ends(struct py_machine *machine, struct text t,
                                     const struct py_call *call, bool at_start)
{
    const struct py_value *with = py_argument(call, 0, "\1");
    bool yes = false;
    if (call->arguments.n != 1)
        return machine->unknown;
    if (py_is_text(with))
        return py_bool_value(machine, has_end(t, with->text, at_start));
    if (!with || with->type != PYV_LIST)
        return machine->unknown;
    for (size_t i = 0; i < with->map->n; i++) {
        const struct py_value *one = with->map->at[i].value;
        yes |= py_is_text(one) && has_end(t, one->text, at_start);
    }
    return py_bool_value(machine, yes);
}

/* Calls a method of a path, which is a text here. Returns NULL for any other
 * method. */
static struct py_value *path_method(struct py_machine *machine, struct text t,
                                    struct text name)
{
    static const char *const same[] = {"resolve", "absolute", "expanduser",
                                       "as_posix", NULL};
    static const char *const opens[] = {"read_text", "open", NULL};
    static const char *const tests[] = {"exists", "is_file", NULL};
    if (py_is_one_of(name, same))
        return py_text_value(machine, t);
    if (py_is_one_of(name, opens))
        return py_open(machine, t);
    return py_is_one_of(name, tests) ? py_exists(machine, t) : NULL;
}

static struct py_value *text_method(struct py_machine *machine, struct text t,
                                    struct text name,
                                    const struct py_call *call)
{
    static const char *const cases[] = {"lower", "upper", NULL};
    static const char *const strips[] = {"strip", "rstrip", "lstrip", NULL};
    static const char *const tests[] = {"startswith", "endswith", NULL};
    const struct py_value *a = py_argument(call, 0, "sep");
    const struct py_value *b = py_argument(call, 1, "\1");
    struct text first = py_is_text(a) ? a->text : py_builtin_none;
    struct py_value *same = py_with_source(machine, call->self,
                                           call->self->where, call->self->rank);
    if (py_is_one_of(name, cases)) {
        same->text = cased(machine, t, name.at[0] == 'u');
        return same;
    }
    if (py_is_one_of(name, strips)) {
        same->text = stripped(t, first, name);
        return same;
    }
    if (text_is(name, "split") || text_is(name, "rsplit"))
        return split_at(machine, call->self, call);
    if (py_is_one_of(name, tests))
        return builtin_ends(machine, t, call, name.at[0] == 's');
    if (text_is(name, "replace") && py_is_text(b) && first.len &&
        call->arguments.n == 2)
        return builtin_replaced(machine, t, first, b->text);
    if (text_is(name, "format"))
        return format(machine, t, call);
    if (text_is(name, "joinpath") && py_is_text(a)) {
        same->text = py_join(machine->arena, t, "/", first);
        return same;
    }
    return path_method(machine, t, name);
}

static struct py_value *copied_list(struct py_machine *machine,
                                    const struct py_value *of)
{
    struct py_value *list = py_list_value(machine);
    list->map->open = of->map->open;
    machine->steps += of->map->n;
    for (size_t i = 0; i < of->map->n; i++)
        py_map_set(list->map, machine->arena, py_builtin_none,
                   of->map->at[i].value);
    return list;
}

static struct py_value *list_method(struct py_machine *machine,
                                    struct py_value *self, struct text name,
                                    const struct py_call *call)
{
    static const char *const changes[] = {"insert",  "pop",   "remove", "sort",
                                          "reverse", "clear", NULL};
    struct py_value *a = py_argument(call, 0, "\1");
    if (text_is(name, "append") && a) {
        if (machine->maybe > self->map->maybe)
            self->map->open = true;
        py_map_set(self->map, machine->arena, py_builtin_none, a);
        return machine->none;
    }
    if (text_is(name, "extend") && a) {
        if (a->type != PYV_LIST)
            self->map->open = true;
        for (size_t i = 0; a->type == PYV_LIST && i < a->map->n; i++)
            py_map_set(self->map, machine->arena, py_builtin_none,
                       a->map->at[i].value);
        return machine->none;
    }
    if (py_is_one_of(name, changes))
        py_forget_items(self->map);
    return text_is(name, "copy") ? copied_list(machine, self) : NULL;
}

static struct py_value *get(struct py_machine *machine,
                            const struct py_value *self,
                            const struct py_call *call, bool takes)
{
    const struct py_value *key = py_argument(call, 0, "key");
    struct py_value *other = py_argument(call, 1, "default");
    if (!key || !py_is_scalar(key))
        return machine->unknown;
    struct text name = py_value_text(key, machine->arena);
    struct py_value *value = py_map_get(self->map, name);
    if (value && takes)
        py_map_remove(self->map, name);
    if (!value && self->map->open)
        value = machine->unknown;
    if (!value)
        value = other ? other : machine->none;
    py_note(machine, name, value);
    return value;
}

/* Returns the keys, the values, or pairs of both, for a `what` of 'k', 'v' or
 * 'i'. */
static struct py_value *listed(struct py_machine *machine,
                               const struct py_value *self, char what)
{
    struct py_value *list = py_list_value(machine);
    list->map->open = self->map->open;
    machine->steps += self->map->n;
    for (size_t i = 0; i < self->map->n; i++) {
        struct py_value *value = self->map->at[i].value;
        struct py_value *key = py_text_value(machine, self->map->at[i].key);
        struct py_value *pair = what == 'k' ? key : value;
        if (what == 'i') {
            pair = py_list_value(machine);
            py_map_set(pair->map, machine->arena, py_builtin_none, key);
            py_map_set(pair->map, machine->arena, py_builtin_none, value);
        }
        py_map_set(list->map, machine->arena, py_builtin_none, pair);
    }
    return list;
}

static struct py_value *update(struct py_machine *machine,
                               struct py_value *self,
                               const struct py_call *call)
{
    for (size_t i = 0; i < call->arguments.n; i++) {
        const struct py_item *item = &call->arguments.at[i];
        if (item->key.len)
            py_set(machine, self->map, item->key, item->value);
        else if (item->value->type == PYV_DICT)
            py_merge(machine, self, item->value, false);
        else
            self->map->open = true;
    }
    return machine->none;
}

/* Calls a method of a configuration. Returns NULL for an unknown method. */
static struct py_value *config_method(struct py_machine *machine,
                                      struct py_value *self, struct text name,
                                      const struct py_call *call)
{
    static const char *const files[] = {"merge_from_file", "from_file", NULL};
    static const char *const merges[] = {
        "merge_from_dict", "merge_from_other_cfg", "merge_with", NULL};
    static const char *const copies[] = {"clone", "copy", "to_dict",
                                         "copy_and_resolve_references", NULL};
    struct py_value *a = py_argument(call, 0, "cfg_filename");
    if (py_is_one_of(name, files)) {
        struct py_value *file =
            py_is_text(a) ? py_read_config(machine, a->text) : NULL;
        if (file && file->type == PYV_DICT) {
            py_merge(machine, self, file, true);
        }
        return machine->none;
    }
    if (text_is(name, "merge_from_list") && a && a->type == PYV_LIST)
        return py_merge_list(machine, self, a);
    if (py_is_one_of(name, merges)) {
        if (a && a->type == PYV_DICT)
            py_merge(machine, self, a, true);
        return machine->none;
    }
    return py_is_one_of(name, copies) ? py_copy(machine, self, 0) : NULL;
}

static struct py_value *dict_method(struct py_machine *machine,
                                    struct py_value *self, struct text name,
                                    const struct py_call *call)
{
    if (text_is(name, "get") || text_is(name, "pop"))
        return get(machine, self, call, name.at[0] == 'p');
    if (text_is(name, "items") || text_is(name, "keys") ||
        text_is(name, "values"))
        return listed(machine, self, name.at[0]);
    if (text_is(name, "update"))
        return update(machine, self, call);
    if (text_is(name, "setdefault")) {
        const struct py_value *key = py_argument(call, 0, "\1");
        struct py_value *value = py_argument(call, 1, "\1");
        if (!py_is_text(key))
            return machine->unknown;
        if (!py_map_get(self->map, key->text))
            py_map_set(self->map, machine->arena, key->text,
                       value ? value : machine->none);
        return py_map_get(self->map, key->text);
    }
    if (text_is(name, "clear") || text_is(name, "popitem"))
        py_forget_items(self->map);
    return config_method(machine, self, name, call);
}

struct py_value *py_builtin_method(struct py_machine *machine,
                                   struct py_call *call)
{
    struct py_value *self = call->self;
    if (self->type == PYV_TEXT)
        return text_method(machine, self->text, call->name, call);
    if (self->type == PYV_LIST)
        return list_method(machine, self, call->name, call);
    if (self->type == PYV_DICT)
        return dict_method(machine, self, call->name, call);
    /* group.command() of click: an object that holds the group */
    if (self->type != PYV_FUNCTION || !text_is(call->name, "command"))
        return NULL;
    struct py_value *object =
        py_object_value(machine, text_from("click.command"));
    object->call = ARENA_NEW(machine->arena, struct py_call);
    *object->call = *call;
    object->call->name = object->of->text;
    return object;
}

/* What the evaluator of Python knows of built-in functions. */

static struct py_value *second(struct py_machine *machine, struct py_call *call)
{
    struct py_value *value = py_argument(call, 1, "iterable");
    return value && value->type != PYV_LIST ? value : machine->unknown;
}

static struct py_value *yes(struct py_machine *machine, struct py_call *call)
{
    (void)call;
    return py_bool_value(machine, true);
}

static struct py_value *builtin_nothing(struct py_machine *machine,
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
    if (!py_is_scalar(value) || call->arguments.n != 1)
        return machine->unknown;
    made = py_with_source(machine, value, value->where, value->rank);
    if (text_is(call->name, "str")) {
        (void)!py_print(machine, value, py_builtin_none, &made->text);
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
    if (of->type == PYV_DICT)
        return listed(machine, of, 'k');
    if (of->type == PYV_TEXT)
        return machine->unknown;
    return of->type == PYV_LIST ? copied_list(machine, of) : of;
}

/* Evaluates reversed(list). */
static struct py_value *as_reversed(struct py_machine *machine,
                                    struct py_call *call)
{
    struct py_value *list = as_list(machine, call);
    if (list->type != PYV_LIST || list->map->open)
        return machine->unknown;
    for (size_t i = 0, k = list->map->n; i + 1 < k; i++) {
        struct py_item one = list->map->at[i];
        list->map->at[i] = list->map->at[--k];
        list->map->at[k] = one;
    }
    return list;
}

static int compare_texts(struct text a, struct text b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.at, b.at, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* Compares two texts or two numbers; returns false for other values. */
static bool compare_items(const struct py_value *a, const struct py_value *b,
                          int *out)
{
    if (a->type == PYV_NUMBER && b->type == PYV_NUMBER)
        *out = (a->number > b->number) - (a->number < b->number);
    else if (a->type == PYV_TEXT && b->type == PYV_TEXT)
        *out = compare_texts(a->text, b->text);
    else
        return false;
    return true;
}

/* Evaluates sorted(list) if the list has only numbers or only texts. */
static struct py_value *as_sorted(struct py_machine *machine,
                                  struct py_call *call)
{
    struct py_value *list = as_list(machine, call);
    int order;
    if (list->type != PYV_LIST || list->map->open || call->arguments.n != 1)
        return list->type == PYV_LIST ? machine->unknown : list;
    for (size_t i = 1; i < list->map->n; i++) {
        struct py_item one = list->map->at[i];
        size_t k = i;
        for (; k > 0; k--) {
            machine->steps++;
            if (!compare_items(list->map->at[k - 1].value, one.value, &order))
                return machine->unknown;
            if (order <= 0)
                break;
            list->map->at[k] = list->map->at[k - 1];
        }
        list->map->at[k] = one;
    }
    return list;
}

void py_once(struct py_machine *machine, struct py_map *map)
{
    size_t n = 0;
    for (size_t i = 0; i < map->n; i++) {
        size_t k = 0;
        while (k < n && !py_same(map->at[k].value, map->at[i].value))
            k++;
        machine->steps += k;
        if (k == n)
            map->at[n++] = map->at[i];
    }
    map->n = n;
}

/* Evaluates set(list): each item once, in the order of the list. */
static struct py_value *as_set(struct py_machine *machine, struct py_call *call)
{
    struct py_value *list = as_list(machine, call);
    if (list->type != PYV_LIST)
        return list;
    py_once(machine, list->map);
    return list;
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
static const struct py_library_row functions_plain[] = {
    {"int", convert},
    {"float", convert},
    {"str", convert},
    {"bool", convert},
    {"min", smallest},
    {"max", smallest},
    {"len", length},
    {"list", as_list},
    {"tuple", as_list},
    {"sorted", as_sorted},
    {"set", as_set},
    {"iter", as_list},
    {"reversed", as_reversed},
    {"dict", py_as_dict},
    {"getattr", get_attribute},
    {"setattr", set_attribute},
    {"super", super_of},
    {"type", type_of},
    {"filter", second},
    {"print", builtin_nothing},
    {"round", builtin_nothing},
    {"abs", builtin_nothing},
    {"sum", builtin_nothing},
};

static const struct py_library_row functions_rows[] = {
    {"defaultdict", builtin_nothing},
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
        value = py_by_rows(machine, call, functions_plain,
                           sizeof functions_plain / sizeof *functions_plain);
    return value ? value
                 : py_by_rows(machine, call, functions_rows,
                              sizeof functions_rows / sizeof *functions_rows);
}

/* Functions about classes and modules: isinstance, data classes, named tuples,
 * modules that the code loads by name or path. */

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

/* True if a value has a type. A truth value is an int; a number is a float if
 * it has a fraction. */
static bool is_of_type(const struct py_value *value, const char *name,
                       enum py_type type)
{
    if (type == PYV_NUMBER && value->type == PYV_NUMBER)
        return (trunc(value->number) == value->number) == (name[0] == 'i');
    return value->type == type || (value->type == PYV_BOOL && name[0] == 'i');
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
            return py_bool_value(machine,
                                 is_of_type(of, rows[i].name, rows[i].type));
    }
    return machine->unknown;
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

struct py_value *py_class_call(struct py_machine *machine, struct py_call *call)
{
    static const struct py_library_row rows[] = {
        {"isinstance", is_instance},       {"import_module", import_module},
        {"__import__", import_module},     {"module_from_spec", module_of_spec},
        {"load_module", module_of_loader},
    };
    return py_by_rows(machine, call, rows, sizeof rows / sizeof *rows);
}
