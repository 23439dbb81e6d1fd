/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/progress.h"

#include <stdlib.h>

#include "sim/base/check.h"

void progress_init(struct truth_book *book, const struct truth *truths,
                   const struct board *board, struct time_law law)
{
    *book = (struct truth_book){
        .truths = truths,
        .left = mem_alloc(board->n_jobs * sizeof *book->left),
        .law = law,
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
    struct progress *p = &book->progress[alloc];
    *p = (struct progress){
        .since = board_allocation(book->board, job)->ready,
        .at_start = book->left[job->id],
        .limit = limit > 0 ? book->board->now + limit : TIME_NEVER,
        .breaks = TIME_NEVER,
        .end = EVQ_NONE,
    };
    if (book->law.ops->begin)
        book->law.ops->begin(p, book->left[job->id]);
    return p;
}

void progress_settle(struct truth_book *book, const struct job *job)
{
    struct progress *p = progress_of(book, job);
    if (book->board->now > p->since)
        book->law.ops->settle(&book->law, p, &book->left[job->id],
                              book->board->now);
}

void progress_end_phase(struct truth_book *book, const struct job *job,
                        sim_span left)
{
    progress_settle(book, job);
    progress_of(book, job)->done += (double)(book->left[job->id] - left);
    book->left[job->id] = left;
}

void progress_finish(struct truth_book *book, const struct job *job)
{
    progress_settle(book, job);
    if (book->law.ops->rounds)
        progress_end_phase(book, job, 0);
}

sim_time progress_end(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    const struct time_law *law = &book->law;
    sim_span left = book->left[job->id];
    CHECK(p->rate > 0);
    if (law->ops->end)
        return law->ops->end(law, p, left);
    return progress_after(p->since, law->ops->duration(law, p, left),
                          time_law_config(law)->lag);
}

sim_span progress_lag(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    const struct time_law_ops *law = book->law.ops;
    sim_span passed = book->board->now - p->since;
    bool idles = book->left[job->id] == 0 || (law->idles && law->idles(p));
    return idles && passed > 0 ? p->idle + passed : p->idle;
}

sim_span progress_active(const struct truth_book *book, const struct job *job)
{
    sim_span held =
        book->board->now - board_allocation(book->board, job)->started;
    return held - progress_startup(book, job) - progress_lag(book, job);
}

sim_time progress_work_end(const struct truth_book *book, const struct job *job)
{
    const struct progress *p = progress_of(book, job);
    if (p->phase.until == 0)
        return TIME_NEVER;
    sim_span work = book->left[job->id] - p->phase.until;
    return progress_after(p->since,
                          book->law.ops->duration(&book->law, p, work), 0);
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
