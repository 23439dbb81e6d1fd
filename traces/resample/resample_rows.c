/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the source: copies them and sorts them by group, place, user and
 * submission. */
#include <stdlib.h>

#include "traces/resample/resample_internal.h"

enum { N_TEXTS = 10 };

/* Fills `out` with pointers to the texts of the row. */
static void texts_of(struct trace_row *row, struct text *out[N_TEXTS])
{
    struct text *const texts[N_TEXTS] = {
        &row->source_id, &row->user,    &row->vc,   &row->name,
        &row->model,     &row->dataset, &row->kind, &row->gpu_type,
        &row->priority,  &row->cluster,
    };
    for (size_t i = 0; i < N_TEXTS; i++)
        out[i] = texts[i];
}

static void keep_texts(struct interner *texts, struct trace_row *row)
{
    struct text *of_row[N_TEXTS];
    texts_of(row, of_row);
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (!of_row[i]->len)
            continue;
        const uint32_t symbol = interner_add(texts, *of_row[i]);
        *of_row[i] = texts->strings[symbol];
    }
    row->record = NULL; /* no format that can be written has a place for it */
}

static bool is_outside(const struct resample_options *options, sim_time at)
{
    return (options->from != TRACE_NO_TIME && at < options->from) ||
           (options->to != TRACE_NO_TIME && at > options->to);
}

/* Returns the reason to leave the row out; RESAMPLE_N_REASONS if there is none.
 */
static enum resample_reason judge(struct resample *r,
                                  const struct trace_row *row)
{
    if (row->submitted == TRACE_NO_TIME)
        return RESAMPLE_NO_TIME;
    if (is_outside(&r->options, row->submitted))
        return RESAMPLE_OUTSIDE;
    if (row->source_id.len) {
        size_t n = r->ids.n_strings;
        interner_add(&r->ids, row->source_id);
        if (r->ids.n_strings == n)
            return RESAMPLE_REPEATED;
    }
    return RESAMPLE_N_REASONS;
}

void source_add(struct resample *r, const struct trace_row *row)
{
    r->counts.n_rows++;
    enum resample_reason reason = judge(r, row);
    if (reason != RESAMPLE_N_REASONS) {
        r->counts.dropped[reason]++;
        return;
    }
    r->sources = mem_grow(r->sources, &r->cap_sources, r->n_sources + 1,
                          sizeof *r->sources);
    struct source_row *source = &r->sources[r->n_sources++];
    *source = (struct source_row){
        .row = *row,
        .key = row->source_id.len ? text_hash(row->source_id) : row->line,
        .local = clock_to_local(&r->options.zone, row->submitted),
        .user = interner_add(&r->users, row->user),
        .group = interner_add(&r->groups,
                              r->options.joint ? (struct text){0} : row->vc)};
    keep_texts(&r->texts, &source->row);
}

/* Orders rows by group, place, user, submission and line. */
static int by_block(const void *a, const void *b)
{
    const struct source_row *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->user != y->user)
        return x->user < y->user ? -1 : 1;
    if (x->row.submitted != y->row.submitted)
        return x->row.submitted < y->row.submitted ? -1 : 1;
    return x->row.line < y->row.line ? -1 : x->row.line > y->row.line;
}

void sources_sort(struct resample *r)
{
    if (r->n_sources)
        qsort(r->sources, r->n_sources, sizeof *r->sources, by_block);
}
