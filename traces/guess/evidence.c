/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges a proposal by the whole log: what the rows that it gives contradict.
 */
#include "traces/guess/guess.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "traces/footprint.h"

/* Limits of a plausible log (assumed). A log with more is not refused for good:
 * the user can give the map by hand. */
#define MOST_GPUS 16384     /* GPUs of one job */
#define MOST_DEMAND 50000.0 /* GPUs in use on average */
#define MOST_RUN (400 * SPAN_DAY)
#define NEGATIVE_SHARE 0.01 /* of the jobs end before they start */
#define EARLY_SHARE 0.02    /* start a minute or more before the submission */

/* What a row of an id was, to compare it with the next one of the id. */
struct last {
    sim_time start, end;
    uint32_t gpus;
};

struct weighing {
    struct guess_evidence *out;
    const struct guess_columns *columns;
    struct footprint *footprint;
    struct interner ids;
    struct last *last; /* by symbol */
    size_t cap_last;
    uint64_t n_rows, n_jobs, n_no_gpu, n_negative, n_early, n_midnight;
    uint64_t n_zero, n_fraction, n_no_duration;
    /* Rows that repeat an id: at the same time, after the last one, others; and
     * those at the same time with more GPUs than a node has. */
    uint64_t n_same_time, n_after, n_other, n_wide, n_equal;
    double *seconds; /* run times */
    size_t cap_seconds;
};

static bool is_near(sim_time a, sim_time b)
{
    return a - b <= 5 * SPAN_SECOND && b - a <= 5 * SPAN_SECOND;
}

/* Compares a row with the last one of its id. */
static void weigh_repeat(struct weighing *w, const struct last *was,
                         const struct last *now)
{
    const bool alike =
        is_near(now->start, was->start) && is_near(now->end, was->end);
    const bool apart = now->start >= was->end || now->end <= was->start;
    w->n_same_time += alike;
    w->n_equal += alike && now->gpus == was->gpus;
    w->n_wide += alike && (now->gpus > 8 || was->gpus > 8);
    w->n_after += !alike && apart;
    w->n_other += !alike && !apart;
}

static void weigh_id(struct weighing *w, const struct trace_row *row)
{
    const bool timed = row->duration != TRACE_NO_TIME && row->duration >= 0;
    const sim_time start =
        row->submitted + (row->queue == TRACE_NO_TIME ? 0 : row->queue);
    const struct last now = {start, timed ? start + row->duration : start,
                             row->gpus};
    const size_t known = w->ids.n_strings;
    if (!row->source_id.len)
        return;
    const uint32_t id = interner_add(&w->ids, row->source_id);
    w->last = mem_grow(w->last, &w->cap_last, (size_t)id + 1, sizeof *w->last);
    if (id < known) {
        weigh_repeat(w, &w->last[id], &now);
    }
    w->last[id] = now;
}

static void evidence_weigh_one(struct weighing *w, const struct trace_row *row)
{
    w->n_rows++;
    weigh_id(w, row);
    footprint_add(w->footprint, row);
    w->n_no_gpu += row->gpus == 0;
    w->n_no_duration += row->duration == TRACE_NO_TIME;
    if (!row->gpus || row->duration == TRACE_NO_TIME)
        return;
    w->seconds = mem_grow(w->seconds, &w->cap_seconds, w->n_jobs + 1,
                          sizeof *w->seconds);
    w->seconds[w->n_jobs++] = span_seconds(row->duration);
    w->n_negative += row->duration < 0;
    w->n_zero += row->duration == 0;
    w->n_fraction += row->duration % SPAN_SECOND != 0;
    w->n_early += row->queue != TRACE_NO_TIME && row->queue < -60 * SPAN_SECOND;
    w->n_midnight += row->submitted % SPAN_DAY == 0;
}

static int evidence_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_doubted(const struct weighing *w)
{
    return w->out->doubt[0] != '\0';
}

#define DOUBT(w, condition, ...) \
    do { \
        if (!is_doubted(w) && (condition)) \
            snprintf((w)->out->doubt, sizeof(w)->out->doubt, __VA_ARGS__); \
    } while (0)

static void judge_ids(struct weighing *w)
{
    struct guess_evidence *out = w->out;
    const uint64_t n = w->n_same_time + w->n_after + w->n_other;
    if (n == 0)
        return;
    if (w->n_after * 20 >= n * 19) {
        out->same = SAME_ATTEMPTS;
        snprintf(out->why_same, sizeof out->why_same,
                 "%" PRIu64 " rows repeat an id at a later time: attempts of "
                 "one job",
                 n);
    } else if (w->n_same_time * 20 >= n * 19 && w->n_wide * 20 >= n) {
        out->same = w->n_equal == n ? SAME_FIRST : SAME_NONE;
        snprintf(out->why_same, sizeof out->why_same,
                 "%" PRIu64 " rows repeat an id, its time and its GPUs, which "
                 "are more than a node has",
                 n);
    } else if (w->n_same_time * 20 >= n * 19) {
        out->same = SAME_PARTS;
        snprintf(out->why_same, sizeof out->why_same,
                 "%" PRIu64 " rows repeat an id at the same time: parts of "
                 "one job, such as nodes",
                 n);
    }
    DOUBT(w, out->same == SAME_NONE,
          "%s: %" PRIu64 " rows repeat an id: %" PRIu64
          " at the same time, %" PRIu64 " later, %" PRIu64
          " overlapping; same=attempts, same=parts or same=first says what "
          "they are, id=COLUMN names a column of distinct ids",
          w->columns->id, n, w->n_same_time, w->n_after, w->n_other);
}

