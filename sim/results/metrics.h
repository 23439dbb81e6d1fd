/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers computed from the ledger only. Each metric is one row of a table:
 * name, unit and meaning, next to the function that computes it. The summary
 * and the reference page are written from the tables. */
#ifndef SIM_METRICS_H
#define SIM_METRICS_H

#include "sim/results/bootstrap.h"
#include "sim/results/columns.h"
#include "sim/results/elastic.h"
#include "sim/results/facts.h"
#include "sim/results/packing.h"
#include "sim/results/profiling.h"

/* A value per job whose distribution is reported. */
struct metric {
    struct column column;
    bool grouped; /* reported by virtual cluster, size and outcome too */
};
enum metric_number {
    METRIC_JCT,
    METRIC_QUEUE_DELAY,
    METRIC_WAIT,
    METRIC_SLOWDOWN,
    METRIC_BOUNDED,
    METRIC_BY_LOAD,
    METRIC_RHO,
    METRICS
};
extern const struct metric metrics[METRICS + 1]; /* ends with a NULL name */

/* Computes the values of all metrics for one job. Returns a bit mask of the
 * metrics that are defined; the other elements of `out` have no meaning. */
unsigned metrics_of(const struct facts *f, double out[METRICS]);

struct distribution {
    size_t count;
    double mean, mean_lo, mean_hi, p50, p90, p95, p99, max;
};
extern const struct column distribution_columns[];

/* Sums over jobs. */
struct totals {
    uint64_t jobs, outcome[OUTCOME_N];
    uint64_t attempts, preemptions;
    gpu_time held, useful, work, overhead, lost, profiling;
};

/* A single number of the whole run or of a group. */
struct summary;
struct scalar {
    struct column column;
    double (*of)(const struct totals *totals, const struct summary *summary);
};
extern const struct scalar scalars[]; /* reported for groups and for the run */
extern const struct scalar run_scalars[]; /* reported for the run only */

struct group {
    const char *name; /* borrowed from the run, or static */
    struct totals totals;
    struct distribution of[METRICS]; /* count 0: metric is not grouped */
};

enum grouping { GROUP_VC, GROUP_GPUS, GROUP_OUTCOME, GROUPINGS };
extern const struct column grouping_columns[];

struct summary {
    struct totals totals;
    struct distribution of[METRICS];
    struct group *groups[GROUPINGS];
    size_t n_groups[GROUPINGS]; /* number of groups, empty ones included */
    sim_span makespan;
    struct meter_integrals integrals;
    struct profiling profiling;
    struct packing packing;
    struct elastic elastic;
};

/* The caller owns the summary. Needs 126 bytes per job while it works, 62 for
 * long lists of jobs. Passes facts to the watcher as they are read, in the
 * order of submission. */
void summary_init(struct summary *summary, struct results results,
                  struct facts_watcher watcher);
void summary_fini(struct summary *summary);

/* GPU-count class of a job: 1, 2, 3-4, ... */
enum { GPU_CLASSES = 9 };
unsigned gpu_class(uint32_t gpus);
const char *gpu_class_name(unsigned class);

#endif
