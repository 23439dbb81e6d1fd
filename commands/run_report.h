/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes one run from its options and writes a result directory, or only a
 * summary. `run` and `rerun` share it. The code is in cmd_run.c. */
#ifndef SIM_RUN_REPORT_H
#define SIM_RUN_REPORT_H

#include "commands/replay.h"
#include "commands/run_options.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"

struct run_report {
    /* options of the run; set by the caller */
    const struct run_options *options;
    /* The caller sets arguments and interval, run_report_make the rest. */
    struct provenance provenance;
    struct report_wishes wishes;
    bool decisions, progress;
    bool series_by[SERIES_SPLITS]; /* by split: true if its file is to be
                                    * written */
    /* Results, valid until run_report_fini. */
    struct replay replay;
    struct summary summary;
};

/* Makes the run. With STATUS_OK and STATUS_INCOMPLETE the results are valid and
 * the result directory `dir` is in its place; on an error `dir` is abandoned.
 * `dir` may be NULL. */
enum status run_report_make(struct run_report *report, struct result_dir *dir,
                            struct error *err) MUST_USE;
void run_report_fini(struct run_report *report);

#endif
