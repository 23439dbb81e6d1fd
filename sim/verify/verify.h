/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An independent check of a result directory. It reads the files as any other
 * program would. It shares with the simulator only the base layer and the
 * intervals (sim/results/interval.h), whose values it builds itself: not the
 * engine, the ledger or the code of the metrics. */
#ifndef SIM_VERIFY_H
#define SIM_VERIFY_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

/* Which jobs a job may have stopped: those of lower priority, also those of
 * equal priority that were submitted later, or any. */
enum verify_quota_rule {
    VERIFY_QUOTA_NEVER,
    VERIFY_QUOTA_LOWER,
    VERIFY_QUOTA_LOWER_OR_NEWER,
    VERIFY_QUOTA_ANY
};

/* A row of the quotas in the manifest. */
struct verify_quota {
    uint32_t vc;     /* symbol of verify_data.vcs; UINT32_MAX: a cohort */
    uint32_t parent; /* row of its cohort; UINT32_MAX: none */
    /* GPUs; limits: INT64_MAX: none. `subtree`: its quota with what its
     * children lend; `kept`: part of it that its parent does not get. */
    int64_t nominal, borrowing, lending, subtree, kept;
    /* of its own jobs, and of those of others that borrow */
    enum verify_quota_rule within, reclaim;
};

/* Bits of the number of ranges of an attempt. */
enum { VERIFY_RANGE_BITS = 22 };

/* One attempt, a stay of a job on GPUs: a row of attempts.csv or, without that
 * file, the only attempt of a job in jobs.csv. */
struct verify_attempt {
    sim_time start, end;
    uint32_t job; /* index of its job in verify_data.jobs */
    /* index in verify_data.ranges of the first range of its GPUs */
    uint32_t first_gpu_range;
    uint32_t gpus;
    uint32_t n_ranges : VERIFY_RANGE_BITS;
    /* how the attempt ended: 'f'inished, 's'topped, 'x' failed, 'p'rofiled,
     * 'o'pen, 'm'oved, 'e'victed; 'f' without attempts.csv */
    uint32_t how : 8;
    uint32_t profiling : 1, shared : 1;
};

/* The columns of an attempt that only `verify` compares. Without attempts.csv
 * only idle, work and lost are set. */
struct verify_attempt_more {
    sim_span idle, work, resume, lost;
    uint32_t allocated; /* hash of the cell allocated_resources */
};

struct verify_range {
    uint32_t first, last;
};

struct verify_job {
    const char *id; /* the cell job_id, in the arena */
    sim_time submitted;
    sim_time finish; /* the end of the run if the job has not ended */
    sim_span duration, queue_delay;
    uint32_t user;           /* symbol of verify_data.users; 0: none */
    uint32_t gpus, vc, type; /* type: UINT32_MAX: any */
    uint32_t attempts;       /* the number that jobs.csv says */
    /* index of its first attempt in verify_data.attempts, and their number */
    uint32_t first_attempt, n_attempts;
    uint8_t outcome; /* index into verify_outcomes */
    bool ended, finished;
};

/* The columns of a job that are told, or checked as soon as its attempts are
 * read. */
struct verify_job_told {
    sim_span held;
    double slowdown; /* NaN: none */
};

/* Number of columns of attempts.csv that repeat those of jobs.csv. */
enum { VERIFY_SAME = 4 };

/* The columns of a job that only `verify` compares, with other jobs. */
struct verify_job_more {
    double by_load, rho;
    uint32_t line;
    bool has_by_load, has_rho;
};

/* The columns of a job that are compared with its attempts alone, as soon as
 * these are read. */
struct verify_job_row {
    /* hashes of the cells that its attempts repeat, and of
     * allocated_resources */
    uint32_t same[VERIFY_SAME], allocated;
    struct verify_job_told told;
    sim_time start; /* if started */
    sim_span running, work, overhead, lost;
    uint32_t preemptions;
    bool started, shared;
};

/* Cells of a job that few results have, in the arena. */
struct verify_job_class {
    const char *class, *priority;
};

extern const char *const verify_outcomes[]; /* ends with NULL */

struct verify_node {
    uint32_t first_gpu, gpus, vc, type;
    double speed;
    bool profiler;
};

