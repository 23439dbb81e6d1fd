/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expands what follows a dollar sign: parameters, commands, arithmetic. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"

enum { DEPTH_MAX = 8 };

/* The parts of a reference: ${#name[index]op word}. */
struct reference {
    const char *name;
    bool length; /* true for ${#name} */
    /* true for all items: an index of @ or *, or the arguments ($@, $*) */
    bool all;
    bool joined; /* true for "$*" and "${name[*]}", whose items form one word */
    struct text index; /* index of an item, as written; empty: none */
    struct text rest;  /* operator and word */
};

static void put(struct shell_words *out, const char *value)
{
    if (out->n < SHELL_WORDS_MAX)
        out->at[out->n++] = value;
}

static const char *format_number(struct shell *shell, long long value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%lld", value);
    return arena_copy(shell->arena, digits, (size_t)n);
}

/* Returns "$NAME", which stands for an unknown value. */
static const char *unknown(struct shell *shell, const char *name)
{
    char text[128];
    int n = snprintf(text, sizeof text, "$%.100s", name);
    return arena_copy(shell->arena, text, (size_t)n);
}

/* Follows the commands in $(...) and adds what they print. If that is unknown
 * or empty, adds a reference to the first word, such as "$(date)". */
static void substitute(struct shell *shell, struct text script,
                       struct shell_words *out)
{
    struct shell *inner = ARENA_NEW(shell->arena, struct shell);
    struct out *printed = out_to_memory();
    bool known = shell->depth < DEPTH_MAX && shell->budget->steps > 0;
    if (known) {
        *inner = *shell;
        inner->capture = printed;
        inner->capture_unknown = false;
        inner->depth++;
        shell_run(inner, script);
        known = !inner->capture_unknown;
    }
    struct text text = out_memory(printed);
    while (text.len && text.at[text.len - 1] == '\n')
        text.len--;
    struct text rest, first = text_split(text_trim(script), ' ', &rest);
    char name[64];
    snprintf(name, sizeof name, "(%.40s)",
             arena_copy(shell->arena, first.at, first.len));
    put(out, known && text.len ? arena_copy(shell->arena, text.at, text.len)
                               : unknown(shell, name));
    out_abandon(printed);
}

/* Sets *items and *n to the items of a parameter. Returns false if it is not
 * set or has no item at the index. */
static bool items_of(struct shell *shell, const struct reference *reference,
                     const char *const **items, size_t *n)
{
    const char *name = reference->name;
    if (ascii_is_digit(name[0])) {
        uint32_t number;
        if (!text_to_u32(text_from(name), &number) || number == 0 ||
            number > shell->n_args)
            return false;
        *items = &shell->args[number - 1];
        *n = 1;
        return true;
    }
    if (strcmp(name, "@") == 0 || strcmp(name, "*") == 0) {
        *items = shell->args;
        *n = shell->n_args;
        return true;
    }
    const struct shell_variable *variable = shell_find(shell, name);
    if (!variable)
        return false;
    long long index = 0;
    bool item = reference->index.len > 0 &&
                shell_number(shell, reference->index, &index);
    *items = variable->items;
    *n = variable->n;
    if (reference->all)
        return true;
    if (item && index < 0)
        index += (long long)variable->n;
    if ((size_t)index >= variable->n)
        return false;
    *items += index;
    *n = 1;
    return true;
}

/* Handles the operators -, =, + and ?, with or without a colon, as in
 * ${x:-word}. Returns false for any other operator. */
static bool with_default(struct shell *shell, const char *name,
                         const char *value, bool is_set, struct text op,
                         struct shell_words *out)
{
    bool colon = text_char(op, 0) == ':';
    char c = text_char(op, colon);
    bool counts = is_set && (!colon || value[0]);
    if (!c || !strchr("-=+?", c))
        return false;
    struct text word = text_skip(op, 1U + colon);
    if (c == '+') {
        if (counts)
            put(out, shell_expand_one(shell, word));
        return true;
    }
    if (counts || c == '?') {
        put(out, counts ? value : unknown(shell, name));
        return true;
    }
    const char *instead = shell_expand_one(shell, word);
    if (c == '=')
        shell_set(shell, name, instead);
    put(out, instead);
    return true;
}

