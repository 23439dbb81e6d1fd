/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/resample/resample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

/* Largest number of blocks of all groups together: a wrong date in a trace must
 * not use up the memory. */
#define BLOCKS_MAX 10000000u

struct source_row {
    struct trace_row row;
    uint64_t key;   /* key of the draws about the row */
    sim_time local; /* submission by the clock of the options, us */
    uint32_t group, place;
    uint32_t user; /* symbol; 0: none */
};

struct result_row {
    sim_time at;       /* submission, us since 1970 UTC */
    sim_span duration; /* run time, us; TRACE_NO_TIME: unknown */
    uint32_t source;   /* index of the row of the source */
    uint32_t copy;     /* number of earlier rows of the result that come from
                        * the same source */
    /* number that is part of the user's new name; 0: no user, or the user keeps
     * the name */
    uint32_t user;
};

struct resample {
    struct resample_options options;
    struct resample_counts counts;
    /* texts: all texts of rows. ids: identifiers of earlier rows. groups: names
     * of virtual clusters. users: names of users. */
    struct interner texts, ids, groups, users;
    struct source_row *sources; /* see sources_sort */
    size_t n_sources, cap_sources;
    struct result_row *results;
    size_t n_results, cap_results, next;
    uint32_t *copies; /* by source: number of its rows in the result so far */
    sim_time first;   /* first submission of the source, us since 1970 */
    sim_time origin;  /* local midnight at which place 0 begins */
    sim_time end;     /* local midnight after the last submission */
    uint32_t n_places, n_whole;
    uint32_t n_new_users;
    /* Streams of random draws (rng_stream), one for each purpose. */
    uint64_t order_stream, jitter_stream, noise_stream;
    struct arena arena; /* owns new names */
    struct shift_space *space;
};

/* Cuts the source into blocks, and decides which block goes to which place.
 * Blocks are counted from the last local midnight at or before the first
 * submission, so that only the last block can be partial, and a block of whole
 * weeks keeps weekdays. */

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
static sim_span resample_block_of(const struct resample *r)
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

/* Sets the place of each source and the number of places. Removes the rows of a
 * partial last block if the options say so. Returns STATUS_BAD_INPUT if there
 * would be more than BLOCKS_MAX blocks. blocks_cut and blocks_order are in
 * resample.c. */
