/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares what a module finds with what bash or python3 finds, row by row. The
 * interpreter reads all rows at once and ends what it prints of each by '\x1e'.
 */
#ifndef TESTS_SUPPORT_INTERPRETER_H
#define TESTS_SUPPORT_INTERPRETER_H

#include "base/out.h"

/* Runs a script and abandons it. Returns what is printed to standard output;
 * the caller frees it. Needs a file of temp_path_make. The test fails if the
 * program does. */
char *interpreter_run(const char *program, struct out *script);
/* Compares what was found with `want`, or if that is NULL with the next row of
 * *rest. Prints a row that differs. */
bool interpreter_agrees(const char *code, const char *want, struct text found,
                        struct text *rest);

#endif
