/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/resample/resample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "traces/resample/resample_internal.h"

const char *resample_reason_words(enum resample_reason reason)
{
    static const char *const words[] = {
#define RESAMPLE_WORDS(name, words) words,
        RESAMPLE_REASONS(RESAMPLE_WORDS)
#undef RESAMPLE_WORDS
    };
    return words[reason];
}

static void set_seed(struct resample *r, uint64_t seed)
{
    r->options.seed = seed;
    r->order_stream = rng_stream(seed, "resample order");
    r->jitter_stream = rng_stream(seed, "resample jitter");
    r->noise_stream = rng_stream(seed, "resample run time");
}

struct resample *resample_fork(const struct resample *from, uint64_t seed)
{
    struct resample *r = mem_zalloc(1, sizeof *r);
    r->options = from->options;
    r->counts = from->counts;
    set_seed(r, seed);
    arena_init(&r->arena);
    interner_init(&r->texts);
    interner_init(&r->ids);
    interner_copy(&from->groups, &r->groups);
    interner_copy(&from->users, &r->users);
    r->n_sources = r->cap_sources = from->n_sources;
    r->sources = mem_alloc((r->n_sources + 1) * sizeof *r->sources);
    memcpy(r->sources, from->sources, r->n_sources * sizeof *r->sources);
    return r;
}

struct resample *resample_new(const struct resample_options *options)
{
    struct resample *r = mem_zalloc(1, sizeof *r);
    r->options = *options;
    set_seed(r, options->seed);
    arena_init(&r->arena);
    interner_init(&r->texts);
    interner_init(&r->ids);
    interner_init(&r->groups);
    interner_init(&r->users);
    return r;
}

void resample_add(struct resample *r, const struct trace_row *row)
{
    source_add(r, row);
}

/* Returns the index of the first source at `place` or, if none is there, at a
 * later place. begin .. end - 1: the sources of the group. */
static size_t block_begin(const struct resample *r, size_t begin, size_t end,
                          uint32_t place)
{
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (r->sources[middle].place < place)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Makes the rows of a group. begin .. end - 1: the sources of the group.
 * `from`: memory for one entry for each place. */
static void draw_group(struct resample *r, size_t begin, size_t end,
                       uint32_t *from)
{
    r->counts.n_groups++;
    blocks_order(r, r->sources[begin].group, from);
    for (uint32_t place = 0; place < r->n_places; place++)
        shift_block(r, block_begin(r, begin, end, from[place]),
                    block_begin(r, begin, end, from[place] + 1), place);
}

/* Orders rows by submission, then by their line in the source, then by copy. */
static int by_submission(const void *a, const void *b, void *sources)
{
    const struct source_row *all = sources;
    const struct result_row *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    uint64_t p = all[x->source].row.line, q = all[y->source].row.line;
    if (p != q)
        return p < q ? -1 : 1;
    return x->copy < y->copy ? -1 : x->copy > y->copy;
}

enum status resample_draw(struct resample *r, struct error *err)
{
    if (!r->n_sources)
        return STATUS_OK;
    enum status st = blocks_cut(r, err);
    if (st != STATUS_OK)
        return st;
    sources_sort(r);
    uint32_t *from = mem_zalloc((size_t)r->n_places + 1, sizeof *from);
    r->copies = mem_zalloc(r->n_sources + 1, sizeof *r->copies);
    for (size_t i = 0, next; i < r->n_sources; i = next) {
        for (next = i + 1; next < r->n_sources &&
                           r->sources[next].group == r->sources[i].group;
             next++)
            ;
        draw_group(r, i, next, from);
    }
    free(from);
    if (r->n_results)
        qsort_r(r->results, r->n_results, sizeof *r->results, by_submission,
                r->sources);
    r->counts.n_out = r->n_results;
    return STATUS_OK;
}

/* Returns the text front + between + number, which lies in the arena. */
static struct text numbered(struct resample *r, struct text front,
                            const char *between, uint32_t number)
{
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%s%u", between, number);
    char *at = arena_alloc(&r->arena, front.len + (size_t)n + 1);
    if (front.len)
        memcpy(at, front.at, front.len);
    memcpy(at + front.len, digits, (size_t)n);
    return (struct text){at, front.len + (size_t)n};
}

bool resample_next(struct resample *r, struct trace_row *row)
{
    if (r->next == r->n_results)
        return false;
    const struct result_row *result = &r->results[r->next++];
    *row = r->sources[result->source].row;
    row->submitted = result->at;
    row->duration = result->duration;
    if (result->user)
        row->user = numbered(r, (struct text){0}, "u", result->user);
    if (result->copy && row->source_id.len)
        row->source_id = numbered(r, row->source_id, "-", result->copy + 1);
    if (!r->options.keep_names)
        row->name = (struct text){0};
    return true;
}

const struct resample_counts *resample_counts(const struct resample *r)
{
    return &r->counts;
}

void resample_free(struct resample *r)
{
    if (!r)
        return;
    interner_fini(&r->texts);
    interner_fini(&r->ids);
    interner_fini(&r->groups);
    interner_fini(&r->users);
    shift_free(r->space);
    arena_fini(&r->arena);
    free(r->sources);
    free(r->results);
    free(r->copies);
    free(r);
}
