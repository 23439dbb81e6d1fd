/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators and text literals in the evaluator of Python. */
#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/python/py_machine_internal.h"

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

static bool compare_numbers(struct text operator, double a, double b, bool *out)
{
    bool less = text_char(operator, 0) == '<',
         more = text_char(operator, 0) == '>';
    *out = (less && a < b) || (more && a > b) || (operator.len == 2 && a == b);
    return less || more;
}

/* Returns whether a collection or text holds a value. */
static enum py_truth holds(struct py_machine *machine,
                           const struct py_value *in, const struct py_value *a)
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
        unsure |= in->type == PYV_LIST && item->value->type == PYV_UNKNOWN;
    }
    return unsure ? PY_PERHAPS : PY_NO;
}

static bool is_decided(const struct py_value *value)
{
    return value->type != PYV_UNKNOWN && value->type != PYV_METHOD &&
           value->type != PYV_LIBRARY;
}

/* Returns whether two values are equal, for ==, !=, `is` and `is not`. */
static enum py_truth equal(const struct py_value *a, const struct py_value *b)
{
    if (!is_decided(a) || !is_decided(b)) {
        bool same = a->type == PYV_LIBRARY && b->type == PYV_LIBRARY &&
                    text_equal(a->text, b->text);
        return same ? PY_YES : PY_PERHAPS;
    }
    if (py_same(a, b))
        return PY_YES;
    bool objects = a->type == PYV_OBJECT && b->type == PYV_OBJECT;
    bool lists = a->type == PYV_LIST && b->type == PYV_LIST;
    return objects || lists ? PY_PERHAPS : PY_NO;
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
        truth = holds(machine, b, a);
    else if (a->type == PYV_NUMBER && b->type == PYV_NUMBER &&
             compare_numbers(operator, a->number, b->number, &yes))
        return yes ? PY_YES : PY_NO;
    else if (negated || text_is(operator, "==") || text_is(operator, "is"))
        truth = equal(a, b);
    if (truth == PY_PERHAPS)
        return truth;
    return (truth == PY_YES) != negated ? PY_YES : PY_NO;
}

static struct py_value *join_texts(struct py_machine *machine,
                                   struct text operator,
                                   const struct py_value * a,
                                   const struct py_value *b)
{
    bool path = text_is(operator, "/");
    if (text_is(operator, "%")) {
        /* "%s" and "%d" with one value or a tuple, in order */
        struct text rest = a->text, part, out = {"", 0};
        size_t i = 0;
        while (rest.len) {
            part = text_split(rest, '%', &rest);
            out = py_join(machine->arena, out, "", part);
            if (!rest.len)
                break;
            const struct py_value *value = b->type != PYV_LIST ? b
                                           : i < b->map->n
                                               ? b->map->at[i++].value
                                               : machine->unknown;
            if (!py_is_scalar(value))
                return machine->unknown;
            out = py_join(machine->arena, out, "",
                          py_value_text(value, machine->arena));
            while (rest.len && !ascii_is_letter(rest.at[0]))
                rest = text_skip(rest, 1);
            rest = text_skip(rest, rest.len > 0);
        }
        return py_text_value(machine, out);
    }
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

struct py_value *py_operate(struct py_machine *machine, struct text operator,
                            struct py_value * a, struct py_value *b)
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

/* Returns the length of the expression at the start of {expression:format}.
 * Sets *whole to the length of the text before the closing brace. */
static size_t expression_end(struct text t, size_t *whole)
{
    size_t depth = 0, n = 0, end = 0;
    for (; n < t.len && (t.at[n] != '}' || depth); n++) {
        char c = t.at[n];
        if (strchr("([{", c))
            depth++;
        else if (strchr(")]}", c) && depth)
            depth--;
        else if (!depth && !end && strchr(":!", c) &&
                 text_char(t, n + 1) != '=')
            end = n;
    }
    *whole = n;
    return end ? end : n;
}

/* Evaluates {expression} of a formatted text. `rest` begins after the brace and
 * is moved after the closing one. */
static struct py_value *formatted(struct py_machine *machine, struct text *rest,
                                  struct py_scope *scope)
{
    size_t n;
    struct text code = {rest->at, expression_end(*rest, &n)};
    *rest = text_skip(*rest, n < rest->len ? n + 1 : n);
    if (code.len && code.at[code.len - 1] == '=')
        return machine->unknown;
    machine->steps += code.len;
    const struct py_node *node = py_parse(code, machine->arena);
    uint32_t line = machine->line;
    struct py_value *value = node && node->kind == PY_EXPR
                                 ? py_evaluate(machine, node->a, scope)
                                 : machine->unknown;
    machine->line = line;
    return value;
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

static struct py_value *fill(struct py_machine *machine, struct text t,
                             struct py_scope *scope)
{
    struct text out = {"", 0}, rest = t;
    const struct py_value *source = NULL;
    while (rest.len) {
        struct text part = text_split(rest, '{', &rest);
        bool brace = part.at + part.len < t.at + t.len;
        out = py_join(machine->arena, out, "", part);
        if (!brace)
            break;
        if (text_char(rest, 0) == '{') {
            out = py_join(machine->arena, out, "{", (struct text){"", 0});
            rest = text_skip(rest, 1);
            continue;
        }
        const struct py_value *value = formatted(machine, &rest, scope);
        if (!py_is_scalar(value))
            return machine->unknown;
        source = source ? source : value;
        out = py_join(machine->arena, out, "",
                      py_value_text(value, machine->arena));
    }
    struct py_value *value = py_text_value(machine, out);
    return source ? derived(machine, value, source, source) : value;
}

struct py_value *py_string(struct py_machine *machine,
                           const struct py_node *node, struct py_scope *scope)
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
        if (!raw)
            t = unescaped(machine, t);
        struct py_value *part =
            format ? fill(machine, t, scope) : py_text_value(machine, t);
        value = !value ? part
                : !py_is_text(part) || !py_is_text(value)
                    ? machine->unknown
                    : py_operate(machine, text_from("+"), value, part);
    }
    return value;
}
