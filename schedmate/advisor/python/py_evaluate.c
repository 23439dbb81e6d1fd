/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates Python: expressions, operators, statements. */

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/python/py_machine_internal.h"

/* Operators and text literals in the evaluator of Python. */

static void py_assign(struct py_machine *machine, const struct py_node *target,
                      struct py_value *value, struct py_scope *scope);

/* Gives the result of an operation the source of the operand with the smaller
 * rank. */
static struct py_value *derived(struct py_machine *machine,
                                struct py_value *result,
                                const struct py_value *a,
                                const struct py_value *b)
{
    const struct py_value *of = b->where && b->rank < a->rank ? b : a;
    return of->where ? py_with_source(machine, result, of->where, of->rank)
                     : result;
}

static bool calculate(struct text operator, double a, double b, double *out)
{
    if ((text_is(operator, "/") || text_is(operator, "//") ||
         text_is(operator, "%")) &&
        b == 0)
        return false;
    if (text_is(operator, "+"))
        *out = a + b;
    else if (text_is(operator, "-"))
        *out = a - b;
    else if (text_is(operator, "*"))
        *out = a * b;
    else if (text_is(operator, "/"))
        *out = a / b;
    else if (text_is(operator, "//"))
        *out = floor(a / b);
    else if (text_is(operator, "%"))
        *out = a - b * floor(a / b);
    else if (text_is(operator, "**"))
        *out = pow(a, b);
    else
        return false;
    return isfinite(*out);
}

static bool evaluate_compare_numbers(struct text operator, double a, double b,
                                     bool *out)
{
    bool less = text_char(operator, 0) == '<',
         more = text_char(operator, 0) == '>';
    *out = (less && a < b) || (more && a > b) || (operator.len == 2 && a == b);
    return less || more;
}

static bool is_decided(const struct py_value *value)
{
    return value->type != PYV_UNKNOWN && value->type != PYV_METHOD &&
           value->type != PYV_LIBRARY;
}

/* Returns whether a collection or text holds a value. */
static enum py_truth evaluate_holds(struct py_machine *machine,
                                    const struct py_value *in,
                                    const struct py_value *a)
{
    if (in->type == PYV_TEXT && a->type == PYV_TEXT)
        return !a->text.len ||
                       (in->text.len && memmem(in->text.at, in->text.len,
                                               a->text.at, a->text.len))
                   ? PY_YES
                   : PY_NO;
    if ((in->type != PYV_LIST && in->type != PYV_DICT) ||
        (!py_is_scalar(a) && a->type != PYV_NONE))
        return PY_PERHAPS;
    struct text key = py_value_text(a, machine->arena);
    bool unsure = in->map->open;
    for (size_t i = 0; i < in->map->n; i++) {
        const struct py_item *item = &in->map->at[i];
        if (in->type == PYV_DICT ? text_equal(item->key, key)
                                 : py_same(item->value, a))
            return PY_YES;
        unsure |= in->type == PYV_LIST && !is_decided(item->value);
    }
    return unsure ? PY_PERHAPS : PY_NO;
}

/* Returns whether two values are equal, for ==, !=, `is` and `is not`. */
static enum py_truth evaluate_equal(const struct py_value *a,
                                    const struct py_value *b)
{
    if (!is_decided(a) || !is_decided(b)) {
        bool same = a->type == PYV_LIBRARY && b->type == PYV_LIBRARY &&
                    text_equal(a->text, b->text);
        return same ? PY_YES : PY_PERHAPS;
    }
    if (py_same(a, b))
        return PY_YES;
    bool objects = a->type == PYV_OBJECT && b->type == PYV_OBJECT;
    bool maps =
        a->type == b->type && (a->type == PYV_LIST || a->type == PYV_DICT);
    return objects || maps ? PY_PERHAPS : PY_NO;
}

