/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables learnt from labelled logs, compiled in. Each JSON file names what it
 * was trained on, by which command, and what cross-validation said of it. */
#ifndef MODELS_LOG_TABLES_H
#define MODELS_LOG_TABLES_H

#include <stddef.h>

struct log_table {
    const char *name, *json;
    size_t len;
};

/* log_weights, then log_causes; ends with a row of zeroes. */
extern const struct log_table log_tables[];

#endif
