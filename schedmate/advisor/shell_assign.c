/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assignments to variables, arrays and their items. */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "schedmate/advisor/shell_internal.h"

enum { ITEMS_MAX = 512 };

/* Returns the length of the name, the index and the operator of an assignment;
 * 0 if the word is not an assignment. Sets *name to the length of the name. */
static size_t head_length(struct text word, size_t *name)
{
    size_t n = 0;
    while (ascii_is_name(text_char(word, n)))
        n++;
    *name = n;
    if (n == 0 || ascii_is_digit(word.at[0]))
        return 0;
    if (text_char(word, n) == '[')
        n = shell_bracket_end(word, n);
    n += text_char(word, n) == '+';
    return text_char(word, n) == '=' ? n + 1 : 0;
}

bool shell_is_assignment(struct text word)
{
    size_t name;
    return head_length(word, &name) > 0;
}

/* Expands the words of NAME=(...). Drops the index of a word [INDEX]=VALUE. */
static void read_items(struct shell *shell, struct text list,
                       struct shell_words *out)
{
    struct shell_tokens tokens = shell_lex(list, shell->arena);
    for (size_t i = 0; i < tokens.n; i++) {
        struct text word = tokens.at[i].text;
        if (tokens.at[i].kind != SHELL_WORD)
            continue;
        const char *equal =
            word.at[0] == '[' ? memmem(word.at, word.len, "]=", 2) : NULL;
        if (equal)
            word = text_skip(word, (size_t)(equal + 2 - word.at));
        shell_expand(shell, word, out);
    }
}

/* Sets an array to the items of `old` (NULL: none), then those of `more`, at
 * most ITEMS_MAX in all. */
static void append_items(struct shell *shell, const char *name,
                         const struct shell_variable *old,
                         const struct shell_words *more)
{
    size_t before = old ? old->n : 0;
    size_t n = before + more->n > ITEMS_MAX ? ITEMS_MAX : before + more->n;
    const char **items = ARENA_ARRAY(shell->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        items[i] = i < before ? old->items[i] : more->at[i - before];
    shell_set_items(shell, name, items, n, true);
}

static void set_item(struct shell *shell, const char *name, struct text index,
                     const char *value)
{
    long long at;
    const struct shell_variable *old = shell_find(shell, name);
    size_t before = old ? old->n : 0;
    if (!shell_number(shell, index, &at) || at < 0 || at >= ITEMS_MAX)
        /* an index that is unknown, negative or too large, or a key of an
         * associative array */
        return;
    size_t n = (size_t)at < before ? before : (size_t)at + 1;
    const char **items = ARENA_ARRAY(shell->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        items[i] = i < before ? old->items[i] : "";
    items[at] = value;
    shell_set_items(shell, name, items, n, true);
}

/* Sets a variable to a text or, if `appends` is true, appends the text to the
 * value of the variable. Does nothing if the joined text exceeds the budget. */
static void set_text(struct shell *shell, const char *name, const char *value,
                     bool appends)
{
    const char *old = shell_get(shell, name);
    if (appends && old) {
        size_t room = strlen(old) + strlen(value) + 1;
        if (room > shell->budget->bytes)
            return;
        shell->budget->bytes -= room;
        char *joined = arena_alloc(shell->arena, room);
        snprintf(joined, room, "%s%s", old, value);
        value = joined;
    }
    shell_set(shell, name, value);
}

const char *shell_assign(struct shell *shell, struct text word)
{
    size_t n, head = head_length(word, &n);
    const char *name = arena_copy(shell->arena, word.at, n);
    bool appends = head >= 2 && word.at[head - 2] == '+';
    struct text value = text_skip(word, head), index = {0};
    if (word.at[n] == '[')
        index =
            (struct text){word.at + n + 1, shell_bracket_end(word, n) - n - 2};
    if (text_char(value, 0) == '(' && value.len >= 2) {
        struct shell_words items = {.n = 0};
        read_items(shell, (struct text){value.at + 1, value.len - 2}, &items);
        append_items(shell, name, appends ? shell_find(shell, name) : NULL,
                     &items);
    } else if (index.len) {
        set_item(shell, name, index, shell_expand_one(shell, value));
    } else {
        set_text(shell, name, shell_expand_one(shell, value), appends);
    }
    return name;
}