struct verify_change {
    sim_time at;
    uint32_t node;
    enum { NODE_GOES, NODE_COMES, NODE_LENT, NODE_BACK } kind;
};

/* One row of series.csv. */
enum { VERIFY_SERIES = 8 };
struct verify_sample {
    sim_time at;
    uint64_t values[VERIFY_SERIES]; /* in the order of the columns */
};

/* Which columns are read: those that tell when jobs waited and ran, or all,
 * which are then checked. What a check of one job needs is forgotten after it:
 * a job of one attempt takes 136 bytes with its identifier, and 8 more if all
 * are read. */
enum verify_columns { VERIFY_COLUMNS_OF_WAITS, VERIFY_COLUMNS_ALL };

/* How jobs are grouped. */
enum verify_group {
    VERIFY_ALL_JOBS,
    VERIFY_BY_VC,
    VERIFY_BY_SIZE,
    VERIFY_BY_OUTCOME,
    VERIFY_BY_TYPE,
    VERIFY_BY_USER,
    VERIFY_GROUPS
};

struct verify_data {
    struct arena arena;
    char *texts, *texts_end; /* room in the arena for the next short texts */
    enum verify_columns columns;
    struct verify_job *jobs;
    struct verify_attempt *attempts;
    struct verify_job_more *job_more; /* by job; NULL unless all were read */
    struct verify_job_told *told;     /* by job; NULL if all were read */
    /* by job; NULL unless jobs.csv has the columns. TIME_NEVER: no deadline */
    struct verify_job_class *classes;
    sim_time *deadlines;
    /* by attempt, from attempt more_from on: its other columns. They are kept
     * only if the checks of failures, evictions or classes need them. */
    struct verify_attempt_more *attempt_more;
    size_t more_from;
    uint32_t *attempt_lines; /* by attempt, with attempts.csv */
    struct verify_range *ranges;
    size_t n_jobs, cap_jobs, n_attempts, cap_attempts, n_ranges, cap_ranges;
    size_t cap_job_more, cap_told, cap_classes, cap_deadlines, cap_attempt_more,
        cap_attempt_lines;
    struct verify_sums *sums[VERIFY_GROUPS]; /* verify_sums.c */
    size_t n_sums[VERIFY_GROUPS];
    double idle;       /* GPU-us that attempts did not work */
    uint64_t n_shared; /* jobs that shared GPUs */
    struct verify_node *nodes;
    size_t n_nodes, cap_nodes;
    uint32_t *node_of; /* by GPU: index in `nodes` */
    uint32_t n_gpus, share_limit;
    uint32_t llm_gpus; /* GPUs of the cluster, not among n_gpus, that serve the
                          language model */
    /* GPU time that the GPUs of the language model worked within the makespan,
     * GPU-us; set by verify_advice */
    double llm_busy;
    struct interner vcs, types, users;
    /* true: all virtual clusters share the nodes, under these quotas, each
     * after its parent */
    bool merged;
    struct verify_quota *quotas;
    size_t n_quotas;
    struct verify_change *changes;
    size_t n_changes, n_loans;
    struct verify_sample *samples; /* rows of series.csv */
    size_t n_samples, cap_samples;
    json_t *manifest, *summary;
    /* what the files give for the keys whose rule is a law */
    json_t *want_manifest, *want_summary;
    /* receives what breaks the rule of a column as the files are read; NULL:
     * rules are not checked */
    struct verify_report *report;
    sim_time end;
    sim_span interval; /* between two rows of series.csv */
    uint64_t seed;
    bool unit_rates;
    bool has_same[VERIFY_SAME]; /* true if jobs.csv has the column */
    bool has_attempts; /* true if the result lists attempts.csv among its
                        * outputs */
    /* Integrals over the makespan in GPU-us, computed by the sweep. */
    double up, busy, stranded, crowded;
    sim_time last_end;
    /* Metrics of jobs count the jobs submitted in this window, both ends
     * included; set by verify_counted. */
    sim_time count_from, count_to;
    sim_span profile_limit; /* profiling limit of the policy; -1: not known */
    /* time between two checkpoints of overhead `fixed`; 0: it is not fixed or
     * not known */
    sim_span checkpoint;
    /* true if the throughput model may change the number of GPUs of jobs */
    bool elastic;
    /* step_s of the law of time `grid`: work ends at multiples of this step; 0:
     * another law */
    sim_span grid;
};

