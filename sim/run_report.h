/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run from its options to a result directory, or to a summary alone: what
 * `run` and `rerun` have in common. */
#ifndef SIM_RUN_REPORT_H
#define SIM_RUN_REPORT_H

#include "sim/provenance.h"
#include "sim/replay.h"
#include "sim/report.h"

struct run_report {
    /* From the caller: */
    struct provenance provenance; /* with the options of the run */
    bool decisions, timeline, progress;
    /* Results, until run_report_fini: */
    struct replay replay;
    struct summary summary;
};

/* Puts `dir` in its place, if it is not NULL, or abandons it. STATUS_INCOMPLETE
 * comes with results, as STATUS_OK does. */
enum status run_report_make(struct run_report *report, struct result_dir *dir,
                            struct error *err) MUST_USE;
void run_report_fini(struct run_report *report);

#endif
