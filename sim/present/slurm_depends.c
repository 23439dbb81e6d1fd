/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dependencies between jobs of squeue, and arrays that run few tasks at once.
 *
 * "afterok:9(unfulfilled),after:12+10(unfulfilled)" becomes a list of jobs that
 * have to end, or to have started ten minutes ago, if each of them waits or
 * runs with GPUs; jobs are taken to succeed. "singleton" waits for the jobs of
 * the same user and name, aftercorr for the same task of another array, and of
 * conditions separated by '?' one must hold. Of an array "%N" each task is
 * taken to start after the end of the task N before it, which is not quite
 * Slurm's rule: there any N may run. Where a job is not known, and for
 * afternotok alone, the job is held, with Slurm's words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/present/slurm_internal.h"

/* Depth to which tasks of an array are followed; later ones are held. */
enum { ARRAY_DEPTH = 4 };
enum { DEPENDS_ON_MAX = 1000, DEPENDS_ROUNDS = 64 };

/* The jobs of the state by identifier, and by that of their array. */
struct job_index {
    struct interner names;
    size_t *first; /* by symbol: index of the first job plus 1; 0: none */
    size_t *next;  /* by job: the next of the same array, in the same form */
};

static void index_put(struct job_index *x, struct text name, size_t job,
                      bool is_array)
{
    const size_t known = x->names.n_strings;
    const uint32_t symbol = interner_add(&x->names, name);
    if (symbol < known && !is_array)
        return;
    if (is_array)
        x->next[job] = symbol < known ? x->first[symbol] : 0;
    x->first[symbol] = job + 1;
}

static void index_init(struct job_index *x, const struct state *state)
{
    interner_init(&x->names);
    x->first = mem_zalloc(2 * state->n_jobs + 2, sizeof *x->first);
    x->next = mem_zalloc(state->n_jobs + 1, sizeof *x->next);
    for (size_t i = 0; i < state->n_jobs; i++) {
        struct text rest, id = text_from(state->jobs[i].id);
        struct text base = text_split(id, '_', &rest);
        index_put(x, id, i, false);
        if (base.len < id.len)
            index_put(x, base, i, true);
    }
}

static void index_fini(struct job_index *x)
{
    interner_fini(&x->names);
    free(x->first);
    free(x->next);
}

void slurm_depends_on(struct slurm_jobs_read *jobs, size_t job,
                      struct text text)
{
    jobs->dependents =
        mem_grow(jobs->dependents, &jobs->cap_dependents,
                 jobs->n_dependents + 1, sizeof *jobs->dependents);
    jobs->dependents[jobs->n_dependents++] = (struct slurm_dependent){
        .job = job, .text = text, .held = jobs->r->state->jobs[job].held};
}

/* What a dependency waits for. */
struct named_jobs {
    struct state_after at[DEPENDS_ON_MAX];
    uint32_t n;
    bool any;     /* one of them will do */
    bool not_ok;  /* a failure that is not believed in would do, too */
    size_t whose; /* the job that depends */
};

static bool named_put(const struct slurm_jobs_read *jobs, size_t job,
                      const struct state_after *how, struct named_jobs *out)
{
    const struct state_job *other = &jobs->r->state->jobs[job];
    if (other->held || out->n == DEPENDS_ON_MAX)
        return false;
    out->at[out->n] = *how;
    out->at[out->n++].job = other->id;
    return true;
}

/* Adds the job "9" or "9_3", or all tasks of "9" or "9_*". Returns false if
 * none of them waits or runs, or one is held. */
