/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a shell script into words, operators, here-documents and names of
 * input files (POSIX XCU section 2.3, with the arrays and `((...))` of bash).
 * Other redirections are dropped. A word keeps its quotes; shell_expand removes
 * them. The code is in shell_words.c. */
#ifndef MODELS_SHELL_LEX_H
#define MODELS_SHELL_LEX_H

#include "base/text.h"

/* Largest size of a script in bytes, and largest number of its tokens. The rest
 * of a script is not read. */
#define SHELL_SCRIPT_MAX (1u << 18)
#define SHELL_TOKENS_MAX 40000u

enum shell_token_kind {
    SHELL_WORD,
    SHELL_OPERATOR, /* ; ;; & && | || |& ( ) or a line feed */
    SHELL_DOCUMENT, /* the text of a here-document, or of `<<< word` */
    SHELL_INPUT,    /* the name of the file in `< FILE` */
};

struct shell_token {
    enum shell_token_kind kind;
    struct text text;
    size_t line; /* 1 for the first line */
    /* SHELL_DOCUMENT: true if variables in it are replaced */
    bool is_expanded;
};

struct shell_tokens {
    const struct shell_token *at;
    size_t n;
};

/* Splits a script. The tokens lie in the arena. */
struct shell_tokens shell_lex(struct text script, struct arena *arena);

/* Returns the index after the bracket that closes the bracket `{`, `(` or `[`
 * at index `i`, outside of quotes; the length of the text if none closes it. */
size_t shell_bracket_end(struct text t, size_t i);

#endif
