/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of failures.csv, ordered by time: one for each failure of a
 * job, with the fault that caused it if there is one, and one for each fault
 * that made no job fail when it struck. The part `failures` of summary.json is
 * computed from these rows. */
#ifndef SIM_RESULTS_FAILURES_H
#define SIM_RESULTS_FAILURES_H

#include "base/failure_kind.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"
#include "sim/results/advice.h"
#include "sim/results/columns.h"
#include "sim/results/facts.h"

/* == gpu_time.c: Where the GPU time of a run went, by two identities that must
 * hold.
 *
 * Of jobs: held = useful + lost + overhead + slowed. Work counts as the time
 * that it takes alone on the GPUs held. Work is lost if a failure or an
 * eviction undid it, if the job was given up, or if it was done in a profiling
 * attempt and not kept. `slowed`, the time that sharing cost, is an integral of
 * speeds and not a remainder, so that the identity can fail. Skipped for
 * elastic jobs, whose work has another measure.
 *
 * Of the machine: described GPUs x makespan = down + idle + busy, and busy =
 * held - what second and further holders of a GPU held. GPUs of the cluster
 * that serve the language model run no jobs; their time is added on the left,
 * and on the right as busy and idle time of the model. */

/* All times are GPU-microseconds. */
struct gpu_time_books {
    bool rigid; /* true if the identity of jobs applies: no job is elastic, and
                   results.alone is set */
    gpu_time held;
    gpu_time profiling; /* part of `held` in profiling attempts */
    gpu_time writing;   /* part of `overhead` spent on writing checkpoints */
    double useful, lost, overhead, slowed;
    gpu_time described, down, idle, busy;
    /* GPU time of shared GPUs, times the number of holders minus one */
    gpu_time again;
    /* true if GPUs of the cluster serve the language model: llm_busy and
     * llm_idle are then part of the identity of the machine */
    bool serves;
    gpu_time llm_busy, llm_idle;
};

/* ends with a NULL name */
extern const struct scalar gpu_time_scalars[];

void gpu_time_init(struct gpu_time_books *books, const struct results *results);
/* Adds a job, but not to `held` and `profiling`, which the summary sets. */
void gpu_time_add(struct gpu_time_books *books, const struct results *results,
                  const struct facts *facts);
/* Adds the GPUs of the cluster that serve the language model. */
void gpu_time_add_llm(struct gpu_time_books *books,
                      const struct advice_summary *advice);

/* == failures.c */

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