static bool named_add(const struct slurm_jobs_read *jobs,
                      const struct job_index *x, struct text id,
                      const struct state_after *how, struct named_jobs *out)
{
    const struct state *state = jobs->r->state;
    if (id.len > 2 && memcmp(id.at + id.len - 2, "_*", 2) == 0)
        id.len -= 2;
    const uint32_t symbol = id.len ? interner_find(&x->names, id) : UINT32_MAX;
    if (symbol == UINT32_MAX)
        return false;
    for (size_t i = x->first[symbol]; i; i = x->next[i - 1]) {
        if (!named_put(jobs, i - 1, how, out))
            return false;
        if (text_is(id, state->jobs[i - 1].id))
            break; /* a job that is no array */
    }
    return true;
}

static double depends_number(const struct state_job *job)
{
    struct text rest;
    uint32_t n = UINT32_MAX; /* a job that is not submitted yet */
    (void)text_to_u32(text_split(text_from(job->id), '_', &rest), &n);
    return n;
}

/* Adds the jobs of the same user and name that run, or wait and have a lower
 * number, as in Slurm 22.05. */
static bool named_singleton(const struct slurm_jobs_read *jobs,
                            struct named_jobs *out)
{
    const struct state *state = jobs->r->state;
    const struct state_job *own = &state->jobs[out->whose];
    const uint32_t before = out->n;
    for (size_t i = 0; i < state->n_jobs; i++) {
        const struct state_job *job = &state->jobs[i];
        if (i == out->whose || strcmp(job->user, own->user) != 0 ||
            strcmp(job->name, own->name) != 0 ||
            (job->started == TIME_NEVER &&
             depends_number(job) >= depends_number(own)))
            continue;
        if (!named_put(jobs, i, &(struct state_after){0}, out))
            return false;
    }
    return out->n > before;
}

/* Reads one of "9", "9_3", "9_*", and for `after` "9+10", with 10 minutes. For
 * aftercorr the task of the job itself is meant. */
static bool depends_id(const struct slurm_jobs_read *jobs,
                       const struct job_index *x, struct text type,
                       struct text id, struct named_jobs *out)
{
    struct state_after how = {.start = text_is(type, "after")};
    struct text minutes = {0}, task;
    uint32_t n = 0;
    char one[96];
    if (how.start)
        id = text_split(id, '+', &minutes);
    if (minutes.len && !text_to_u32(minutes, &n))
        return false;
    how.delay = (sim_span)n * 60 * SPAN_SECOND;
    if (text_is(type, "aftercorr")) {
        struct text rest; /* "5_*" names the array */
        id = text_split(id, '_', &rest);
        text_split(text_from(jobs->r->state->jobs[out->whose].id), '_', &task);
        snprintf(one, sizeof one, "%.*s_%.*s", (int)(id.len < 40 ? id.len : 40),
                 id.at ? id.at : "", TEXT_ARGS(task));
        id = text_from(one);
    }
    return named_add(jobs, x, id, &how, out);
}

/* Reads one condition, "afterok:9(unfulfilled)" or "afterany:9:10". */
static bool depends_item(const struct slurm_jobs_read *jobs,
                         const struct job_index *x, struct text item,
                         struct named_jobs *out)
{
    static const char *const types[] = {"afterok", "afterany", "after",
                                        "aftercorr"};
    struct text ids, type = text_split(item, ':', &ids), state;
    bool known = false;
    if (text_is(text_split(item, '(', &state), "singleton"))
        return (!state.len || text_is(state, "unfulfilled)")) &&
               named_singleton(jobs, out);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        known |= text_is(type, types[i]);
    if (!known || !ids.len)
        return false;
    while (ids.len) {
        struct text id = text_split(ids, ':', &ids);
        id = text_split(id, '(', &state);
        if ((state.len && !text_is(state, "unfulfilled)")) ||
            !depends_id(jobs, x, type, id, out))
            return false;
    }
    return true;
}

/* Reads conditions of which all must hold, separated by ',', or one, by '?'. Of
 * the latter those that need a failure are passed over. Returns false for a
 * whole array among them, all tasks of which would have to end. */
