/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by grid.c and grid_trace.c. */
#ifndef STUDY_GRID_INTERNAL_H
#define STUDY_GRID_INTERNAL_H

#include <jansson.h>

#include "commands/study/grid.h"

/* The traces of one entry of the grid. */
struct grid_traces {
    struct grid_trace **at; /* in the arena of the grid; the array is owned */
    size_t n, cap;
};

/* Reads an entry: the path of a file, or an object. Appends one trace, or one
 * for each replication or window. Refuses "-", standard input. */
enum status grid_trace_read(struct grid *grid, const json_t *entry,
                            struct shelf *shelf, struct grid_traces *out,
                            struct error *err) MUST_USE;

/* Sets an error whose message begins with the place of a key in the file.
 * Returns STATUS_BAD_INPUT. */
enum status grid_refuse(const struct grid *grid, const char *key,
                        struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Returns a value as it would be typed on the command line, in the arena of the
 * grid; NULL if it is neither a text nor a number. */
const char *grid_value_text(struct grid *grid, const json_t *value);

#endif
