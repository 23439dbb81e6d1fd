/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses pieces of Python source: strings, literals, the arguments of a call.
 * No Python code is run. */
#ifndef MODELS_PY_TEXT_H
#define MODELS_PY_TEXT_H

#include <stdbool.h>

#include "base/text.h"

/* Returns a copy of the source with comments and triple-quoted strings, most of
 * which are documentation, blanked out, because a commented-out setting has no
 * effect. Line breaks are kept. */
struct text py_strip(struct text source, struct arena *arena);

/* Returns the index after the string literal whose opening quote is at `i`. A
 * literal that never closes ends with its line, a triple-quoted one with the
 * text. */
size_t py_string_end(struct text t, size_t i);

/* Reads a number as Python writes it: 12, 1e-4, 10_000, 5 * 8, 2 ** 10,
 * int(7e6), float(3). Returns false for anything else. */
bool py_number(struct text t, double *out) MUST_USE;

/* Returns a literal in the form of a setting's value: a string with its quotes,
 * "true", "false", or a number in its shortest form. Returns an empty text for
 * anything else. */
struct text py_literal(struct text t, struct arena *arena);

/* Returns the text inside a bracket. `from` is the index after the opening
 * bracket. Returns an empty text if the bracket does not close within 8 KiB. */
struct text py_inside(struct text t, size_t from);

/* Sets *argument to the next argument of a call, without the blanks around it,
 * and moves *rest past it. Returns false after the last. */
bool py_next_argument(struct text *rest, struct text *argument) MUST_USE;

/* Splits name=value. Returns false if the argument has no plain name before a
 * `=`. `==` is not a `=`. */
bool py_keyword(struct text argument, struct text *name,
                struct text *value) MUST_USE;

#endif
