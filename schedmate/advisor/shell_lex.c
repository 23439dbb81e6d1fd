/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/shell_lex.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

/* Largest depth of nested brackets in one word, and largest number of
 * here-documents that one line asks for. */
enum { NESTED_MAX = 32, DOCUMENTS_MAX = 8 };

struct lexer {
    struct text t;
    size_t at, line;
    struct arena *arena;
    struct shell_token *tokens;
    size_t n, cap;
    /* indices of the tokens of here-documents whose text begins after this line
     */
    size_t waiting[DOCUMENTS_MAX];
    struct text ends[DOCUMENTS_MAX];
    bool tabs[DOCUMENTS_MAX];
    size_t n_waiting;
};

static size_t string_end(struct text t, size_t i)
{
    char quote = text_char(t, i++);
    while (i < t.len && t.at[i] != quote)
        i += t.at[i] == '\\' && quote != '\'' ? 2 : 1;
    return i < t.len ? i + 1 : t.len;
}

size_t shell_bracket_end(struct text t, size_t i)
{
    char stack[NESTED_MAX];
    size_t depth = 0;
    while (i < t.len) {
        char c = t.at[i];
        if (c == '\\') {
            i += 2;
            continue;
        }
        if (c == '\'' || c == '"') {
            i = string_end(t, i);
            continue;
        }
        if ((c == '(' || c == '{' || c == '[') && depth < NESTED_MAX)
            stack[depth++] = c == '(' ? ')' : c == '{' ? '}' : ']';
        else if (depth && c == stack[depth - 1] && --depth == 0)
            return i + 1;
        i++;
    }
    return t.len;
}

static void add(struct lexer *x, enum shell_token_kind kind, struct text text,
                size_t line)
{
    if (x->n == SHELL_TOKENS_MAX)
        return;
    x->tokens = mem_grow(x->tokens, &x->cap, x->n + 1, sizeof *x->tokens);
    x->tokens[x->n++] = (struct shell_token){kind, text, line, true};
}

/* Returns the index after the part of a word at index `i`: a quoted string, an
 * expansion, an escaped character or one character. */
static size_t part_end(struct text t, size_t i)
{
    char c = t.at[i];
    if (c == '\\')
        return i + 2;
    if (c == '\'' || c == '"' || c == '`')
        return string_end(t, i);
    char next = text_char(t, i + 1);
    if ((c == '$' && (next == '(' || next == '{')) ||
        ((c == '<' || c == '>') && next == '('))
        return shell_bracket_end(t, i + 1);
    return i + 1;
}

/* True if the characters before an opening parenthesis are those of an
 * assignment of an array: NAME=( or NAME+=(. */
static bool is_array(struct text t, size_t from, size_t i)
{
    if (i == from || t.at[i - 1] != '=')
        return false;
    size_t k = from;
    while (k < i && (ascii_is_name(t.at[k]) || t.at[k] == '+'))
        k++;
    return k == i - 1 && k > from;
}

/* Returns the index after the word that begins at `from`. */
static size_t word_end(struct text t, size_t from)
{
    size_t i = from;
    while (i < t.len) {
        char c = t.at[i];
        if (c == '(' && is_array(t, from, i)) {
            i = shell_bracket_end(t, i);
            continue;
        }
        bool substitution =
            (c == '<' || c == '>') && text_char(t, i + 1) == '(' && i == from;
        if (!substitution && c && strchr(" \t\n;&|()<>", c))
            return i;
        i = part_end(t, i);
    }
    return t.len;
}

static size_t count_lines(struct text t, size_t from, size_t to)
{
    size_t n = 0;
    for (size_t i = from; i < to && i < t.len; i++)
        n += t.at[i] == '\n';
    return n;
}

/* Reads the text of a here-document, which begins at the start of a line. */
static void read_document(struct lexer *x, size_t number)
{
    size_t from = x->at;
    while (x->at < x->t.len) {
        struct text rest = text_skip(x->t, x->at), line;
        size_t start = x->at;
        line = text_split(rest, '\n', &rest);
        x->at += line.len + 1;
        x->line++;
        if (x->tabs[number])
            line = text_trim(line);
        if (text_equal(line, x->ends[number])) {
            x->tokens[x->waiting[number]].text =
                (struct text){x->t.at + from, start - from};
            return;
        }
    }
    x->at = x->t.len;
    x->tokens[x->waiting[number]].text = text_skip(x->t, from);
}

static void take_line_feed(struct lexer *x)
{
    add(x, SHELL_OPERATOR, (struct text){"\n", 1}, x->line);
    x->at++;
    x->line++;
    for (size_t i = 0; i < x->n_waiting; i++)
        read_document(x, i);
    x->n_waiting = 0;
}

static void skip_blanks(struct lexer *x)
{
    while (x->at < x->t.len) {
        char c = x->t.at[x->at];
        bool joined = c == '\\' && text_char(x->t, x->at + 1) == '\n';
        if (c != ' ' && c != '\t' && !joined)
            return;
        x->line += joined;
        x->at += 1 + joined;
    }
}

