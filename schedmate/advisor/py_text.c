/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses pieces of Python source: strings, literals, the arguments of a call.
 */
#include "schedmate/advisor/advisor_internal.h"

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/llm/llm_text.h"

static bool py_text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

size_t py_string_end(struct text t, size_t i)
{
    char quote = t.at[i];
    bool triple = i + 2 < t.len && t.at[i + 1] == quote && t.at[i + 2] == quote;
    for (i += triple ? 3 : 1; i < t.len; i++) {
        if (t.at[i] == '\\')
            i++;
        else if (!triple && (t.at[i] == quote || t.at[i] == '\n'))
            return i + 1;
        else if (triple && t.at[i] == quote && i + 2 < t.len &&
                 t.at[i + 1] == quote && t.at[i + 2] == quote)
            return i + 3;
    }
    return t.len;
}

static void blank_out(char *at, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (at[i] != '\n')
            at[i] = ' ';
    }
}

struct text py_strip(struct text source, struct arena *arena)
{
    char *at = arena_copy(arena, source.at, source.len);
    struct text t = {at, source.len};
    for (size_t i = 0; i < t.len;) {
        if (at[i] == '#') {
            const char *end = memchr(at + i, '\n', t.len - i);
            size_t to = end ? (size_t)(end - at) : t.len;
            blank_out(at, i, to);
            i = to;
        } else if (at[i] == '"' || at[i] == '\'') {
            size_t to = py_string_end(t, i);
            if (to - i >= 6 && at[i + 1] == at[i] && at[i + 2] == at[i])
                blank_out(at, i, to);
            i = to;
        } else {
            i++;
        }
    }
    return t;
}

static bool plain_number(struct text t, double *out)
{
    char digits[64];
    size_t n = 0;
    t = text_trim(t);
    for (size_t i = 0; i < t.len && n < sizeof digits; i++) {
        if (t.at[i] != '_') /* because Python allows 10_000 */
            digits[n++] = t.at[i];
    }
    return text_to_double((struct text){digits, n}, out);
}

bool py_number(struct text t, double *out)
{
    struct text rest;
    t = text_trim(t);
    if (t.len > 5 && t.at[t.len - 1] == ')') {
        if (memcmp(t.at, "int(", 4) == 0)
            t = (struct text){t.at + 4, t.len - 5};
        else if (t.len > 7 && memcmp(t.at, "float(", 6) == 0)
            t = (struct text){t.at + 6, t.len - 7};
    }
    if (plain_number(t, out))
        return true;
    struct text first = text_split(t, '*', &rest);
    double a, b;
    if (rest.len && rest.at[0] == '*') {
        rest.at++, rest.len--;
        if (!plain_number(first, &a) || !plain_number(rest, &b))
            return false;
        *out = pow(a, b);
        return isfinite(*out);
    }
    /* A product such as 5 * 8, of at most eight factors. */
    double product = 1;
    for (int i = 0; i < 8; i++) {
        if (!plain_number(first, &a))
            return false;
        product *= a;
        if (!rest.len) {
            *out = product;
            return i > 0 && isfinite(product);
        }
        first = text_split(rest, '*', &rest);
    }
    return false;
}

struct text py_literal(struct text t, struct arena *arena)
{
    double number;
    t = text_trim(t);
    if (t.len == 0)
        return t;
    if (t.at[0] == '"' || t.at[0] == '\'') {
        struct text s = {t.at, py_string_end(t, 0)};
        return s.len == t.len ? s : (struct text){0};
    }
    if (text_is(t, "True") || text_is(t, "False"))
        return text_from(t.at[0] == 'T' ? "true" : "false");
    if (!py_number(t, &number))
        return (struct text){0};
    struct out *out = out_to_memory();
    llm_json_number(out, number);
    struct text made = out_memory(out);
    made.at = arena_copy(arena, made.at, made.len);
    out_abandon(out);
    return made;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static bool opens(char c)
{
    return c == '(' || c == '[' || c == '{';
}

static bool closes(char c)
{
    return c == ')' || c == ']' || c == '}';
}

/* Largest length of the text inside a bracket, bytes. */
enum { CALL_MAX = 8192 };

struct text py_inside(struct text t, size_t from)
{
    size_t depth = 0;
    for (size_t i = from; i < t.len && i - from < CALL_MAX; i++) {
        char c = t.at[i];
        if (is_quote(c))
            i = py_string_end(t, i) - 1;
        else if (opens(c))
            depth++;
        else if (closes(c) && depth-- == 0)
            return (struct text){t.at + from, i - from};
    }
    return (struct text){0};
}

/* Returns the index of the first comma outside quotes and brackets, or the
 * length of the text. */
static size_t argument_end(struct text t)
{
    size_t depth = 0;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (is_quote(c))
            i = py_string_end(t, i) - 1;
        else if (opens(c))
            depth++;
        else if (closes(c))
            depth -= depth > 0;
        else if (c == ',' && depth == 0)
            return i;
    }
    return t.len;
}

bool py_next_argument(struct text *rest, struct text *argument)
{
    struct text t = *rest;
    *argument = t;
    if (!t.len)
        return false;
    size_t end = argument_end(t);
    *argument = (struct text){t.at, end};
    *rest = text_skip(t, end < t.len ? end + 1 : end);
    while (argument->len && py_text_is_blank(argument->at[0]))
        *argument = text_skip(*argument, 1);
    while (argument->len && py_text_is_blank(argument->at[argument->len - 1]))
        argument->len--;
    return true;
}

bool py_keyword(struct text argument, struct text *name, struct text *value)
{
    *name = text_split(argument, '=', value);
    *name = text_trim(*name);
    if (name->len == argument.len || name->len == 0 ||
        text_char(*value, 0) == '=')
        return false;
    for (size_t i = 0; i < name->len; i++) {
        if (!ascii_is_name(name->at[i]))
            return false;
    }
    return true;
}
