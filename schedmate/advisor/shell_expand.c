/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expands words: quotes, braces, parameters, commands, arithmetic. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/out.h"
#include "schedmate/advisor/shell_internal.h"

enum {
    WORD_MAX = 16384,   /* largest length of an expanded word, bytes */
    EXPANDING_MAX = 16, /* largest depth of nested expansions */
    BRACES_MAX = 64,    /* largest number of words from the braces of a word */
    BETWEEN = '\x1f',   /* separates words in the text of an expansion */
    PRESENT = '\x1e',   /* marks a word that is kept even if it is empty */
};

struct expansion {
    struct shell *shell;
    struct out *out;
    bool splits; /* true if blanks in unquoted values separate words */
};

static bool is_full(struct expansion *x)
{
    size_t len = out_memory(x->out).len;
    return len >= WORD_MAX || x->shell->budget->bytes < len;
}

/* Writes a value. If x->splits, a blank in an unquoted value separates words.
 */
static void write_value(struct expansion *x, const char *value, bool quoted)
{
    for (; *value && !is_full(x); value++) {
        bool blank = strchr(" \t\n", *value) != NULL;
        out_char(x->out, blank && !quoted && x->splits ? BETWEEN : *value);
    }
}

/* Expands the reference whose dollar sign is at index `i` and returns the index
 * after the reference. Writes a '$' that begins no reference as it is. */
static size_t write_dollar(struct expansion *x, struct text t, size_t i,
                           bool quoted)
{
    struct shell_words values;
    bool joins = true;
    size_t n = 0;
    values.n = 0;
    if (x->shell->expanding++ < EXPANDING_MAX)
        n = shell_parameter(x->shell, text_skip(t, i + 1), &values, &joins);
    x->shell->expanding--;
    if (n == 0) {
        out_char(x->out, '$');
        return i + 1;
    }
    for (size_t k = 0; k < values.n; k++) {
        if (k)
            out_char(x->out, x->splits && !joins ? BETWEEN : ' ');
        if (quoted && x->splits && !joins)
            out_char(x->out, PRESENT);
        write_value(x, values.at[k], quoted);
    }
    return i + 1 + n;
}

static size_t write_escape(struct expansion *x, struct text t, size_t i,
                           bool quoted)
{
    char next = text_char(t, i + 1);
    if (quoted && !(next && strchr("$`\"\\\n", next)))
        out_char(x->out, '\\');
    if (next && next != '\n')
        out_char(x->out, next);
    return i + 2;
}

/* Expands the text between two backquotes like $(...) and returns the index
 * after the second. */
static size_t write_backquotes(struct expansion *x, struct text t, size_t i,
                               bool quoted)
{
    const char *close =
        i + 1 < t.len ? memchr(t.at + i + 1, '`', t.len - i - 1) : NULL;
    size_t end = close ? (size_t)(close - t.at) : t.len;
    char *copy = arena_alloc(x->shell->arena, end - i + 3);
    copy[0] = '$';
    copy[1] = '(';
    memcpy(copy + 2, t.at + i + 1, end - i - 1);
    copy[end - i + 1] = ')';
    write_dollar(x, (struct text){copy, end - i + 2}, 0, quoted);
    return end + 1;
}

static size_t write_quoted(struct expansion *x, struct text t, size_t i)
{
    out_char(x->out, PRESENT);
    if (t.at[i] == '\'') {
        for (i++; i < t.len && t.at[i] != '\'' && !is_full(x); i++)
            out_char(x->out, t.at[i]);
        return i + 1;
    }
    for (i++; i < t.len && t.at[i] != '"' && !is_full(x);) {
        if (t.at[i] == '\\')
            i = write_escape(x, t, i, true);
        else if (t.at[i] == '$')
            i = write_dollar(x, t, i, true);
        else if (t.at[i] == '`')
            i = write_backquotes(x, t, i, true);
        else
            out_char(x->out, t.at[i++]);
    }
    return i + 1;
}

static void write_word(struct expansion *x, struct text t)
{
    for (size_t i = 0; i < t.len && !is_full(x);) {
        char c = t.at[i];
        if (c == '\'' || c == '"')
            i = write_quoted(x, t, i);
        else if (c == '\\')
            i = write_escape(x, t, i, false);
        else if (c == '$' && text_char(t, i + 1) == '\'')
            i++; /* skips the $ of $'text' */
        else if (c == '$')
            i = write_dollar(x, t, i, false);
        else if (c == '`')
            i = write_backquotes(x, t, i, false);
        else
            out_char(x->out, t.at[i++]);
    }
}

/* Removes the marks from a word. Returns false if nothing is left and nothing
 * was quoted. */