/* Under quotas: returns how many GPUs more a virtual cluster may use if the
 * virtual clusters hold held[], by symbol of data->vcs. */
int64_t verify_quota_left(const struct verify_data *data, const int64_t *held,
                          uint32_t vc);

static inline const struct verify_job_more *verify_more_of_job(
    const struct verify_data *data, const struct verify_job *job)
{
    return &data->job_more[job - data->jobs];
}

static inline const struct verify_attempt_more *verify_more_of_attempt(
    const struct verify_data *data, const struct verify_attempt *attempt)
{
    return &data->attempt_more[attempt - data->attempts -
                               (ptrdiff_t)data->more_from];
}

/* Receives the violations that are found, one line each. */
struct verify_report {
    void (*line)(void *self, const char *words);
    void *self;
    uint64_t n_violations;
};
void verify_say(struct verify_report *report, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Report what is wrong in a column of the row of a job or an attempt:
 * "FILE:LINE: COLUMN: job ID: WORDS". */
struct verify_data;
void verify_say_job(const struct verify_data *data,
                    struct verify_report *report, const struct verify_job *job,
                    const char *column, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void verify_say_attempt(const struct verify_data *data,
                        struct verify_report *report,
                        const struct verify_attempt *attempt,
                        const char *column, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* In verify_read.c. With a report, also checks the digests, the headers and the
 * rules of the columns. Returns STATUS_BAD_INPUT or STATUS_FAILED if a file
 * cannot be read, or the manifest be understood; another file that cannot be
 * understood is STATUS_BROKEN with a report, otherwise STATUS_BAD_INPUT. There
 * is then nothing to free. Without a report, cells of other columns than those
 * asked for are not looked at. */
enum status verify_read(const char *dir, enum verify_columns columns,
                        struct verify_report *report, struct verify_data *data,
                        struct error *err) MUST_USE;
void verify_data_fini(struct verify_data *data);
/* In verify_rows.c. Reads jobs.csv and attempts.csv side by side; without
 * attempts.csv, makes the attempts from jobs.csv. If all columns are read,
 * checks each job with its attempts. Returns STATUS_BAD_INPUT if a file cannot
 * be read or understood. */
enum status verify_read_rows(const char *dir, struct verify_data *data,
                             struct error *err) MUST_USE;
/* Returns the time from the submission of the job to its end, or to the end of
 * the run if it has not ended. */
sim_span verify_life(const struct verify_job *job);

/* In verify_counted.c. Sets the window of counted jobs, and what the files give
 * for the keys that name it. */
void verify_counted(struct verify_data *data);
/* In verify_summary.c. Returns what the files give for the part `identity` of
 * summary.json. */
json_t *verify_identity(const struct verify_data *data);
/* Returns the sum, cut to what is no longer than TIME_NEVER in either
 * direction, of a span that is not and one of at most twice that: the times of
 * a damaged file may add up to more than a sim_span holds. */
static inline sim_span verify_span_sum(sim_span a, sim_span b)
{
    const sim_span sum = a + b;
    return sum > TIME_NEVER    ? TIME_NEVER
           : sum < -TIME_NEVER ? -TIME_NEVER
                               : sum;
}
/* True if a ratio is the one of a cell, which has six decimals. */
static inline bool verify_is_cell(double cell, double ratio)
{
    return fabs(cell - ratio) <= 5.0001e-7 + 1e-15 * fabs(ratio);
}

bool verify_counts(const struct verify_data *data,
                   const struct verify_job *job);

/* In verify_attempts.c. Checks the rows of attempts.csv of a job, and their
 * sums. Without that file, checks that jobs.csv says everything about the
 * attempts. */
void verify_attempts(const struct verify_data *data,
                     const struct verify_job *job,
                     const struct verify_job_row *row);
/* In verify_jobs.c. Checks a job on its own. */
void verify_jobs(const struct verify_data *data, const struct verify_job *job,
                 const struct verify_job_row *row);
/* True if the model of throughput is not `rigid`: jobs may run on other numbers
 * of GPUs than they ask for, and work in phases. */
bool verify_sizes_may_change(const struct verify_data *data);
/* In verify_sweep.c. Replays all attempts in order of time, checks which
 * jobs hold each GPU, and makes series.csv again. Sets last_end and the
 * integrals. */
struct verify_failures;
void verify_sweep(struct verify_data *data,
                  const struct verify_failures *failures,
                  struct verify_report *report);
/* In verify_series_by.c. Checks series_vc.csv and series_type.csv, if the run
 * wrote them. Returns STATUS_BAD_INPUT if one of them, or series.csv, cannot be
 * read or understood. */
enum status verify_series_by(const char *dir, const struct verify_data *data,
                             struct verify_report *report,
                             struct error *err) MUST_USE;
/* In verify_fairness.c. Checks the numbers of a job that depend on other jobs
 * in its virtual cluster, and replaces them by the unrounded values. Leaves out
 * rho if jobs may change their size (verify_sizes_may_change). */
void verify_contention(struct verify_data *data, struct verify_report *report);
/* In verify_metrics.c. Computes the outcomes, metrics and groups of
 * summary.json again from the files. */
void verify_metrics(const struct verify_data *data);

/* An object of summary.json, and what the files give for it. */
struct verify_part {
    const json_t *object;
    json_t *want;
    const char *name;
    struct verify_report *report;
};
/* In verify_keys.c. Sets *part to the part of this name, which must exist
 * exactly if it is wanted. Returns true if it is wanted and exists. */
bool verify_part_find(const struct verify_data *data, const char *name,
                      bool wanted, struct verify_report *report,
                      struct verify_part *part);
/* Returns an object in a part. */
struct verify_part verify_part_inner(const struct verify_part *part,
                                     const char *name);
/* Gives the number of a key that the files give; NaN stands for null. With
 * `off` the key may differ so much. */
void verify_part_expect(const struct verify_part *part, const char *key,
                        double want);
void verify_part_near(const struct verify_part *part, const char *key,
                      double want, double off);
/* Returns the number of a key of the file; 0 if it is none. */
double verify_part_number(const struct verify_part *part, const char *key);
/* In verify_failures.c. Checks failures.csv, which was read, and the part
 * `failures` of summary.json. */
void verify_failures(const struct verify_failures *failures);
/* In verify_advice.c. Checks advice.csv, and the part `advice` of summary.json;
 * sets data->llm_busy. Returns STATUS_BAD_INPUT if the file cannot be read or
 * understood, or if the manifest lacks the number of servers. */
enum status verify_advice(const char *dir, struct verify_data *data,
                          struct verify_report *report,
                          struct error *err) MUST_USE;
/* In verify_gpu_time.c. Checks the part `gpu_time` of summary.json. */
void verify_gpu_time(const struct verify_data *data,
                     struct verify_report *report);

/* In verify_evictions.c. True if the run has a monitor. */
bool verify_has_monitor(const struct verify_data *data);
/* Checks the evictions of a monitor. */
void verify_evictions(const struct verify_data *data,
                      struct verify_report *report);

/* In verify_deadlines.c. Checks the part `deadlines` of summary.json. */
void verify_deadlines(const struct verify_data *data,
                      struct verify_report *report);

/* In verify_classes.c. Checks the column `class` of jobs.csv, and the part
 * `classes` of summary.json. */
void verify_classes(const struct verify_data *data,
                    struct verify_report *report);

/* In verify_profiling.c, verify_packing.c and verify_elastic.c. Check the parts
 * of these names of summary.json. */
void verify_profiling(const struct verify_data *data,
                      struct verify_report *report);
void verify_packing(const struct verify_data *data,
                    struct verify_report *report);
void verify_elastic(const struct verify_data *data,
                    struct verify_report *report);
/* In verify_knowledge.c. Checks the part `knowledge` of summary.json. */
void verify_knowledge(const struct verify_data *data,
                      struct verify_report *report);

/* Runs all checks. `report` collects the violations. Returns STATUS_BROKEN if
 * there are any, and STATUS_BAD_INPUT if a file cannot be read or
 * understood. */
enum status verify_dir(const char *dir, struct verify_report *report,
                       struct error *err) MUST_USE;

#endif
