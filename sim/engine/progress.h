/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rate x time = work: how far each job has come and when it will end. The one
 * place that adds up work. Work is kept in whole microseconds; at rate 1 all of
 * this is exact.
 *
 * With counts_down set, it follows Lucid's simulator instead: each second after
 * the start takes `rate` from a double of seconds, and the job ends at the
 * second that finds the double at 0 or below. Profiling is timed as always. */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stdbool.h>

#include "models/elastic/throughput.h"
#include "sim/state/board.h"
#include "sim/state/evq.h"
#include "sim/state/truth.h"

/* Progress of a running attempt; parallel to board->allocs. */
struct progress {
    sim_time since;     /* settled up to here; not before work begins      */
    double rate;        /* work per time since `since`                     */
    struct phase phase; /* of the job alone; `rate` includes interference */
    double done;        /* work of this attempt up to `since`              */
    sim_span at_start;  /* work left when the attempt began               */
    sim_time limit;     /* end of profiling, TIME_NEVER if not profiling   */
    double remain;      /* seconds at `since`, if work is counted down     */
    sim_span idle; /* time on GPUs after the work was done, up to `since` */
    /* Time that goes to work, the rest going to writing checkpoints; 1: none is
     * written, or writing takes no time. `rate` counts it too. */
    double working;
    sim_time breaks;    /* when it fails by a hidden fault; TIME_NEVER: not */
    uint32_t broken_by; /* number of that fault in the ledger */
    node_id broken_on;  /* its node */
    evq_handle end;
};

struct truth_book {
    const struct truth *truths;
    int64_t *left; /* by job: work left when last settled */
    const struct own_failure *own_failures; /* of all jobs */
    uint16_t *n_passed; /* by job: its own failures so far; NULL: none yet */
    struct progress *progress;
    uint32_t cap_progress;
    sim_span lag;  /* GPUs are held this long after the work is done */
    sim_span grid; /* phases of work end on the multiple of this after their
                      beginning that is nearest; 0: exactly */
    bool counts_down;
    const struct board *board;
};

void progress_init(struct truth_book *book, const struct truth *truths,
                   const struct board *board, sim_span lag, sim_span grid,
                   bool counts_down);
void progress_fini(struct truth_book *book);

/* Begins an attempt. The job has just got its allocation, whose `ready` is set.
 * The caller sets phase and rate. */
struct progress *progress_start(struct truth_book *book, const struct job *job,
                                sim_span limit);
static inline struct progress *progress_of(const struct truth_book *book,
                                           const struct job *job)
{
    return &book->progress[book->board->alloc_of[job->id]];
}
/* Brings `left` and `done` up to now. */
void progress_settle(struct truth_book *book, const struct job *job);
/* Settles, then sets the rate at which the job works from now on. */
void progress_set_rate(struct truth_book *book, const struct job *job,
                       double rate);
/* Time at which the phase of the job ends; TIME_NEVER if it lasts until the
 * end. */
sim_time progress_phase_end(const struct truth_book *book,
                            const struct job *job);
/* Time at which the work of the phase will be done, whatever else may end the
 * phase before. */
sim_time progress_work_end(const struct truth_book *book,
                           const struct job *job);
/* Settles at the very end of a phase or of the job: sets what is left to
 * exactly `left`, because rounding may have made it differ. */
void progress_arrive(struct truth_book *book, const struct job *job,
                     sim_span left);
/* Time at which the work is done and the GPUs come free; TIME_NEVER if that is
 * beyond the clock. */
sim_time progress_end(const struct truth_book *book, const struct job *job);
/* True if all work of the job is done and it holds its GPUs only for the end
 * lag. The job must be settled now. */
bool progress_is_done(const struct truth_book *book, const struct job *job);
/* Time for which the job has held its GPUs without working, start-up not
 * included: after its work was done and, if work is counted down, in a second
 * that is not counted yet. The job must be settled now. */
sim_span progress_lag(const struct truth_book *book, const struct job *job);
/* Subtracts `rate` from *remain until it is at or below 0, at most `most`
 * times; returns how often. The result equals single subtractions to the last
 * bit. */
uint64_t progress_count_down(double *remain, double rate, uint64_t most);
/* Time in which the current attempt wrote checkpoints by now. The job must be
 * settled now. */
sim_span progress_writing(const struct truth_book *book, const struct job *job);
/* The next failure of the job's own; NULL if it has none left. */
const struct own_failure *progress_own_failure(const struct truth_book *book,
                                               const struct job *job);
/* Time at which the job reaches its next own failure; TIME_NEVER if it has
 * none left. */
sim_time progress_own_failure_at(const struct truth_book *book,
                                 const struct job *job);
/* The job has met its next own failure, which will not happen again. */
void progress_pass_failure(struct truth_book *book, const struct job *job);
/* Start-up time that the current attempt has served by now. */
sim_span progress_startup(const struct truth_book *book, const struct job *job);

#endif
