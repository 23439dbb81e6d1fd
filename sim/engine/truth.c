/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What base/state/truth.h offers on the progress of jobs: the work left, and
 * until when it changes steadily. */
#include "sim/engine/progress.h"

_Static_assert(offsetof(struct progress_book, truth) == 0,
               "a truth_book is the beginning of a progress_book");

sim_span progress_remaining(const struct truth_book *truth, job_id id,
                            sim_time now)
{
    const struct progress_book *book = (const void *)truth;
    uint32_t alloc = book->board->alloc_of[id];
    if (alloc == ALLOC_NONE)
        return progress_waiting(book, id);
    const struct progress *p = &book->progress[alloc];
    if (now <= p->since)
        return p->left;
    sim_span work = progress_work_in(now - p->since, p->rate);
    return work < p->left ? p->left - work : 0;
}

sim_time progress_steady_until(const struct truth_book *truth, job_id id,
                               sim_time now)
{
    const struct progress_book *book = (const void *)truth;
    uint32_t alloc = book->board->alloc_of[id];
    if (alloc == ALLOC_NONE)
        return TIME_NEVER;
    const struct progress *p = &book->progress[alloc];
    if (now < p->since || p->rate != 1.0 || p->phase.until > 0 ||
        p->phase.again != TIME_NEVER)
        return 0;
    return now + progress_remaining(truth, id, now);
}
