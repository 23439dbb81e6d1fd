/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits Python source into tokens. */
#ifndef MODELS_ADVISOR_PY_TOKEN_H
#define MODELS_ADVISOR_PY_TOKEN_H

#include "base/text.h"

enum py_token_kind {
    PY_TOKEN_END,
    PY_TOKEN_NEWLINE,
    PY_TOKEN_INDENT,
    PY_TOKEN_DEDENT,
    PY_TOKEN_NAME,
    PY_TOKEN_NUMBER,
    PY_TOKEN_STRING, /* with its prefix and quotes */
    PY_TOKEN_OPERATOR,
};

struct py_token {
    enum py_token_kind kind;
    uint32_t line; /* from 1 */
    struct text text;
};

/* Largest number of tokens of a file; the rest of the file is not read. */
enum { PY_TOKENS_MAX = 200000 };

/* Returns the tokens of a file; the last one is PY_TOKEN_END. The texts are
 * parts of `source`; the array lies in the arena. Comments and blank lines give
 * no token. An indentation that fits no outer one counts as the nearest smaller
 * one. */
const struct py_token *py_tokens(struct text source, struct arena *arena);

#endif
