/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of a run: sums over jobs and the distribution of each metric, for
 * all jobs and by group, and the figures of the other parts of summary.json.
 * job_pass (job_pass.h) fills it. */
#ifndef SIM_SUMMARY_H
#define SIM_SUMMARY_H

#include "sim/results/advice.h"
#include "sim/results/deadlines.h"
#include "sim/results/elastic.h"
#include "sim/results/evictions.h"
#include "sim/results/failure_summary.h"
#include "sim/results/interval.h"
#include "sim/results/metrics.h"
#include "sim/results/packing.h"
#include "sim/results/profiling.h"
#include "sim/results/users.h"
#include "sim/results/values.h"

/* The distribution of a metric over the jobs for which it is defined. */
struct distribution {
    size_t count; /* number of these jobs; if 0, all other fields are 0 */
    double mean, mean_lo, mean_hi, p50, p90, p95, p99, max;
    enum interval_lack lack; /* why mean_lo and mean_hi are NaN */
};

/* Sums over jobs. */
struct totals {
    uint64_t jobs, outcome[OUTCOME_N];
    uint64_t attempts, preemptions;
    /* with --wait-over: number of jobs that count (--warmup), and for each time
     * given the number of these that wait longer; otherwise 0 */
    uint64_t counted, over[EXTRAS_OVER_MAX];
    gpu_time held, useful, work, overhead, lost, profiling;
    /* recorded running time x GPUs of all jobs, and of those that finished */
    gpu_time asked, finished;
};

struct group {
    const char *name; /* borrowed from the run, or static */
    struct totals totals;
    /* by metric; count is 0 if the metric is not grouped */
    struct distribution of[METRICS];
};

/* GROUP_TYPE and GROUP_USER exist only on request (--by). */
enum grouping {
    GROUP_VC,
    GROUP_GPUS,
    GROUP_OUTCOME,
    GROUP_TYPE,
    GROUP_USER,
    GROUPINGS
};

struct summary {
    struct totals totals; /* valid after summary_describe */
    struct distribution of[METRICS];
    struct group *groups[GROUPINGS];
    /* by grouping: number of groups, empty ones included */
    size_t n_groups[GROUPINGS];
    const struct run_result *run; /* borrowed until summary_describe */
    struct extras extras;
    struct users users; /* all zeroes without --by user */
    double jain_users, jain_rho;
    sim_span makespan;
    struct meter_integrals integrals;
    struct profiling profiling;
    struct packing packing;
    struct elastic elastic;
    struct gpu_time_books gpu_time;
    struct failure_summary failures;
    struct evictions evictions;
    struct deadlines deadlines;
    struct advice_summary advice;
};

/* Returns the share of the GPU time that the jobs ask for, recorded running
 * time x GPUs, which the jobs that finished ask for, 0..1; NaN: they ask for
 * none. */
double summary_finished_share(const struct totals *totals);

/* Starts an empty summary, which the caller frees with summary_fini. */
void summary_init(struct summary *summary, const struct results *results);
void summary_fini(struct summary *summary);
/* Adds one job to the sums of its groups and, if it counts, to those of its
 * user. */
void summary_add(struct summary *summary, const struct facts *facts);

/* Completes the summary after all jobs were added. Frees the arrays of `values`
 * that no group needs. */
void summary_describe(struct summary *summary, struct values *values,
                      const struct results *results);

#endif
