/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds where a value stands in the text of a JSON file, because jansson does
 * not report where it read a value. */
#ifndef SIM_BASE_JSON_PLACE_H
#define SIM_BASE_JSON_PLACE_H

#include "base/text.h"

struct json_place {
    size_t line, column; /* from 1; columns count bytes */
};

/* One step from a value to a value inside it: to the value of a key of an
 * object or, if `key` is NULL, to value number `row` (from 0) of an array. */
struct json_step {
    const char *key;
    size_t row;
};

/* Returns the place of the value to which n steps lead from the root. If a step
 * leads nowhere: the place of the last value that was reached. The text has to
 * be valid JSON. Keys are compared as they are written, so a key with escapes
 * is not found. */
struct json_place json_place_at(struct text json, const struct json_step *steps,
                                size_t n);

/* Returns the place of the value of `key` in row number `row` of the array
 * `list` of the root object: {"LIST": [..., {"KEY": value}]}. If the row has no
 * such key, or `key` is NULL: the place of the row. If the array has no such
 * row: the place of the array. If the root has no such array, or `list` is
 * NULL: the place of the root. The text has to be valid JSON. */
struct json_place json_place(struct text json, const char *list, size_t row,
                             const char *key);

#endif
