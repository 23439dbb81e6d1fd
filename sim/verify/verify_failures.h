/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of failures.csv, as verify reads them. */
#ifndef SIM_VERIFY_FAILURES_H
#define SIM_VERIFY_FAILURES_H

#include "sim/verify/verify_ids.h"

#define VERIFY_NO_NODE UINT32_MAX
#define VERIFY_NO_JOB UINT32_MAX

struct verify_failure {
    sim_time at, restarted; /* restarted: -1 if the job did not start again */
    sim_span repair, detected, delay, lost, lost_gpu; /* -1: the cell is
                                                       * empty */
    uint32_t fault; /* number of the fault; 0: the job failed by itself */
    uint32_t node, suspect; /* VERIFY_NO_NODE: none */
    uint32_t job;           /* row of jobs.csv; VERIFY_NO_JOB: none */
    uint32_t attempt, number;
    uint32_t scope, kind, verdict, by, cause; /* symbols in `words` */
    uint32_t vc, gpu; /* vc: symbol of verify_data.vcs; gpu: if has_gpu */
    uint64_t line;
    bool harmless, missed, goes; /* goes: the node went out of service */
    bool has_gpu, hits_gpu;      /* hits_gpu: the scope is `gpu` */
};

struct verify_failures {
    const struct verify_data *data;
    struct verify_report *report;
    struct verify_failure *rows;
    size_t n_rows, cap_rows;
    struct interner words; /* the words of scopes, kinds, verdicts, rules and
                            * causes */
    struct verify_ids ids;
    bool exists; /* true if the result has a failures.csv */
};

/* In verify_failures_read.c. Reads failures.csv of a result, if it has one.
 * `report` collects the rows whose job is not in jobs.csv. Returns
 * STATUS_BAD_INPUT if the file cannot be read or understood. The caller calls
 * verify_failures_fini, also after an error. */
enum status verify_failures_read(struct verify_failures *failures,
                                 const char *dir,
                                 const struct verify_data *data,
                                 struct verify_report *report,
                                 struct error *err) MUST_USE;
void verify_failures_fini(struct verify_failures *failures);
/* Reports a violation in a row. */
void verify_failures_say(const struct verify_failures *failures,
                         const struct verify_failure *row, const char *what);
/* Returns the attempt that failed; NULL if the row has no job, or the job has
 * no such attempt. */
const struct verify_attempt *verify_failed_attempt(
    const struct verify_failures *failures, const struct verify_failure *row);
/* In verify_failures_parts.c. Checks the part `failures` of summary.json. */
void verify_failures_parts(const struct verify_failures *failures);

#endif
