/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/progress.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/check.h"

void progress_init(struct truth_book *book, const struct truth *truths,
                   const struct board *board, sim_span lag, sim_span grid,
                   bool counts_down)
{
    *book = (struct truth_book){
        .truths = truths,
        .left = mem_alloc(board->n_jobs * sizeof *book->left),
        .lag = lag,
        .counts_down = counts_down,
        .grid = grid,
        .board = board,
    };
    for (uint32_t i = 0; i < board->n_jobs; i++)
        book->left[i] = truths[i].work;
}

void progress_fini(struct truth_book *book)
{
    free(book->left);
    free(book->n_passed);
    free(book->progress);
    *book = (struct truth_book){0};
}

struct progress *progress_start(struct truth_book *book, const struct job *job,
                                sim_span limit)
{
    uint32_t alloc = book->board->alloc_of[job->id];
    size_t cap = book->cap_progress;
    book->progress =
        mem_grow(book->progress, &cap, alloc + 1u, sizeof *book->progress);
    book->cap_progress = (uint32_t)cap;
    sim_time now = book->board->now;
    book->progress[alloc] = (struct progress){
        .since = board_allocation(book->board, job)->ready,
        .at_start = book->left[job->id],
        .limit = limit > 0 ? now + limit : TIME_NEVER,
        .remain = span_seconds(book->left[job->id]),
        .working = 1,
        .breaks = TIME_NEVER,
        .end = EVQ_NONE,
    };
    return &book->progress[alloc];
}

/* Work done in `elapsed` at a rate: exact at rate 1, otherwise the nearest
 * microsecond. */
static sim_span work_in(sim_span elapsed, double rate)
{
    return rate == 1.0 ? elapsed : (sim_span)llrint((double)elapsed * rate);
}

uint64_t progress_count_down(double *remain, double rate, uint64_t most)
{
    double r = *remain;
    uint64_t n = 0;
    int exponent;
    while (n < most && r > 0) {
        double next = r - rate, step = r - next;
        /* All doubles between `low` and 2 * `low` are `unit` apart, so each
         * subtraction takes an equal step, except at ties. */
        frexp(r, &exponent);
        double low = ldexp(0.5, exponent), unit = ldexp(1, exponent - 53);
        double units = rate / unit, many = floor((r - low) / step) - 1;
        CHECK(next < r);
        if (many < 2 || units - floor(units) == 0.5) {
            r = next;
            n++;
            continue;
        }
        if (many > (double)(most - n))
            many = (double)(most - n);
        r -= many * step;
        n += (uint64_t)many;
    }
    *remain = r;
    return n;
}

static bool counts_down(const struct truth_book *book, const struct progress *p)
{
    return book->counts_down && p->limit == TIME_NEVER;
}

static void settle_counting(struct truth_book *book, struct progress *p,
                            const struct job *job)
{
    int64_t *left = &book->left[job->id];
    uint64_t seconds = (uint64_t)((book->board->now - p->since) / SPAN_SECOND);
    if (seconds == 0)
        return; /* the caller may have set what is left since the last second */
    progress_count_down(&p->remain, p->rate, seconds);
    sim_span rest = p->remain > 0 ? span_from_seconds(p->remain) : 0;
    sim_span passed = (sim_span)seconds * SPAN_SECOND, work = *left - rest;
    if (rest == 0)
        p->idle += passed - (sim_span)llrint((double)work / p->rate);
    p->done += (double)work;
    *left = rest;
    p->since += passed;
}

void progress_settle(struct truth_book *book, const struct job *job)
{
    struct progress *p = progress_of(book, job);
    sim_time now = book->board->now;
    if (now <= p->since)
        return;
    if (counts_down(book, p)) {
        settle_counting(book, p, job);
        return;
    }
    int64_t *left = &book->left[job->id];
    sim_span work = work_in(now - p->since, p->rate);
    sim_time until = now;
    if (work > *left || book->grid > 0) {
        /* the job may be in its end lag, which began in the past */
        sim_time done = progress_end(book, job) - book->lag;
        if (work > *left || done <= now) {
            work = *left;
            until = done;
        }
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

/* Time needed for `work`, rounded to the nearest multiple of the grid, halves
 * to even. */
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
    if (counts_down(book, p)) {
        double remain = p->remain;
        uint64_t n = progress_count_down(&remain, p->rate, UINT32_MAX);
        return p->since + (sim_span)(n + 1) * SPAN_SECOND;
    }
    if (p->rate == 1.0 && book->grid == 0)
        return p->since + left + book->lag;
    double span = span_of(book, p, left);
    if (span >= (double)(TIME_NEVER - p->since - book->lag))
        return TIME_NEVER;
    return p->since + (sim_span)span + book->lag;
}

bool progress_is_done(const struct truth_book *book, const struct job *job)
{
    return book->left[job->id] == 0 &&
           book->board->now >= progress_of(book, job)->since;
}

sim_span progress_lag(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    sim_span passed = book->board->now - p->since;
    bool idles = counts_down(book, p) || book->left[job->id] == 0;
    return idles && passed > 0 ? p->idle + passed : p->idle;
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
    const struct allocation *alloc = board_allocation(book->board, job);
    sim_time now = book->board->now;
    sim_time until = now < alloc->ready ? now : alloc->ready;
    return until > alloc->started ? until - alloc->started : 0;
}

sim_span progress_writing(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    const struct allocation *alloc = board_allocation(book->board, job);
    sim_time from =
        alloc->ready > alloc->started ? alloc->ready : alloc->started;
    sim_span active = p->since - from;
    if (p->working == 1.0 || active <= 0)
        return 0;
    return (sim_span)llrint((double)active * (1 - p->working));
}

const struct own_failure *progress_own_failure(const struct truth_book *book,
                                               const struct job *job)
{
    const struct truth *truth = &book->truths[job->id];
    uint32_t passed = book->n_passed ? book->n_passed[job->id] : 0;
    return passed < truth->n_failures
               ? &book->own_failures[truth->first_failure + passed]
               : NULL;
}

sim_time progress_own_failure_at(const struct truth_book *book,
                                 const struct job *job)
{
    const struct own_failure *own = progress_own_failure(book, job);
    const struct progress *p = progress_of(book, job);
    if (!own)
        return TIME_NEVER;
    double span = span_of(book, p, book->left[job->id] - own->left);
    if (span >= (double)(TIME_NEVER - p->since))
        return TIME_NEVER;
    return p->since + (sim_span)(span > 0 ? span : 0);
}

void progress_pass_failure(struct truth_book *book, const struct job *job)
{
    if (!book->n_passed)
        book->n_passed =
            mem_zalloc(book->board->n_jobs, sizeof *book->n_passed);
    book->n_passed[job->id]++;
}

sim_span truth_remaining(const struct truth_book *book, job_id id, sim_time now)
{
    int64_t left = book->left[id];
    uint32_t alloc = book->board->alloc_of[id];
    if (alloc == ALLOC_NONE)
        return left;
    const struct progress *p = &book->progress[alloc];
    if (now <= p->since)
        return left;
    sim_span work = work_in(now - p->since, p->rate);
    return work < left ? left - work : 0;
}

sim_time truth_steady_until(const struct truth_book *book, job_id id,
                            sim_time now)
{
    uint32_t alloc = book->board->alloc_of[id];
    if (alloc == ALLOC_NONE)
        return TIME_NEVER;
    const struct progress *p = &book->progress[alloc];
    if (now < p->since || p->rate != 1.0 || p->phase.until > 0 ||
        p->phase.again != TIME_NEVER)
        return 0;
    return now + truth_remaining(book, id, now);
}
