/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the expressions of Python by precedence climbing. */
#include <string.h>

#include "schedmate/advisor/python/py_parse_internal.h"

struct py_node *py_node(struct py_parser *parser, enum py_kind kind)
{
    struct py_node *node = ARENA_NEW(parser->arena, struct py_node);
    node->kind = kind;
    node->line = parser->token->line;
    return node;
}

void py_append(struct py_list *list, struct py_node *node)
{
    if (list->last)
        list->last->next = node;
    else
        list->first = node;
    list->last = node;
}

bool py_is(const struct py_parser *parser, const char *word)
{
    const struct py_token *token = parser->token;
    return (token->kind == PY_TOKEN_NAME || token->kind == PY_TOKEN_OPERATOR) &&
           text_is(token->text, word);
}

bool py_take(struct py_parser *parser, const char *word)
{
    if (!py_is(parser, word))
        return false;
    parser->token++;
    return true;
}

void py_expect(struct py_parser *parser, const char *word)
{
    if (!py_take(parser, word))
        parser->bad = true;
}

struct text py_take_name(struct py_parser *parser)
{
    struct text name = parser->token->text;
    if (parser->token->kind != PY_TOKEN_NAME) {
        parser->bad = true;
        return (struct text){"", 0};
    }
    parser->token++;
    return name;
}

static bool starts_comprehension(const struct py_parser *parser)
{
    return py_is(parser, "for") || py_is(parser, "async");
}

struct py_node *py_arguments(struct py_parser *parser)
{
    struct py_list arguments = {0};
    while (!parser->bad && !py_is(parser, ")")) {
        struct py_node *argument = py_node(parser, PY_ARG);
        const struct py_token *next = parser->token + 1;
        if (py_is(parser, "*") || py_is(parser, "**")) {
            argument->text = parser->token++->text;
        } else if (parser->token->kind == PY_TOKEN_NAME &&
                   next->kind == PY_TOKEN_OPERATOR &&
                   text_is(next->text, "=")) {
            argument->text = parser->token->text;
            parser->token += 2;
        }
        argument->a = py_expression(parser);
        if (starts_comprehension(parser))
            argument->a = py_comprehension(parser, argument->a, "(");
        py_append(&arguments, argument);
        if (!py_take(parser, ","))
            break;
    }
    return arguments.first;
}

/* Parses the text between [ and ]: an index, a slice or several of them. */
static struct py_node *index_of(struct py_parser *parser)
{
    struct py_node *slice = py_node(parser, PY_SLICE);
    bool is_slice = false;
    for (int i = 0; !parser->bad && !py_is(parser, "]") && i < 64; i++) {
        if (py_take(parser, ":") || py_take(parser, ","))
            is_slice = true;
        else if (!is_slice)
            slice->a = py_expressions(parser);
        else
            slice->b = py_expressions(parser);
    }
    return is_slice ? slice : slice->a;
}

static struct py_node *postfix(struct py_parser *parser)
{
    py_take(parser, "await");
    struct py_node *node = py_atom(parser), *outer;
    while (!parser->bad) {
        if (py_is(parser, "(")) {
            outer = py_node(parser, PY_CALL);
            parser->token++;
            outer->b = py_arguments(parser);
            py_expect(parser, ")");
        } else if (py_is(parser, ".")) {
            outer = py_node(parser, PY_ATTR);
            parser->token++;
            outer->text = py_take_name(parser);
        } else if (py_is(parser, "[")) {
            outer = py_node(parser, PY_INDEX);
            parser->token++;
            outer->b = index_of(parser);
            py_expect(parser, "]");
        } else {
            break;
        }
        outer->a = node;
        node = outer;
    }
    return node;
}

/* Returns the precedence of the binary operator that comes next; 0 if there is
 * none. Sets *is_not_in to true for `not in`, which is two tokens. */
