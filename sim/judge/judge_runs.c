/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes a run of a workload, and compares two runs. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/judge/judge_internal.h"

enum status judge_run(const struct judge *judge, const struct workload *w,
                      const char *policy, bool twice, struct run **out,
                      struct error *err)
{
    char path[128];
    struct run *run = NULL;
    snprintf(path, sizeof path, "%s/trace.csv", judge->dir);
    struct run_config config = {.trace = path,
                                .format = "native",
                                .cluster = w->cluster,
                                .policy = policy,
                                .seed = judge->config->seed};
    *out = NULL;
    enum status st = workload_write(w, path, err);
    if (st == STATUS_OK)
        st = run_prepare(&config, &run, err);
    if (st != STATUS_OK)
        return st;
    if (twice)
        run_ask_twice(run);
    st = run_execute(run, err);
    if (st == STATUS_OK)
        *out = run;
    else
        run_free(run);
    return st;
}

/* Orders attempts by start, then by job. Events after the start of an attempt
 * do not change its place. */
static int runs_by_start(const void *a, const void *b)
{
    const struct attempt *const *x = a, *const *y = b;
    int by_start = ((*x)->start > (*y)->start) - ((*x)->start < (*y)->start);
    return by_start ? by_start
                    : ((*x)->job > (*y)->job) - ((*x)->job < (*y)->job);
}

/* Lists the attempts that begin at `until` or before, ordered by runs_by_start.
 * The caller frees the list. */
static const struct attempt **runs_list(const struct ledger *ledger,
                                        sim_time until, size_t *n)
{
    const struct attempt **all =
        mem_alloc((ledger->n_attempts + 1) * sizeof *all);
    *n = 0;
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        if (ledger->attempts[i].start <= until)
            all[(*n)++] = &ledger->attempts[i];
    }
    if (*n)
        qsort(all, *n, sizeof *all, runs_by_start);
    return all;
}

static bool same_gpus(const struct ledger *a, const struct attempt *p,
                      const struct ledger *b, const struct attempt *q)
{
    enum { SLICES = 64 };
    struct gpu_slice x[SLICES], y[SLICES];
    uint32_t n = ledger_where(a, p, x, SLICES);
    uint32_t m = ledger_where(b, q, y, SLICES);
    return gpu_set_equal((struct gpu_set){x, n < SLICES ? n : SLICES},
                         (struct gpu_set){y, m < SLICES ? m : SLICES});
}

enum status judge_compare(struct run *a, struct run *b, sim_time until,
                          struct error *err)
{
    const struct ledger *x = &run_result(a)->ledger;
    const struct ledger *y = &run_result(b)->ledger;
    size_t n, m, i = 0;
    const struct attempt **p = runs_list(x, until, &n),
                         **q = runs_list(y, until, &m);
    enum status st = STATUS_OK;
    while (i < n && i < m && p[i]->job == q[i]->job &&
           p[i]->start == q[i]->start && same_gpus(x, p[i], y, q[i]))
        i++;
    if (i < n || i < m) {
        const struct attempt *first = i < n ? p[i] : q[i];
        st = error_set(err, STATUS_BROKEN,
                       "the start of job %u at %g s is not in both runs, or "
                       "not on the same GPUs",
                       first->job + 1, span_seconds(first->start));
    }
    free(p);
    free(q);
    return st;
}

double judge_mean_jct(struct run *run)
{
    const struct run_result *r = run_result(run);
    double sum = 0;
    for (job_id id = 0; id < r->jobset.n_jobs; id++) {
        uint32_t at = r->ledger.last_attempt[id];
        sum += span_seconds(r->ledger.attempts[at].end -
                            r->jobset.jobs[id].submitted);
    }
    return sum / r->jobset.n_jobs;
}

sim_time judge_first_end(struct run *run)
{
    const struct ledger *ledger = &run_result(run)->ledger;
    sim_time first = TIME_NEVER;
    for (size_t i = 0; i < ledger->n_attempts; i++) {
        if (ledger->attempts[i].end < first)
            first = ledger->attempts[i].end;
    }
    return first;
}
