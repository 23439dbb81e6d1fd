/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic of the shell: numbers, variables, + - * / % ! ( ), comparisons,
 * &&, ||, assignments with =, += and -=, ++, -- and the comma. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/shell_internal.h"

enum { NESTED_MAX = 40, VALUE_MAX = 1 << 30 };

struct sum {
    struct shell *shell;
    struct text rest;
    bool failed; /* true if something is unknown, not valid or too large */
    int depth;
};

static long long expression(struct sum *s, int level);

static void skip(struct sum *s)
{
    while (s->rest.len && strchr(" \t\n", s->rest.at[0]))
        s->rest = text_skip(s->rest, 1);
}

static bool take(struct sum *s, const char *op)
{
    skip(s);
    if (!text_starts(s->rest, op))
        return false;
    s->rest = text_skip(s->rest, strlen(op));
    return true;
}

static long long literal(struct sum *s)
{
    uint64_t value;
    size_t n = 0;
    while (ascii_is_digit(text_char(s->rest, n)))
        n++;
    struct text digits = {s->rest.at, n};
    s->rest = text_skip(s->rest, n);
    if (!text_to_u64(digits, &value) || value > VALUE_MAX)
        s->failed = true;
    return s->failed ? 0 : (long long)value;
}

/* True if the text begins with ++ or --. */
static bool is_step(struct text rest)
{
    return text_starts(rest, "++") || text_starts(rest, "--");
}

/* True if the text begins with an operator that changes the variable before
 * it. */
static bool is_change(struct text rest)
{
    return is_step(rest) || text_starts(rest, "+=") ||
           text_starts(rest, "-=") ||
           (text_char(rest, 0) == '=' && text_char(rest, 1) != '=');
}

static void set_variable(struct sum *s, const char *name, long long value)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%lld", value);
    if (!s->failed)
        shell_set(s->shell, name,
                  arena_copy(s->shell->arena, digits, (size_t)len));
}

/* Carries out the operator that changes a variable. Returns the old value for
 * x++ and x--, otherwise the new one. */
static long long change(struct sum *s, const char *name, long long value,
                        bool known)
{
    char op = s->rest.at[0];
    bool set = op == '=', step = is_step(s->rest);
    s->rest = text_skip(s->rest, set ? 1 : 2);
    long long other = step ? 1 : expression(s, 0);
    s->failed |= !known && !set;
    long long after = set ? other : op == '-' ? value - other : value + other;
    set_variable(s, name, after);
    return step ? value : after;
}

/* Reads a name and returns the value of the variable. `before`: '+' after ++
 * and '-' after --, which change the variable first; 0: neither, and an
 * operator after the name that changes the variable is read too. */
static long long variable(struct sum *s, char before)
{
    size_t n = 0;
    while (ascii_is_name(text_char(s->rest, n)))
        n++;
    const char *name = arena_copy(s->shell->arena, s->rest.at, n);
    int64_t value = 0;
    s->rest = text_skip(s->rest, n);
    const char *text = shell_get(s->shell, name);
    bool known = text && text_to_i64(text_trim(text_from(text)), &value) &&
                 value >= -VALUE_MAX && value <= VALUE_MAX;
    skip(s);
    if (!before && is_change(s->rest))
        return change(s, name, value, known);
    s->failed |= !known;
    if (before) {
        value += before == '-' ? -1 : 1;
        set_variable(s, name, value);
    }
    return value;
}

/* Reads ++x or --x. Returns false if something else follows, such as +5 or
 * -x. */
static bool stepped(struct sum *s, long long *out)
{
    if (!is_step(s->rest))
        return false;
    struct text rest = text_skip(s->rest, 2);
    while (rest.len && strchr(" \t\n", rest.at[0]))
        rest = text_skip(rest, 1);
    char sign = s->rest.at[0], c = text_char(rest, 0);
    if (!ascii_is_name(c) || ascii_is_digit(c))
        return false;
    s->rest = rest;
    *out = variable(s, sign);
    return true;
}

static long long primary(struct sum *s)
{
    if (++s->depth > NESTED_MAX)
        s->failed = true;
    skip(s);
    long long value = 0;
    char c = text_char(s->rest, 0);
    if (s->failed)
        value = 0;
    else if (take(s, "("))
        value = expression(s, 0), s->failed |= !take(s, ")");
    else if (take(s, "!"))
        value = !primary(s);
    else if (stepped(s, &value))
        ;
    else if (c == '-' || c == '+')
        s->rest = text_skip(s->rest, 1),
        value = c == '-' ? -primary(s) : primary(s);
    else if (ascii_is_digit(c))
        value = literal(s);
    else if (ascii_is_name(c))
        value = variable(s, 0);
    else
        s->failed = true;
    s->depth--;
    return value;
}

static const struct operator
{
    const char *text;
    int level;
}
operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4},
               {">=", 4}, {"<", 4},  {">", 4},  {"+", 5},  {"-", 5},
               {"*", 6},  {"/", 6},  {"%", 6}};

static long long divided(struct sum *s, long long a, long long b, char op)
{
    if (b == 0) {
        s->failed = true;
        return 0;
    }
    return op == '/' ? a / b : a % b;
}

static long long apply(struct sum *s, size_t op, long long a, long long b)
{
    switch (op) {
    case 0:
        return a || b;
    case 1:
        return a && b;
    case 2:
        return a == b;
    case 3:
        return a != b;
    case 4:
        return a <= b;
    case 5:
        return a >= b;
    case 6:
        return a < b;
    case 7:
        return a > b;
    case 8:
        return a + b;
    case 9:
        return a - b;
    case 10:
        return a * b;
    default:
        return divided(s, a, b, operators[op].text[0]);
    }
}

/* Reads a primary, and the operators after it whose level is above `level`,
 * with their operands. Returns the value. */
static long long expression(struct sum *s, int level)
{
    long long value = primary(s);
    while (!s->failed) {
        skip(s);
        size_t op = 0, n = sizeof operators / sizeof *operators;
        while (op < n && (operators[op].level <= level ||
                          !text_starts(s->rest, operators[op].text)))
            op++;
        if (op == n)
            return value;
        s->rest = text_skip(s->rest, strlen(operators[op].text));
        long long other = expression(s, operators[op].level);
        value = s->failed ? 0 : apply(s, op, value, other);
        if (value > VALUE_MAX || value < -VALUE_MAX)
            s->failed = true;
    }
    return value;
}

bool shell_number(struct shell *shell, struct text text, long long *out)
{
    const char *expanded =
        memchr(text.at ? text.at : "", '$', text.len)
            ? shell_expand_one(shell, text)
            : arena_copy(shell->arena, text.at ? text.at : "", text.len);
    struct sum s = {.shell = shell, .rest = text_from(expanded)};
    if (strlen(expanded) > 1024 || shell_is_unknown(expanded))
        return false;
    long long value = expression(&s, 0);
    while (!s.failed && take(&s, ","))
        value = expression(&s, 0);
    skip(&s);
    if (s.failed || s.rest.len)
        return false;
    *out = value;
    return true;
}
