/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the parser, which the files that read scenarios share. */
#ifndef TESTS_SCENARIOS_SCENARIO_INTERNAL_H
#define TESTS_SCENARIOS_SCENARIO_INTERNAL_H

#include "tests/scenarios/scenario.h"

struct parser {
    struct scenario *s;
    struct text line; /* rest of the current line */
    const char *path;
    int number; /* number of the line, from 1 */
    struct error *err;
};

/* Sets an error message with the file, the line, `what` and the wrong word.
 * Returns STATUS_BAD_INPUT. */
enum status parser_bad(struct parser *p, const char *what, struct text word);
/* Takes the next word of the line. Returns an empty text at the end of the
 * line. */
struct text parser_word(struct parser *p);
/* Copies a word of 1 to 23 bytes; returns false if it is shorter or longer. */
bool parser_copy_name(char out[24], struct text word) MUST_USE;

/* Reads a deed and its time from the rest of a line that begins with "at"; with
 * `always`, only a deed. In read_deeds.c. */
enum status read_deed(struct parser *p, bool always) MUST_USE;

#endif
