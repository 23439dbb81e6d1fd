/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of one job, read from the ledger. The definitions that columns
 * and metrics share live here, once.
 *
 * An attempt that still runs when the simulation ends is counted until then,
 * which is the horizon. */
#ifndef SIM_FACTS_H
#define SIM_FACTS_H

#include "sim/company.h"
#include "sim/fairness.h"
#include "sim/gauge.h"
#include "sim/run.h"

/* What all results are computed from. */
struct provenance;
struct results {
    const struct run_result *run;
    const struct gauge *gauge;     /* closed */
    const struct company *company; /* closed; NULL: nobody shares a GPU */
    sim_time end; /* of the simulation: the last move of a job, or the horizon
                     if it came before */
    const struct provenance *provenance; /* NULL: manifest.json has none */
};

struct results results_of(const struct run_result *run,
                          const struct gauge *gauge);

/* How a job ended, for the rows of a summary: as the trace recorded it if it
 * ran to its recorded end, otherwise what the simulation made of it. */
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

struct facts {
    const struct job *job;
    enum outcome outcome;
    uint8_t recorded; /* enum trace_end: how it ended in the trace */
    bool finished;    /* ran to its recorded end */
    bool ended;       /* finished, given up or rejected */
    bool shared;
    uint32_t attempts, preemptions;
    uint32_t last_attempt; /* ATTEMPT_NONE: never started */
    sim_time start;        /* of the first attempt */
    sim_time end;          /* of the job; if it has not ended, of the run */
    sim_span duration;     /* recorded running time */
    sim_span running;      /* sum of the lengths of its attempts */
    sim_span held, queued, overhead, lost;
    sim_span work;     /* done, as time at rate 1; what stops added is not
                          work but overhead */
    int64_t held_time; /* GPU-microseconds its attempts held */
    int64_t profiling; /* of that, in profiling attempts */
    int64_t useful;    /* of that, what gave work that was kept */
    double load;       /* of its virtual cluster, mean over its life: GPUs asked
                          for by active jobs / GPUs */
    double fair;       /* see fairness_time; of a finished job only */
};

/* Reads facts; reuses buffers. */
struct facts_reader {
    struct results results;
    struct gpu_slice *slices;
    size_t room;
    uint32_t *rejections; /* numbers of rejections, by job */
    uint32_t *gpus;       /* see fairness_gpus */
};

void facts_reader_init(struct facts_reader *reader, struct results results);
void facts_reader_fini(struct facts_reader *reader);
void facts_read(struct facts_reader *reader, job_id job, struct facts *out);

/* Who is shown the facts of each job in turn by whoever reads them: to read
 * them twice takes time, to keep them memory. */
struct facts_watcher {
    void (*see)(void *self, const struct facts *facts); /* NULL: nobody */
    void *self;
};

/* What came of an attempt. At rate 1 its length is idle + work. */
struct stay {
    sim_time start, end; /* one that still runs: the end of the run */
    sim_span idle;   /* it held its GPUs and did no work: start-up, and the lag
                        at its end */
    sim_span work;   /* done, as time at rate 1 */
    sim_span resume; /* work that its stop added, for later attempts */
    sim_span lost;   /* work that its end undid, its own or an earlier one's */
};
struct stay facts_stay(const struct results *results, uint32_t attempt);

/* GPUs of an attempt: valid until the next call. */
struct gpu_set facts_where(struct facts_reader *reader, uint32_t attempt);
sim_time facts_attempt_end(const struct results *results, uint32_t attempt);

/* Reason of a rejection; NULL if the job was not rejected. */
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

/* False: not defined, because nothing ran or the recorded time is 0. */
static inline bool facts_slowdown(const struct facts *f, double *out)
{
    if (!f->finished || f->duration <= 0)
        return false;
    *out = (double)facts_jct(f) / (double)f->duration;
    return true;
}

/* Feitelson's bounded slowdown, 10 s: max(1, JCT / max(duration, 10 s)). */
static inline double facts_bounded_slowdown(const struct facts *f)
{
    const sim_span bound = 10 * SPAN_SECOND;
    sim_span base = f->duration > bound ? f->duration : bound;
    double slowdown = (double)facts_jct(f) / (double)base;
    return slowdown > 1 ? slowdown : 1;
}

/* JCT over what it would be if GPUs were shared out by GPUs asked for. */
static inline bool facts_slowdown_by_load(const struct facts *f, double *out)
{
    if (!facts_slowdown(f, out) || f->load < 0)
        return false;
    if (f->load > 1)
        *out /= f->load;
    return true;
}

/* Finish-time fairness, see sim/fairness.h. */
static inline bool facts_rho(const struct facts *f, double *out)
{
    if (!f->finished || !(f->fair > 0))
        return false;
    *out = (double)facts_jct(f) / f->fair;
    return true;
}

#endif
