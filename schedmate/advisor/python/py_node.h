/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses Python source into a tree. What is not Python is skipped statement by
 * statement. Nothing is run. The code is in py_parse.c. */
#ifndef MODELS_ADVISOR_PY_NODE_H
#define MODELS_ADVISOR_PY_NODE_H

#include "base/text.h"

/* The comments name the children of a node: a, b and c, and the meaning of its
 * text. "List" is a chain through `next`. Several statements on one line are
 * the list b of a PY_TRY. */
enum py_kind {
    /* expressions */
    PY_NAME,    /* text */
    PY_NUMBER,  /* text */
    PY_STRING,  /* text with prefix and quotes; a: the adjacent string */
    PY_CONST,   /* True, False or None */
    PY_ATTR,    /* a.text */
    PY_INDEX,   /* a[b] */
    PY_SLICE,   /* a:b; a and b may be NULL */
    PY_CALL,    /* a(list b of PY_ARG) */
    PY_ARG,     /* value a; text: the keyword, "*", "**" or nothing */
    PY_BINARY,  /* a text b */
    PY_UNARY,   /* text a */
    PY_BOOL,    /* a text b, with "and" or "or" */
    PY_COMPARE, /* a text b */
    PY_COND,    /* b if a else c */
    PY_LIST,    /* list a */
    PY_TUPLE,   /* list a */
    PY_SET,     /* list a */
    PY_DICT,    /* list a of PY_PAIR */
    PY_PAIR,    /* a: b; a is NULL for **b */
    PY_LAMBDA,  /* list a of PY_PARAM, expression b */
    PY_COMP,    /* element a for b in c; text: the opening bracket */
    PY_STAR,    /* *a */
    PY_WALRUS,  /* a := b */
    PY_OTHER,   /* a value that is never known; a: a part of it, or NULL */
    /* statements */
    PY_EXPR,   /* a */
    PY_ASSIGN, /* list a of targets = b */
    PY_AUG,    /* a text b, with an operator without '=' */
    PY_ANN,    /* a: b = c */
    PY_RETURN, /* a, or NULL */
    PY_IF,     /* a, list b, else list c */
    PY_FOR,    /* for a in b: list c */
    PY_WHILE,  /* a, list b */
    PY_TRY,    /* list b, finally list c; handlers are left out */
    PY_WITH,   /* list a of PY_PAIR (expression, target), list b */
    PY_DEF,    /* text: name; list a of PY_PARAM, list b, decorators c */
    PY_PARAM,  /* text: name, annotation a, default b; c: * or **, or NULL */
    PY_CLASS,  /* text: name; list a of PY_ARG, list b, decorators c */
    PY_IMPORT, /* list a of PY_ALIAS */
    PY_FROM,   /* text: module with its dots; list a of PY_ALIAS */
    PY_ALIAS,  /* text: name; a: PY_NAME of the alias, or NULL */
    PY_GLOBAL, /* text: global or nonlocal; list a of PY_NAME */
    /* text: break, continue, raise, pass, assert or del, which deletes a */
    PY_JUMP,
};

struct py_node {
    enum py_kind kind;
    uint32_t line;
    struct text text;
    struct py_node *a, *b, *c;
    struct py_node *next; /* next node of the list in which this node lies */
};

/* Returns the list of statements of a file, NULL if it has none. The nodes lie
 * in the arena and point into `source`. */
struct py_node *py_parse(struct text source, struct arena *arena);

#endif