static bool depends_all(const struct slurm_jobs_read *jobs,
                        const struct job_index *x, size_t whose,
                        struct text text, struct named_jobs *out)
{
    out->n = 0;
    out->whose = whose;
    out->not_ok = false;
    out->any = text.len && memchr(text.at, '?', text.len);
    while (text.len) {
        struct text item = text_split(text, out->any ? '?' : ',', &text);
        const uint32_t before = out->n;
        if (out->any && text_starts(item, "afternotok:")) {
            out->not_ok = true;
            continue;
        }
        if (!depends_item(jobs, x, item, out) ||
            (out->any && out->n > before + 1))
            return false;
    }
    return out->n > 0;
}

void slurm_depends_array(struct slurm_jobs_read *jobs, const char *array,
                         size_t n, uint32_t at_once)
{
    jobs->arrays = mem_grow(jobs->arrays, &jobs->cap_arrays, jobs->n_arrays + 1,
                            sizeof *jobs->arrays);
    jobs->arrays[jobs->n_arrays++] =
        (struct slurm_array){.name = array,
                             .first = jobs->r->state->n_jobs - n,
                             .n = n,
                             .at_once = at_once};
}

/* Lets each task start after the end of the one `at_once` before it; the
 * running ones are the first. */
static void depends_array(struct slurm_jobs_read *jobs,
                          const struct job_index *x,
                          const struct slurm_array *array)
{
    struct state *state = jobs->r->state;
    const char **order = mem_alloc((state->n_jobs + 1) * sizeof *order);
    const uint32_t symbol = interner_find(&x->names, text_from(array->name));
    size_t n = 0;
    for (size_t i = symbol == UINT32_MAX ? 0 : x->first[symbol]; i;
         i = x->next[i - 1]) {
        if (state->jobs[i - 1].started != TIME_NEVER)
            order[n++] = state->jobs[i - 1].id;
    }
    for (size_t i = 0; i < n / 2; i++) { /* the list begins with the last */
        const char *id = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = id;
    }
    for (size_t i = array->first; i < array->first + array->n; i++) {
        struct state_job *job = &state->jobs[i];
        const size_t place = n;
        order[n++] = job->id;
        if (job->held && strcmp(job->held, "JobArrayTaskLimit") != 0)
            continue;
        job->held =
            place / array->at_once > ARRAY_DEPTH ? "JobArrayTaskLimit" : NULL;
        if (job->held || place < array->at_once)
            continue;
        job->after = ARENA_ARRAY(&state->arena, struct state_after, 1);
        job->after[0].job = order[place - array->at_once];
        job->n_after = 1;
        jobs->counts[COUNT_ARRAY_LIMIT]++;
    }
    free(order);
}

void slurm_depends(struct slurm_jobs_read *jobs)
{
    struct state *state = jobs->r->state;
    struct named_jobs *named = mem_alloc(sizeof *named);
    struct job_index x;
    bool changed = jobs->n_dependents > 0;
    index_init(&x, state);
    for (size_t i = 0; i < jobs->n_arrays; i++)
        depends_array(jobs, &x, &jobs->arrays[i]);
    /* A job that depends on another dependent job can be followed once that one
     * is. */
    for (int round = 0; changed && round < DEPENDS_ROUNDS; round++) {
        changed = false;
        for (size_t i = 0; i < jobs->n_dependents; i++) {
            const struct slurm_dependent *d = &jobs->dependents[i];
            struct state_job *job = &state->jobs[d->job];
            if (!job->held || job->held != d->held ||
                !depends_all(jobs, &x, d->job, d->text, named))
                continue;
            job->held = NULL;
            job->after_any = named->any;
            jobs->counts[COUNT_NOT_OK] += named->not_ok;
            job->after =
                ARENA_ARRAY(&state->arena, struct state_after, named->n);
            memcpy(job->after, named->at, named->n * sizeof *named->at);
            job->n_after = named->n;
            jobs->counts[COUNT_AFTER]++;
            changed = true;
        }
    }
    index_fini(&x);
    free(named);
}
