/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/waiters.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/verify/verify_csv.h"

enum { W_USER, W_NAME, W_CELLS };
static const char *const cell_names[W_CELLS] = {"user", "name"};

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
    w->user = arena_copy(arena, csv->cells[W_USER].at, csv->cells[W_USER].len);
    w->name = arena_copy(arena, csv->cells[W_NAME].at, csv->cells[W_NAME].len);
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
                             .names = cell_names,
                             .n_names = W_CELLS,
                             .row = read_names,
                             .self = &naming,
                             .err = err};
    enum status st = verify_csv_read(&csv);
    free(naming.by_job);
    return st;
}

static int longest_first(const void *a, const void *b, void *jobs)
{
    const struct verify_job *all = jobs;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (all[x].queue_delay != all[y].queue_delay)
        return all[x].queue_delay > all[y].queue_delay ? -1 : 1;
    return (x > y) - (x < y);
}

/* Sets w->longest to the longest time between two attempts, before the first
 * one, or after the last one if the job neither finished nor ran at the end of
 * the run. Counts all such times above 0 in w->n_waits. */
static void find_longest(const struct verify_data *d, struct waiter *w)
{
    const struct verify_job *job = w->job;
    sim_time since = job->submitted;
    for (uint32_t i = 0; i <= job->n_attempts; i++) {
        bool last = i == job->n_attempts;
        const struct verify_attempt *a = &d->attempts[job->first_attempt + i];
        sim_time until = last ? (job->ended ? job->finish : d->end) : a->start;
        if (last && job->n_attempts && (job->finished || a[-1].how == 'o'))
            break;
        w->n_waits += until > since;
        if (until - since > w->longest.to - w->longest.from) {
            w->longest =
                (struct waiting){.from = since,
                                 .to = until,
                                 .started = !last,
                                 .after_failure = i > 0 && a[-1].how == 'x'};
            w->to_profile = !last && a->profiling;
        }
        since = last ? since : a->end;
    }
}

static void explain_waits(const struct verify_data *d, struct waiters *out)
{
    struct explain_gpus *gpus = mem_zalloc(d->vcs.n_strings + 1, sizeof *gpus);
    for (size_t i = 0; i < out->n; i++) {
        struct waiter *w = &out->at[i];
        struct explain_gpus *of = &gpus[w->job->vc];
        /* explain_wait writes here; the words are not used */
        json_t *words = json_pack("{s:[]}", "events");
        if (!of->edges)
            explain_gpus_init(of, d, w->job->vc);
        if (!w->to_profile && w->longest.to > w->longest.from)
            explain_wait(d, w->job, of, &w->longest, words);
        json_decref(words);
    }
    for (size_t i = 0; i < d->vcs.n_strings; i++)
        explain_gpus_fini(&gpus[i]);
    free(gpus);
}

enum status waiters_of(const struct report_run *run, size_t n_max,
                       struct waiters *out, struct error *err)
{
    const struct verify_data *d = &run->data;
    uint32_t *order = mem_alloc((d->n_jobs + 1) * sizeof *order);
    *out = (struct waiters){0};
    arena_init(&out->arena);
    for (uint32_t i = 0; i < d->n_jobs; i++)
        order[i] = i;
    qsort_r(order, d->n_jobs, sizeof *order, longest_first, d->jobs);
    n_max = n_max < d->n_jobs ? n_max : d->n_jobs;
    out->at = ARENA_ARRAY(&out->arena, struct waiter, n_max + 1);
    while (out->n < n_max && d->jobs[order[out->n]].queue_delay > 0) {
        struct waiter *w = &out->at[out->n];
        *w = (struct waiter){
            .job = &d->jobs[order[out->n++]], .user = "", .name = ""};
        find_longest(d, w);
    }
    free(order);
    explain_waits(d, out);
    return name_jobs(run, out, err);
}

void waiters_fini(struct waiters *waiters)
{
    arena_fini(&waiters->arena);
}