static void judge_times(struct weighing *w, const struct footprint_fit *fit)
{
    const struct guess_columns *c = w->columns;
    const double n = (double)w->n_jobs;
    DOUBT(w, (double)w->n_negative > NEGATIVE_SHARE * n,
          "%s and %s: %" PRIu64 " of %" PRIu64
          " jobs end before they start; start=, end= and date= say which "
          "column is which and how dates are written",
          *c->start ? c->start : c->submit, *c->end ? c->end : c->duration,
          w->n_negative, w->n_jobs);
    DOUBT(w, (double)w->n_early > EARLY_SHARE * n,
          "%s and %s: %" PRIu64 " of %" PRIu64
          " jobs start before they are submitted; submit=, start= and date= "
          "say which column is which and how dates are written",
          c->submit, *c->start ? c->start : "the waiting time", w->n_early,
          w->n_jobs);
    DOUBT(w, w->n_jobs > 5 && fit->first == fit->last,
          "%s: all jobs have one time of submission; submit= names another "
          "column",
          c->submit);
    DOUBT(w,
          w->n_jobs > 20 && w->n_midnight == w->n_jobs &&
              fit->last - fit->first >= SPAN_DAY,
          "%s: it tells days only; submit= names a column with the time of "
          "day, or one that joins both",
          c->submit);
    DOUBT(w, w->n_jobs > 20 && w->n_zero * 3 > w->n_jobs,
          "%s: %" PRIu64 " of %" PRIu64
          " jobs run for no time; duration= or end= names another column",
          *c->duration ? c->duration : c->end, w->n_zero, w->n_jobs);
    DOUBT(w, fit->longest > MOST_RUN,
          "%s: a job runs for %.0f days; a unit after the column (:ms, :s, "
          ":min, :h) says what it counts",
          *c->duration ? c->duration : c->end,
          span_seconds(fit->longest) / 86400);
}

/* Doubts units that were assumed unless the run times look like seconds, and
 * demands that no cluster has. */
static void judge_units(struct weighing *w, const struct footprint_fit *fit)
{
    const struct guess_columns *c = w->columns;
    const double span = span_seconds(fit->last - fit->first);
    double gpu_s = 0, median = 0, longest = 0;
    if (w->n_jobs) {
        qsort(w->seconds, w->n_jobs, sizeof *w->seconds, evidence_by_value);
        median = w->seconds[w->n_jobs / 2];
        longest = w->seconds[w->n_jobs - 1];
    }
    gpu_s = fit->gpu_s;
    const double demand = span > 0 ? gpu_s / span : 0;
    DOUBT(
        w,
        *c->duration && !c->duration_unit_known && w->n_jobs >= 20 &&
            (median < 120 || longest < 12000 || w->n_fraction * 2 > w->n_jobs),
        "%s: its unit is not told: half of the values are below %g and the "
        "largest is %g, which may be seconds, minutes or hours; "
        "duration=%s:s, :min or :h says it",
        c->duration, median, longest, c->duration);
    DOUBT(w,
          !c->submit_unit_known && w->n_jobs > 5 &&
              (demand > 20.0 * fit->most + 512 || demand < 0.2),
          "%s: its unit is not told, and as seconds the jobs would use %.3g "
          "GPUs on average; submit=%s:ms, :min, :h or :d says another",
          c->submit, demand, c->submit);
    DOUBT(w, w->n_jobs > 5 && demand > MOST_DEMAND && demand > fit->most,
          "%s and %s: the jobs would use %.3g GPUs on average; units after "
          "the columns (:ms, :s, :min, :h, :d) say what they count",
          c->submit, *c->duration ? c->duration : c->end, demand);
}

static void evidence_conclude(struct weighing *w)
{
    struct footprint_fit fit;
    footprint_end(w->footprint, &fit);
    judge_ids(w);
    DOUBT(w, w->n_jobs == 0,
          "%s: %" PRIu64 " of %" PRIu64 " rows have no GPU by it, and %" PRIu64
          " have no run time; gpus=COLUMN and duration=COLUMN name others",
          *w->columns->gpus ? w->columns->gpus : "the column of GPUs",
          w->n_no_gpu, w->n_rows, w->n_no_duration);
    DOUBT(w, fit.most > MOST_GPUS,
          "%s: a job has %u GPUs; gpus= names another column", w->columns->gpus,
          fit.most);
    judge_times(w, &fit);
    judge_units(w, &fit);
}

enum status evidence_weigh(const char *path, const char *spec,
                           const struct guess_columns *columns,
                           struct guess_evidence *out, struct error *err)
{
    struct trace_reader *reader;
    struct trace_row row;
    *out = (struct guess_evidence){0};
    enum status st = trace_open(path, spec, &reader, err);
    if (st != STATUS_OK)
        return st;
    struct weighing w = {
        .out = out, .columns = columns, .footprint = footprint_new()};
    interner_init(&w.ids);
    while ((st = trace_next(reader, &row, err)) == STATUS_OK)
        evidence_weigh_one(&w, &row);
    if (st == STATUS_END) {
        st = STATUS_OK;
        evidence_conclude(&w);
    }
    interner_fini(&w.ids);
    footprint_free(w.footprint);
    free(w.last);
    free(w.seconds);
    trace_close(reader);
    return st;
}