static unsigned strength_of(const struct py_parser *parser, bool *is_not_in)
{
    static const struct {
        const char *word;
        unsigned strength;
    } rows[] = {{"or", 1}, {"and", 2}, {"in", 4}, {"is", 4}, {"<", 4},
                {">", 4},  {"==", 4},  {"!=", 4}, {"<=", 4}, {">=", 4},
                {"|", 5},  {"^", 6},   {"&", 7},  {"<<", 8}, {">>", 8},
                {"+", 9},  {"-", 9},   {"*", 10}, {"/", 10}, {"//", 10},
                {"%", 10}, {"@", 10},  {"**", 12}};
    *is_not_in = py_is(parser, "not") && text_is(parser->token[1].text, "in");
    if (*is_not_in)
        return 4;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (py_is(parser, rows[i].word))
            return rows[i].strength;
    }
    return 0;
}

static struct py_node *binary(struct py_parser *parser, unsigned least);

static struct py_node *unary(struct py_parser *parser)
{
    bool is_not = py_is(parser, "not");
    if (!is_not && !py_is(parser, "-") && !py_is(parser, "+") &&
        !py_is(parser, "~"))
        return postfix(parser);
    struct py_node *node = py_node(parser, PY_UNARY);
    node->text = parser->token++->text;
    node->a = binary(parser, is_not ? 4 : 11);
    return node;
}

static struct py_node *join(struct py_parser *parser, struct py_node *left,
                            unsigned strength, bool is_not_in)
{
    struct py_node *node = py_node(parser, strength <= 2   ? PY_BOOL
                                           : strength == 4 ? PY_COMPARE
                                                           : PY_BINARY);
    node->text = parser->token++->text;
    if (is_not_in) {
        parser->token++;
        node->text = text_from("not in");
    } else if (text_is(node->text, "is") && py_take(parser, "not")) {
        node->text = text_from("is not");
    }
    node->a = left;
    node->b = binary(parser, strength == 12 ? 11 : strength + 1);
    return node;
}

static struct py_node *binary(struct py_parser *parser, unsigned least)
{
    if (++parser->depth > PY_DEPTH_MAX)
        parser->bad = true;
    struct py_node *left =
        parser->bad ? py_node(parser, PY_OTHER) : unary(parser);
    bool is_not_in;
    unsigned strength;
    while (!parser->bad && (strength = strength_of(parser, &is_not_in)) &&
           strength >= least) {
        struct py_node *node = join(parser, left, strength, is_not_in);
        /* a < b < c is a < b and b < c */
        if (strength == 4 && left->kind == PY_COMPARE) {
            struct py_node *both = py_node(parser, PY_BOOL);
            both->text = text_from("and");
            node->a = left->b;
            both->a = left;
            both->b = node;
            node = both;
        }
        left = node;
    }
    parser->depth--;
    return left;
}

struct py_node *py_expression(struct py_parser *parser)
{
    struct py_node *node = binary(parser, 1), *outer;
    if (py_is(parser, ":=")) {
        outer = py_node(parser, PY_WALRUS);
        parser->token++;
        outer->a = node;
        outer->b = py_expression(parser);
        return outer;
    }
    if (parser->bad || !py_is(parser, "if"))
        return node;
    outer = py_node(parser, PY_COND);
    parser->token++;
    outer->b = node;
    outer->a = binary(parser, 1);
    /* The condition of a comprehension has no `else`. */
    if (!py_take(parser, "else")) {
        outer->kind = PY_OTHER;
        return outer;
    }
    if (++parser->depth > PY_DEPTH_MAX)
        parser->bad = true;
    else
        outer->c = py_expression(parser);
    parser->depth--;
    return outer;
}

struct py_node *py_expressions(struct py_parser *parser)
{
    struct py_node *node = py_element(parser);
    if (!py_is(parser, ","))
        return node;
    struct py_node *tuple = py_node(parser, PY_TUPLE);
    struct py_list items = {0};
    py_append(&items, node);
    while (!parser->bad && py_take(parser, ",")) {
        enum py_token_kind kind = parser->token->kind;
        if (kind == PY_TOKEN_NEWLINE || py_is(parser, "=") ||
            py_is(parser, ")") || py_is(parser, "]") || py_is(parser, ":"))
            break;
        py_append(&items, py_element(parser));
    }
    tuple->a = items.first;
    return tuple;
}
