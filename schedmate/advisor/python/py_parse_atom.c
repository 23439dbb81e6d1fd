/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the names, literals and collections of Python. */
#include "schedmate/advisor/python/py_parse_internal.h"

struct py_node *py_comprehension(struct py_parser *parser,
                                 struct py_node *element, const char *bracket)
{
    struct py_node *node = py_node(parser, PY_COMP), *other;
    node->text = text_from(bracket);
    node->a = element;
    py_take(parser, "async");
    py_expect(parser, "for");
    /* The target ends at `in`, which would be an operator in an expression. */
    struct py_list names = {0};
    do {
        py_take(parser, "(");
        other = py_node(parser, PY_NAME);
        other->text = py_take_name(parser);
        py_take(parser, ")");
        py_append(&names, other);
    } while (!parser->bad && py_take(parser, ",") && !py_is(parser, "in"));
    node->b = py_node(parser, PY_TUPLE);
    node->b->a = names.first;
    if (names.first == names.last)
        node->b = names.first;
    py_expect(parser, "in");
    node->c = py_expression(parser);
    while (!parser->bad && (py_is(parser, "if") || py_is(parser, "for"))) {
        node->kind = PY_OTHER;
        if (py_take(parser, "if")) {
            py_expression(parser);
        } else {
            py_take(parser, "for");
            while (!py_is(parser, "in") &&
                   parser->token->kind != PY_TOKEN_NEWLINE)
                parser->token++;
            py_expect(parser, "in");
            py_expression(parser);
        }
    }
    return node;
}

static bool starts_comprehension(const struct py_parser *parser)
{
    return py_is(parser, "for") || py_is(parser, "async");
}

struct py_node *py_element(struct py_parser *parser)
{
    if (!py_is(parser, "*"))
        return py_expression(parser);
    struct py_node *node = py_node(parser, PY_STAR);
    parser->token++;
    node->a = py_expression(parser);
    return node;
}

/* Parses a list or tuple with its brackets, or an expression in parentheses. */
static struct py_node *sequence(struct py_parser *parser, const char *open,
                                const char *close)
{
    struct py_node *node = py_node(parser, open[0] == '[' ? PY_LIST : PY_TUPLE);
    struct py_list items = {0};
    bool comma = false;
    parser->token++;
    while (!parser->bad && !py_is(parser, close)) {
        py_append(&items, py_element(parser));
        if (starts_comprehension(parser))
            node = py_comprehension(parser, items.first, open);
        comma = py_take(parser, ",");
        if (!comma)
            break;
    }
    py_expect(parser, close);
    if (node->kind == PY_COMP || node->kind == PY_OTHER)
        return node;
    if (open[0] == '(' && items.first && items.first == items.last && !comma)
        return items.first;
    node->a = items.first;
    return node;
}

static struct py_node *pair(struct py_parser *parser, bool *is_set)
{
    struct py_node *node = py_node(parser, PY_PAIR);
    if (py_take(parser, "**")) {
        node->b = py_expression(parser);
        return node;
    }
    node->a = py_element(parser);
    *is_set = !py_take(parser, ":");
    if (!*is_set)
        node->b = py_expression(parser);
    return *is_set ? node->a : node;
}

static struct py_node *dictionary(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_DICT);
    struct py_list items = {0};
    bool is_set = false;
    parser->token++;
    while (!parser->bad && !py_is(parser, "}")) {
        py_append(&items, pair(parser, &is_set));
        if (starts_comprehension(parser))
            node = py_comprehension(parser, items.first, "{");
        if (!py_take(parser, ","))
            break;
    }
    py_expect(parser, "}");
    if (node->kind != PY_DICT)
        return node;
    node->kind = is_set ? PY_SET : PY_DICT;
    node->a = items.first;
    return node;
}

static struct py_node *strings(struct py_parser *parser)
{
    struct py_node *first = NULL, **link = &first;
    while (parser->token->kind == PY_TOKEN_STRING) {
        *link = py_node(parser, PY_STRING);
        (*link)->text = parser->token++->text;
        link = &(*link)->a;
    }
    return first;
}

static struct py_node *lambda(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_LAMBDA);
    parser->token++;
    node->a = py_parameters(parser, ":", false);
    py_expect(parser, ":");
    node->b = py_expression(parser);
    return node;
}

static bool is_const(struct text name)
{
    return text_is(name, "True") || text_is(name, "False") ||
           text_is(name, "None");
}

static struct py_node *other(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_OTHER);
    parser->token++;
    py_take(parser, "from");
    if (parser->token->kind != PY_TOKEN_NEWLINE && !py_is(parser, ")"))
        node->a = py_expressions(parser);
    return node;
}

struct py_node *py_atom(struct py_parser *parser)
{
    const struct py_token *token = parser->token;
    struct py_node *node;
    if (token->kind == PY_TOKEN_STRING)
        return strings(parser);
    if (py_is(parser, "("))
        return sequence(parser, "(", ")");
    if (py_is(parser, "["))
        return sequence(parser, "[", "]");
    if (py_is(parser, "{"))
        return dictionary(parser);
    if (py_is(parser, "lambda"))
        return lambda(parser);
    if (py_is(parser, "yield"))
        return other(parser);
    node = py_node(parser, PY_OTHER);
    if (token->kind == PY_TOKEN_NUMBER)
        node->kind = PY_NUMBER;
    else if (token->kind == PY_TOKEN_NAME)
        node->kind = is_const(token->text) ? PY_CONST : PY_NAME;
    else if (!py_is(parser, "..."))
        parser->bad = true;
    node->text = token->text;
    parser->token += !parser->bad;
    return node;
}
