/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the format csv that are more than one cell or one number: products
 * of columns, amounts of memory, words for ends, words for empty cells. */
#ifndef TRACES_CSV_CELLS_H
#define TRACES_CSV_CELLS_H

#include "sim/base/rows.h"
#include "traces/formats/csv_map.h"

/* Evaluates the product of a value at the current row. *known becomes false,
 * and *out is untouched, if a cell is empty and the map has no value for it. */
enum status csv_product(const struct rows *rows, const struct csv_value *value,
                        double *out, bool *known, struct error *err) MUST_USE;

/* Returns how a job ended by the words of the map, or by common words if the
 * map has none. *running: the job had not ended. *strange: the word is not
 * known. */
enum trace_end csv_end(const struct csv_value *value, struct text word,
                       bool *running, bool *strange);

/* Returns the separator that the first line has most outside quotes: a comma,
 * semicolon, tab or bar. */
char csv_likely_separator(struct text head);

#define CSV_MISSING_MAX 32
/* Words that stand for an empty cell. */
struct csv_missing {
    struct text words[CSV_MISSING_MAX];
    size_t n, longest;
    bool first[256]; /* by first byte, as an unsigned number */
};

/* `more`: words of the user, separated by '+'; NULL: none. Words beyond
 * CSV_MISSING_MAX are an error. */
enum status csv_missing_set(struct csv_missing *missing, const char *more,
                            struct error *err) MUST_USE;
bool csv_is_missing(const struct csv_missing *missing, struct text cell);

#endif
