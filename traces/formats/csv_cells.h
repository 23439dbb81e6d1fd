/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads values of the format csv that are more than one cell or one number:
 * products of columns, amounts of memory, words for ends, words for empty
 * cells. */
#ifndef TRACES_CSV_CELLS_H
#define TRACES_CSV_CELLS_H

#include "sim/base/rows.h"
#include "traces/formats/csv_map.h"

/* Computes the product of a value at the current row. If a cell is empty and
 * the map has no value for an empty cell, sets *known to false and leaves *out
 * alone. */
enum status csv_product(const struct rows *rows, const struct csv_value *value,
                        double *out, bool *known, struct error *err) MUST_USE;

/* Returns how a job ended, by the words of the map, or by common words if the
 * map has none. *running: true if the job had not ended. *strange: true if the
 * word is unknown. */
enum trace_end csv_end(const struct csv_value *value, struct text word,
                       bool *running, bool *strange);

/* Returns the separator that occurs most often outside quotes in the first
 * line: comma, semicolon, tab or bar. */
char csv_likely_separator(struct text head);

#define CSV_MISSING_MAX 32
/* Words that stand for an empty cell. */
struct csv_missing {
    struct text words[CSV_MISSING_MAX];
    size_t n, longest;
    bool first[256]; /* by byte: true if a word begins with it */
};

/* Sets the built-in words and `more`, the user's words separated by '+'; NULL:
 * none. More than CSV_MISSING_MAX words are an error. */
enum status csv_missing_set(struct csv_missing *missing, const char *more,
                            struct error *err) MUST_USE;
bool csv_is_missing(const struct csv_missing *missing, struct text cell);

#endif