static enum py_truth compare(struct py_machine *machine, struct text operator,
                             const struct py_value * a,
                             const struct py_value *b)
{
    bool yes;
    enum py_truth truth = PY_PERHAPS;
    bool negated = text_is(operator, "!=") || text_is(operator, "is not") ||
                   text_is(operator, "not in");
    if (text_is(operator, "in") || text_is(operator, "not in"))
        truth = evaluate_holds(machine, b, a);
    else if (a->type == PYV_NUMBER && b->type == PYV_NUMBER &&
             evaluate_compare_numbers(operator, a->number, b->number, &yes))
        return yes ? PY_YES : PY_NO;
    else if (negated || text_is(operator, "==") || text_is(operator, "is"))
        truth = evaluate_equal(a, b);
    if (truth == PY_PERHAPS)
        return truth;
    return (truth == PY_YES) != negated ? PY_YES : PY_NO;
}

/* Evaluates "..." % value or % (value, ...): replaces the conversions of a text
 * such as %s and %03d by the values, in order. */
static struct py_value *filled_in(struct py_machine *machine, struct text rest,
                                  const struct py_value *with)
{
    struct text out = {"", 0}, printed;
    size_t used = 0;
    while (rest.len) {
        size_t before = rest.len, n = 0;
        struct text part = text_split(rest, '%', &rest);
        out = py_join(machine->arena, out, "", part);
        if (part.len == before)
            break;
        while (n < rest.len && !ascii_is_letter(rest.at[n]) &&
               rest.at[n] != '%')
            n++;
        struct text conversion = {rest.at, n + (n < rest.len)};
        const struct py_value *value = with->type != PYV_LIST ? with
                                       : used < with->map->n
                                           ? with->map->at[used].value
                                           : machine->unknown;
        if (text_is(conversion, "%"))
            printed = conversion;
        else if (!conversion.len ||
                 !py_print(machine, value, conversion, &printed))
            return machine->unknown;
        else
            used++;
        rest = text_skip(rest, conversion.len);
        out = py_join(machine->arena, out, "", printed);
    }
    return py_text_value(machine, out);
}

static struct py_value *join_texts(struct py_machine *machine,
                                   struct text operator,
                                   const struct py_value * a,
                                   const struct py_value *b)
{
    bool path = text_is(operator, "/");
    if (text_is(operator, "%"))
        return filled_in(machine, a->text, b);
    if (b->type != PYV_TEXT || (!path && !text_is(operator, "+")))
        return machine->unknown;
    return py_text_value(
        machine, py_join(machine->arena, a->text, path ? "/" : "", b->text));
}

static struct py_value *join_maps(struct py_machine *machine,
                                  const struct py_value *a,
                                  const struct py_value *b)
{
    struct py_value *out =
        a->type == PYV_LIST ? py_list_value(machine) : py_dict_value(machine);
    const struct py_map *maps[] = {a->map, b->map};
    for (size_t k = 0; k < 2; k++) {
        out->map->open |= maps[k]->open;
        machine->steps += maps[k]->n;
        for (size_t i = 0; i < maps[k]->n; i++)
            py_map_set(out->map, machine->arena, maps[k]->at[i].key,
                       maps[k]->at[i].value);
    }
    return out;
}

static bool is_comparison(struct text operator)
{
    char c = text_char(operator, 0);
    return (c == '<' && !text_is(operator, "<<")) ||
           (c == '>' && !text_is(operator, ">>")) || c == '=' || c == '!' ||
           c == 'i' || c == 'n';
}

static struct py_value *py_operate(struct py_machine *machine,
                                   struct text operator, struct py_value * a,
                                   struct py_value *b)
{
    double number;
    bool numbers = (a->type == PYV_NUMBER || a->type == PYV_BOOL) &&
                   (b->type == PYV_NUMBER || b->type == PYV_BOOL);
    if (is_comparison(operator)) {
        enum py_truth truth = compare(machine, operator, a, b);
        return truth == PY_PERHAPS ? machine->unknown
                                   : py_bool_value(machine, truth == PY_YES);
    }
    if (numbers && calculate(operator, a->number, b->number, &number))
        return derived(machine, py_number_value(machine, number), a, b);
    if (a->type == PYV_TEXT)
        return derived(machine, join_texts(machine, operator, a, b), a, b);
    bool maps =
        (a->type == PYV_LIST || a->type == PYV_DICT) && a->type == b->type;
    if (maps && (text_is(operator, "+") || text_is(operator, "|")))
        return join_maps(machine, a, b);
    return machine->unknown;
}

