/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges a proposal by the whole log: what the rows that it gives contradict.
 */
#ifndef TRACES_EVIDENCE_OF_GUESS_H
#define TRACES_EVIDENCE_OF_GUESS_H

#include "base/error.h"
#include "traces/same_rows.h"

struct guess_columns {
    /* Columns as the user knows them, for the answer; "" if there is none. */
    const char *submit, *start, *end, *duration, *gpus, *id;
    /* True: the name, the values or another column tell the unit; false: it is
     * assumed to be seconds. */
    bool submit_unit_known, duration_unit_known;
};

struct guess_evidence {
    enum same_rule same; /* what rows of one id are */
    char why_same[160];  /* one line */
    /* One line: the column in doubt, what contradicts it, and what would settle
     * it; "": nothing is in doubt. */
    char doubt[512];
};

/* Reads the whole log at `path` by `spec` (trace_open). Returns the error of a
 * row that cannot be read. */
enum status evidence_weigh(const char *path, const char *spec,
                           const struct guess_columns *columns,
                           struct guess_evidence *out,
                           struct error *err) MUST_USE;

#endif
