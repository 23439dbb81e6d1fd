/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts the source into blocks, and decides which block goes to which place.
 * Blocks are counted from the last local midnight at or before the first
 * submission, so that only the last block can be partial, and a block of whole
 * weeks keeps weekdays. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "traces/resample/resample_internal.h"

/* Returns the local midnight at or before a local time. */
static sim_time midnight(sim_time local)
{
    return local - ((local % SPAN_DAY) + SPAN_DAY) % SPAN_DAY;
}

static void find_ends(struct resample *r)
{
    sim_time first = INT64_MAX, last = INT64_MIN;
    r->first = INT64_MAX;
    for (size_t i = 0; i < r->n_sources; i++) {
        const struct source_row *source = &r->sources[i];
        first = source->local < first ? source->local : first;
        last = source->local > last ? source->local : last;
        if (source->row.submitted < r->first)
            r->first = source->row.submitted;
    }
    r->origin = midnight(first);
    r->end = midnight(last) + SPAN_DAY;
}

/* Removes the rows of the last block if that block is partial. */
static void drop_partial(struct resample *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_sources; i++) {
        if (r->sources[i].place < r->n_whole)
            r->sources[n++] = r->sources[i];
    }
    r->counts.dropped[RESAMPLE_PARTIAL] += r->n_sources - n;
    r->n_sources = n;
    r->n_places = r->n_whole;
}

/* Sets work[d] to the logarithm of the GPU hours, plus one, of the jobs that
 * were submitted on day d. */
static void add_work(const struct resample *r, double *work, size_t n)
{
    for (size_t i = 0; i < r->n_sources; i++) {
        const struct trace_row *row = &r->sources[i].row;
        const size_t day =
            (size_t)((r->sources[i].local - r->origin) / SPAN_DAY);
        if (day < n && row->duration > 0 && row->gpus > 0)
            work[day] += span_seconds(row->duration) / 3600 * row->gpus;
    }
    for (size_t d = 0; d < n; d++)
        work[d] = log1p(work[d]);
}

/* Returns the length of a block: a day if the work of a day says nothing about
 * that of the next one; otherwise a week, or an eighth of the days if there are
 * fewer than 8 weeks. The correlation of neighbouring days counts if it is
 * above 2 / sqrt(days), its 95 % limit for independent days (Bartlett 1946). */
static sim_span block_of(const struct resample *r)
{
    const size_t n = (size_t)((r->end - r->origin) / SPAN_DAY);
    double *work = mem_zalloc(n + 1, sizeof *work);
    double mean = 0, squares = 0, products = 0;
    add_work(r, work, n);
    for (size_t d = 0; d < n; d++)
        mean += work[d] / (double)n;
    for (size_t d = 0; d < n; d++) {
        squares += (work[d] - mean) * (work[d] - mean);
        products += d ? (work[d] - mean) * (work[d - 1] - mean) : 0;
    }
    free(work);
    if (products <= 2 / sqrt((double)n) * squares || n < 16)
        return SPAN_DAY;
    return (n >= 56 ? 7 : (sim_span)(n / 8)) * SPAN_DAY;
}

enum status blocks_cut(struct resample *r, struct error *err)
{
    find_ends(r);
    if (r->options.block == 0)
        r->options.block = block_of(r);
    const sim_span block = r->counts.block = r->options.block;
    const uint64_t span = (uint64_t)(r->end - r->origin);
    const uint64_t n = (span + (uint64_t)block - 1) / (uint64_t)block;
    if (n > BLOCKS_MAX / r->groups.n_strings)
        return error_set(err, STATUS_BAD_INPUT,
                         "the rows were submitted within %.4g days, which are "
                         "more than %u blocks of %.4g days in %zu virtual "
                         "clusters; is a date wrong?",
                         span_seconds((sim_span)span) / 86400, BLOCKS_MAX,
                         span_seconds(block) / 86400, r->groups.n_strings);
    r->n_places = (uint32_t)n;
    /* A block that reaches beyond the day of the last row is partial. */
    r->n_whole = (uint32_t)(span / (uint64_t)block);
    for (size_t i = 0; i < r->n_sources; i++) {
        struct source_row *source = &r->sources[i];
        source->place = (uint32_t)((source->local - r->origin) / block);
        r->counts.n_partial += source->place >= r->n_whole;
    }
    if (r->options.drop_partial) {
        r->counts.n_partial = 0;
        drop_partial(r);
    }
    r->counts.n_whole = r->n_whole;
    return STATUS_OK;
}

struct ranked {
    double rank;
    uint32_t place;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Orders the whole blocks by a number that is drawn for each. */
static void permute(const struct resample *r, uint64_t key, uint32_t *from)
{
    struct ranked *ranked = mem_alloc((r->n_whole + 1) * sizeof *ranked);
    for (uint32_t i = 0; i < r->n_whole; i++)
        ranked[i] = (struct ranked){keyed_uniform(r->order_stream, key, i), i};
    qsort(ranked, r->n_whole, sizeof *ranked, by_rank);
    for (uint32_t i = 0; i < r->n_whole; i++)
        from[i] = ranked[i].place;
    free(ranked);
}

void blocks_order(const struct resample *r, uint32_t group, uint32_t *from)
{
    const uint64_t key = text_hash(r->groups.strings[group]);
    const bool draws = r->options.order != RESAMPLE_PERMUTE && r->n_whole;
    const uint32_t step = r->options.order == RESAMPLE_WEEKDAYS &&
                                  r->n_whole >= RESAMPLE_WEEKDAYS_MIN
                              ? 7
                              : 1;
    for (uint32_t i = 0; i < r->n_places; i++) {
        const uint32_t first = i % step;
        const uint32_t n = (r->n_whole - first + step - 1) / step;
        double u = keyed_uniform(r->order_stream, key, i);
        from[i] = draws ? first + step * (uint32_t)(u * n) : i;
    }
    if (!draws && r->n_whole)
        permute(r, key, from);
}
