/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the statements of Python that hold blocks. */
#include <string.h>

#include "schedmate/advisor/python/py_parse_internal.h"

struct py_node *py_parameters(struct py_parser *parser, const char *end,
                              bool typed)
{
    struct py_list list = {0};
    while (!parser->bad && !py_is(parser, end)) {
        struct py_node *node = py_node(parser, PY_PARAM);
        bool star = py_is(parser, "*") || py_is(parser, "**");
        if (star) {
            node->c = py_node(parser, PY_STAR);
            node->c->text = parser->token++->text;
        }
        if (!py_take(parser, "/") && !(star && py_is(parser, ",")))
            node->text = py_take_name(parser);
        if (typed && py_take(parser, ":"))
            node->a = py_expression(parser);
        if (py_take(parser, "="))
            node->b = py_expression(parser);
        if (node->text.len)
            py_append(&list, node);
        if (!py_take(parser, ","))
            break;
    }
    return list.first;
}

static struct py_node *function(struct py_parser *parser,
                                struct py_node *decorators)
{
    struct py_node *node = py_node(parser, PY_DEF);
    parser->token++;
    node->c = decorators;
    node->text = py_take_name(parser);
    py_expect(parser, "(");
    node->a = py_parameters(parser, ")", true);
    py_expect(parser, ")");
    if (py_take(parser, "->"))
        py_expression(parser);
    node->b = py_block(parser);
    return node;
}

static struct py_node *class_of(struct py_parser *parser,
                                struct py_node *decorators)
{
    struct py_node *node = py_node(parser, PY_CLASS);
    parser->token++;
    node->c = decorators;
    node->text = py_take_name(parser);
    if (py_take(parser, "(")) {
        node->a = py_arguments(parser);
        py_expect(parser, ")");
    }
    node->b = py_block(parser);
    return node;
}

static struct py_node *decorated(struct py_parser *parser)
{
    struct py_list list = {0};
    while (!parser->bad && py_take(parser, "@")) {
        struct py_node *node = py_node(parser, PY_EXPR);
        node->a = py_expression(parser);
        py_append(&list, node);
        if (parser->token->kind == PY_TOKEN_NEWLINE)
            parser->token++;
    }
    py_take(parser, "async");
    if (py_is(parser, "class"))
        return class_of(parser, list.first);
    if (py_is(parser, "def"))
        return function(parser, list.first);
    parser->bad = true;
    return NULL;
}

static struct py_node *if_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_IF);
    parser->token++;
    node->a = py_expression(parser);
    node->b = py_block(parser);
    if (parser->bad)
        return node;
    if (py_is(parser, "elif")) {
        if (++parser->depth > PY_DEPTH_MAX)
            parser->bad = true;
        else
            node->c = if_of(parser);
        parser->depth--;
    } else if (py_take(parser, "else")) {
        node->c = py_block(parser);
    }
    return node;
}

static struct py_node *for_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_FOR);
    parser->token++;
    struct py_list names = {0};
    bool comma = false;
    do {
        /* an item of the target: a name, an attribute or names in brackets */
        bool bracket = py_take(parser, "(");
        struct py_node *name = py_node(parser, PY_NAME);
        name->text = py_take_name(parser);
        while (py_take(parser, ".") || (bracket && py_take(parser, ",")))
            py_take_name(parser), name->kind = PY_OTHER;
        if (bracket)
            py_expect(parser, ")");
        py_append(&names, name);
        comma |= py_is(parser, ",");
    } while (!parser->bad && py_take(parser, ",") && !py_is(parser, "in"));
    node->a = names.first;
    if (comma) {
        node->a = py_node(parser, PY_TUPLE);
        node->a->a = names.first;
    }
    py_expect(parser, "in");
    node->b = py_expressions(parser);
    node->c = py_block(parser);
    if (py_take(parser, "else"))
        py_block(parser);
    return node;
}

static struct py_node *while_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_WHILE);
    parser->token++;
    node->a = py_expression(parser);
    node->b = py_block(parser);
    if (py_take(parser, "else"))
        py_block(parser);
    return node;
}

static struct py_node *last_of(struct py_node *list)
{
    while (list && list->next)
        list = list->next;
    return list;
}

/* Parses try. The handlers are left out, because a job that trains usually
 * raises no exception. */
static struct py_node *try_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_TRY), *last, *more;
    parser->token++;
    node->b = py_block(parser);
    while (!parser->bad && py_take(parser, "except")) {
        py_take(parser, "*");
        if (!py_is(parser, ":"))
            py_expressions(parser);
        if (py_take(parser, "as"))
            py_take_name(parser);
        py_block(parser);
    }
    if (py_take(parser, "else")) {
        more = py_block(parser);
        last = last_of(node->b);
        if (last)
            last->next = more;
    }
    if (py_take(parser, "finally"))
        node->c = py_block(parser);
    return node;
}

static struct py_node *with_of(struct py_parser *parser)
{
    struct py_node *node = py_node(parser, PY_WITH);
    struct py_list items = {0};
    parser->token++;
    bool bracket = py_is(parser, "(");
    const struct py_token *start = parser->token;
    parser->token += bracket;
    for (int i = 0; !parser->bad && i < 32; i++) {
        struct py_node *item = py_node(parser, PY_PAIR);
        item->a = py_expression(parser);
        if (py_take(parser, "as"))
            item->b = py_expression(parser);
        py_append(&items, item);
        if (!py_take(parser, ",") || py_is(parser, ")"))
            break;
    }
    if (bracket && (!py_take(parser, ")") || !py_is(parser, ":"))) {
        /* The bracket belongs to the expression: with (a or b) as c */
        parser->bad = false;
        parser->token = start;
        items = (struct py_list){0};
        py_append(&items, py_node(parser, PY_PAIR));
        items.first->a = py_expression(parser);
        if (py_take(parser, "as"))
            items.first->b = py_expression(parser);
    }
    node->a = items.first;
    node->b = py_block(parser);
    return node;
}

struct py_node *py_compound(struct py_parser *parser)
{
    static const struct {
        const char *word;
        struct py_node *(*parse)(struct py_parser *);
    } rows[] = {{"if", if_of},   {"for", for_of},   {"while", while_of},
                {"try", try_of}, {"with", with_of}, {"@", decorated}};
    py_take(parser, "async");
    if (py_is(parser, "def"))
        return function(parser, NULL);
    if (py_is(parser, "class"))
        return class_of(parser, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (py_is(parser, rows[i].word))
            return rows[i].parse(parser);
    }
    return NULL;
}
