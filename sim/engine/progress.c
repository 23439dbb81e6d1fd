/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/progress.h"

#include <stdlib.h>

#include "base/check.h"

void progress_init(struct progress_book *book, const struct truth *truths,
                   const struct board *board, struct time_law law)
{
    *book = (struct progress_book){
        .truth = {progress_remaining, progress_steady_until},
        .truths = truths,
        .law = law,
        .board = board,
    };
}

void progress_fini(struct progress_book *book)
{
    free(book->left);
    free(book->n_passed);
    free(book->progress);
    *book = (struct progress_book){0};
}

sim_span progress_waiting(const struct progress_book *book, job_id job)
{
    if (book->board->jobs[job].state == JOB_FINISHED)
        return 0;
    return book->left ? book->left[job] : book->truths[job].work;
}

void progress_set_waiting(struct progress_book *book, job_id job, sim_span left)
{
    uint32_t n = book->board->n_jobs;
    if (!book->left) { /* allocated late, because in many runs no job stops */
        book->left = mem_alloc(n * sizeof *book->left);
        for (uint32_t i = 0; i < n; i++)
            book->left[i] = book->truths[i].work;
    }
    book->left[job] = left;
}

struct progress *progress_start(struct progress_book *book,
                                const struct job *job, sim_span limit)
{
    uint32_t alloc = book->board->alloc_of[job->id];
    sim_span left = progress_waiting(book, job->id);
    size_t cap = book->cap_progress;
    book->progress =
        mem_grow(book->progress, &cap, alloc + 1u, sizeof *book->progress);
    book->cap_progress = (uint32_t)cap;
    struct progress *p = &book->progress[alloc];
    *p = (struct progress){
        .since = book->board->allocs[alloc].ready,
        .left = left,
        .at_start = left,
        .limit = limit > 0 ? book->board->now + limit : TIME_NEVER,
        .breaks = TIME_NEVER,
        .end = EVQ_NONE,
    };
    if (book->law.ops->begin)
        book->law.ops->begin(p);
    return p;
}

void progress_end_phase(const struct progress_book *book, struct progress *p,
                        sim_span left)
{
    progress_settle(book, p);
    p->done += (double)(p->left - left);
    p->left = left;
}

void progress_finish(const struct progress_book *book, struct progress *p)
{
    progress_settle(book, p);
    if (book->law.ops->rounds)
        progress_end_phase(book, p, 0);
}

sim_time progress_end(const struct progress_book *book,
                      const struct progress *p)
{
    const struct time_law *law = &book->law;
    CHECK(p->rate > 0);
    if (law->ops->end)
        return law->ops->end(law, p);
    return progress_after(p->since, law->ops->duration(law, p, p->left),
                          time_law_config(law)->lag);
}

sim_span progress_lag(const struct progress_book *book,
                      const struct progress *p)
{
    const struct time_law_ops *law = book->law.ops;
    sim_span passed = book->board->now - p->since;
    bool idles = p->left == 0 || (law->idles && law->idles(p));
    return idles && passed > 0 ? p->idle + passed : p->idle;
}

sim_span progress_active(const struct progress_book *book,
                         const struct job *job)
{
    const struct allocation *alloc = board_allocation(book->board, job);
    sim_time now = book->board->now;
    return now - alloc->started - progress_startup(alloc, now) -
           progress_lag(book, progress_of(book, job));
}

sim_time progress_work_end(const struct progress_book *book,
                           const struct progress *p)
{
    if (p->phase.until == 0)
        return TIME_NEVER;
    sim_span work = p->left - p->phase.until;
    return progress_after(p->since,
                          book->law.ops->duration(&book->law, p, work), 0);
}

sim_time progress_phase_end(const struct progress_book *book,
                            const struct progress *p)
{
    sim_time end = progress_work_end(book, p);
    return end < p->phase.again ? end : p->phase.again;
}