static bool is_among(const char *set, char c)
{
    return c && strchr(set, c);
}

/* Returns the index of the quote that closes the string at index `i`; `i` if
 * none begins there or none closes it. */
static size_t last_of_string(struct text t, size_t i)
{
    const char *close = is_among("'\"", t.at[i])
                            ? memchr(t.at + i + 1, t.at[i], t.len - i - 1)
                            : NULL;
    return close ? (size_t)(close - t.at) : i;
}

/* Returns the length of the text before the '}' that closes a field, at most
 * that of the text. Sets *end to the length of the expression in the field. */
static size_t field_length(struct text t, size_t *end)
{
    size_t depth = 0, n = 0;
    bool found = false;
    for (; n < t.len && (t.at[n] != '}' || depth); n++) {
        char c = t.at[n];
        if (!found)
            n = last_of_string(t, n);
        if (is_among("([{", c))
            depth++;
        else if (is_among(")]}", c))
            depth -= depth > 0;
        else if (!depth && !found && is_among(":!", c) &&
                 text_char(t, n + 1) != '=')
            found = true, *end = n;
    }
    n = n < t.len ? n : t.len;
    if (!found)
        *end = n;
    return n;
}

/* Splits {expression!r:format}, whose text begins after the brace, and moves
 * *rest after the closing brace. Sets *how to what follows the expression,
 * without the colon. */
static struct text split_field(struct text *rest, struct text *how)
{
    struct text t = *rest;
    size_t end = 0, n = field_length(t, &end);
    size_t from = end + (text_char(t, end) == ':' && end < n);
    *how = (struct text){t.at + from, n - from};
    *rest = text_skip(t, n < t.len ? n + 1 : n);
    return (struct text){t.at, end};
}

/* Evaluates {expression:format} of a formatted text. `rest` begins after the
 * brace and is moved after the closing one. */
static struct py_value *formatted(struct py_machine *machine, struct text *rest,
                                  struct py_scope *scope)
{
    struct text how, printed, code = split_field(rest, &how);
    if (code.len && code.at[code.len - 1] == '=')
        return machine->unknown;
    machine->steps += code.len;
    const struct py_node *node = py_parse(code, machine->arena);
    uint32_t line = machine->line;
    struct py_value *value = node && node->kind == PY_EXPR
                                 ? py_evaluate(machine, node->a, scope)
                                 : machine->unknown;
    machine->line = line;
    if (!py_print(machine, value, how, &printed))
        return machine->unknown;
    struct py_value *text =
        py_with_source(machine, value, value->where, value->rank);
    text->type = PYV_TEXT;
    text->text = printed;
    return text;
}

/* Returns the text with \n, \t, \\, \' and \" replaced by the characters that
 * they mean, and without a backslash and line feed that continue a line. Any
 * other backslash stays. */
static struct text unescaped(struct py_machine *machine, struct text t)
{
    if (!t.len || !memchr(t.at, '\\', t.len))
        return t;
    char *out = arena_alloc(machine->arena, t.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i], after = text_char(t, i + 1);
        if (c == '\\' && after && strchr("\\'\"nt\n", after)) {
            i++;
            if (after != '\n')
                out[n++] = after == 'n' ? '\n' : after == 't' ? '\t' : after;
        } else {
            out[n++] = c;
        }
    }
    return (struct text){out, n};
}

/* True if a text has an escape that means another character by its number or
 * name, such as \x41. */
static bool has_code(struct text t)
{
    for (size_t i = 0; i + 1 < t.len; i++) {
        if (t.at[i] == '\\' && t.at[++i] && strchr("xuUN01234567", t.at[i]))
            return true;
    }
    return false;
}

