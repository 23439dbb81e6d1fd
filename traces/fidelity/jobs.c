/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fidelity/jobs.h"

#include <stdlib.h>

static int jobs_by_submission(const void *a, const void *b)
{
    const struct fidelity_job *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool jobs_is_kept(const struct fidelity_source *source,
                         const struct trace_row *row)
{
    if (source->from != TRACE_NO_TIME && row->submitted < source->from)
        return false;
    return source->to == TRACE_NO_TIME || row->submitted <= source->to;
}

static uint32_t jobs_symbol(struct fidelity_jobs *out, struct text t)
{
    return t.len ? interner_add(&out->names, t) : 0;
}

static enum status jobs_read_rows(const struct fidelity_source *source,
                                  struct trace_reader *reader,
                                  struct fidelity_jobs *out, struct error *err)
{
    struct trace_row row;
    size_t cap = 0;
    enum status st;
    while ((st = trace_next(reader, &row, err)) == STATUS_OK) {
        bool counts = row.gpus && row.duration != TRACE_NO_TIME &&
                      row.duration >= 0 && row.submitted != TRACE_NO_TIME;
        if (!counts || !jobs_is_kept(source, &row))
            continue;
        out->at = mem_grow(out->at, &cap, out->n + 1, sizeof *out->at);
        out->at[out->n] = (struct fidelity_job){
            .at = span_seconds(row.submitted) + source->zone_h * 3600,
            .run = span_seconds(row.duration),
            .gpus = row.gpus,
            .user = jobs_symbol(out, row.user),
            .vc = jobs_symbol(out, row.vc),
            .kind = jobs_symbol(out, row.kind),
            .end = row.end,
            .number = (uint32_t)out->n};
        out->n++;
    }
    return st == STATUS_END ? STATUS_OK : st;
}

enum status fidelity_jobs_read(const struct fidelity_source *source,
                               struct fidelity_jobs *out, struct error *err)
{
    struct trace_reader *reader = NULL;
    enum status st = trace_open(source->path, source->format, &reader, err);
    if (st != STATUS_OK)
        return st;
    *out = (struct fidelity_jobs){0};
    interner_init(&out->names);
    st = jobs_read_rows(source, reader, out, err);
    trace_close(reader);
    if (st == STATUS_OK && out->n == 0)
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: no job with GPUs and a run time", source->path);
    if (st != STATUS_OK) {
        fidelity_jobs_fini(out);
        return st;
    }
    qsort(out->at, out->n, sizeof *out->at, jobs_by_submission);
    return STATUS_OK;
}

void fidelity_jobs_fini(struct fidelity_jobs *jobs)
{
    free(jobs->at);
    interner_fini(&jobs->names);
    *jobs = (struct fidelity_jobs){0};
}
