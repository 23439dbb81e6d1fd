/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures how soon a user submits again after a job has ended. */
#include <math.h>
#include <stdlib.h>

#include "traces/fidelity/measures.h"
#include "traces/fidelity/series.h"

static const double hour_s = 3600, soon_s = 300;

/* The jobs with one final state, and the gaps after those that were followed
 * within an hour by a job of the same user with as many GPUs. n_hour, n_soon:
 * number of jobs that were followed within an hour and within soon_s. */
struct followed {
    size_t n, n_hour, n_soon;
    double *gaps; /* seconds from the end of a job to the next submission;
                   * n_hour elements */
};

/* Orders jobs by user, then GPUs, then submission. */
static int chains_by_user(const void *a, const void *b)
{
    const struct fidelity_job *x = a, *y = b;
    if (x->user != y->user)
        return x->user < y->user ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Returns the index of the first of the sorted jobs after i with the user and
 * the GPUs of job i that is submitted after `end`; n if there is none. */
static size_t next_after(const struct fidelity_job *jobs, size_t i, size_t n,
                         double end)
{
    size_t lo = i + 1, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        bool later = jobs[mid].user != jobs[i].user ||
                     jobs[mid].gpus != jobs[i].gpus || jobs[mid].at > end;
        if (later)
            hi = mid;
        else
            lo = mid + 1;
    }
    bool same = lo < n && jobs[lo].user == jobs[i].user &&
                jobs[lo].gpus == jobs[i].gpus;
    return same ? lo : n;
}

static void chains_follow(const struct fidelity_job *jobs, size_t i, size_t n,
                          struct followed *state)
{
    double end = jobs[i].at + jobs[i].run;
    size_t next = next_after(jobs, i, n, end);
    double gap = next < n ? jobs[next].at - end : INFINITY;
    state->n++;
    if (gap > hour_s)
        return;
    state->gaps[state->n_hour++] = gap;
    state->n_soon += gap <= soon_s;
}

static void add_state(struct followed *state, const char *name,
                      struct measures *out)
{
    double n = state->n ? (double)state->n : NAN;
    measures_add(out, (double)state->n_hour / n, "chains.%s.within_hour", name);
    measures_add(out, (double)state->n_soon / n, "chains.%s.within_5_min",
                 name);
    measures_add(out, series_median(state->gaps, state->n_hour),
                 "chains.%s.median_gap_s", name);
}

void measure_chains(const struct fidelity_job *jobs, size_t n,
                    struct measures *out)
{
    static const char *const names[] = {"completed", "failed", "cancelled"};
    struct followed states[3] = {0};
    struct fidelity_job *sorted = mem_alloc(n * sizeof *sorted);
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].user)
            sorted[known++] = jobs[i];
    }
    qsort(sorted, known, sizeof *sorted, chains_by_user);
    for (size_t s = 0; s < 3; s++)
        states[s].gaps = mem_alloc((n + 1) * sizeof(double));
    for (size_t i = 0; i < known; i++) {
        if (sorted[i].end < 3)
            chains_follow(sorted, i, known, &states[sorted[i].end]);
    }
    for (size_t s = 0; s < 3; s++) {
        add_state(&states[s], names[s], out);
        free(states[s].gaps);
    }
    measures_add(out,
                 measures_find(out, "chains.failed.within_hour") -
                     measures_find(out, "chains.completed.within_hour"),
                 "chains.failed_minus_completed");
    free(sorted);
}
