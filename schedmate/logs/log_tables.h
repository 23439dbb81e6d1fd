/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables learned from labelled logs, compiled in. The JSON file of a table also
 * says on how many files and lines it was trained, by which command, and with
 * which accuracy in cross-validation. The code is in log_knowledge.c. */
#ifndef MODELS_LOG_TABLES_H
#define MODELS_LOG_TABLES_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

struct log_table {
    const char *name, *json;
    size_t len;
};

/* The tables: so far only that of log_weights.json. Ends with a row of
 * zeroes. */
extern const struct log_table log_tables[];

/* Reads `table` = {"weights": {key: {"scale": x, "int8": "digits"}, ...}}. Each
 * of `keys`, which end with NULL, has a row of n signed bytes as hexadecimal
 * digits, which are multiplied by the row's scale. Writes the rows into `rows`
 * one after another. Returns STATUS_BAD_INPUT if the table is not valid; `name`
 * is used in messages. */
enum status log_table_read(const char *name, struct text table,
                           const char *const *keys, size_t n, float *rows,
                           struct error *err) MUST_USE;

#endif
