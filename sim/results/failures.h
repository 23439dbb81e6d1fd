/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of failures.csv, ordered by time: one for each failure of a
 * job, with the fault that caused it if there is one, and one for each fault
 * that made no job fail when it struck. The part `failures` of summary.json is
 * computed from these rows. */
#ifndef SIM_FAILURES_H
#define SIM_FAILURES_H

#include "base/failure_kind.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"
#include "sim/results/columns.h"
#include "sim/results/facts.h"
#include "sim/results/gpu_time.h"

struct failure_line {
    /* time of the failure; in a row without a job, time of the fault */
    sim_time at;
    /* the fault of the row; NULL: the job failed by itself */
    const struct fault_row *fault;
    /* the failure of the row; NULL: the fault made no job fail */
    const struct failure_row *failure;
    uint32_t fault_number; /* number of the fault, from 1; 0: none */
    /* number of the failed attempt in its job, from 1; 0: none */
    uint32_t attempt;
    /* next start of the job; TIME_NEVER: there is none */
    sim_time restarted;
    const struct job *job; /* NULL: the fault made no job fail */
    sim_span lost;         /* work that the failure undid, us */
};

/* Reads the rows from first to last. Leaves out faults after the end of the
 * simulation, because a run whose waiting jobs can never start may have any
 * number of them. */
struct failure_rows {
    const struct run_result *run;
    size_t n_faults;     /* number of faults up to the end of the simulation */
    uint32_t *attempt;   /* by failure: failure_line.attempt */
    sim_time *restarted; /* by failure: failure_line.restarted */
    size_t next_fault, next_failure;
    bool hit; /* true if a row of the next fault has been read already */
};

/* True if results must report failures: the run has a fault model, or a job
 * failed. */
bool failure_rows_exist(const struct run_result *run);

void failure_rows_init(struct failure_rows *rows,
                       const struct results *results);

void failure_rows_fini(struct failure_rows *rows);

/* Reads the next row. Returns false after the last one. */
bool failure_rows_next(struct failure_rows *rows, struct failure_line *out);

/* A column of failures.csv. The array failure_columns ends with a column whose
 * name is NULL. */
struct failure_column {
    struct column column;
    void (*put)(struct out *out, const struct run_result *run,
                const struct failure_line *line);
};

extern const struct failure_column failure_columns[];

void report_failures(struct out *out, struct results results);

/* The part `failures` of summary.json: how often hardware and jobs failed, what
 * that cost, and how long it took to notice and to go on. */

/* Faults and failures of one cause. */
struct cause_total {
    const char *cause; /* borrowed from the run */
    uint64_t faults, failures;
    gpu_time lost; /* work lost x GPUs asked for, GPU-microseconds */
};

/* The distribution of one kind of span over the failures, in seconds. If
 * `count` is 0, all other fields are 0. */
struct failure_spread {
    size_t count;
    double mean, p50, p90, p95, p99, max;
};

enum failure_span { SPAN_DETECT, SPAN_PENDING, SPAN_RESTART, FAILURE_SPANS };

struct failure_summary {
    bool any; /* true if the run has a fault model or a job failed */
    uint64_t faults, harmless, missed, failures, jobs, restarts, given_up;
    /* by enum fault_scope: number of faults */
    uint64_t by_scope[FAULT_N_SCOPES];
    /* by enum failure_kind: number of failures */
    uint64_t by_kind[FAILURE_N_SIMULATED];
    uint64_t by_verdict[VERDICT_N]; /* by enum verdict: number of failures */
    /* in the order of their first rows in failures.csv */
    struct cause_total *causes;
    size_t n_causes, cap_causes;
    struct failure_spread spans[FAILURE_SPANS];
    /* work lost x GPUs asked for, GPU-microseconds */
    gpu_time lost;
    gpu_time held;    /* time held back after failures x GPUs asked for,
                         GPU-microseconds */
    gpu_time waiting; /* time pending after failures x GPUs asked for,
                         GPU-microseconds */
    /* within the makespan: number of times that a node went out of service;
     * number of these after which it was back */
    uint64_t outages, outages_over;
    /* total length of `outages` (within the makespan) and of `outages_over`,
     * node-microseconds */
    gpu_time down, repaired;
    gpu_time nodes; /* nodes x makespan, node-microseconds */
    double ettr;
};

/* These lists end with a NULL name. */
extern const struct scalar failure_scalars[];

extern const struct column failure_span_columns[FAILURE_SPANS + 1];

extern const struct column failure_groupings[];

extern const struct column failure_cause_columns[];

void failure_summary_init(struct failure_summary *summary,
                          const struct results *results,
                          const struct gpu_time_books *books);

void failure_summary_fini(struct failure_summary *summary);

struct json_stream;

void report_failure_summary(struct json_stream *js,
                            const struct failure_summary *summary);

void report_gpu_time(struct json_stream *js,
                     const struct gpu_time_books *books);

#endif
