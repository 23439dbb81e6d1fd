/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/same_rows.h"

#include <stdlib.h>

#include "base/arena.h"

struct same_rows {
    enum same_rule rule;
    struct arena arena;
    struct interner ids;
    uint32_t *job_of; /* by symbol of `ids`: index in `jobs` */
    struct trace_row *jobs;
    uint64_t n_joined;
    size_t n_jobs, at, cap_jobs, cap_of;
};

bool same_rule_find(struct text word, enum same_rule *out)
{
    static const char *const words[] = {[SAME_ATTEMPTS] = "attempts",
                                        [SAME_PARTS] = "parts",
                                        [SAME_FIRST] = "first"};
    for (unsigned i = SAME_ATTEMPTS; i <= SAME_FIRST; i++) {
        if (text_is(word, words[i])) {
            *out = (enum same_rule)i;
            return true;
        }
    }
    return false;
}

struct same_rows *same_rows_new(enum same_rule rule)
{
    struct same_rows *rows = mem_zalloc(1, sizeof *rows);
    rows->rule = rule;
    arena_init(&rows->arena);
    interner_init(&rows->ids);
    return rows;
}

static void same_rows_keep_texts(struct same_rows *rows, struct trace_row *row)
{
    struct text *const texts[] = {
        &row->source_id, &row->user,    &row->vc,   &row->name,
        &row->model,     &row->dataset, &row->kind, &row->gpu_type,
        &row->priority,  &row->cluster};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i]->len)
            texts[i]->at =
                arena_copy(&rows->arena, texts[i]->at, texts[i]->len);
    }
    row->record = NULL;
}

static bool same_rows_is_known(sim_time at)
{
    return at != TRACE_NO_TIME;
}

/* Start of a row; TRACE_NO_TIME if it is not known. */
static sim_time same_rows_start_of(const struct trace_row *row)
{
    return same_rows_is_known(row->queue) ? row->submitted + row->queue
                                          : TRACE_NO_TIME;
}

static void join_attempt(struct trace_row *job, const struct trace_row *row)
{
    const struct trace_row first = *job;
    const uint32_t attempts = first.attempts ? first.attempts : 1;
    const sim_time a = same_rows_start_of(job), b = same_rows_start_of(row);
    const bool later = same_rows_is_known(a) && same_rows_is_known(b)
                           ? b >= a
                           : row->submitted >= job->submitted;
    /* An attempt that never started leaves the others as they are. */
    if (later && same_rows_is_known(row->duration)) {
        job->queue = row->queue;
        job->duration = row->duration;
        job->gpus = row->gpus ? row->gpus : first.gpus;
        job->nodes = row->nodes;
        job->end = row->end;
        job->submitted = row->submitted;
    }
    const sim_time start = same_rows_start_of(job);
    job->submitted =
        first.submitted < row->submitted ? first.submitted : row->submitted;
    if (same_rows_is_known(start))
        job->queue = start - job->submitted;
    job->attempts = attempts + 1;
}

static void join_part(struct trace_row *job, const struct trace_row *row)
{
    sim_time start = same_rows_start_of(job), end = TRACE_NO_TIME;
    const sim_time other = same_rows_start_of(row);
    job->gpus += row->gpus;
    job->cpus += row->cpus;
    job->nodes += row->nodes ? row->nodes : 1;
    if (same_rows_is_known(start) && same_rows_is_known(other) &&
        same_rows_is_known(job->duration) &&
        same_rows_is_known(row->duration)) {
        end = start + job->duration;
        end = other + row->duration > end ? other + row->duration : end;
        start = other < start ? other : start;
        job->duration = end - start;
    } else if (same_rows_is_known(row->duration) &&
               (!same_rows_is_known(job->duration) ||
                row->duration > job->duration)) {
        job->duration = row->duration;
    }
    if (row->submitted < job->submitted)
        job->submitted = row->submitted;
    if (same_rows_is_known(start))
        job->queue = start - job->submitted;
}

void same_rows_add(struct same_rows *rows, const struct trace_row *row)
{
    const size_t n = rows->n_jobs, known = rows->ids.n_strings;
    const uint32_t id =
        row->source_id.len ? interner_add(&rows->ids, row->source_id) : 0;
    if (id && id < known) {
        struct trace_row *job = &rows->jobs[rows->job_of[id]];
        rows->n_joined++;
        if (rows->rule == SAME_ATTEMPTS)
            join_attempt(job, row);
        else if (rows->rule == SAME_PARTS)
            join_part(job, row);
        return;
    }
    rows->jobs =
        mem_grow(rows->jobs, &rows->cap_jobs, n + 1, sizeof *rows->jobs);
    rows->job_of = mem_grow(rows->job_of, &rows->cap_of, (size_t)id + 1,
                            sizeof *rows->job_of);
    rows->job_of[id] = (uint32_t)n;
    rows->jobs[n] = *row;
    if (rows->rule == SAME_PARTS && !row->nodes)
        rows->jobs[n].nodes = 1;
    same_rows_keep_texts(rows, &rows->jobs[n]);
    rows->n_jobs++;
}

bool same_rows_next(struct same_rows *rows, struct trace_row *row)
{
    if (rows->at == rows->n_jobs)
        return false;
    *row = rows->jobs[rows->at++];
    return true;
}

uint64_t same_rows_joined(const struct same_rows *rows)
{
    return rows->n_joined;
}

void same_rows_free(struct same_rows *rows)
{
    free(rows->jobs);
    free(rows->job_of);
    interner_fini(&rows->ids);
    arena_fini(&rows->arena);
    free(rows);
}
