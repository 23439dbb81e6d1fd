/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface between the files of the parser of Python. */
#ifndef MODELS_ADVISOR_PY_PARSE_INTERNAL_H
#define MODELS_ADVISOR_PY_PARSE_INTERNAL_H

#include "schedmate/advisor/python/py_node.h"
#include "schedmate/advisor/python/py_token.h"

/* Largest depth of nested expressions and blocks. */
enum { PY_DEPTH_MAX = 90 };

struct py_parser {
    const struct py_token *token; /* the next token */
    struct arena *arena;
    unsigned depth;
    bool bad; /* true if the statement is not Python or too deep */
};

/* A list that grows at its end. */
struct py_list {
    struct py_node *first, *last;
};

struct py_node *py_node(struct py_parser *parser, enum py_kind kind);
void py_append(struct py_list *list, struct py_node *node);
bool py_is(const struct py_parser *parser, const char *word);
/* Takes the next token if it is this operator or keyword. */
bool py_take(struct py_parser *parser, const char *word);
/* Takes the next token if it is this operator or keyword; otherwise marks the
 * statement as bad. */
void py_expect(struct py_parser *parser, const char *word);
struct text py_take_name(struct py_parser *parser);

/* py_expression parses one expression; py_expressions, one or more, which make
 * a tuple if there is a comma; py_arguments, the arguments of a call up to its
 * closing bracket, which is not taken. */
struct py_node *py_expression(struct py_parser *parser);
struct py_node *py_expressions(struct py_parser *parser);
struct py_node *py_arguments(struct py_parser *parser);
/* Parses parameters up to `end`, which is not taken. Annotations are only read
 * if `typed`. */
struct py_node *py_parameters(struct py_parser *parser, const char *end,
                              bool typed);

/* Parses a colon and the statements after it: those on the same line, or an
 * indented block. */
struct py_node *py_block(struct py_parser *parser);
/* Parses a statement that holds a block; NULL if the next statement has no
 * block. */
struct py_node *py_compound(struct py_parser *parser);
/* Parses an expression without operators: a name, a literal, a collection, an
 * expression in brackets, `lambda` or `yield`. */
struct py_node *py_atom(struct py_parser *parser);
/* Parses an item of a collection, with or without a star. */
struct py_node *py_element(struct py_parser *parser);
/* Parses `for b in c if ...` after an element of a collection. A condition or a
 * further loop makes the value unknown. */
struct py_node *py_comprehension(struct py_parser *parser,
                                 struct py_node *element, const char *bracket);

#endif
