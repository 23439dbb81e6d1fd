/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the runs of a gate file and compares their values with the expected
 * ones. A case is one policy on one trace: one run, or one for each
 * replication. */
#ifndef STUDY_GATE_CASES_H
#define STUDY_GATE_CASES_H

#include "base/digest.h"
#include "commands/run_options.h"
#include "commands/study/gate_file.h"

/* A run that the gate made: one policy on one trace or replication. */
struct gate_run {
    enum status status;
    char *message;  /* why the run failed; NULL: it did not fail */
    double *values; /* by metric of the trace; NaN: not defined */
    /* missing: the first metric of those with gate.is_path that summary.json
     * lacks; NULL: it has all. hint: what to append to a message about it, such
     * as "; did you mean 'PATH'?"; NULL: nothing. */
    char *missing, *hint;
    struct jobs_done done;
    /* digests of the trace and of the cluster. The first replication has the
     * digest of the file from which it was resampled; "" if that cannot be
     * read. */
    char sha256[DIGEST_HEX_MAX], cluster[DIGEST_HEX_MAX];
    int64_t jobs;
    /* other files that the run read; owned, with their paths */
    struct run_file *files;
    size_t n_files;
    struct arena arena; /* owns the texts of the remarks */
    struct remarks remarks;
};

/* One metric of a case. */
struct gate_outcome {
    struct gate_expected now, expected;
    /* of replications, paired by seed: the difference of now and expected,
     * which are then means over the pairs, without an interval */
    struct estimate difference;
    bool is_paired; /* false: not replications, or not recorded by seed */
    bool is_new; /* true: the file has no expected value for this metric yet */
    enum gate_verdict verdict;
};

struct gate_case {
    const struct gate_trace *trace;
    const struct gate_policy *policy;
    size_t row; /* index in file->rows; SIZE_MAX: nothing is expected */
    struct run_options options;
    struct gate_run *runs; /* one run, or one for each replication */
    uint32_t n_runs;
    /* Filled by gate_cases_judge. */
    const struct gate_run *failed; /* the first run that failed; NULL: none */
    struct gate_outcome *outcomes; /* outcomes by metric of the trace */
    /* What the runs finished: numbers of unfinished jobs, summed over them, and
     * the mean share. The expected share is NaN if the file does not say. */
    int64_t n_unfinished, expected_unfinished;
    double share, expected_share;
    /* true: the expected values are of other finished jobs */
    bool is_incomparable;
};

struct gate_cases {
    const struct gate_file *file; /* the gate file; borrowed */
    /* cases by trace, then by policy, as the file lists them */
    struct gate_case *at;
    size_t n;
    size_t n_runs; /* number of runs of all cases */
    /* Sentences about traces and other inputs that are not what they were when
     * the values were recorded, and about metrics that no run has. */
    struct remarks causes;
    /* indexes of the expected rows whose run is no longer in the file; none if
     * the user chose some of the cases */
    size_t *gone;
    size_t n_gone;
    /* Sentences about expected values whose metric the file no longer lists. */
    struct remarks stale;
    bool is_update; /* set by the caller: the values of the runs are recorded */
    /* tolerance in percent that replaces all tolerances of the file; NaN: the
     * file's tolerances are in force */
    double tolerance;
    /* Numbers of values with each verdict; failed cases do not count. n_outside
     * also counts values that are not defined although the expected ones are,
     * or the other way round. n_incomparable counts cases. */
    size_t n_equal, n_within, n_improved, n_outside, n_new, n_incomparable;
    /* numbers of values of replications that are judged without pairs, and over
     * only a part of the seeds, because the file lacks the others */
    size_t n_unpaired, n_partly;
    size_t n_failed; /* number of cases that failed */
    size_t n_left;   /* number of cases that the user left out */
    bool is_missing; /* true if some metric is in no run */
    /* number of cases with unfinished jobs, as many as expected */
    size_t n_incomplete;
    struct arena arena;
};

/* The cases that the user wants: those that match one of `only`, or all if it
 * is empty, without those that match one of `except`. A pattern (fnmatch)
 * matches the name of a trace, the name of a policy or "TRACE POLICY". */
struct gate_choice {
    struct arg_list only, except;
};

/* Makes the wanted cases of a file, which must outlive them. Returns
 * STATUS_USAGE if a pattern matches no case of the file or no case is left. The
 * caller calls gate_cases_free also after an error. */
enum status gate_cases_make(const struct gate_file *file,
                            const struct gate_choice *choice,
                            struct gate_cases *out, struct error *err) MUST_USE;
void gate_cases_free(struct gate_cases *cases);

/* Executes all runs on `threads` threads (0: one for each processor). A run
 * that fails does not stop the others. `progress`: draws a line on standard
 * error. Ends the program if a signal ends the runs. */
enum status gate_cases_execute(struct gate_cases *cases, unsigned threads,
                               bool progress, struct error *err) MUST_USE;
/* Compares the values with the expected ones. Call it once, after
 * gate_cases_execute. */
void gate_cases_judge(struct gate_cases *cases);
/* Returns a metric with the tolerance that is in force. */
struct gate gate_in_force(const struct gate_cases *cases,
                          const struct gate *gate);
/* True if the value makes the gate fail. */
bool gate_fails(const struct gate_outcome *outcome);

/* True if a value is outside its tolerance, if it is not defined although the
 * expected one is or the other way round, if a case did not finish the jobs
 * that it is expected to finish, if no value is expected yet for some metric,
 * or if an expected value belongs to no run or metric of the file. */
bool gate_cases_moved(const struct gate_cases *cases);
/* Returns the first run that failed and sets *whose to its case; NULL: no run
 * failed. Call it after gate_cases_judge. */
const struct gate_run *gate_cases_failed(const struct gate_cases *cases,
                                         const struct gate_case **whose);

#endif
