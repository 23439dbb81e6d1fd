/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nices by which the order of Slurm becomes that of a plan. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/drive/drive_internal.h"

/* A record of Slurm in the order of the plan. */
struct nice_row {
    const struct drive_job *job;
    int64_t base; /* its priority without any nice */
    int64_t was, want;
    bool capped;
};

static int64_t nice_of_owner(const struct drive_book *book,
                             const struct drive_job *job)
{
    const struct drive_entry *entry = drive_book_find(book, job->id);
    return entry && entry->has_nice && entry->nice_set == job->nice
               ? entry->nice_was
               : job->nice;
}

/* Fills the rows: the waiting records in scope, each once, in the order of the
 * plan. Returns their number. */
static size_t nice_rows(const struct drive_plan *plan,
                        const struct state *state, struct drive_jobs *jobs,
                        const struct drive_book *book, struct nice_row *rows)
{
    bool *taken = mem_zalloc(jobs->n + 1, sizeof *taken);
    size_t n = 0;
    for (size_t i = 0; i < plan->n_order; i++) {
        const struct drive_job *job =
            drive_jobs_find(jobs, state->jobs[plan->order[i]].id);
        if (!job || taken[job - jobs->at] || !job->pending || !job->free ||
            !job->in_scope || job->is_part)
            continue;
        taken[job - jobs->at] = true;
        rows[n++] = (struct nice_row){
            .job = job,
            .base = (int64_t)job->priority + job->nice,
            .was = nice_of_owner(book, job),
        };
    }
    free(taken);
    return n;
}

/* Gives each row the smallest nice with which its priority is below that of the
 * row before it. */
static void nice_wants(struct nice_row *rows, size_t n, uint32_t most)
{
    int64_t before = INT64_MAX / 2;
    for (size_t i = 0; i < n; i++) {
        struct nice_row *row = &rows[i];
        /* a priority below 1 is held */
        const int64_t cap =
            row->base - 1 < row->was + most ? row->base - 1 : row->was + most;
        row->want = row->base - before + 1;
        if (row->want < row->was)
            row->want = row->was;
        row->capped = row->want > cap;
        if (row->capped)
            row->want = cap > row->was ? cap : row->was;
        if (row->base - row->want < before)
            before = row->base - row->want;
    }
}

void drive_nice_acts(const struct drive_options *options,
                     const struct drive_plan *plan, const struct state *state,
                     struct drive_jobs *jobs, const struct drive_book *book,
                     struct drive_acts *acts, uint32_t *n_capped)
{
    struct nice_row *rows = mem_alloc((plan->n_order + 1) * sizeof *rows);
    const size_t n = nice_rows(plan, state, jobs, book, rows);
    char why[256];
    bool ordered = true;
    *n_capped = 0;
    for (size_t i = 1; i < n; i++)
        ordered &= rows[i].job->priority < rows[i - 1].job->priority;
    nice_wants(rows, n, options->nice_max);
    for (size_t i = 0; i < n && !ordered; i++) {
        *n_capped += rows[i].capped;
        if (rows[i].want == rows[i].job->nice)
            continue;
        snprintf(why, sizeof why,
                 "from %" PRId64 " to %" PRId64 ": %.60s starts it as number "
                 "%zu of %zu%s",
                 rows[i].job->nice, rows[i].want, plan->policy, i + 1, n,
                 rows[i].capped ? "; more is not allowed (--nice-max)" : "");
        drive_acts_add(acts, DRIVE_NICE, rows[i].job->id, rows[i].want, why);
    }
    free(rows);
}
