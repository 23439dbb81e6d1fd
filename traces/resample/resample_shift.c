/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "traces/resample/resample_internal.h"

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

static sim_time end_of(const struct trace_row *row)
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

static int by_end(const void *a, const void *b)
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
        qsort(space->ends, n_ends, sizeof(const struct moved *), by_end);
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
static sim_time moved_to(const struct resample *r,
                         const struct source_row *source, uint32_t place,
                         sim_span shift)
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

static void append(struct resample *r, size_t source, const struct moved *moved,
                   uint32_t place, uint32_t user)
{
    const struct source_row *from = &r->sources[source];
    if (is_cut(r, from, place)) {
        r->counts.dropped[RESAMPLE_CUT]++;
        return;
    }
    r->results = mem_grow(r->results, &r->cap_results, r->n_results + 1,
                          sizeof *r->results);
    r->results[r->n_results++] =
        (struct result_row){.at = moved_to(r, from, place, moved->shift),
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
            .end = end_of(&source->row),
            .duration = duration_of(r, source, r->copies[begin + i]),
            .order = (uint32_t)i};
    }
    shift_user(r, begin, n, place);
    const uint32_t user = new_user(r, r->sources[begin].user);
    for (size_t i = 0; i < n; i++)
        append(r, begin + i, &space->rows[i], place, user);
}

void shift_block(struct resample *r, size_t begin, size_t end, uint32_t place)
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

void shift_free(struct shift_space *space)
{
    if (space) {
        free(space->rows);
        free(space->ends);
    }
    free(space);
}
