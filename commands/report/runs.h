/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads result directories that are shown together, as `verify` reads them.
 * Gives each a label, and all one axis of time. */
#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "sim/verify/verify_advice.h"
#include "sim/verify/verify_failures.h"

enum { REPORT_RUNS_MAX = 24 };

/* A row of advice.csv whose question a server of the language model worked
 * on. */
struct report_question {
    sim_time begun, answered;
    uint32_t server;
};

struct report_run {
    const char *dir; /* path of the directory, as the user gave it */
    /* Unique among the runs: the title; if several runs have this title, also
     * the last part of the directory or, if that is not unique either, its
     * whole path. */
    const char *label;
    const char *title; /* the policy, with the mark of what it knew */
    const char *policy;
    struct verify_data data;
    /* failures.exists: true if the run has failures.csv */
    struct verify_failures failures;
    struct report_question *questions;
    size_t n_questions, cap_questions;
    uint32_t servers; /* 1 + largest server number; 0: none */
};

struct report_runs {
    struct arena arena;
    struct report_run *at;
    size_t n; /* number of runs, 1 .. REPORT_RUNS_MAX */
    /* Common axis of time: 0 .. end, the latest end of a run or of an attempt.
     * At least 1 us. */
    sim_time end;
    /* True if all runs have one trace and selection of jobs, so that a job of
     * one run is the job of another with the same row in jobs.csv. */
    bool same_jobs;
    /* for a remark: the first thing found in which a run differs from the first
     * run: "trace", "jobs", "first_submission", "cluster" or "rules"; NULL: in
     * none of these */
    const char *differs;
};

/* Reads n directories. Returns STATUS_BAD_INPUT, with a message that names the
 * file, if one is not a whole result of this version of the program or one of
 * its files has been changed since; STATUS_FAILED if a file that manifest.json
 * lists cannot be read; STATUS_USAGE if there are too many directories or one
 * is given twice. The paths are borrowed. The caller calls report_runs_close
 * after success only. */
enum status report_runs_open(const char *const *dirs, size_t n,
                             struct report_runs *out,
                             struct error *err) MUST_USE;
void report_runs_close(struct report_runs *runs);

/* True for the jobs over which summary.json describes the JCT and the queueing
 * delay: jobs that finished and are counted. */
bool report_run_counts(const struct report_run *run,
                       const struct verify_job *job);

#endif
