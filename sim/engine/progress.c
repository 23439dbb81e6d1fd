/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/progress.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/check.h"
#include "sim/engine/engine_internal.h"

/* Failures and checkpoints in the progress of jobs: when a job meets the
 * failures that its trace records, and how long it has written checkpoints. */

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

/* Tests rule 5 of plan.h: a policy that is asked again at the same instant
 * plans nothing but a wake. */

/* Writes the first action of a plan in words. */
static void name_action(const struct plan *plan, char *out, size_t room)
{
    const struct plan_action *a = &plan->actions[0];
    const char *kind = plan_kind_name(a->kind);
    if (a->job)
        snprintf(out, room, "%s of job %u", kind, a->job->id);
    else
        snprintf(out, room, "%s of node %u", kind, a->node);
}

enum status settle_ask(struct engine *e, struct error *err)
{
    char what[64];
    struct plan *plan = &e->plan;
    e->parts.policy.ops->decide(e->parts.policy.self, &e->view, plan);
    if (plan->broken.status != STATUS_OK)
        return error_set(err, plan->broken.status, "%s %s",
                         e->parts.policy.ops->name, plan->broken.message);
    if (plan->n_actions == 0) {
        plan_clear(plan);
        return STATUS_OK;
    }
    name_action(plan, what, sizeof what);
    return error_set(err, STATUS_BROKEN,
                     "%s at %.6f s: asked again at the same instant, it plans "
                     "%s (rule 5 of plan.h)",
                     e->parts.policy.ops->name, span_seconds(e->board.now),
                     what);
}

/* What base/state/truth.h offers on the progress of jobs: the work left, and
 * until when it changes steadily. */

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

/* The same as `steady_until` of base/state/truth.h. */
static sim_time progress_steady_until(const struct truth_book *truth, job_id id,
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