struct text py_one_brace(struct py_machine *machine, struct text t)
{
    struct text out = {"", 0};
    while (t.len) {
        size_t before = t.len;
        struct text part = text_split(t, '}', &t);
        out = py_join(machine->arena, out, "", part);
        if (part.len < before)
            out = py_join(machine->arena, out, "}", (struct text){"", 0});
        t = text_skip(t, text_char(t, 0) == '}');
    }
    return out;
}

static struct py_value *evaluate_fill(struct py_machine *machine, struct text t,
                                      struct py_scope *scope)
{
    struct text out = {"", 0}, rest = t;
    const struct py_value *source = NULL;
    while (rest.len) {
        struct text part = text_split(rest, '{', &rest);
        bool brace = part.at + part.len < t.at + t.len;
        out = py_join(machine->arena, out, "", py_one_brace(machine, part));
        if (!brace)
            break;
        if (text_char(rest, 0) == '{') {
            out = py_join(machine->arena, out, "{", (struct text){"", 0});
            rest = text_skip(rest, 1);
            continue;
        }
        const struct py_value *value = formatted(machine, &rest, scope);
        if (!py_is_text(value))
            return machine->unknown;
        source = source ? source : value;
        out = py_join(machine->arena, out, "", value->text);
    }
    struct py_value *value = py_text_value(machine, out);
    return source ? derived(machine, value, source, source) : value;
}

