/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of running jobs: how much work each has done and when it will end.
 * Work is rate x time, in microseconds, and is added up only here. The law of
 * time (time_law.h) says how time becomes work. */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <math.h>
#include <stdbool.h>

#include "base/state/board.h"
#include "base/state/evq.h"
#include "base/state/truth.h"
#include "models/elastic/throughput.h"
#include "models/failures/overhead.h"
#include "sim/engine/time_law.h"

/* Progress of a running attempt. It has the index of the attempt's allocation
 * in board->allocs. */
struct progress {
    /* work is settled up to this time; before the first settling, the end of
     * start-up */
    sim_time since;
    sim_span left; /* work left at `since`, us */
    double rate;   /* work per time from `since` on; > 0 */
    /* speed of the job alone; `rate` also includes interference and the writing
     * of checkpoints */
    struct phase phase;
    double done;       /* work that the attempt did up to `since`, us */
    sim_span at_start; /* work left when the attempt began, us */
    sim_time limit;    /* end of profiling; TIME_NEVER: not profiled */
    /* for the law `countdown`: seconds of work left at `since` */
    double countdown;
    sim_span idle; /* time on GPUs without work, up to `since`, start-up not
                    * included */
    /* When the attempt writes checkpoints. `rate` includes the writing, as if
     * it were spread evenly over the work. */
    struct checkpoints checkpoints;
    sim_time breaks;    /* time of the failure by a hidden fault; TIME_NEVER:
                         * none */
    uint32_t broken_by; /* number of the hidden fault in the ledger */
    node_id broken_on;  /* node of the hidden fault */
    evq_handle end; /* event that ends the attempt or its phase; EVQ_NONE: none
                     * is queued */
    /* While a plan is committed that starts the job again: that start. */
    const struct plan_action *restart;
    uint64_t
        renewal; /* number of the renewal of rates that looked at it last */
};

struct progress_book {
    struct truth_book truth; /* must be the first member (progress.c) */
    const struct truth *truths;
    /* By job: work left while the job does not run, us. NULL: each of these
     * jobs has all the work of its truth left. */
    sim_span *left;
    /* recorded failures of all jobs; NULL: no job fails by itself */
    const struct own_failure *own_failures;
    /* by job: number of recorded failures met so far; NULL: no job has met
     * one */
    uint16_t *n_passed;
    struct progress *progress;
    uint32_t cap_progress;
    struct time_law law;
    const struct board *board;
};

/* Makes the book; no attempt runs yet. `truths` and `board` are borrowed for
 * the life of the book. */
void progress_init(struct progress_book *book, const struct truth *truths,
                   const struct board *board, struct time_law law);
void progress_fini(struct progress_book *book);

/* Returns the work left of a job at `now`, us, whether it runs or not. */
sim_span progress_remaining(const struct truth_book *book, job_id job,
                            sim_time now);
/* Returns the work left of a job that does not run, us. */
sim_span progress_waiting(const struct progress_book *book, job_id job);
/* Sets the work left of a job that does not run, us. */
void progress_set_waiting(struct progress_book *book, job_id job,
                          sim_span left);
/* Begins the progress of an attempt. The job has just got its allocation, whose
 * `ready` is set. `limit`: longest time of profiling, us; 0: the job is not
 * profiled. The caller sets phase, rate and checkpoints. The pointer is valid
 * until the next call. */
struct progress *progress_start(struct progress_book *book,
                                const struct job *job, sim_span limit);
static inline struct progress *progress_of(const struct progress_book *book,
                                           const struct job *job)
{
    return &book->progress[book->board->alloc_of[job->id]];
}
/* Updates the work done and the work left of the attempt to the present. */
static inline void progress_settle(const struct progress_book *book,
                                   struct progress *p)
{
    if (book->board->now > p->since)
        book->law.ops->settle(&book->law, p, book->board->now);
}
/* Returns the work of a settled attempt since its last checkpoint, us. */
static inline sim_span progress_unsaved(const struct progress *p)
{
    const sim_span done = p->at_start - p->left,
                   interval = p->checkpoints.interval;
    return interval > 0 ? done % interval : done;
}
/* Returns the time at which the phase of the attempt ends; TIME_NEVER if it
 * lasts until the job ends. */
