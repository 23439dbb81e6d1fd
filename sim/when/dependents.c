/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/when/dependents.h"

#include <stdlib.h>
#include <string.h>

/* Finds the jobs that each dependent one waits for. */
static void dependents_link(struct dependents *d)
{
    const struct state *state = d->whole;
    struct interner ids;
    size_t *by_symbol = mem_zalloc(state->n_jobs + 2, sizeof *by_symbol);
    interner_init(&ids);
    for (size_t i = 0; i < state->n_jobs; i++)
        by_symbol[interner_add(&ids, text_from(state->jobs[i].id))] = i;
    for (size_t i = 0; i < d->n; i++) {
        const struct state_job *job = &state->jobs[d->jobs[i]];
        d->after[i] = mem_zalloc(job->n_after, sizeof *d->after[i]);
        for (uint32_t k = 0; k < job->n_after; k++)
            d->after[i][k] =
                by_symbol[interner_find(&ids, text_from(job->after[k].job))];
    }
    interner_fini(&ids);
    free(by_symbol);
}

void dependents_init(struct dependents *d, const struct state *state)
{
    *d = (struct dependents){.state = *state, .whole = state};
    for (size_t i = 0; i < state->n_jobs; i++)
        d->n += state->jobs[i].n_after > 0;
    if (!d->n)
        return;
    d->state.jobs = mem_alloc((state->n_jobs + 1) * sizeof *d->state.jobs);
    d->starts = mem_alloc((state->n_jobs + 1) * sizeof *d->starts);
    d->jobs = mem_alloc(d->n * sizeof *d->jobs);
    d->after = mem_zalloc(d->n, sizeof *d->after);
    d->n = 0;
    for (size_t i = 0; i < state->n_jobs; i++) {
        d->state.jobs[i] = state->jobs[i];
        if (state->jobs[i].n_after)
            d->jobs[d->n++] = i;
    }
    dependents_link(d);
}

void dependents_fini(struct dependents *d)
{
    for (size_t i = 0; i < d->n; i++)
        free(d->after[i]);
    if (d->n)
        free(d->state.jobs);
    free(d->starts);
    free(d->jobs);
    free(d->after);
}

/* Returns when the last of what a dependent job waits for comes, or with
 * after_any the first; TIME_NEVER: it has not come, as its job has not started.
 */
static sim_time dependents_release(const struct dependents *d, size_t i)
{
    const struct state *state = d->whole;
    const struct state_job *job = &state->jobs[d->jobs[i]];
    sim_time release = job->after_any ? TIME_NEVER : state->at;
    for (uint32_t k = 0; k < job->n_after; k++) {
        const size_t other = d->after[i][k];
        const struct state_after *after = &job->after[k];
        sim_time at = d->starts[other];
        if (at != TIME_NEVER)
            at += after->start ? after->delay : d->runs[other];
        if (job->after_any ? at < release : at > release)
            release = at;
    }
    return release > state->at ? release : state->at;
}

/* Sets the submission times. Returns true if one has changed. */
static bool dependents_set(struct dependents *d)
{
    bool changed = false;
    for (size_t i = 0; i < d->n; i++) {
        struct state_job *job = &d->state.jobs[d->jobs[i]];
        const struct state_job *whole = &d->whole->jobs[d->jobs[i]];
        const sim_time release = dependents_release(d, i);
        const bool is_in = release != TIME_NEVER;
        const sim_time submitted =
            is_in && release > whole->submitted ? release : whole->submitted;
        changed |= (job->n_after == 0) != is_in || job->submitted != submitted;
        job->submitted = submitted;
        job->n_after = is_in ? 0 : whole->n_after;
    }
    return changed;
}

void dependents_begin(struct dependents *d, const sim_span *runs)
{
    d->runs = runs;
    d->n_runs = 0;
    for (size_t i = 0; i < d->whole->n_jobs && d->n; i++)
        d->starts[i] = d->whole->jobs[i].started;
    (void)dependents_set(d);
}

bool dependents_learn(struct dependents *d, const struct run_result *run,
                      const uint32_t *state_job)
{
    if (!d->n || ++d->n_runs == DEPENDENTS_RUNS)
        return false;
    for (size_t i = 0; i < d->whole->n_jobs; i++)
        d->starts[i] = d->whole->jobs[i].started;
    for (size_t i = 0; i < run->ledger.n_attempts; i++) {
        const struct attempt *a = &run->ledger.attempts[i];
        const uint32_t job = state_job[a->job];
        if (job != JOB_NONE && a->previous == ATTEMPT_NONE &&
            d->starts[job] == TIME_NEVER)
            d->starts[job] = a->start + run->jobset.zero;
    }
    return dependents_set(d);
}
