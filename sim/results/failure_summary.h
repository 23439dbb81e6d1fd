/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part `failures` of summary.json: how often hardware and jobs failed, what
 * that cost, and how long it took to notice and to go on. */
#ifndef SIM_FAILURE_SUMMARY_H
#define SIM_FAILURE_SUMMARY_H

#include "base/failure_kind.h"
#include "models/failures/fault.h"
#include "models/failures/recovery.h"
#include "sim/results/failure_rows.h"
#include "sim/results/gpu_time.h"

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

struct failure_scalar {
    struct column column;
    double (*of)(const struct failure_summary *summary);
};
/* These lists end with a NULL name. */
extern const struct failure_scalar failure_scalars[];
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