static struct py_value *py_string(struct py_machine *machine,
                                  const struct py_node *node,
                                  struct py_scope *scope)
{
    struct py_value *value = NULL;
    for (; node; node = node->a) {
        struct text t = node->text;
        bool format = false, raw = false;
        while (t.len && ascii_is_letter(t.at[0])) {
            format |= (t.at[0] | 32) == 'f';
            raw |= (t.at[0] | 32) == 'r';
            t = text_skip(t, 1);
        }
        size_t quotes =
            t.len >= 6 && t.at[1] == t.at[0] && t.at[2] == t.at[0] ? 3 : 1;
        if (t.len < 2 * quotes)
            return machine->unknown;
        t = (struct text){t.at + quotes, t.len - 2 * quotes};
        bool plain = raw || !has_code(t);
        if (!raw)
            t = unescaped(machine, t);
        struct py_value *part = format ? evaluate_fill(machine, t, scope)
                                       : py_text_value(machine, t);
        if (!plain)
            return machine->unknown;
        value = !value ? part
                : !py_is_text(part) || !py_is_text(value)
                    ? machine->unknown
                    : py_operate(machine, text_from("+"), value, part);
    }
    return value;
}

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
static struct text evaluate_path_of(struct py_machine *machine,
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
    struct text before = evaluate_path_of(machine, node->a);
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
        py_note_read(machine, evaluate_path_of(machine, node), value);
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
        py_note_read(machine, evaluate_path_of(machine, node), value);
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
    if (node->kind == PY_SET)
        py_once(machine, list->map);
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

/* Executes the statements of Python, as far as their values are known. */

/* Largest number of items of a list or dictionary that a loop goes over one by
 * one. */
enum { LOOP_MAX = 64 };

/* Returns the names among which an assignment sets `name`: those of the module
 * for a name declared as global, those of the function around this one for a
 * nonlocal one. */
static struct py_map *names_for(struct py_scope *scope, struct text name)
{
    const struct py_value *declared = py_map_get(&scope->globals, name);
    if (!declared)
        return &scope->names;
    for (struct py_scope *up = scope->up; up && declared->type != PYV_NONE;
         up = up->up) {
        if (py_map_get(&up->names, name))
            return &up->names;
    }
    return &scope->file->scope.names;
}

static void name_result(struct py_value *value, struct text name)
{
    if (value->type == PYV_OBJECT && value->call && !value->call->target.len)
        value->call->target = name;
}

static void assign_attribute(struct py_machine *machine,
                             const struct py_node *target,
                             struct py_value *value, struct py_scope *scope)
{
    struct py_value *of = py_evaluate(machine, target->a, scope);
    if (of->type == PYV_LIBRARY || !of->map)
        return;
    py_set(machine, of->map, target->text, value);
    py_note(machine, target->text, value);
    name_result(value, target->text);
}

static void assign_item(struct py_machine *machine,
                        const struct py_node *target, struct py_value *value,
                        struct py_scope *scope)
{
    struct py_value *of = py_evaluate(machine, target->a, scope);
    struct py_value *key = py_evaluate(machine, target->b, scope);
    bool keyed = of->type == PYV_DICT || of->type == PYV_OBJECT;
    struct py_value *set = py_method(machine, of, "__setitem__");
    if (set && machine->depth < 20) {
        struct py_map arguments = {.maybe = machine->maybe};
        py_map_set(&arguments, machine->arena, (struct text){"", 0}, key);
        py_map_set(&arguments, machine->arena, (struct text){"", 0}, value);
        py_call(machine, set, &arguments);
        return;
    }
    if (of->type == PYV_LIST) {
        double place =
            key->number < 0 ? key->number + (double)of->map->n : key->number;
        bool known =
            key->type == PYV_NUMBER && place >= 0 && place < (double)of->map->n;
        if (known)
            of->map->at[(size_t)place].value =
                machine->maybe > of->map->maybe
                    ? py_either(machine, of->map->at[(size_t)place].value,
                                value)
                    : value;
        else
            py_forget_items(of->map);
        return;
    }
    if (!keyed || !of->map)
        return;
    struct text text = py_value_text(key, machine->arena);
    if (text.len)
        py_set(machine, of->map, text, value);
    else
        of->map->open = true;
}

/* Assigns the items of a list to the targets. If the items are not known, an
 * object that a target holds stays, as in m, o = prepare(m, o). */
static void unpack(struct py_machine *machine, const struct py_node *target,
                   struct py_value *value, struct py_scope *scope)
{
    size_t i = 0;
    bool list = value->type == PYV_LIST;
    for (const struct py_node *one = target->a; one; one = one->next, i++) {
        if (list && i < value->map->n) {
            py_assign(machine, one, value->map->at[i].value, scope);
            continue;
        }
        struct py_value *old =
            one->kind == PY_NAME
                ? py_map_get(names_for(scope, one->text), one->text)
                : NULL;
        if (!old || old->type != PYV_OBJECT)
            py_assign(machine, one, machine->unknown, scope);
    }
}

static void py_assign(struct py_machine *machine, const struct py_node *target,
                      struct py_value *value, struct py_scope *scope)
{
    if (target->kind == PY_NAME) {
        py_set(machine, names_for(scope, target->text), target->text, value);
        name_result(value, target->text);
        if (machine->file == machine->files[0])
            py_note(machine, target->text, value);
    } else if (target->kind == PY_ATTR) {
        assign_attribute(machine, target, value, scope);
    } else if (target->kind == PY_INDEX) {
        assign_item(machine, target, value, scope);
    } else if (target->kind == PY_TUPLE || target->kind == PY_LIST) {
        unpack(machine, target, value, scope);
    }
}

static enum py_flow execute_expression(struct py_machine *machine,
                                       const struct py_node *node,
                                       struct py_scope *scope)
{
    if (node->a->kind != PY_STRING)
        py_evaluate(machine, node->a, scope);
    return PY_GO;
}

static enum py_flow execute_assign(struct py_machine *machine,
                                   const struct py_node *node,
                                   struct py_scope *scope)
{
    struct py_value *value = py_evaluate(machine, node->b, scope);
    for (const struct py_node *target = node->a; target; target = target->next)
        py_assign(machine, target, value, scope);
    return PY_GO;
}

static enum py_flow execute_augmented(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    struct py_value *a = py_evaluate(machine, node->a, scope);
    struct py_value *b = py_evaluate(machine, node->b, scope);
    struct py_value *value = machine->unknown;
    if (!machine->loops || a->type == PYV_LIST)
        value = py_operate(machine, node->text, a, b);
    if (a->type == PYV_LIST && value->type == PYV_LIST && a->map)
        *a->map = *value->map;
    else
        py_assign(machine, node->a, value, scope);
    return PY_GO;
}

static enum py_flow execute_annotated(struct py_machine *machine,
                                      const struct py_node *node,
                                      struct py_scope *scope)
{
    if (node->c)
        py_assign(machine, node->a, py_evaluate(machine, node->c, scope),
                  scope);
    return PY_GO;
}

static enum py_flow execute_return(struct py_machine *machine,
                                   const struct py_node *node,
                                   struct py_scope *scope)
{
    struct py_frame *frame = machine->frame;
    struct py_value *value =
        node->a ? py_evaluate(machine, node->a, scope) : machine->none;
    if (!frame)
        return PY_LEAVE;
    frame->result =
        frame->result ? py_either(machine, frame->result, value) : value;
    return PY_LEAVE;
}

static enum py_flow execute_if(struct py_machine *machine,
                               const struct py_node *node,
                               struct py_scope *scope)
{
    enum py_truth truth = py_truth(py_evaluate(machine, node->a, scope));
    if (truth != PY_PERHAPS)
        return py_execute(machine, truth == PY_YES ? node->b : node->c, scope);
    machine->maybe++;
    enum py_flow first = py_execute(machine, node->b, scope);
    enum py_flow second = py_execute(machine, node->c, scope);
    machine->maybe--;
    return first == second ? first : PY_GO;
}

/* Runs the body of a loop once for each item. */
static enum py_flow each_item(struct py_machine *machine,
                              const struct py_node *node,
                              const struct py_value *items,
                              struct py_scope *scope)
{
    for (size_t i = 0; i < items->map->n; i++) {
        const struct py_item *item = &items->map->at[i];
        struct py_value *one = items->type == PYV_LIST
                                   ? item->value
                                   : py_text_value(machine, item->key);
        py_assign(machine, node->a, one, scope);
        enum py_flow flow = py_execute(machine, node->c, scope);
        if (flow == PY_LEAVE)
            return flow;
        if (flow == PY_BREAK)
            break;
    }
    return PY_GO;
}

/* Records a loop as a call of "for", whose argument is the value over which the
 * loop goes. */
static void note_loop(struct py_machine *machine, const struct py_node *node,
                      struct py_value *items)
{
    if (machine->n_calls == PY_CALLS_MAX || node->a->kind != PY_NAME)
        return;
    struct py_call *call = ARENA_NEW(machine->arena, struct py_call);
    call->name = text_from("for");
    call->target = node->a->text;
    call->first = machine->loops;
    call->where = py_where(machine, node->line);
    py_map_set(&call->arguments, machine->arena, (struct text){"", 0}, items);
    machine->calls[machine->n_calls++] = call;
}

static enum py_flow execute_for(struct py_machine *machine,
                                const struct py_node *node,
                                struct py_scope *scope)
{
    struct py_value *items = py_evaluate(machine, node->b, scope);
    bool list = items->type == PYV_LIST || items->type == PYV_DICT;
    if (list && !items->map->open && items->map->n <= LOOP_MAX)
        return each_item(machine, node, items, scope);
    note_loop(machine, node, items);
    py_assign(machine, node->a, machine->unknown, scope);
    machine->loops++;
    enum py_flow flow = py_execute(machine, node->c, scope);
    machine->loops--;
    return flow == PY_LEAVE ? flow : PY_GO;
}

/* Records `while step < n` or `while step <= n` as a call of "while", whose
 * argument is n. Ignores any other loop. */
static void note_while(struct py_machine *machine, const struct py_node *node,
                       struct py_scope *scope)
{
    const struct py_node *test = node->a;
    bool below = test && test->kind == PY_COMPARE &&
                 (text_is(test->text, "<") || text_is(test->text, "<="));
    if (!below || machine->n_calls == PY_CALLS_MAX ||
        (test->a->kind != PY_NAME && test->a->kind != PY_ATTR))
        return;
    struct py_call *call = ARENA_NEW(machine->arena, struct py_call);
    call->name = text_from("while");
    call->target = test->a->text;
    call->where = py_where(machine, node->line);
    py_map_set(&call->arguments, machine->arena, (struct text){"", 0},
               py_evaluate(machine, test->b, scope));
    machine->calls[machine->n_calls++] = call;
}

static enum py_flow execute_while(struct py_machine *machine,
                                  const struct py_node *node,
                                  struct py_scope *scope)
{
    note_while(machine, node, scope);
    if (py_truth(py_evaluate(machine, node->a, scope)) == PY_NO)
        return PY_GO;
    machine->loops++;
    enum py_flow flow = py_execute(machine, node->b, scope);
    machine->loops--;
    return flow == PY_LEAVE ? flow : PY_GO;
}

static enum py_flow execute_try(struct py_machine *machine,
                                const struct py_node *node,
                                struct py_scope *scope)
{
    enum py_flow flow = py_execute(machine, node->b, scope);
    return flow == PY_GO ? py_execute(machine, node->c, scope) : flow;
}

static enum py_flow execute_with(struct py_machine *machine,
                                 const struct py_node *node,
                                 struct py_scope *scope)
{
    for (const struct py_node *item = node->a; item; item = item->next) {
        struct py_value *value = py_evaluate(machine, item->a, scope);
        if (item->b)
            py_assign(machine, item->b, value, scope);
    }
    return py_execute(machine, node->b, scope);
}

static enum py_flow execute_global(struct py_machine *machine,
                                   const struct py_node *node,
                                   struct py_scope *scope)
{
    for (const struct py_node *name = node->a; name; name = name->next)
        py_map_set(&scope->globals, machine->arena, name->text,
                   text_is(node->text, "global") ? machine->none
                                                 : machine->unknown);
    return PY_GO;
}

/* Deletes items such as d["key"] and l[0]. Names and attributes stay. */
static void delete_items(struct py_machine *machine,
                         const struct py_node *target, struct py_scope *scope)
{
    if (target->kind == PY_TUPLE || target->kind == PY_LIST) {
        for (target = target->a; target; target = target->next)
            delete_items(machine, target, scope);
        return;
    }
    if (target->kind != PY_INDEX)
        return;
    struct py_value *of = py_evaluate(machine, target->a, scope);
    struct py_value *key = py_evaluate(machine, target->b, scope);
    if (of->type == PYV_DICT && py_is_scalar(key) &&
        machine->maybe == of->map->maybe)
        py_map_remove(of->map, py_value_text(key, machine->arena));
    else if (of->type == PYV_DICT || of->type == PYV_LIST)
        py_forget_items(of->map);
}

static enum py_flow execute_jump(struct py_machine *machine,
                                 const struct py_node *node,
                                 struct py_scope *scope)
{
    if (node->a)
        delete_items(machine, node->a, scope);
    return text_is(node->text, "break")      ? PY_BREAK
           : text_is(node->text, "continue") ? PY_CONTINUE
                                             : PY_GO;
}

enum py_flow py_execute(struct py_machine *machine, const struct py_node *list,
                        struct py_scope *scope)
{
    static enum py_flow (*const by_kind[])(
        struct py_machine *, const struct py_node *, struct py_scope *) = {
        [PY_EXPR] = execute_expression, [PY_ASSIGN] = execute_assign,
        [PY_AUG] = execute_augmented,   [PY_ANN] = execute_annotated,
        [PY_RETURN] = execute_return,   [PY_IF] = execute_if,
        [PY_FOR] = execute_for,         [PY_WHILE] = execute_while,
        [PY_TRY] = execute_try,         [PY_WITH] = execute_with,
        [PY_DEF] = py_define,           [PY_CLASS] = py_define_class,
        [PY_IMPORT] = py_import_names,  [PY_FROM] = py_import_from,
        [PY_GLOBAL] = execute_global,   [PY_JUMP] = execute_jump};
    for (; list; list = list->next) {
        if (list->kind >= sizeof by_kind / sizeof *by_kind ||
            !by_kind[list->kind])
            continue;
        machine->line = list->line;
        enum py_flow flow = by_kind[list->kind](machine, list, scope);
        if (flow != PY_GO)
            return flow;
    }
    return PY_GO;
}
