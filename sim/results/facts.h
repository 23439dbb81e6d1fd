/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of one job, read from the ledger. Holds the definitions that
 * several columns and metrics use. An attempt that still runs when the
 * simulation ends (at a limit, such as the horizon) is counted up to that
 * end. */
#ifndef SIM_RESULTS_FACTS_H
#define SIM_RESULTS_FACTS_H

#include <math.h>

#include "sim/results/coloc.h"
#include "sim/results/meter.h"
#include "sim/run/run.h"

/* == fairness.c: Finish-time fairness: how long a job would take on an equal
 * share of its virtual cluster. Themis (NSDI 2020, section 3): rho = T_sh /
 * T_id. T_sh is the JCT in the shared cluster; T_id is the time on 1/N of the
 * cluster, and N is the number of jobs that contend. Sia (SOSP 2023,
 * section 5.5): N is the mean number of active jobs over the job's life. T_id
 * is the mean over GPU types, weighted by their numbers of GPUs, of the time
 * alone on G/N GPUs of the type; G is the number of GPUs of the virtual
 * cluster. For an elastic job that time is interpolated between whole numbers
 * of GPUs; below one GPU, it is the time on one GPU divided by the share. */

/* Returns the number of GPUs of each virtual cluster and type, without those of
 * profiler nodes, at index vc * n_types + type. The caller frees the array. */
uint32_t *fairness_gpus(const struct cluster *cluster);

/* Returns the time in microseconds that a job would take on its share; 0: the
 * job can run on no GPU of its virtual cluster. `gpus`: number of GPUs of the
 * virtual cluster, by type. `work`: recorded running time of the job,
 * microseconds. `active`: mean number of jobs that were waiting, running or
 * held back in the virtual cluster over the life of the job, itself included. A
 * rigid job on fewer GPUs than it asks for takes turns with others: its time is
 * multiplied by GPUs asked for / GPUs of the share. On more GPUs it is not
 * faster. An elastic job runs on the whole share, with the batch size it asks
 * for and at the speed of its first epoch. (In Sia's simulator the job chooses
 * its batch size.) */
double fairness_time(const struct run_result *run, const uint32_t *gpus,
                     const struct job *job, sim_span work, double active);

/* A ledger reader that computes in two ways how much time sharing cost. Neither
 * way uses the other. Both leave out start-up, lag and the writing of
 * checkpoints.
 *
 * `slowed` is the integral of (1 - relative speed) x GPUs over the time in
 * which attempts work, from the speeds in the moves.
 *
 * `rest` is (time in which an attempt works - time that its work would take on
 * its GPUs without other jobs) x GPUs. For an attempt that shared no GPU,
 * `rest` is 0 except for rounding.
 *
 * Not valid for elastic jobs, whose speed changes with their batch size. */

struct alone_segment;

struct alone {
    const struct ledger *ledger;
    uint32_t n_jobs;
    /* by job: its current segment of constant speed; NULL if no job has been
     * slowed by sharing */
    struct alone_segment *segments;
    /* by job: `rest` in GPU-microseconds, summed over its attempts; NULL: 0 for
     * all jobs */
    double *rest;
    double slowed; /* integral over all attempts, GPU-microseconds */
};

/* Starts both sums at 0. The ledger must outlive `alone`. */
void alone_init(struct alone *alone, const struct ledger *ledger,
                uint32_t n_jobs);

void alone_fini(struct alone *alone); /* accepts all zeroes */

struct ledger_reader alone_reader(struct alone *alone);

/* == facts.c */

struct column_choice; /* sim/results/columns.h */
struct provenance;
struct timeline;
/* The inputs of all results. The pointers are borrowed. */
struct results {
    const struct run_result *run;
    const struct meter *meter; /* closed by meter_close */
    /* closed by coloc_close; NULL: no GPU is shared */
    const struct coloc *coloc;
    /* NULL: the part `gpu_time` of summary.json leaves out the identity of
     * jobs */
    const struct alone *alone;
    /* closed by timeline_close; NULL: no timeline is written */
    const struct timeline *timeline;
    /* end of the simulation: the last move of a job, or the time at which a
     * limit, such as the horizon, ended the run */
    sim_time end;
    /* options and program of the run; NULL: manifest.json is written without
     * the object "provenance" */
    const struct provenance *provenance;
    /* the columns of jobs.csv to write; NULL: all */
    const struct column_choice *columns;
};

struct results results_of(const struct run_result *run,
                          const struct meter *meter);

/* How a job ended. If the job ran to its recorded end: the end that the trace
 * recorded. Otherwise: the end that the simulation gave it. */
