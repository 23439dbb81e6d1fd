/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "schedmate/advisor/python/py_token.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

enum { INDENTS_MAX = 60 };

struct lexer {
    struct text source;
    size_t at;
    uint32_t line;
    size_t depth; /* number of open brackets */
    size_t indents[INDENTS_MAX];
    size_t n_indents;
    struct py_token *tokens;
    size_t n, cap;
};

static void add(struct lexer *lexer, enum py_token_kind kind, size_t from)
{
    if (lexer->n + 1 >= PY_TOKENS_MAX && kind != PY_TOKEN_END)
        return;
    lexer->tokens = mem_grow(lexer->tokens, &lexer->cap, lexer->n + 1,
                             sizeof *lexer->tokens);
    lexer->tokens[lexer->n++] = (struct py_token){
        kind, lexer->line, {lexer->source.at + from, lexer->at - from}};
}

static char peek(const struct lexer *lexer, size_t ahead)
{
    return text_char(lexer->source, lexer->at + ahead);
}

/* Adds the tokens for the change of indentation at a line that has a token. */
static void take_indent(struct lexer *lexer, size_t columns)
{
    size_t here = lexer->at;
    if (columns > lexer->indents[lexer->n_indents] &&
        lexer->n_indents + 1 < INDENTS_MAX) {
        lexer->indents[++lexer->n_indents] = columns;
        add(lexer, PY_TOKEN_INDENT, here);
    }
    while (lexer->n_indents && columns < lexer->indents[lexer->n_indents]) {
        lexer->n_indents--;
        add(lexer, PY_TOKEN_DEDENT, here);
    }
}

static void skip_comment(struct lexer *lexer)
{
    while (lexer->at < lexer->source.len && peek(lexer, 0) != '\n')
        lexer->at++;
}

/* Reads the blanks at the start of a line. Lines without a token are skipped.
 */
static void start_line(struct lexer *lexer)
{
    size_t columns = 0;
    for (; lexer->at < lexer->source.len; lexer->at++) {
        char c = peek(lexer, 0);
        if (c == '#')
            skip_comment(lexer), c = peek(lexer, 0);
        if (c == '\n') {
            columns = 0;
            lexer->line++;
        } else if (c == ' ') {
            columns++;
        } else if (c == '\t') {
            columns = (columns / 8 + 1) * 8;
        } else if (c != '\r' && c != '\f') {
            break;
        }
    }
    if (lexer->at < lexer->source.len)
        take_indent(lexer, columns);
}

/* Moves past the string whose opening quote is at lexer->at. */
static void pass_string(struct lexer *lexer)
{
    char quote = peek(lexer, 0);
    bool triple = peek(lexer, 1) == quote && peek(lexer, 2) == quote;
    lexer->at += triple ? 3 : 1;
    while (lexer->at < lexer->source.len) {
        char c = peek(lexer, 0);
        if (c == '\n')
            lexer->line++;
        if (c == '\\' && lexer->at + 1 < lexer->source.len) {
            lexer->line += peek(lexer, 1) == '\n';
            lexer->at += 2;
            continue;
        }
        lexer->at++;
        if (!triple && (c == quote || c == '\n'))
            return;
        if (triple && c == quote && peek(lexer, 0) == quote &&
            peek(lexer, 1) == quote) {
            lexer->at += 2;
            return;
        }
    }
}

static void take_string(struct lexer *lexer, size_t from)
{
    uint32_t line = lexer->line;
    pass_string(lexer);
    uint32_t end = lexer->line;
    lexer->line = line;
    add(lexer, PY_TOKEN_STRING, from);
    lexer->line = end;
}

static bool is_word(char c)
{
    return ascii_is_name(c) || (unsigned char)c >= 128;
}

static void take_name(struct lexer *lexer)
{
    size_t from = lexer->at;
    while (is_word(peek(lexer, 0)))
        lexer->at++;
    size_t n = lexer->at - from;
    char c = peek(lexer, 0);
    if (n <= 2 && (c == '"' || c == '\'') &&
        strchr("rRbBfFuU", lexer->source.at[from]))
        take_string(lexer, from);
    else
        add(lexer, PY_TOKEN_NAME, from);
}

static void take_number(struct lexer *lexer)
{
    size_t from = lexer->at;
    bool is_hex = peek(lexer, 0) == '0' && (peek(lexer, 1) | 32) == 'x';
    for (;; lexer->at++) {
        char c = peek(lexer, 0),
             last = lexer->at > from ? lexer->source.at[lexer->at - 1] : 0;
        bool sign = (c == '+' || c == '-') && (last | 32) == 'e' && !is_hex;
        if (!ascii_is_name(c) && c != '.' && !sign)
            break;
    }
    add(lexer, PY_TOKEN_NUMBER, from);
}

static void take_operator(struct lexer *lexer)
{
    static const char *const longer[] = {
        "**=", "//=", ">>=", "<<=", "...", "**", "//", "==",
        "!=",  "<=",  ">=",  "->",  "+=",  "-=", "*=", "/=",
        "%=",  "&=",  "|=",  "^=",  "@=",  ":=", "<<", ">>"};
    size_t from = lexer->at, n = 1;
    for (size_t i = 0; i < sizeof longer / sizeof *longer && n == 1; i++) {
        struct text rest = text_skip(lexer->source, from);
        if (text_starts(rest, longer[i]))
            n = strlen(longer[i]);
    }
    char c = peek(lexer, 0);
    lexer->at += n;
    if (c && strchr("([{", c))
        lexer->depth++;
    else if (c && strchr(")]}", c) && lexer->depth)
        lexer->depth--;
    add(lexer, PY_TOKEN_OPERATOR, from);
}

static void take_line_end(struct lexer *lexer)
{
    size_t from = lexer->at++;
    if (!lexer->depth)
        add(lexer, PY_TOKEN_NEWLINE, from);
    lexer->line++;
    if (!lexer->depth)
        start_line(lexer);
}

static void take_token(struct lexer *lexer)
{
    char c = peek(lexer, 0);
    if (c == '\n')
        take_line_end(lexer);
    else if (c == '\\' && (peek(lexer, 1) == '\n' || peek(lexer, 1) == '\r'))
        lexer->line += peek(lexer, 1) == '\n', lexer->at += 2;
    else if (!c || strchr(" \t\r\f", c))
        lexer->at++;
    else if (c == '#')
        skip_comment(lexer);
    else if (c == '"' || c == '\'')
        take_string(lexer, lexer->at);
    else if (ascii_is_digit(c) || (c == '.' && ascii_is_digit(peek(lexer, 1))))
        take_number(lexer);
    else if (is_word(c))
        take_name(lexer);
    else
        take_operator(lexer);
}

const struct py_token *py_tokens(struct text source, struct arena *arena)
{
    struct lexer lexer = {.source = source, .line = 1};
    if (text_starts(source, "\xef\xbb\xbf"))
        lexer.at = 3;
    start_line(&lexer);
    while (lexer.at < source.len && lexer.n + 1 < PY_TOKENS_MAX)
        take_token(&lexer);
    add(&lexer, PY_TOKEN_NEWLINE, lexer.at);
    while (lexer.n_indents--)
        add(&lexer, PY_TOKEN_DEDENT, lexer.at);
    add(&lexer, PY_TOKEN_END, lexer.at);
    struct py_token *out = arena_alloc(arena, lexer.n * sizeof *out);
    memcpy(out, lexer.tokens, lexer.n * sizeof *out);
    free(lexer.tokens);
    return out;
}
