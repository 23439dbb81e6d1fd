/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of a run: sums over jobs and the distribution of each metric, for
 * all jobs and by group, and the figures of the other parts of summary.json.
 * job_pass (report.h) fills it. */
#ifndef SIM_RESULTS_SUMMARY_H
#define SIM_RESULTS_SUMMARY_H

#include "sim/results/advice.h"
#include "sim/results/classes.h"
#include "sim/results/columns.h"
#include "sim/results/deadlines.h"
#include "sim/results/evictions.h"
#include "sim/results/facts.h"
#include "sim/results/failures.h"
#include "sim/results/interval.h"
#include "sim/results/packing.h"
#include "sim/results/profiling.h"

/* == elastic.c: Figures that the papers on elastic jobs (Pollux, Sia) report,
 * computed from the ledger. Only for a run whose model of throughput works in
 * phases. */

struct elastic {
    bool any; /* true if the model of throughput works in phases */
    /* number of jobs that count (sim/run/counted.h); figures per job are means
     * over these jobs */
    uint64_t jobs;
    /* number of starts, without first starts and moves */
    uint64_t restarts;
    uint64_t counted_restarts; /* restarts of jobs that count */
    /* number of moves to other GPUs of equal shape, at no cost */
    uint64_t moves;
    /* `held`: GPU time of the attempts of jobs that count. `idle`: their
     * overhead (struct attempt_cost) x GPUs held. */
    gpu_time held, idle;
    /* number of jobs that are submitted and not ended, mean over the
     * makespan */
    double active_mean;
    uint32_t active_max;
    /* element number floor(0.99 n), counted from 0, of the sorted JCTs of the n
     * finished jobs that count, us; 0 if there is none */
    sim_span jct_p99;
};

/* ends with a NULL name */
extern const struct scalar elastic_scalars[];

void elastic_measure(struct elastic *e, const struct results *results);

/* == summary.c */

/* The metrics of a run, computed from the ledger only. Each is one row of a
 * table: name, unit and meaning. The summary and the reference page are written
 * from these tables. */

/* A metric with one value per job (facts.metric). Results report the
 * distribution of these values. */
struct metric {
    struct column column;
    bool grouped; /* true: also reported by group of jobs */
    /* true: depends only on the JCT and the recorded running time, so that its
     * values need not be kept */
    bool follows;
};

extern const struct metric metrics[METRICS + 1]; /* ends with a NULL name */

/* The columns that describe a distribution, and the groupings of jobs; both
 * lists end with a NULL name. */
extern const struct column distribution_columns[], grouping_columns[];

/* The key that follows them where there is no interval. */
extern const struct column lack_columns[];

/* Columns of metrics that exist only on request: with --by user, and with
 * --wait-over. */
extern const struct column jain_columns[], over_columns[];

/* `scalars` are reported for the run and for groups and made from struct
 * totals; `run_scalars` are reported for the run only and made from struct
 * summary. Both end with a NULL name. */
extern const struct scalar scalars[], run_scalars[];

enum { GPU_CLASSES = 9 };

/* Returns the number of the size class of a job with this many GPUs: 0 for at
 * most 1 GPU, 1 for 2 GPUs, 2 for 3-4 GPUs, and so on; GPU_CLASSES - 1 for more
 * than 128 GPUs. */
static inline unsigned gpu_class(uint32_t gpus)
{
    if (gpus <= 1)
        return 0;
    unsigned class = 32 - (unsigned)__builtin_clz(gpus - 1);
    return class < GPU_CLASSES ? class : GPU_CLASSES - 1;
}

/* The values of the metrics of all jobs, kept from the pass over the jobs until
 * their distributions are described: 33 bytes per job, or 41 if any job waited
 * again after its first start, and one more with --by type. */

/* The defined values of a metric, in the order of submission of their jobs. */
struct metric_sample {
    double *values; /* borrowed */
    size_t n;
    double sum; /* sum of `values` */
};

struct values {
    const struct jobset *jobset;
    const struct counted *counted;
    /* By metric, then by job; NaN: not defined, or the job does not count
     * (sim/run/counted.h). NULL for metrics that follow from the JCT and the
     * recorded running time, and after distribution_describe has freed the
     * array. */
    double *of[METRICS];
    /* true: a job waited again after its first start. false: METRIC_WAIT has
     * no array, because its values are those of METRIC_QUEUE_DELAY. */
    bool has_waits;
    uint8_t *outcome; /* by job: enum outcome */
    uint8_t *type;    /* by job: facts.type; NULL: not asked for */
};

/* Makes the arrays, whose values are not set yet. The run must outlive the
 * values. */
void values_init(struct values *values, const struct run_result *run);

void values_fini(struct values *values);

/* Keeps the values of the next job, in the order of submission. */
void values_add(struct values *values, const struct facts *facts);

/* Copies to `to` the defined values of a metric for n jobs, in their order:
 * jobs[0] .. jobs[n-1], or jobs 0 .. n-1 if `jobs` is NULL. If `jobs` is NULL,
 * `to` may be the array of the metric. `jobs` must be NULL for a metric that
 * follows from others. Returns the values in `to`, with their number and
 * sum. */
struct metric_sample values_sample(const struct values *values,
                                   enum metric_number metric,
                                   const job_id *jobs, size_t n, double *to);

/* The users of a run, and how evenly it serves them. Jain's index of n values x
 * is (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has everything
 * (Jain, Chiu, Hawe 1984, DEC TR-301). */

struct user_time {
    /* sum of the recorded running times of the user's finished jobs that count,
     * us */
    gpu_time needed;
    gpu_time spent; /* sum of the JCT of these jobs, us */
};

struct users {
    const char **names; /* by number, in the order of their first submissions;
                           the texts are borrowed from the run */
    uint32_t *numbers;  /* by symbol of the jobset's strings: number of the
                         * user */
    struct user_time *times; /* by number of the user: sums of times */
    size_t n;
    /* sums over finished jobs that count: rho, its square, their number */
    double rho, rho_squares, n_rho;
};

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
    struct classes classes;
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

/* The groups of a summary: to which one a job belongs, and what each is
 * called. */

/* Returns the number of the group of a job. `outcome` and `type`: as in its
 * facts; `type` is used for GROUP_TYPE only. */
static inline size_t grouping_of(const struct summary *summary,
                                 const struct job *job, unsigned outcome,
                                 unsigned type, enum grouping by)
{
    switch (by) {
    case GROUP_VC:
        return job->vc;
    case GROUP_GPUS:
        return gpu_class(job->gpus);
    case GROUP_TYPE:
        return type;
    case GROUP_USER:
        return summary->users.numbers[job->user];
    case GROUP_OUTCOME:
    case GROUPINGS:
        break;
    }
    return outcome;
}

#endif