#define OUTCOMES(X) \
    X(COMPLETED, "completed") \
    X(FAILED, "failed") \
    X(CANCELLED, "cancelled") \
    X(UNKNOWN, "unknown") \
    X(GIVEN_UP, "given-up") \
    X(REJECTED, "rejected") \
    X(UNFINISHED, "unfinished")
enum outcome {
#define OUTCOME_ENUM(name, words) OUTCOME_##name,
    OUTCOMES(OUTCOME_ENUM)
#undef OUTCOME_ENUM
        OUTCOME_N
};
const char *outcome_name(enum outcome outcome);

/* The metrics with one value per job. The array `metrics` (summary.h) says what
 * each one means. */
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

struct facts {
    const struct job *job;
    enum outcome outcome;
    uint8_t recorded; /* enum trace_end: the end that the trace recorded */
    /* GPU type of its last attempt, if results group jobs by it (--by type);
     * the number of types: the job never ran */
    uint8_t type;
    bool finished; /* true if the job ran to its recorded end */
    bool ended;    /* true if the job finished, was given up or was rejected */
    bool shared;
    uint32_t attempts, preemptions;
    /* index in the ledger; ATTEMPT_NONE: the job never started */
    uint32_t last_attempt;
    sim_time start; /* start of the first attempt; 0: none */
    /* end of the job; if the job is open: end of the run or, if it is later,
     * the submission of the job */
    sim_time end;
    sim_span duration; /* recorded running time, microseconds */
    sim_span running;  /* sum of the lengths of its attempts */
    sim_span held, queued, overhead, lost;
    /* work done, as time at rate 1. The work that was added when the job was
     * stopped (`resume`) is not included; it counts as overhead. */
    sim_span work;
    int64_t held_time; /* GPU-microseconds that its attempts held */
    int64_t profiling; /* part of held_time in profiling attempts */
    int64_t worked;    /* part of held_time outside start-up, writing and lag */
    int64_t writing;   /* part of held_time spent on writing checkpoints */
    sim_span resume; /* part of overhead: work added when the job was stopped */
    int64_t useful;  /* part of held_time that produced work which was kept */
    /* by metric: its value; NaN: not defined for the job */
    double metric[METRICS];
};

/* Reads the facts of one job after another and reuses its buffers. */
struct facts_reader {
    struct results results;
    struct gpu_slice *slices;
    size_t room;
    /* indices of the ledger's rejections, sorted by job */
    uint32_t *rejections;
    uint32_t *gpus; /* result of fairness_gpus */
};

void facts_reader_init(struct facts_reader *reader, struct results results);
void facts_reader_fini(struct facts_reader *reader);
void facts_read(struct facts_reader *reader, job_id job, struct facts *out);

/* What an attempt did, in microseconds. At rate 1 its length is idle + work. */
struct stay {
    /* `end`: the end of the run if the attempt still runs */
    sim_time start, end;
    /* time without work on its GPUs: start-up, writing of checkpoints, and the
     * lag at its end */
    sim_span idle;
    sim_span work;   /* work done, as time at rate 1 */
    sim_span resume; /* work that its stop added for later attempts */
    /* work of this or an earlier attempt that its end undid */
    sim_span lost;
};
struct stay facts_stay(const struct results *results, uint32_t attempt);

/* Returns the GPUs of an attempt. Valid until the next call. */
struct gpu_set facts_where(struct facts_reader *reader, uint32_t attempt);
sim_time facts_attempt_end(const struct results *results, uint32_t attempt);

/* Returns the rejection of a job; NULL if the job was not rejected. */
const struct rejection *facts_rejection(const struct facts_reader *reader,
                                        job_id job);

static inline sim_span facts_jct(const struct facts *f)
{
    return f->end - f->job->submitted;
}

static inline sim_span facts_wait(const struct facts *f)
{
    return f->start - f->job->submitted;
}

/* Returns the slowdown of a finished job, JCT / recorded running time. NaN if
 * the recorded time is 0. */
static inline double facts_slowdown(sim_span jct, sim_span duration)
{
    return duration > 0 ? (double)jct / (double)duration : NAN;
}

/* Returns Feitelson's bounded slowdown of a finished job with a bound of 10 s:
 * max(1, JCT / max(duration, 10 s)). */
static inline double facts_bounded_slowdown(sim_span jct, sim_span duration)
{
    const sim_span bound = 10 * SPAN_SECOND;
    double slowdown =
        (double)jct / (double)(duration > bound ? duration : bound);
    return slowdown > 1 ? slowdown : 1;
}

#endif
