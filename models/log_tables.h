/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables learnt from labelled logs, compiled in. Each JSON file names what it
 * was trained on, by which command, and what cross-validation said of it. */
#ifndef MODELS_LOG_TABLES_H
#define MODELS_LOG_TABLES_H

#include <stddef.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

struct log_table {
    const char *name, *json;
    size_t len;
};

/* log_weights, then log_failures; ends with a row of zeroes. */
extern const struct log_table log_tables[];

/* Reads `table` = {"weights": {key: {"scale": x, "int8": "digits"}, ...}}: for
 * each of `keys` (ends with NULL) a row of n signed bytes as hexadecimal
 * digits, times its scale, into rows one after the other. `name` is for
 * messages. */
enum status log_table_read(const char *name, struct text table,
                           const char *const *keys, size_t n, float *rows,
                           struct error *err) MUST_USE;

#endif