/* Adds the items, or only those in the slice if the reference has one, such as
 * ${@:2} or ${array[@]:1:3}. */
static void put_slice(struct shell *shell, const struct reference *reference,
                      const char *const *items, size_t n,
                      struct shell_words *out)
{
    long long from = 0, count = (long long)n;
    struct text second, first = reference->rest;
    bool arguments = strchr("@*", reference->name[0]) != NULL;
    if (text_char(first, 0) == ':') {
        first = text_split(text_skip(first, 1), ':', &second);
        if (!shell_number(shell, first, &from))
            from = 0;
        from -= arguments && from > 0;
        if (second.len && !shell_number(shell, second, &count))
            count = (long long)n;
    }
    for (long long i = from < 0 ? 0 : from;
         i < (long long)n && i - from < count; i++)
        put(out, items[i]);
}

/* Returns the path of the script for $0 and $BASH_SOURCE, and the folder for
 * $PWD; NULL for any other parameter, and for $0 and $BASH_SOURCE if there is
 * no script. */
static const char *own_name(struct shell *shell, const char *name)
{
    const char *path = NULL;
    if (strcmp(name, "0") == 0 || strcmp(name, "BASH_SOURCE") == 0)
        path = shell->path;
    else if (strcmp(name, "PWD") == 0)
        path = shell->dir;
    if (!path)
        return NULL;
    size_t room = strlen(path) + sizeof SHELL_ROOT + 1;
    char *text = arena_alloc(shell->arena, room);
    snprintf(text, room, "%s%s%s", SHELL_ROOT, *path ? "/" : "", path);
    return text;
}

/* Adds the length of a value or the number of items: ${#x} and ${#x[@]}. */
static void put_length(struct shell *shell, const struct reference *reference,
                       const char *const *items, size_t n,
                       struct shell_words *out)
{
    bool one = n && !reference->all;
    put(out,
        format_number(shell, one ? (long long)strlen(items[0]) : (long long)n));
}

static bool is_positional(const char *name)
{
    return (ascii_is_digit(name[0]) && strcmp(name, "0") != 0) ||
           strchr("@*", name[0]);
}

/* Adds the value of a reference to one item. */
static void put_item(struct shell *shell, const struct reference *reference,
                     const char *value, bool is_set, struct shell_words *out)
{
    const char *name = reference->name;
    if (with_default(shell, name, value, is_set, reference->rest, out))
        return;
    if (!is_set && !is_positional(name))
        put(out, unknown(shell, name));
    else if (is_set && shell_is_unknown(value))
        put(out, value);
    else if (is_set)
        put(out, shell_change(shell, value, reference->rest));
}

static void put_reference(struct shell *shell,
                          const struct reference *reference,
                          struct shell_words *out)
{
    const char *const *items = NULL;
    size_t n = 0;
    const char *own = own_name(shell, reference->name);
    bool is_set = own || items_of(shell, reference, &items, &n);
    if (own) {
        items = &own;
        n = 1;
    }
    long long index;
    if (reference->index.len && !reference->all &&
        !shell_number(shell, reference->index, &index))
        put(out, unknown(shell, reference->name));
    else if (reference->length)
        put_length(shell, reference, items, is_set ? n : 0, out);
    else if (reference->all && is_set)
        put_slice(shell, reference, items, n, out);
    else
        put_item(shell, reference, is_set && n ? items[0] : "", is_set, out);
}

static size_t name_length(struct text t)
{
    size_t n = 0;
    if (ascii_is_digit(text_char(t, 0))) {
        while (ascii_is_digit(text_char(t, n)))
            n++;
        return n;
    }
    while (ascii_is_name(text_char(t, n)))
        n++;
    if (n == 0 && t.len && strchr("@*#?$!-", t.at[0]) && t.at[0])
        n = 1;
    return n;
}

