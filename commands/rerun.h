/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `rerun` needs to know about an older result: how it was made, whether
 * its inputs are unchanged, and where it differs from a new result. */
#ifndef SIM_RERUN_H
#define SIM_RERUN_H

#include <jansson.h>
#include <limits.h>

#include "commands/run_options.h"
#include "sim/results/report.h"
#include "sim/results/series_by.h"

struct rerun {
    json_t *manifest;
    char path[PATH_MAX]; /* path of manifest.json */
    struct run_options options;
    struct arena arena;            /* owns the texts of `options` */
    bool decisions;                /* true if the result has decisions.log */
    bool series_by[SERIES_SPLITS]; /* by split: true if the result has its
                                    * file */
    /* optional files that the result has: attempts.csv, timeline */
    struct report_wishes wishes;
};

/* Reads DIR/manifest.json. Returns STATUS_BAD_INPUT if it is not a manifest, if
 * a version with another schema wrote it, if it names no trace, if the run
 * read standard input, or if it acted outside the simulation and the user does
 * not trust it (trust.h). Call rerun_close in any case. */
enum status rerun_open(struct rerun *rerun, const char *dir, bool trusts,
                       struct error *err) MUST_USE;
void rerun_close(struct rerun *rerun);

/* Changes to a directory from which all paths lead to unchanged files: the
 * directory in which the run was started, or else the current one. If neither
 * is such a directory, returns STATUS_BAD_INPUT and names the file that is
 * missing or has changed. */
enum status rerun_enter(const struct rerun *rerun, struct error *err) MUST_USE;

/* The first difference of two results. */
struct rerun_difference {
    const char *file; /* first file that differs; NULL: the results do not
                       * differ */
    /* first line that differs, from 1; 0: one result lacks the file, or they do
     * not differ */
    size_t line;
};

/* Compares all files of two results byte by byte. Of manifest.json, compares
 * only the part before "provenance". If the results differ, returns
 * STATUS_TOLERANCE and fills *out; the message names the first file and line
 * that differ. STATUS_FAILED if a file cannot be read. */
enum status rerun_compare(const struct rerun *rerun, const char *old_dir,
                          const char *new_dir, struct rerun_difference *out,
                          struct error *err) MUST_USE;

#endif
