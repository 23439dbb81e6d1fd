/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds where a value stands in the text of a JSON file, because jansson does
 * not report where it read a value. */
#ifndef SIM_BASE_JSON_PLACE_H
#define SIM_BASE_JSON_PLACE_H

#include "sim/base/text.h"

struct json_place {
    size_t line, column; /* from 1; columns count bytes */
};

/* Returns the place of the value of `key` in row number `row` of the array
 * `list` of the object that the text is: {"LIST": [..., {"KEY": value}]}. If
 * the row has no such key, or `key` is NULL: the place of the row. If there is
 * no such row or `list` is NULL: that of the array or of the whole object. The
 * text has to be valid JSON. */
struct json_place json_place(struct text json, const char *list, size_t row,
                             const char *key);

#endif
