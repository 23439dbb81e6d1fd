/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/advisor/pyscan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/llm/llm_text.h"

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Returns the index after the string literal at `i`. */
static size_t string_end(struct text t, size_t i)
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
            size_t to = string_end(t, i);
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
        if (t.at[i] != '_') /* allows 10_000 */
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

/* Returns a literal as a setting holds it, with numbers in one form; empty if
 * the text is no literal. */
static struct text literal(struct text t, struct arena *arena)
{
    double number;
    t = text_trim(t);
    if (t.len == 0)
        return t;
    if (t.at[0] == '"' || t.at[0] == '\'') {
        struct text s = {t.at, string_end(t, 0)};
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

/* Returns the text from after an opening bracket to its closing bracket, which
 * is left out. Gives up after CALL_MAX bytes and returns an empty text. */
enum { CALL_MAX = 8192 };
static struct text inside(struct text t, size_t from)
{
    size_t depth = 0;
    for (size_t i = from; i < t.len && i - from < CALL_MAX; i++) {
        char c = t.at[i];
        if (c == '"' || c == '\'')
            i = string_end(t, i) - 1;
        else if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && depth-- == 0)
            return (struct text){t.at + from, i - from};
    }
    return (struct text){0};
}

/* Takes the next argument of a call, without the blanks around it. */
static bool next_argument(struct text *rest, struct text *argument)
{
    struct text t = *rest;
    size_t depth = 0, i = 0;
    *argument = t;
    if (!t.len)
        return false;
    for (; i < t.len; i++) {
        char c = t.at[i];
        if (c == '"' || c == '\'')
            i = string_end(t, i) - 1;
        else if (c == '(' || c == '[' || c == '{')
            depth++;
        else if (depth && (c == ')' || c == ']' || c == '}'))
            depth--;
        else if (c == ',' && depth == 0)
            break;
    }
    i = i < t.len ? i : t.len;
    *argument = (struct text){t.at, i};
    *rest = i < t.len ? (struct text){t.at + i + 1, t.len - i - 1}
                      : (struct text){t.at + t.len, 0};
    while (argument->len && is_blank(argument->at[0]))
        argument->at++, argument->len--;
    while (argument->len && is_blank(argument->at[argument->len - 1]))
        argument->len--;
    return true;
}

/* Splits name=value if the name is plain. The `=` of == does not count. */
static bool keyword(struct text argument, struct text *name, struct text *value)
{
    *name = text_split(argument, '=', value);
    *name = text_trim(*name);
    if (name->len == argument.len || name->len == 0 ||
        (value->len && value->at[0] == '='))
        return false;
    for (size_t i = 0; i < name->len; i++) {
        if (!is_word(name->at[i]))
            return false;
    }
    return true;
}

/* Returns the value of the keyword `default` in a call's arguments. */
static struct text default_of(struct text call, struct arena *arena)
{
    struct text argument, name, value;
    for (int i = 0; i < 32 && next_argument(&call, &argument); i++) {
        if (keyword(argument, &name, &value) && text_is(name, "default"))
            return literal(value, arena);
    }
    return (struct text){0};
}

/* Finds the option strings of a call: "-b", "--batch-size", or the plain name
 * of a positional argument. */
enum { NAMES_MAX = 8 };
static size_t option_names(struct text call, struct text names[NAMES_MAX])
{
    struct text argument;
    size_t n = 0;
    while (n < NAMES_MAX && next_argument(&call, &argument) &&
           argument.len > 2 &&
           (argument.at[0] == '"' || argument.at[0] == '\''))
        names[n++] = (struct text){argument.at + 1, argument.len - 2};
    return n;
}

struct scan {
    struct text source;
    const char *path;
    bool is_config;
    struct settings *out;
};

static void emit(const struct scan *scan, enum setting_rank rank,
                 struct text key, struct text value, size_t line)
{
    if (value.len)
        settings_add(scan->out, scan->is_config ? SETTING_CONFIG : rank, key,
                     value, scan->path, line);
}

/* Reads DEFINE_integer('name', default, ...). */
static void take_absl(const struct scan *scan, struct text call, size_t line)
{
    struct text name, value;
    if (next_argument(&call, &name) && next_argument(&call, &value) &&
        name.len > 2 && (name.at[0] == '"' || name.at[0] == '\''))
        emit(scan, SETTING_DECLARED, (struct text){name.at + 1, name.len - 2},
             literal(value, scan->out->arena), line);
}

/* Reads add_argument("-b", "--batch-size", default=64): the longest name is the
 * option's, the others are aliases. click separates the two sides of a switch
 * with a slash, and may name the parameter last, without dashes. */
static void take_option(const struct scan *scan, struct text call, size_t line)
{
    struct text names[NAMES_MAX], rest, best = {0};
    size_t n = option_names(call, names);
    for (size_t i = 0; i < n; i++) {
        names[i] = text_split(names[i], '/', &rest);
        if (names[i].len > best.len)
            best = names[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (!text_equal(names[i], best))
            settings_alias(scan->out, names[i], best);
    }
    emit(scan, SETTING_DECLARED, best, default_of(call, scan->out->arena),
         line);
}

static bool word_is(struct text source, size_t from, size_t to,
                    const char *word)
{
    return text_is((struct text){source.at + from, to - from}, word);
}

/* Reads the call whose bracket opens at `at`. */
static void take_call(const struct scan *scan, size_t at, size_t line)
{
    const struct text source = scan->source;
    size_t from = at;
    while (from && is_word(source.at[from - 1]))
        from--;
    if (word_is(source, from, at, "add_argument") ||
        word_is(source, from, at, "add_arg") ||
        word_is(source, from, at, "option")) {
        take_option(scan, inside(source, at + 1), line);
    } else if (at - from > 7 && memcmp(source.at + from, "DEFINE_", 7) == 0) {
        take_absl(scan, inside(source, at + 1), line);
    }
}

/* Returns the value of an assignment: a literal, or field(default=literal). */
static struct text assigned(struct text value, struct arena *arena)
{
    value = text_trim(value);
    if (value.len && value.at[value.len - 1] == ',')
        value.len--;
    if (value.len > 6 && memcmp(value.at, "field(", 6) == 0)
        return default_of(inside(value, 6), arena);
    return literal(value, arena);
}

/* Longest literal that is kept, in bytes. */
enum { LITERAL_MAX = 200 };

/* Reads each name=literal among the arguments of a call on this line. */
static void take_keywords(const struct scan *scan, struct text line,
                          size_t number)
{
    for (size_t i = 1; i + 1 < line.len; i++) {
        size_t from = i, to = i + 1;
        if (line.at[i] != '=' || line.at[i + 1] == '=')
            continue;
        while (from && is_word(line.at[from - 1]))
            from--;
        if (from == i || from == 0 || !strchr("(, ", line.at[from - 1]))
            continue;
        while (to < line.len && to - i < LITERAL_MAX &&
               !strchr(",)", line.at[to]))
            to++;
        emit(scan, SETTING_LOCAL, (struct text){line.at + from, i - from},
             literal((struct text){line.at + i + 1, to - i - 1},
                     scan->out->arena),
             number);
    }
}

static size_t word_length(struct text t)
{
    size_t n = 0;
    while (n < t.len && is_word(t.at[n]))
        n++;
    return n;
}

/* Reads the item "key": value of a dictionary. */
static void take_item(const struct scan *scan, struct text t, size_t line)
{
    size_t n = string_end(t, 0);
    struct text key = {t.at + 1, n > 2 ? n - 2 : 0},
                rest = {t.at + n, t.len - n};
    rest = text_trim(rest);
    if (rest.len && rest.at[0] == ':')
        emit(scan, SETTING_LOCAL, key,
             assigned((struct text){rest.at + 1, rest.len - 1},
                      scan->out->arena),
             line);
}

/* Reads name = value, name: type = value and name=value of a line. `rest`
 * reaches to the end of the source, because a call may span several lines. */
static void take_line(const struct scan *scan, struct text text, size_t line,
                      bool *in_class)
{
    struct text t = text_trim(text), rest, value;
    size_t indent = t.len ? (size_t)(t.at - text.at) : 0;
    size_t n = word_length(t);
    if (t.len && (t.at[0] == '"' || t.at[0] == '\''))
        take_item(scan, t, line);
    if (indent == 0 && t.len)
        *in_class = n == 5 && memcmp(t.at, "class", 5) == 0;
    if (n == 0)
        return;
    rest = text_trim((struct text){t.at + n, t.len - n});
    bool typed = rest.len && rest.at[0] == ':';
    text_split(rest, '=', &value);
    if (!rest.len || (!typed && rest.at[0] != '=') || !value.len ||
        value.at[0] == '=')
        return;
    emit(scan,
         indent == 0 || (*in_class && typed) ? SETTING_ASSIGNED : SETTING_LOCAL,
         (struct text){t.at, n}, assigned(value, scan->out->arena), line);
}

/* Reads the count N of `for epoch in range(N)`, range(a, N) and range(first,
 * first + N). */
static void take_loop(const struct scan *scan, struct text line, size_t number)
{
    static const char head[] = "for epoch in range(";
    struct text t = text_trim(line), first, last, rest, more;
    if (t.len < sizeof head || memcmp(t.at, head, sizeof head - 1) != 0)
        return;
    rest = inside(t, sizeof head - 1);
    if (!next_argument(&rest, &first))
        return;
    if (!next_argument(&rest, &last))
        last = first;
    struct text name = text_trim(text_split(last, '+', &more));
    if (more.len && text_equal(name, first))
        last = more;
    emit(scan, SETTING_LOCAL, text_from("epochs"),
         literal(last, scan->out->arena), number);
}

static struct text joined_field(struct text source, struct text line)
{
    const char *field =
        line.len ? memmem(line.at, line.len, "field(", 6) : NULL;
    if (!field)
        return line;
    size_t at = (size_t)(field - source.at) + 6;
    struct text call = inside(source, at);
    if (!call.at || call.at + call.len < line.at + line.len)
        return line;
    return (struct text){line.at, (size_t)(call.at + call.len - line.at) + 1};
}

void py_settings(struct text source, const char *path, bool is_config,
                 struct settings *out)
{
    const struct scan scan = {source, path, is_config, out};
    bool in_class = false;
    size_t number = 0;
    for (struct text rest = source; rest.len;) {
        struct text line = text_split(rest, '\n', &rest);
        number++;
        for (size_t i = 0; i < line.len; i++) {
            if (line.at[i] == '(')
                take_call(&scan, (size_t)(line.at - source.at) + i, number);
        }
        take_line(&scan, joined_field(source, line), number, &in_class);
        take_keywords(&scan, line, number);
        take_loop(&scan, line, number);
    }
}

bool py_next_import(struct text source, size_t *at, struct text *module)
{
    while (*at < source.len) {
        struct text rest, tail = {source.at + *at, source.len - *at};
        struct text line = text_split(tail, '\n', &rest);
        *at += line.len + 1;
        line = text_trim(line);
        size_t skip = line.len > 7 && memcmp(line.at, "import ", 7) == 0 ? 7
                      : line.len > 5 && memcmp(line.at, "from ", 5) == 0 ? 5
                                                                         : 0;
        if (!skip)
            continue;
        line = text_trim((struct text){line.at + skip, line.len - skip});
        size_t n = 0;
        while (n < line.len && (is_word(line.at[n]) || line.at[n] == '.'))
            n++;
        *module = (struct text){line.at, n};
        if (n)
            return true;
    }
    return false;
}