static struct text without_quotes(struct text word, struct arena *arena)
{
    char *copy = arena_alloc(arena, word.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (!strchr("\\'\"", word.at[i]) || !word.at[i])
            copy[n++] = word.at[i];
    }
    return (struct text){copy, n};
}

/* Drops a redirection and the file that it names. Keeps a here-document, `<<<
 * word` and `< file` as tokens. */
static void take_redirection(struct lexer *x)
{
    size_t from = x->at, line = x->line;
    while (strchr("<>&|-", text_char(x->t, x->at)) && text_char(x->t, x->at))
        x->at++;
    struct text op = {x->t.at + from, x->at - from};
    skip_blanks(x);
    size_t end = word_end(x->t, x->at);
    struct text word = {x->t.at + x->at, end - x->at};
    x->line += count_lines(x->t, x->at, end);
    x->at = end > x->at ? end : x->at + (x->at < x->t.len && op.len == 0);
    bool here = text_is(op, "<<") || text_is(op, "<<-");
    if (text_is(op, "<<<") || text_is(op, "<")) {
        add(x, op.len == 1 ? SHELL_INPUT : SHELL_DOCUMENT, word, line);
    } else if (here && x->n_waiting < DOCUMENTS_MAX &&
               x->n < SHELL_TOKENS_MAX) {
        x->waiting[x->n_waiting] = x->n;
        x->ends[x->n_waiting] = without_quotes(word, x->arena);
        x->tabs[x->n_waiting++] = op.len == 3;
        add(x, SHELL_DOCUMENT, (struct text){"", 0}, line);
        x->tokens[x->n - 1].is_expanded = !memchr(word.at, '\'', word.len) &&
                                          !memchr(word.at, '"', word.len) &&
                                          !memchr(word.at, '\\', word.len);
    }
}

/* Returns the length of the operator at the start of a text; 0 if there is
 * none. */
static size_t operator_length(struct text t)
{
    static const char *const operators[] = {"&&", "||", "|&", ";;", ";",
                                            "&",  "|",  "(",  ")"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (text_starts(t, operators[i]))
            return strlen(operators[i]);
    }
    return 0;
}

static bool is_redirection(struct text rest)
{
    size_t digits = 0;
    while (ascii_is_digit(text_char(rest, digits)))
        digits++;
    char c = text_char(rest, digits), next = text_char(rest, digits + 1);
    if (c == '&' && next == '>' && digits == 0)
        return true;
    return (c == '<' || c == '>') && next != '(';
}

static void take_token(struct lexer *x)
{
    struct text rest = text_skip(x->t, x->at);
    char c = rest.at[0];
    size_t length = operator_length(rest);
    if (c == '\n') {
        take_line_feed(x);
    } else if (c == '#') {
        const char *end = memchr(rest.at, '\n', rest.len);
        x->at = end ? (size_t)(end - x->t.at) : x->t.len;
    } else if (is_redirection(rest)) {
        while (ascii_is_digit(x->t.at[x->at]))
            x->at++;
        take_redirection(x);
    } else if (text_starts(rest, "((")) {
        size_t end = shell_bracket_end(x->t, x->at);
        add(x, SHELL_WORD, (struct text){rest.at, end - x->at}, x->line);
        x->line += count_lines(x->t, x->at, end);
        x->at = end;
    } else if (length) {
        add(x, SHELL_OPERATOR, (struct text){rest.at, length}, x->line);
        x->at += length;
    } else {
        size_t end = word_end(x->t, x->at);
        end = end > x->t.len ? x->t.len : end > x->at ? end : x->at + 1;
        add(x, SHELL_WORD, (struct text){rest.at, end - x->at}, x->line);
        x->line += count_lines(x->t, x->at, end);
        x->at = end;
    }
}

/* Returns a copy of the script, cut to SHELL_SCRIPT_MAX, without control
 * characters other than tabs and line feeds. */
static struct text clean(struct text script, struct arena *arena)
{
    if (script.len > SHELL_SCRIPT_MAX)
        script.len = SHELL_SCRIPT_MAX;
    char *copy = arena_alloc(arena, script.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < script.len; i++) {
        unsigned char c = (unsigned char)script.at[i];
        if (c >= ' ' || c == '\t' || c == '\n')
            copy[n++] = script.at[i];
    }
    return (struct text){copy, n};
}

struct shell_tokens shell_lex(struct text script, struct arena *arena)
{
    struct lexer x = {.arena = arena, .line = 1};
    x.t = clean(script, arena);
    while (x.at < x.t.len && x.n < SHELL_TOKENS_MAX) {
        skip_blanks(&x);
        if (x.at < x.t.len)
            take_token(&x);
    }
    add(&x, SHELL_OPERATOR, (struct text){"\n", 1}, x.line);
    struct shell_token *copy = ARENA_ARRAY(arena, struct shell_token, x.n + 1);
    memcpy(copy, x.tokens, x.n * sizeof *copy);
    free(x.tokens);
    return (struct shell_tokens){copy, x.n};
}
