/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rate x time = work: how far each job has come and when it will end. The one
 * place that adds up work. Work is kept in whole microseconds; at rate 1 all
 * of this is exact.
 *
 * Told to count down, it follows Lucid's simulator instead: each second after
 * the start takes `rate` from a double of seconds, and the second that finds it
 * at 0 or below is the end. Profiling is timed as always. */
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stdbool.h>

#include "models/throughput.h"
#include "sim/board.h"
#include "sim/evq.h"
#include "sim/truth.h"

/* Of a running attempt; parallel to the board's seats. */
struct progress {
    sim_time since;     /* settled up to here; not before work begins      */
    double rate;        /* work per time since `since`                     */
    struct phase phase; /* what the job does alone; rate is its and that of
                           its company */
    double done;        /* work of this attempt up to `since`              */
    sim_span at_start;  /* work left when the attempt began               */
    sim_time limit;     /* end of profiling, TIME_NEVER if not profiling   */
    double remain;      /* seconds at `since`, if work is counted down     */
    sim_span idle;      /* after its work was done, up to `since`          */
    evq_handle end;
};

struct truth_book {
    const struct truth *truths;
    int64_t *left; /* by job: work left when last settled */
    struct progress *progress;
    uint32_t cap_progress;
    sim_span lag;  /* GPUs are held this long after the work is done */
    sim_span grid; /* phases of work end on multiples of this behind their
                      beginning, the nearest; 0: exactly */
    bool counts_down;
    const struct board *board;
};

void progress_init(struct truth_book *book, const struct truth *truths,
                   const struct board *board, sim_span lag, sim_span grid,
                   bool counts_down);
void progress_fini(struct truth_book *book);

/* The job has just been seated, and its seat knows when it will be ready. Its
 * phase and its rate are the caller's to set. */
struct progress *progress_start(struct truth_book *book, const struct job *job,
                                sim_span limit);
static inline struct progress *progress_of(const struct truth_book *book,
                                           const struct job *job)
{
    return &book->progress[book->board->seat_of[job->id]];
}
/* Brings `left` and `done` up to now. */
void progress_settle(struct truth_book *book, const struct job *job);
/* Settles; from now on the job works at this rate. */
void progress_set_rate(struct truth_book *book, const struct job *job,
                       double rate);
/* When its phase will end; TIME_NEVER if it lasts until the end. */
sim_time progress_phase_end(const struct truth_book *book,
                            const struct job *job);
/* When the work of its phase will be done, whenever else it ends. */
sim_time progress_work_end(const struct truth_book *book,
                           const struct job *job);
/* Settles at the very end of a phase or of the job: what is left is exactly
 * `left`, whatever rounding made of it. */
void progress_arrive(struct truth_book *book, const struct job *job,
                     sim_span left);
/* When its work will be done and its GPUs come free; TIME_NEVER beyond the
 * clock. */
sim_time progress_end(const struct truth_book *book, const struct job *job);
/* Whether all its work is done, and only the lag is left of its time on the
 * GPUs; of a job that is settled now. */
bool progress_is_done(const struct truth_book *book, const struct job *job);
/* For how long it has held its GPUs without working, but for its start-up:
 * after its work was done and, if that is counted down, in a second that has
 * not been counted yet. Likewise. */
sim_span progress_lag(const struct truth_book *book, const struct job *job);
/* Takes `rate` from *remain, once and again, until it is at or below 0 or that
 * was done `most` times; returns how often. What comes out is what single
 * subtractions give, to the last bit. */
uint64_t progress_count_down(double *remain, double rate, uint64_t most);
/* Start-up time served by now by the current attempt. */
sim_span progress_startup(const struct truth_book *book, const struct job *job);

#endif