sim_time progress_phase_end(const struct progress_book *book,
                            const struct progress *p);
/* Returns the time at which the work of the phase will be done, even if the
 * phase ends earlier for another reason; TIME_NEVER if it lasts until the job
 * ends. */
sim_time progress_work_end(const struct progress_book *book,
                           const struct progress *p);
/* Settles at the end of a phase. Sets the work left to exactly `left`, because
 * rounding may have made it differ. */
void progress_end_phase(const struct progress_book *book, struct progress *p,
                        sim_span left);
/* Settles at the end of the job. If the law of time rounds ends, work that is
 * left counts as done. */
void progress_finish(const struct progress_book *book, struct progress *p);
/* Returns the time at which the work is done and the GPUs come free; TIME_NEVER
 * if that is beyond the largest time. */
sim_time progress_end(const struct progress_book *book,
                      const struct progress *p);
/* True if all work of the attempt is done and it holds its GPUs only for the
 * lag of the law of time. It must have been settled at this instant. */
static inline bool progress_is_done(const struct progress_book *book,
                                    const struct progress *p)
{
    return p->left == 0 && book->board->now >= p->since;
}
/* Returns the time for which the attempt has held its GPUs but has neither
 * worked nor written checkpoints, start-up not included. It must have been
 * settled at this instant. */
sim_span progress_lag(const struct progress_book *book,
                      const struct progress *p);
/* Returns the time for which the attempt has worked or written checkpoints. It
 * must have been settled at this instant. */
sim_span progress_active(const struct progress_book *book,
                         const struct job *job);
/* True if the attempt spends time on writing checkpoints. */
static inline bool progress_writes(const struct progress *p)
{
    return p->checkpoints.interval > 0 && p->checkpoints.write > 0;
}
/* Returns the rate of an attempt with the time for writing checkpoints
 * included. `rate`: work per time while the attempt writes no checkpoint. */
double progress_rate(const struct progress *p, double rate);
/* Returns the time that the attempt has spent on writing checkpoints. It must
 * have been settled at this instant. */
sim_span progress_writing(const struct progress *p);
/* Returns the next failure that the trace records for the job; NULL if none is
 * left. */
const struct own_failure *progress_own_failure(const struct progress_book *book,
                                               const struct job *job);
/* Returns the time at which the job reaches its next recorded failure;
 * TIME_NEVER if none is left. */
sim_time progress_own_failure_at(const struct progress_book *book,
                                 const struct job *job);
/* Marks the next recorded failure of the job as met, so that it does not happen
 * again. */
void progress_pass_failure(struct progress_book *book, const struct job *job);
/* Returns the start-up time that the attempt has served by now. */
static inline sim_span progress_startup(const struct allocation *alloc,
                                        sim_time now)
{
    sim_time until = now < alloc->ready ? now : alloc->ready;
    /* a job that has moved to other GPUs started after it was ready */
    return until > alloc->started ? until - alloc->started : 0;
}

/* Returns the work done in `elapsed` at a rate: exact at rate 1, otherwise
 * rounded to the nearest microsecond. */
static inline sim_span progress_work_in(sim_span elapsed, double rate)
{
    return rate == 1.0 ? elapsed : (sim_span)llrint((double)elapsed * rate);
}
/* Returns since + duration + lag; TIME_NEVER if that is beyond the largest
 * time. */
static inline sim_time progress_after(sim_time since, double duration,
                                      sim_span lag)
{
    return duration >= (double)(TIME_NEVER - since - lag)
               ? TIME_NEVER
               : since + (sim_span)duration + lag;
}

#endif
