/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads JSON files, makes jansson values for results (of text that may not be
 * valid UTF-8, of numbers that may be undefined) and writes them to a
 * stream. */
#ifndef SIM_JSON_OUT_H
#define SIM_JSON_OUT_H

#include <jansson.h>

#include "base/out.h"

/* Reads a JSON file; the caller owns the value. On failure, returns NULL and
 * sets STATUS_BAD_INPUT with file, line and column, or with the reason why the
 * file cannot be opened. A repeated key is an error. */
json_t *json_read_file(const char *path, struct error *err);

/* Returns a text as a JSON string. If the text is not valid UTF-8, its
 * non-ASCII bytes become '?'. NULL becomes null. */
json_t *json_text(const char *s);
/* Returns a JSON number; whole numbers between -9e15 and 9e15 are written
 * without a fraction. NaN becomes null. `value` must not be infinite. */
json_t *json_number(double value);
void json_put(json_t *object, const char *key,
              json_t *value); /* takes ownership of `value` */
/* Writes indented JSON, with the keys in the order of their insertion and a
 * newline at the end. */
void json_write(struct out *out, const json_t *value);

#endif