/* Reads what follows a dollar sign, without its braces. Returns false if it
 * names no parameter, and for ${!name}. */
static bool read_reference(struct text t, struct arena *arena,
                           struct reference *out)
{
    *out = (struct reference){0};
    if (text_char(t, 0) == '#' && t.len > 1) {
        out->length = true;
        t = text_skip(t, 1);
    }
    if (text_char(t, 0) == '!')
        return false;
    size_t n = name_length(t);
    if (n == 0)
        return false;
    out->name = arena_copy(arena, t.at, n);
    t = text_skip(t, n);
    out->all = strchr("@*", out->name[0]) != NULL;
    out->joined = out->name[0] == '*';
    if (text_char(t, 0) == '[') {
        size_t end = shell_bracket_end(t, 0);
        out->index = (struct text){t.at + 1, end > 2 ? end - 2 : 0};
        if (text_is(out->index, "@") || text_is(out->index, "*")) {
            out->all = true;
            out->joined = text_is(out->index, "*");
        }
        t = text_skip(t, end);
    }
    out->rest = t;
    return true;
}

static void put_number(struct shell *shell, struct text expression,
                       struct shell_words *out)
{
    long long value;
    put(out, shell_number(shell, expression, &value)
                 ? format_number(shell, value)
                 : "$((?))");
}

/* Handles $#, $?, $$, $! and $-. Returns false for any other character. */
static bool put_special(struct shell *shell, char c, struct shell_words *out)
{
    char name[2] = {c, '\0'};
    if (c == '#')
        put(out, format_number(shell, (long long)shell->n_args));
    else if (c == '?')
        put(out, "0");
    else if (c == '!' || c == '$' || c == '-')
        put(out, unknown(shell, name));
    else
        return false;
    return true;
}

static size_t braced(struct shell *shell, struct text t,
                     struct shell_words *out, bool *joins)
{
    size_t end = shell_bracket_end(t, 0);
    struct text inner = {t.at + 1, end >= 2 ? end - 2 : 0};
    struct reference reference;
    if (read_reference(inner, shell->arena, &reference)) {
        put_reference(shell, &reference, out);
        *joins = !reference.all || reference.joined;
    } else if (inner.len != 1 || !put_special(shell, inner.at[0], out)) {
        put(out, "${!}");
    }
    return end;
}

/* Handles $(...), $((...)) and $[...]. */
static size_t bracketed(struct shell *shell, struct text t,
                        struct shell_words *out)
{
    size_t end = shell_bracket_end(t, 0);
    bool sum = t.at[0] == '(' && text_char(t, 1) == '(' && end >= 4 &&
               text_char(t, end - 2) == ')';
    struct text inner = {t.at + 1, end >= 2 ? end - 2 : 0};
    if (sum)
        put_number(shell, (struct text){t.at + 2, end - 4}, out);
    else if (t.at[0] == '[')
        put_number(shell, inner, out);
    else
        substitute(shell, inner, out);
    return end;
}

/* Handles $name, $1, $@ and $*. */
static size_t named(struct shell *shell, struct text t, size_t n,
                    struct shell_words *out, bool *joins)
{
    struct reference reference;
    n = ascii_is_digit(t.at[0]) ? 1 : n;
    if (!read_reference((struct text){t.at, n}, shell->arena, &reference))
        return 0;
    put_reference(shell, &reference, out);
    *joins = !reference.all || reference.joined;
    return n;
}

size_t shell_parameter(struct shell *shell, struct text t,
                       struct shell_words *out, bool *joins)
{
    char c = text_char(t, 0);
    *joins = true;
    if (c == '(' || c == '[')
        return bracketed(shell, t, out);
    if (c == '{')
        return braced(shell, t, out, joins);
    size_t n = name_length(t);
    if (n == 0)
        return 0;
    if (c == '@' || c == '*' || ascii_is_name(c))
        return named(shell, t, n, out, joins);
    return put_special(shell, c, out) ? 1 : 0;
}