static enum status blocks_cut(struct resample *r, struct error *err)
{
    find_ends(r);
    if (r->options.block == 0)
        r->options.block = resample_block_of(r);
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

struct resample_ranked {
    double rank;
    uint32_t place;
};

static int by_rank(const void *a, const void *b)
{
    const struct resample_ranked *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Orders the whole blocks by a number that is drawn for each. */
static void permute(const struct resample *r, uint64_t key, uint32_t *from)
{
    struct resample_ranked *ranked =
        mem_alloc((r->n_whole + 1) * sizeof *ranked);
    for (uint32_t i = 0; i < r->n_whole; i++)
        ranked[i] =
            (struct resample_ranked){keyed_uniform(r->order_stream, key, i), i};
    qsort(ranked, r->n_whole, sizeof *ranked, by_rank);
    for (uint32_t i = 0; i < r->n_whole; i++)
        from[i] = ranked[i].place;
    free(ranked);
}

/* Sets from[p] to the place of the source whose block goes to place p of the
 * result, for each of the n_places places. */
static void blocks_order(const struct resample *r, uint32_t group,
                         uint32_t *from)
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

/* The rows of the source: copies them and sorts them by group, place, user and
 * submission. */

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

static void resample_keep_texts(struct interner *texts, struct trace_row *row)
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

static bool resample_is_outside(const struct resample_options *options,
                                sim_time at)
{
    return (options->from != TRACE_NO_TIME && at < options->from) ||
           (options->to != TRACE_NO_TIME && at > options->to);
}

/* Returns the reason to leave the row out; RESAMPLE_N_REASONS if there is none.
 */
static enum resample_reason resample_judge(struct resample *r,
                                           const struct trace_row *row)
{
    if (row->submitted == TRACE_NO_TIME)
        return RESAMPLE_NO_TIME;
    if (resample_is_outside(&r->options, row->submitted))
        return RESAMPLE_OUTSIDE;
    if (row->source_id.len) {
        size_t n = r->ids.n_strings;
        interner_add(&r->ids, row->source_id);
        if (r->ids.n_strings == n)
            return RESAMPLE_REPEATED;
    }
    return RESAMPLE_N_REASONS;
}

/* source_add copies a row of the source, unless there is a reason to leave it
 * out. sources_sort sorts the copied rows by group, place, user and submission.
 * Both are in resample.c. */
static void source_add(struct resample *r, const struct trace_row *row)
{
    r->counts.n_rows++;
    enum resample_reason reason = resample_judge(r, row);
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
    resample_keep_texts(&r->texts, &source->row);
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

static void sources_sort(struct resample *r)
{
    if (r->n_sources)
        qsort(r->sources, r->n_sources, sizeof *r->sources, by_block);
}

/* Computes when the jobs of a block are submitted at its new place, how long
 * they run, and what their users are called.
 *
 * A submission shifts by the first of these rules that applies:
 * 1. If it came at most `link` after the end of a job of the same user, it
 * shifts as much as that end, because the user waited for the end.
 * 2. If it came within twice the jitter of the previous submission of the same
 * user, it shifts as much as that submission, so that the jobs of a sweep stay
 * together and in order. Rows without a user count as one user here.
 * 3. Otherwise it shifts by a number of whole seconds that is drawn for the
 * row. */

/* A row of one user in one block. */
struct moved {
    /* end of the job in the source, us since 1970; TRACE_NO_TIME: unknown */
    sim_time end;
    sim_span shift; /* shift of the submission, us */
    sim_span duration;
    uint32_t order; /* index among the rows of the user by submission */
};

struct shift_space {
    struct moved *rows;        /* in order of submission */
    const struct moved **ends; /* the rows that have an end, sorted by `end` */
    size_t cap_rows, cap_ends;
};

static sim_time resample_end_of(const struct trace_row *row)
{
    if (row->duration == TRACE_NO_TIME || row->duration <= 0)
        return TRACE_NO_TIME;
    sim_span queue =
        row->queue != TRACE_NO_TIME && row->queue > 0 ? row->queue : 0;
    return row->submitted + queue + row->duration;
}

/* Returns the run time in the result. Whole seconds stay whole, and a run time
 * below the time limit does not rise above it. A run time that equals the time
 * limit stays, because the limit ended the job; so does that of an elastic job
 * and one that was computed from what the job trains. */
static sim_span duration_of(const struct resample *r,
                            const struct source_row *source, uint32_t copy)
{
    const struct trace_row *row = &source->row;
    const sim_span was = row->duration;
    const bool follows = row->derived || row->elasticity != JOB_RIGID;
    if (was == TRACE_NO_TIME || was <= 0 || follows || r->options.noise <= 0 ||
        was == row->declared)
        return was;
    double factor = exp(r->options.noise *
                        keyed_normal(r->noise_stream, source->key, copy));
    sim_span unit = was % SPAN_SECOND ? 1 : SPAN_SECOND;
    sim_span most = span_from_seconds(SECONDS_MAX);
    double units = rint((double)was * factor / (double)unit);
    sim_span now =
        units < (double)(most / unit) ? (sim_span)units * unit : most;
    if (row->declared > was && now > row->declared)
        now = row->declared;
    return now > 0 ? now : unit;
}

/* Returns the local time of a row at another place before any shift. */
static sim_time local_at(const struct resample *r,
                         const struct source_row *source, uint32_t place)
{
    int64_t places = (int64_t)place - source->place;
    return source->local + places * r->options.block;
}

/* Draws the shift of a row. No row may come before the first submission of the
 * source, since a trace that counts from 0 has no negative times. */
static sim_span jitter_of(const struct resample *r, size_t source,
                          uint32_t place)
{
    const struct source_row *row = &r->sources[source];
    const double most = (double)(r->options.jitter / SPAN_SECOND);
    double u = keyed_uniform(r->jitter_stream, row->key, r->copies[source]);
    sim_span shift = (sim_span)(floor(u * (2 * most + 1)) - most) * SPAN_SECOND;
    sim_span least =
        clock_to_local(&r->options.zone, r->first) - local_at(r, row, place);
    return shift < least ? least : shift;
}

static int resample_by_end(const void *a, const void *b)
{
    const struct moved *x = *(const struct moved *const *)a,
                       *y = *(const struct moved *const *)b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Fills space->ends with the n rows of a user that have an end, sorted by end.
 * Returns their number. */
static size_t sort_ends(struct shift_space *space, size_t n)
{
    size_t n_ends = 0;
    for (size_t i = 0; i < n; i++) {
        if (space->rows[i].end != TRACE_NO_TIME)
            space->ends[n_ends++] = &space->rows[i];
    }
    if (n_ends)
        qsort(space->ends, n_ends, sizeof(const struct moved *),
              resample_by_end);
    return n_ends;
}

/* Sets the shifts of the n rows of a user, which are the sources from `begin`
 * on. A job that ended at or before a submission was submitted earlier, so its
 * own shift is already set. */
static void shift_user(struct resample *r, size_t begin, size_t n,
                       uint32_t place)
{
    struct shift_space *space = r->space;
    const struct source_row *sources = &r->sources[begin];
    const bool links = sources->user && r->options.link > 0;
    const size_t n_ends = links ? sort_ends(space, n) : 0;
    const struct moved *last = NULL;
    for (size_t i = 0, e = 0; i < n; i++) {
        struct moved *moved = &space->rows[i];
        const sim_time at = sources[i].row.submitted;
        for (; e < n_ends && space->ends[e]->end <= at; e++)
            last = space->ends[e];
        if (last && at - last->end <= r->options.link) {
            sim_span was = sources[last->order].row.duration;
            moved->shift = last->shift + last->duration - was;
            r->counts.n_linked++;
        } else if (i &&
                   at - sources[i - 1].row.submitted <= 2 * r->options.jitter) {
            moved->shift = space->rows[i - 1].shift;
        } else {
            moved->shift = jitter_of(r, begin + i, place);
        }
    }
}

/* Returns the submission of a row at another place, us since 1970 UTC. */
static sim_time resample_moved_to(const struct resample *r,
                                  const struct source_row *source,
                                  uint32_t place, sim_span shift)
{
    sim_time at =
        clock_from_local(&r->options.zone, local_at(r, source, place) + shift);
    return at < r->first ? r->first : at;
}

/* Returns the number that is part of a user's new name; 0 if the row has no
 * user or the user keeps the name. */
static uint32_t new_user(struct resample *r, uint32_t user)
{
    if (!user || r->options.users == RESAMPLE_USERS_KEEP)
        return 0;
    return r->options.users == RESAMPLE_USERS_TRACE ? user : ++r->n_new_users;
}

/* Returns true if the row was drawn for the last place but would come after the
 * end of the trace. */
static bool is_cut(const struct resample *r, const struct source_row *source,
                   uint32_t place)
{
    return place >= r->n_whole && place != source->place &&
           local_at(r, source, place) >= r->end;
}

static void resample_append(struct resample *r, size_t source,
                            const struct moved *moved, uint32_t place,
                            uint32_t user)
{
    const struct source_row *from = &r->sources[source];
    if (is_cut(r, from, place)) {
        r->counts.dropped[RESAMPLE_CUT]++;
        return;
    }
    r->results = mem_grow(r->results, &r->cap_results, r->n_results + 1,
                          sizeof *r->results);
    r->results[r->n_results++] = (struct result_row){
        .at = resample_moved_to(r, from, place, moved->shift),
        .duration = moved->duration,
        .source = (uint32_t)source,
        .copy = r->copies[source]++,
        .user = user};
    r->counts.n_without_user += !from->user;
}

/* Appends the rows of one user. begin .. end - 1: the sources of the user. */
static void move_user(struct resample *r, size_t begin, size_t end,
                      uint32_t place)
{
    struct shift_space *space = r->space;
    const size_t n = end - begin;
    space->rows =
        mem_grow(space->rows, &space->cap_rows, n, sizeof *space->rows);
    space->ends =
        mem_grow(space->ends, &space->cap_ends, n, sizeof(struct moved *));
    for (size_t i = 0; i < n; i++) {
        const struct source_row *source = &r->sources[begin + i];
        space->rows[i] = (struct moved){
            .end = resample_end_of(&source->row),
            .duration = duration_of(r, source, r->copies[begin + i]),
            .order = (uint32_t)i};
    }
    shift_user(r, begin, n, place);
    const uint32_t user = new_user(r, r->sources[begin].user);
    for (size_t i = 0; i < n; i++)
        resample_append(r, begin + i, &space->rows[i], place, user);
}

/* Appends the rows of one block to the result, at place `place`. begin .. end -
 * 1: the sources of the block, which have one group and one place. shift_block
 * and shift_free are in resample.c. */
static void shift_block(struct resample *r, size_t begin, size_t end,
                        uint32_t place)
{
    if (!r->space)
        r->space = mem_zalloc(1, sizeof *r->space);
    for (size_t i = begin, next; i < end; i = next) {
        for (next = i + 1;
             next < end && r->sources[next].user == r->sources[i].user; next++)
            ;
        move_user(r, i, next, place);
    }
}

static void shift_free(struct shift_space *space)
{
    if (space) {
        free(space->rows);
        free(space->ends);
    }
    free(space);
}

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
static int resample_by_submission(const void *a, const void *b, void *sources)
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
        qsort_r(r->results, r->n_results, sizeof *r->results,
                resample_by_submission, r->sources);
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
