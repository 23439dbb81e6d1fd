/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures and checkpoints in the progress of jobs: when a job meets the
 * failures that its trace records, and how long it has written checkpoints. */
#include "sim/base/arena.h"
#include "sim/engine/progress.h"

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
    double span =
        book->law.ops->duration(&book->law, p, book->left[job->id] - own->left);
    return progress_after(p->since, span > 0 ? span : 0, 0);
}

void progress_pass_failure(struct truth_book *book, const struct job *job)
{
    if (!book->n_passed)
        book->n_passed =
            mem_zalloc(book->board->n_jobs, sizeof *book->n_passed);
    book->n_passed[job->id]++;
}
