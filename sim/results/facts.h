/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of one job, read from the ledger. Holds the definitions that
 * several columns and metrics use. An attempt that still runs when the
 * simulation ends (at a limit, such as the horizon) is counted up to that
 * end. */
#ifndef SIM_FACTS_H
#define SIM_FACTS_H

#include <math.h>

#include "sim/results/coloc.h"
#include "sim/results/fairness.h"
#include "sim/results/meter.h"
#include "sim/run/run.h"

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
