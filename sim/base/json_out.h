/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jansson values for results: text that may not be UTF-8, numbers that may be
 * undefined, and writing to a stream. */
#ifndef SIM_JSON_OUT_H
#define SIM_JSON_OUT_H

#include <jansson.h>

#include "sim/base/out.h"

/* Reads the value in a file. NULL with STATUS_BAD_INPUT that names file, line
 * and column, or why the file cannot be opened. A repeated key is an error. */
json_t *json_read_file(const char *path, struct error *err);

/* Bytes that are not UTF-8 become '?'. NULL becomes null. */
json_t *json_text(const char *s);
/* Whole numbers are written without a fraction, NaN as null. */
json_t *json_number(double value);
void json_put(json_t *object, const char *key,
              json_t *value); /* takes ownership of `value` */
/* Writes indented, keys in the order of their insertion, with a newline at the
 * end. */
void json_write(struct out *out, const json_t *value);

#endif
