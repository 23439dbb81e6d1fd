/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a word means: a metric or column of results (the tables that `list
 * columns` prints) or a word of docs/glossary.md, which is part of the
 * program. */
#ifndef COMMANDS_WORDS_H
#define COMMANDS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct words_page {
    const char *name, *text;
    size_t len;
};
extern const struct words_page words_pages[]; /* made from docs/glossary.md */

/* Prints each meaning of the word, whose case does not matter, with the table
 * that it stands in. Returns the number of meanings. */
size_t words_explain(const char *word, FILE *to);

#endif
