/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/progress.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/check.h"

void progress_init(struct truth_book *book, const struct truth *truths,
                   const struct board *board, sim_span lag, sim_span grid)
{
    *book = (struct truth_book){
        .truths = truths,
        .left = mem_alloc(board->n_jobs * sizeof *book->left),
        .lag = lag,
        .grid = grid,
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
                                struct phase phase, double rate, sim_span limit)
{
    uint32_t seat = book->board->seat_of[job->id];
    size_t cap = book->cap_progress;
    book->progress =
        mem_grow(book->progress, &cap, seat + 1u, sizeof *book->progress);
    book->cap_progress = (uint32_t)cap;
    sim_time now = book->board->now;
    book->progress[seat] = (struct progress){
        .since = board_seat(book->board, job)->ready,
        .rate = rate,
        .phase = phase,
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

void progress_arrive(struct truth_book *book, const struct job *job,
                     sim_span left)
{
    progress_settle(book, job);
    struct progress *p = progress_of(book, job);
    p->done += (double)(book->left[job->id] - left);
    book->left[job->id] = left;
}

/* Time for so much work; the nearest on the grid, halves to the even. */
static double span_of(const struct truth_book *book, const struct progress *p,
                      sim_span work)
{
    double span = (double)work / p->rate;
    if (book->grid > 0)
        return rint(span / (double)book->grid) * (double)book->grid;
    return ceil(span);
}

sim_time progress_end(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    sim_span left = book->left[job->id];
    CHECK(p->rate > 0);
    if (p->rate == 1.0 && book->grid == 0)
        return p->since + left + book->lag;
    double span = span_of(book, p, left);
    if (span >= (double)(TIME_NEVER - p->since - book->lag))
        return TIME_NEVER;
    return p->since + (sim_span)span + book->lag;
}

sim_time progress_work_end(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    if (p->phase.until == 0)
        return TIME_NEVER;
    double span = span_of(book, p, book->left[job->id] - p->phase.until);
    if (span >= (double)(TIME_NEVER - p->since))
        return TIME_NEVER;
    return p->since + (sim_span)span;
}

sim_time progress_phase_end(const struct truth_book *book,
                            const struct job *job)
{
    sim_time end = progress_work_end(book, job);
    sim_time again = progress_of(book, job)->phase.again;
    return end < again ? end : again;
}

sim_span progress_startup(const struct truth_book *book, const struct job *job)
{
    const struct seat *seat = board_seat(book->board, job);
    sim_time now = book->board->now;
    sim_time until = now < seat->ready ? now : seat->ready;
    return until > seat->started ? until - seat->started : 0;
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
    if (now < p->since || p->rate != 1.0 || p->phase.until > 0 ||
        p->phase.again != TIME_NEVER)
        return 0;
    return now + truth_remaining(book, id, now);
}

sim_span truth_work(const struct truth_book *book, job_id job)
{
    return book->truths[job].work;
}