static bool unmarked(struct text t, struct arena *arena, const char **out)
{
    char *copy = arena_alloc(arena, t.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < t.len; i++) {
        if (t.at[i] != PRESENT)
            copy[n++] = t.at[i];
    }
    *out = copy;
    return t.len > 0;
}

static void expand_plain(struct shell *shell, struct text word,
                         struct shell_words *out)
{
    struct expansion x = {shell, out_to_memory(), true};
    write_word(&x, word);
    struct text rest = out_memory(x.out), piece;
    size_t len = rest.len;
    shell->budget->bytes -=
        len < shell->budget->bytes ? len : shell->budget->bytes;
    while (rest.len) {
        piece = text_split(rest, BETWEEN, &rest);
        const char *text;
        if (unmarked(piece, shell->arena, &text) && out->n < SHELL_WORDS_MAX)
            out->at[out->n++] = text;
    }
    out_abandon(x.out);
}

/* Finds the first brace, if it begins an expansion such as a{b,c} or {1..4} and
 * no quote is before it. Sets *open to the index of the brace and *end to the
 * index after the closing brace. */
static bool find_braces(struct text t, size_t *open, size_t *end)
{
    for (size_t i = 0; i < t.len; i++) {
        char c = t.at[i];
        if (c == '\'' || c == '"' || c == '`')
            return false;
        if (c == '$' && i + 1 < t.len && strchr("({", t.at[i + 1])) {
            i = shell_bracket_end(t, i + 1) - 1;
        } else if (c == '{') {
            *open = i;
            *end = shell_bracket_end(t, i);
            struct text inner = {t.at + i + 1, *end - i - 1};
            return text_char(t, *end - 1) == '}' &&
                   (memchr(inner.at, ',', inner.len) ||
                    memmem(inner.at, inner.len, "..", 2));
        }
    }
    return false;
}

static void expand_piece(struct shell *shell, struct text t, size_t open,
                         size_t end, struct text piece, struct shell_words *out)
{
    char *copy = arena_alloc(shell->arena, t.len + piece.len + 1);
    size_t n = open;
    memcpy(copy, t.at, open);
    memcpy(copy + n, piece.at, piece.len);
    n += piece.len;
    memcpy(copy + n, t.at + end, t.len - end);
    expand_plain(shell, (struct text){copy, n + t.len - end}, out);
}

static bool is_range(struct text inner, long long *from, long long *to)
{
    const char *dots = memmem(inner.at, inner.len, "..", 2);
    if (!dots)
        return false;
    int64_t a, b;
    struct text first = {inner.at, (size_t)(dots - inner.at)};
    if (!text_to_i64(first, &a) ||
        !text_to_i64(text_skip(inner, first.len + 2), &b) || b < a ||
        b - a >= BRACES_MAX)
        return false;
    *from = a;
    *to = b;
    return true;
}

void shell_expand(struct shell *shell, struct text word,
                  struct shell_words *out)
{
    size_t open, end;
    long long from, to;
    if (!find_braces(word, &open, &end)) {
        expand_plain(shell, word, out);
        return;
    }
    struct text inner = {word.at + open + 1, end - open - 2}, piece;
    if (is_range(inner, &from, &to)) {
        for (long long i = from; i <= to; i++) {
            char digits[24];
            int n = snprintf(digits, sizeof digits, "%lld", i);
            expand_piece(shell, word, open, end,
                         (struct text){digits, (size_t)n}, out);
        }
        return;
    }
    for (int n = 0; inner.len && n < BRACES_MAX; n++) {
        piece = text_split(inner, ',', &inner);
        expand_piece(shell, word, open, end, piece, out);
    }
}

/* Expands a text to one text. Removes quotes if `quotes` is true. */
static struct text expand_all(struct shell *shell, struct text t, bool quotes)
{
    struct expansion x = {shell, out_to_memory(), false};
    const char *text;
    if (quotes) {
        write_word(&x, t);
    } else {
        for (size_t i = 0; i < t.len && !is_full(&x);) {
            if (t.at[i] == '$')
                i = write_dollar(&x, t, i, true);
            else if (t.at[i] == '\\')
                i = write_escape(&x, t, i, true);
            else
                out_char(x.out, t.at[i++]);
        }
    }
    unmarked(out_memory(x.out), shell->arena, &text);
    out_abandon(x.out);
    return text_from(text);
}

const char *shell_expand_one(struct shell *shell, struct text word)
{
    return expand_all(shell, word, true).at;
}

struct text shell_expand_document(struct shell *shell, struct text document)
{
    return expand_all(shell, document, false);
}
