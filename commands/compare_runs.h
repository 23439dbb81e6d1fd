/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means over the replications of a sweep, with paired differences: for `compare
 * SWEEP` and `sweep --intervals`. */
#ifndef SIM_COMPARE_RUNS_H
#define SIM_COMPARE_RUNS_H

#include "commands/runs_file.h"

/* COMPARE_REMARKS: a table with all remarks */
enum compare_form {
    COMPARE_TABLE,
    COMPARE_REMARKS,
    COMPARE_JSON,
    COMPARE_LATEX, /* latex.h */
    COMPARE_CSV
};

/* Reads a runs.csv, or that of the directory of a sweep, and prints one row for
 * each setting. As CSV, one row for each setting and metric. */
enum status compare_runs(const char *path, const struct runs_wishes *wishes,
                         enum compare_form form, struct error *err) MUST_USE;

#endif
