/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/progress.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/check.h"

void progress_init(struct truth_book *book, const struct truth *truths,
                   const struct board *board, sim_span lag)
{
    *book = (struct truth_book){
        .truths = truths,
        .left = mem_alloc(board->n_jobs * sizeof *book->left),
        .lag = lag,
        .board = board,
    };
    for (uint32_t i = 0; i < board->n_jobs; i++)
        book->left[i] = truths[i].work;
}

void progress_fini(struct truth_book *book)
{
    free(book->left);
    free(book->progress);
    *book = (struct truth_book){0};
}

struct progress *progress_of(const struct truth_book *book,
                             const struct job *job)
{
    return &book->progress[book->board->seat_of[job->id]];
}

struct progress *progress_start(struct truth_book *book, const struct job *job,
                                sim_span startup, double rate, sim_span limit)
{
    uint32_t seat = book->board->seat_of[job->id];
    size_t cap = book->cap_progress;
    book->progress =
        mem_grow(book->progress, &cap, seat + 1u, sizeof *book->progress);
    book->cap_progress = (uint32_t)cap;
    sim_time now = book->board->now;
    book->progress[seat] = (struct progress){
        .since = now + startup,
        .ready = now + startup,
        .rate = rate,
        .at_start = book->left[job->id],
        .limit = limit > 0 ? now + limit : TIME_NEVER,
        .end = EVQ_NONE,
    };
    return &book->progress[seat];
}

/* Work done in `elapsed` at a rate: exact at rate 1, otherwise the nearest
 * microsecond. */
static sim_span work_in(sim_span elapsed, double rate)
{
    return rate == 1.0 ? elapsed : (sim_span)llrint((double)elapsed * rate);
}

void progress_settle(struct truth_book *book, const struct job *job)
{
    struct progress *p = progress_of(book, job);
    sim_time now = book->board->now;
    if (now <= p->since)
        return;
    int64_t *left = &book->left[job->id];
    sim_span work = work_in(now - p->since, p->rate);
    sim_time until = now;
    if (work > *left) { /* it waits out the lag, which began in the past */
        work = *left;
        until = progress_end(book, job) - book->lag;
    }
    *left -= work;
    p->done += (double)work;
    p->since = until;
}

void progress_set_rate(struct truth_book *book, const struct job *job,
                       double rate)
{
    progress_settle(book, job);
    progress_of(book, job)->rate = rate;
}

sim_time progress_end(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    sim_span left = book->left[job->id];
    CHECK(p->rate > 0);
    if (p->rate == 1.0)
        return p->since + left + book->lag;
    double span = ceil((double)left / p->rate);
    if (span >= (double)(TIME_NEVER - p->since - book->lag))
        return TIME_NEVER;
    return p->since + (sim_span)span + book->lag;
}

sim_span progress_startup(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    sim_time start = board_seat(book->board, job)->started;
    sim_time until = book->board->now < p->ready ? book->board->now : p->ready;
    return until - start;
}

sim_span truth_remaining(const struct truth_book *book, job_id id, sim_time now)
{
    int64_t left = book->left[id];
    uint32_t seat = book->board->seat_of[id];
    if (seat == SEAT_NONE)
        return left;
    const struct progress *p = &book->progress[seat];
    if (now <= p->since)
        return left;
    sim_span work = work_in(now - p->since, p->rate);
    return work < left ? left - work : 0;
}

sim_time truth_steady_until(const struct truth_book *book, job_id id,
                            sim_time now)
{
    uint32_t seat = book->board->seat_of[id];
    if (seat == SEAT_NONE)
        return TIME_NEVER;
    const struct progress *p = &book->progress[seat];
    if (now < p->ready || p->rate != 1.0)
        return 0;
    return now + truth_remaining(book, id, now);
}

sim_span truth_work(const struct truth_book *book, job_id job)
{
    return book->truths[job].work;
}
