/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures and checkpoints in the progress of jobs: when a job meets the
 * failures that its trace records, and how long it has written checkpoints. */
#include "base/arena.h"
#include "sim/engine/progress.h"

double progress_rate(const struct progress *p, double rate)
{
    struct checkpoints c = p->checkpoints;
    if (!progress_writes(p))
        return rate;
    double interval = (double)c.interval;
    return rate * (interval / (interval + rate * (double)c.write));
}

sim_span progress_writing(const struct progress *p)
{
    struct checkpoints c = p->checkpoints;
    if (!progress_writes(p))
        return 0;
    return (sim_span)llrint(p->done * ((double)c.write / (double)c.interval));
}

const struct own_failure *progress_own_failure(const struct progress_book *book,
                                               const struct job *job)
{
    const struct truth *truth = &book->truths[job->id];
    uint32_t passed = book->n_passed ? book->n_passed[job->id] : 0;
    return passed < truth->n_failures
               ? &book->own_failures[truth->first_failure + passed]
               : NULL;
}

sim_time progress_own_failure_at(const struct progress_book *book,
                                 const struct job *job)
{
    const struct own_failure *own = progress_own_failure(book, job);
    const struct progress *p = progress_of(book, job);
    if (!own)
        return TIME_NEVER;
    double span = book->law.ops->duration(&book->law, p, p->left - own->left);
    return progress_after(p->since, span > 0 ? span : 0, 0);
}

void progress_pass_failure(struct progress_book *book, const struct job *job)
{
    if (!book->n_passed)
        book->n_passed =
            mem_zalloc(book->board->n_jobs, sizeof *book->n_passed);
    book->n_passed[job->id]++;
}
