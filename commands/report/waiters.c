/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the jobs of a run that waited longest, and why they waited. */
#include "commands/report/report_internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/verify/verify_csv.h"

enum { W_USER, W_NAME, W_CELLS };
static const char *const waiters_cell_names[W_CELLS] = {"user", "name"};

/* The state of reading the users and names of the listed jobs. */
struct naming {
    const struct verify_data *data;
    struct waiters *waiters;
    /* by job: its place in the list; NULL: the job is not in the list */
    struct waiter **by_job;
    size_t row;
};

static void read_names(struct verify_csv *csv, void *self)
{
    struct naming *n = self;
    struct arena *arena = &n->waiters->arena;
    struct waiter *w = n->row < n->data->n_jobs ? n->by_job[n->row] : NULL;
    n->row++;
    if (!w)
        return;
    const struct text user = verify_csv_cell(csv, W_USER);
    const struct text name = verify_csv_cell(csv, W_NAME);
    w->user = arena_copy(arena, user.at, user.len);
    w->name = arena_copy(arena, name.at, name.len);
}

static enum status name_jobs(const struct report_run *run,
                             struct waiters *waiters, struct error *err)
{
    char path[PATH_MAX];
    const struct verify_data *d = &run->data;
    struct naming naming = {
        .data = d,
        .waiters = waiters,
        .by_job = mem_zalloc(d->n_jobs + 1, sizeof *naming.by_job)};
    for (size_t i = 0; i < waiters->n; i++)
        naming.by_job[waiters->at[i].job - d->jobs] = &waiters->at[i];
    snprintf(path, sizeof path, "%s/jobs.csv", run->dir);
    struct verify_csv csv = {.path = path,
                             .names = waiters_cell_names,
                             .n_names = W_CELLS,
                             .row = read_names,
                             .self = &naming,
                             .err = err};
    enum status st = verify_csv_read(&csv);
    free(naming.by_job);
    return st;
}

/* Sets w->longest to the longest wait of the job, the first of equal ones, with
 * reasons in the arena, and counts its waits above 0. */
static void find_longest(const struct verify_data *d,
                         const struct explain_waits *waits, struct waiter *w,
                         struct arena *arena)
{
    const struct waiting *all = explain_waits_job(waits, d, w->job);
    for (uint32_t i = 0; i <= w->job->n_attempts; i++) {
        w->n_waits += all[i].to > all[i].from;
        if (i == 0 || all[i].to - all[i].from > w->longest.to - w->longest.from)
            w->longest = all[i];
    }
    const struct explain_reasons *why = w->longest.why;
    w->longest.why = arena_alloc(arena, sizeof *w->longest.why);
    *w->longest.why = *why;
}

enum status waiters_of(const struct report_run *run, size_t n_max,
                       struct waiters *out, struct error *err)
{
    const struct verify_data *d = &run->data;
    struct explain_waits waits;
    uint32_t *order = mem_alloc((n_max + 1) * sizeof *order);
    *out = (struct waiters){0};
    arena_init(&out->arena);
    size_t n = explain_longest(d, 0, n_max, order);
    while (n && d->jobs[order[n - 1]].queue_delay <= 0)
        n--;
    explain_waits_of(&run->failures, order, n, false, &waits);
    out->at = ARENA_ARRAY(&out->arena, struct waiter, n + 1);
    while (out->n < n) {
        struct waiter *w = &out->at[out->n];
        *w = (struct waiter){
            .job = &d->jobs[order[out->n++]], .user = "", .name = ""};
        find_longest(d, &waits, w, &out->arena);
    }
    free(order);
    explain_waits_fini(&waits);
    return name_jobs(run, out, err);
}

void waiters_fini(struct waiters *waiters)
{
    arena_fini(&waiters->arena);
}
