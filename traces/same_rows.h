/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins the rows that have one id, where a log has several rows for a job. */
#ifndef TRACES_SAME_ROWS_H
#define TRACES_SAME_ROWS_H

#include "traces/trace.h"

enum same_rule {
    SAME_NONE, /* each row is a job */
    /* The rows are attempts. The job is submitted with the first, and its
     * start, run time and GPUs are those of the last; `attempts` is their
     * number. */
    SAME_ATTEMPTS,
    /* The rows are parts of the job, such as nodes, at the same time: their
     * GPUs are summed, and the job lasts from the first start to the last end.
     */
    SAME_PARTS,
    /* The rows repeat the job; the first counts. */
    SAME_FIRST,
};

struct same_rows; /* opaque */

/* Finds a rule by its word: attempts, parts or first. */
bool same_rule_find(struct text word, enum same_rule *out) MUST_USE;
struct same_rows *same_rows_new(enum same_rule rule);
void same_rows_add(struct same_rows *rows, const struct trace_row *row);
/* Fills *row with the next job, in the order of the first row of each. Returns
 * false at the end. Texts live as long as `rows`. */
bool same_rows_next(struct same_rows *rows, struct trace_row *row);
/* Returns the number of rows that were joined to an earlier one. */
uint64_t same_rows_joined(const struct same_rows *rows);
void same_rows_free(struct same_rows *rows);

#endif
