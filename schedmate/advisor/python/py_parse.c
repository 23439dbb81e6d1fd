/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the statements of Python. */
#include <string.h>

#include "schedmate/advisor/python/py_parse_internal.h"

static struct py_node *statement(struct py_parser *parser);

struct py_node *py_block(struct py_parser *parser)
{
    struct py_list list = {0};
    py_expect(parser, ":");
    if (parser->bad)
        return NULL;
    if (parser->token->kind != PY_TOKEN_NEWLINE) {
        py_append(&list, statement(parser));
        return list.first;
    }
    parser->token++;
    if (parser->token->kind != PY_TOKEN_INDENT)
        return NULL;
    parser->token++;
    if (++parser->depth > PY_DEPTH_MAX)
        parser->bad = true;
    while (!parser->bad && parser->token->kind != PY_TOKEN_DEDENT &&
           parser->token->kind != PY_TOKEN_END) {
        struct py_node *node = statement(parser);
        if (node)
            py_append(&list, node);
    }
    parser->depth--;
    if (parser->token->kind == PY_TOKEN_DEDENT)
        parser->token++;
    return list.first;
}

/* Reads a dotted name such as a.b.c or ..a as one text. */
static struct text dotted(struct py_parser *parser)
{
    const struct py_token *first = parser->token;
    struct text text = {first->text.at, 0};
    while (py_is(parser, ".") || py_is(parser, "...") ||
           (parser->token->kind == PY_TOKEN_NAME && !py_is(parser, "import") &&
            !py_is(parser, "as"))) {
        text.len = (size_t)(parser->token->text.at - text.at) +
                   parser->token->text.len;
        parser->token++;
    }
    return text;
}

static struct py_node *aliases(struct py_parser *parser)
{
    struct py_list list = {0};
    bool bracket = py_take(parser, "(");
    for (int i = 0; !parser->bad && i < 400; i++) {
        struct py_node *node = py_node(parser, PY_ALIAS);
        if (py_is(parser, "*"))
            node->text = parser->token++->text;
        else
            node->text = dotted(parser);
        if (py_take(parser, "as")) {
            node->a = py_node(parser, PY_NAME);
            node->a->text = py_take_name(parser);
        }
        py_append(&list, node);
        if (!py_take(parser, ",") || py_is(parser, ")"))
            break;
    }
    if (bracket)
        py_expect(parser, ")");
    return list.first;
}

static struct py_node *import_of(struct py_parser *parser)
{
    bool from = py_is(parser, "from");
    struct py_node *node = py_node(parser, from ? PY_FROM : PY_IMPORT);
    parser->token++;
    if (from) {
        node->text = dotted(parser);
        py_expect(parser, "import");
    }
    node->a = aliases(parser);
    return node;
}

static bool is_augmented(const struct py_token *token)
{
    size_t n = token->text.len;
    return token->kind == PY_TOKEN_OPERATOR && n >= 2 &&
           token->text.at[n - 1] == '=' && !strchr("=!<>:", token->text.at[0]);
}

static struct py_node *assignment(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_EXPR);
    node->a = py_expressions(parser);
    if (is_augmented(parser->token)) {
        node->kind = PY_AUG;
        node->text = parser->token++->text;
        node->text.len--;
        node->b = py_expressions(parser);
    } else if (py_take(parser, ":")) {
        node->kind = PY_ANN;
        node->b = py_expression(parser);
        if (py_take(parser, "="))
            node->c = py_expressions(parser);
    } else if (py_is(parser, "=")) {
        struct py_list targets = {0};
        node->kind = PY_ASSIGN;
        node->b = node->a;
        while (!parser->bad && py_take(parser, "=")) {
            py_append(&targets, node->b);
            node->b = py_expressions(parser);
        }
        node->a = targets.first;
    }
    return node;
}

static struct py_node *globals(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_GLOBAL);
    struct py_list list = {0};
    do {
        parser->token++;
        struct py_node *name = py_node(parser, PY_NAME);
        name->text = py_take_name(parser);
        py_append(&list, name);
    } while (!parser->bad && py_is(parser, ","));
    node->a = list.first;
    return node;
}

static struct py_node *jump(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_JUMP);
    node->text = parser->token->text;
    while (parser->token->kind != PY_TOKEN_NEWLINE &&
           parser->token->kind != PY_TOKEN_END && !py_is(parser, ";"))
        parser->token++;
    return node;
}

static struct py_node *return_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_RETURN);
    parser->token++;
    if (parser->token->kind != PY_TOKEN_NEWLINE && !py_is(parser, ";"))
        node->a = py_expressions(parser);
    return node;
}

static struct py_node *simple(struct py_parser *parser)
{
    static const struct {
        const char *word;
        struct py_node *(*parse)(struct py_parser *);
    } rows[] = {
        {"return", return_of}, {"import", import_of}, {"from", import_of},
        {"global", globals},   {"nonlocal", globals}, {"pass", jump},
        {"break", jump},       {"continue", jump},    {"raise", jump},
        {"assert", jump},      {"del", jump}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (py_is(parser, rows[i].word))
            return rows[i].parse(parser);
    }
    return assignment(parser);
}

/* Skips the rest of a statement that is not Python, with its block. */
static void recover(struct py_parser *parser)
{
    size_t depth = 0;
    parser->bad = false;
    while (parser->token->kind != PY_TOKEN_NEWLINE &&
           parser->token->kind != PY_TOKEN_END &&
           parser->token->kind != PY_TOKEN_DEDENT)
        parser->token++;
    if (parser->token->kind == PY_TOKEN_NEWLINE)
        parser->token++;
    if (parser->token->kind != PY_TOKEN_INDENT)
        return;
    do {
        depth += parser->token->kind == PY_TOKEN_INDENT;
        depth -= parser->token->kind == PY_TOKEN_DEDENT;
        parser->token++;
    } while (depth && parser->token->kind != PY_TOKEN_END);
}

/* Parses a statement, or all statements of a line, which then make one PY_TRY.
 * Returns NULL if one of them is not valid Python. */
static struct py_node *statement(struct py_parser *parser)
{
    const struct py_token *start = parser->token;
    struct py_list line = {0};
    struct py_node *node = py_compound(parser);
    if (!node) {
        do {
            py_append(&line, simple(parser));
        } while (!parser->bad && py_take(parser, ";") &&
                 parser->token->kind != PY_TOKEN_NEWLINE);
        if (parser->token->kind == PY_TOKEN_NEWLINE)
            parser->token++;
        else
            parser->bad = true;
        node = line.first;
        if (node && node->next) {
            struct py_node *both = py_node(parser, PY_TRY);
            both->b = node;
            node = both;
        }
    }
    if (!parser->bad)
        return node;
    recover(parser);
    if (parser->token == start && parser->token->kind != PY_TOKEN_END)
        parser->token++;
    return NULL;
}

struct py_node *py_parse(struct text source, struct arena *arena)
{
    struct py_parser parser = {.token = py_tokens(source, arena),
                               .arena = arena};
    struct py_list list = {0};
    while (parser.token->kind != PY_TOKEN_END) {
        enum py_token_kind kind = parser.token->kind;
        if (kind == PY_TOKEN_INDENT || kind == PY_TOKEN_DEDENT ||
            kind == PY_TOKEN_NEWLINE) {
            parser.token++;
            continue;
        }
        struct py_node *node = statement(&parser);
        parser.depth = 0;
        if (node)
            py_append(&list, node);
    }
    return list.first;
}
