/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates the expressions of Python. */
#include <string.h>

#include "schedmate/advisor/python/py_machine_internal.h"

/* Largest number of items that a comprehension goes over, and length in bytes
 * from which on a dotted name is reported only by its last part. */
enum { COMP_MAX = 64, NAME_MAX_BYTES = 100 };

static struct py_value *evaluate_name(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    struct py_value *value = py_lookup(machine, scope, node->text);
    py_note_read(machine, node->text, value);
    return value;
}

static struct py_value *evaluate_number(struct py_machine *machine,
                                        const struct py_node *node,
                                        struct py_scope *scope)
{
    char digits[64];
    size_t n = 0;
    double number = 0;
    (void)scope;
    if (node->text.len >= sizeof digits - 2)
        return machine->unknown;
    bool hex = node->text.len > 2 && (node->text.at[1] | 32) == 'x';
    if (node->text.at[0] == '.')
        digits[n++] = '0';
    for (size_t i = 0; i < node->text.len; i++) {
        char c = node->text.at[i], after = text_char(node->text, i + 1);
        if (c == '_' || (c == '.' && (!after || (after | 32) == 'e')))
            continue; /* the '_' of 10_000, the '.' of 5. and of 5.e3 */
        digits[n++] = c;
    }
    for (size_t i = 2; hex && i < n; i++) {
        char c = digits[i];
        number = number * 16 + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (!hex && !text_to_double((struct text){digits, n}, &number))
        return machine->unknown;
    return py_number_value(machine, number);
}

static struct py_value *evaluate_const(struct py_machine *machine,
                                       const struct py_node *node,
                                       struct py_scope *scope)
{
    (void)scope;
    if (text_is(node->text, "None"))
        return machine->none;
    return py_bool_value(machine, text_is(node->text, "True"));
}

/* Returns the names after the first in a.b["c"], which are b.c; only the last
 * one if they are too long. */
static struct text path_of(struct py_machine *machine,
                           const struct py_node *node)
{
    struct text last = {"", 0};
    if (node->kind == PY_ATTR)
        last = node->text;
    else if (node->kind == PY_INDEX && node->b && node->b->kind == PY_STRING &&
             node->b->text.len > 2)
        last = (struct text){node->b->text.at + 1, node->b->text.len - 2};
    if (!last.len || !node->a)
        return last;
    struct text before = path_of(machine, node->a);
    return before.len && before.len + last.len < NAME_MAX_BYTES
               ? py_join(machine->arena, before, ".", last)
               : last;
}

static struct py_value *evaluate_attribute(struct py_machine *machine,
                                           const struct py_node *node,
                                           struct py_scope *scope)
{
    struct py_value *of = py_evaluate(machine, node->a, scope);
    struct py_value *value = py_attribute(machine, of, node->text);
    if (py_is_scalar(value))
        py_note_read(machine, path_of(machine, node), value);
    return value;
}

/* Returns text[n:]; other slices of a text are unknown. */
static struct py_value *slice_of_text(struct py_machine *machine,
                                      const struct py_node *slice,
                                      const struct py_value *of,
                                      struct py_scope *scope)
{
    struct py_value *from =
        slice->a ? py_evaluate(machine, slice->a, scope) : machine->unknown;
    if (slice->b || from->type != PYV_NUMBER || from->number < 0)
        return machine->unknown;
    size_t n = from->number < (double)of->text.len ? (size_t)from->number
                                                   : of->text.len;
    struct py_value *value = py_with_source(machine, of, of->where, of->rank);
    value->text = text_skip(of->text, n);
    return value;
}

static struct py_value *evaluate_index(struct py_machine *machine,
                                       const struct py_node *node,
                                       struct py_scope *scope)
{
    struct py_value *of = py_evaluate(machine, node->a, scope);
    if (node->b && node->b->kind == PY_SLICE) {
        if (of->type == PYV_TEXT)
            return slice_of_text(machine, node->b, of, scope);
        if (of->type == PYV_LIST && node->b->a && !node->b->b) {
            struct py_value *from = py_evaluate(machine, node->b->a, scope);
            struct py_value *list = py_list_value(machine);
            list->map->open = of->map->open;
            for (size_t i = 0; i < of->map->n; i++) {
                if (from->type == PYV_NUMBER && (double)i >= from->number)
                    py_map_set(list->map, machine->arena, (struct text){"", 0},
                               of->map->at[i].value);
            }
            return from->type == PYV_NUMBER && from->number >= 0
                       ? list
                       : machine->unknown;
        }
        return machine->unknown;
    }
    struct py_value *key = py_evaluate(machine, node->b, scope);
    struct py_value *value = py_item_at(machine, of, key);
    if (py_is_scalar(value) && py_is_text(key))
        py_note_read(machine, path_of(machine, node), value);
    return value;
}

/* Adds the items of *a or **a to a map, which becomes `open` if they are not
 * known. */
static void spread(struct py_machine *machine, struct py_map *out,
                   struct py_value *value, bool keyed)
{
    bool fits = keyed ? value->type == PYV_DICT || value->type == PYV_OBJECT
                      : value->type == PYV_LIST;
    if (!fits || !value->map) {
        out->open = true;
        return;
    }
    out->open |= value->map->open;
    machine->steps += value->map->n;
    for (size_t i = 0; i < value->map->n; i++)
        py_map_set(out, machine->arena, value->map->at[i].key,
                   value->map->at[i].value);
}

static struct py_value *evaluate_call(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    struct py_map arguments = {.maybe = machine->maybe};
    struct py_value *callee = py_evaluate(machine, node->a, scope);
    for (const struct py_node *arg = node->b; arg; arg = arg->next) {
        struct py_value *value = py_evaluate(machine, arg->a, scope);
        if (text_is(arg->text, "*") || text_is(arg->text, "**"))
            spread(machine, &arguments, value, arg->text.len == 2);
        else
            py_map_set(&arguments, machine->arena, arg->text, value);
    }
    /* locals(), globals() and vars() depend on the scope of the call. */
    if (callee->type == PYV_LIBRARY && !node->b &&
        (text_is(callee->text, "locals") || text_is(callee->text, "globals") ||
         text_is(callee->text, "vars"))) {
        struct py_value *names = py_dict_value(machine);
        names->map = text_is(callee->text, "globals")
                         ? &scope->file->scope.names
                         : &scope->names;
        return names;
    }
    machine->line = node->line;
    return py_call(machine, callee, &arguments);
}

static struct py_value *evaluate_binary(struct py_machine *machine,
                                        const struct py_node *node,
                                        struct py_scope *scope)
{
    struct py_value *a = py_evaluate(machine, node->a, scope);
    struct py_value *b = py_evaluate(machine, node->b, scope);
    return py_operate(machine, node->text, a, b);
}

static struct py_value *evaluate_unary(struct py_machine *machine,
                                       const struct py_node *node,
                                       struct py_scope *scope)
{
    struct py_value *a = py_evaluate(machine, node->a, scope);
    if (text_is(node->text, "not")) {
        enum py_truth truth = py_truth(a);
        return truth == PY_PERHAPS ? machine->unknown
                                   : py_bool_value(machine, truth == PY_NO);
    }
    if (a->type != PYV_NUMBER || text_is(node->text, "~"))
        return machine->unknown;
    double sign = text_is(node->text, "-") ? -1 : 1;
    struct py_value *value = py_number_value(machine, sign * a->number);
    return py_with_source(machine, value, a->where, a->rank);
}

static struct py_value *evaluate_bool(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    bool is_or = text_is(node->text, "or");
    struct py_value *a = py_evaluate(machine, node->a, scope);
    enum py_truth truth = py_truth(a);
    if (truth == (is_or ? PY_YES : PY_NO))
        return a;
    struct py_value *b = py_evaluate(machine, node->b, scope);
    if (truth != PY_PERHAPS)
        return b;
    if (py_truth(b) == (is_or ? PY_YES : PY_NO) && b->type == PYV_BOOL)
        return b;
    return is_or && a->type == PYV_OBJECT ? a : machine->unknown;
}

static struct py_value *evaluate_cond(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    enum py_truth truth = py_truth(py_evaluate(machine, node->a, scope));
    if (truth != PY_PERHAPS)
        return py_evaluate(machine, truth == PY_YES ? node->b : node->c, scope);
    struct py_value *a = py_evaluate(machine, node->b, scope);
    return py_either(machine, a, py_evaluate(machine, node->c, scope));
}

static struct py_value *evaluate_list(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    struct py_value *list = py_list_value(machine);
    for (const struct py_node *item = node->a; item; item = item->next) {
        if (item->kind == PY_STAR)
            spread(machine, list->map, py_evaluate(machine, item->a, scope),
                   false);
        else
            py_map_set(list->map, machine->arena, (struct text){"", 0},
                       py_evaluate(machine, item, scope));
    }
    return list;
}

/* Adds key: value, or the items of **value, to a dictionary. A key that is a
 * number or a truth value becomes its text; after a key that is not known, the
 * dictionary is `open`. */
static void add_pair(struct py_machine *machine, struct py_value *dict,
                     const struct py_node *pair, struct py_scope *scope)
{
    struct py_value *value = py_evaluate(machine, pair->b, scope);
    if (!pair->a) {
        spread(machine, dict->map, value, true);
        return;
    }
    struct py_value *key = py_evaluate(machine, pair->a, scope);
    struct text text = py_value_text(key, machine->arena);
    if (text.len)
        py_map_set(dict->map, machine->arena, text, value);
    else
        dict->map->open = true;
}

static struct py_value *evaluate_dict(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    struct py_value *dict = py_dict_value(machine);
    for (const struct py_node *item = node->a; item; item = item->next) {
        if (item->kind == PY_PAIR)
            add_pair(machine, dict, item, scope);
    }
    return dict;
}

static struct py_value *evaluate_lambda(struct py_machine *machine,
                                        const struct py_node *node,
                                        struct py_scope *scope)
{
    struct py_value *value = py_value_new(machine->arena, PYV_FUNCTION);
    value->node = node;
    value->scope = scope;
    value->map = py_dict_value(machine)->map;
    return value;
}

static struct py_value *evaluate_comp(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    struct py_value *items = py_evaluate(machine, node->c, scope);
    bool dict = node->a->kind == PY_PAIR;
    struct py_value *out =
        dict ? py_dict_value(machine) : py_list_value(machine);
    if ((items->type != PYV_LIST && items->type != PYV_DICT) ||
        items->map->n > COMP_MAX)
        return machine->unknown;
    struct py_scope inner = {
        .up = scope, .file = scope->file, .names.maybe = machine->maybe};
    out->map->open = items->map->open;
    for (size_t i = 0; i < items->map->n; i++) {
        const struct py_item *item = &items->map->at[i];
        struct py_value *one = items->type == PYV_LIST
                                   ? item->value
                                   : py_text_value(machine, item->key);
        py_assign(machine, node->b, one, &inner);
        if (dict)
            add_pair(machine, out, node->a, &inner);
        else
            py_map_set(out->map, machine->arena, (struct text){"", 0},
                       py_evaluate(machine, node->a, &inner));
    }
    return out;
}

static struct py_value *evaluate_walrus(struct py_machine *machine,
                                        const struct py_node *node,
                                        struct py_scope *scope)
{
    struct py_value *value = py_evaluate(machine, node->b, scope);
    py_assign(machine, node->a, value, scope);
    return value;
}

struct py_value *py_evaluate(struct py_machine *machine,
                             const struct py_node *node, struct py_scope *scope)
{
    static struct py_value *(*const by_kind[])(
        struct py_machine *, const struct py_node *, struct py_scope *) = {
        [PY_NAME] = evaluate_name,      [PY_NUMBER] = evaluate_number,
        [PY_STRING] = py_string,        [PY_CONST] = evaluate_const,
        [PY_ATTR] = evaluate_attribute, [PY_INDEX] = evaluate_index,
        [PY_CALL] = evaluate_call,      [PY_BINARY] = evaluate_binary,
        [PY_UNARY] = evaluate_unary,    [PY_BOOL] = evaluate_bool,
        [PY_COMPARE] = evaluate_binary, [PY_COND] = evaluate_cond,
        [PY_LIST] = evaluate_list,      [PY_TUPLE] = evaluate_list,
        [PY_SET] = evaluate_list,       [PY_DICT] = evaluate_dict,
        [PY_LAMBDA] = evaluate_lambda,  [PY_COMP] = evaluate_comp,
        [PY_WALRUS] = evaluate_walrus};
    if (!node || machine->steps++ > PY_STEPS_MAX ||
        node->kind >= sizeof by_kind / sizeof *by_kind ||
        !by_kind[node->kind]) {
        if (node && node->kind == PY_OTHER && node->a)
            py_evaluate(machine, node->a, scope);
        return machine->unknown;
    }
    machine->line = node->line;
    return by_kind[node->kind](machine, node, scope);
}
