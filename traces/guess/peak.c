/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/guess/peak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/arena.h"

/* A job takes GPUs at `at`, or gives them back if `gpus` is below 0. */
struct step {
    sim_time at;
    int64_t gpus;
};

struct sums {
    struct step *steps;
    size_t n_steps, cap_steps;
    double gpu_seconds;
    sim_time first, last; /* first and last submission */
    uint32_t most;        /* number of GPUs of the largest job */
    uint64_t n_waits;
};

/* Orders by time. At equal times, GPUs are given back before others are taken.
 */
static int by_time(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

static void add(struct sums *sums, struct peak *out,
                const struct trace_row *row)
{
    out->n_rows++;
    if (!row->gpus || row->duration == TRACE_NO_TIME || row->duration < 0)
        return;
    if (!out->n_jobs++)
        sums->first = sums->last = row->submitted;
    if (row->submitted < sums->first)
        sums->first = row->submitted;
    if (row->submitted > sums->last)
        sums->last = row->submitted;
    if (row->gpus > sums->most)
        sums->most = row->gpus;
    sums->gpu_seconds += span_seconds(row->duration) * row->gpus;
    if (row->queue == TRACE_NO_TIME || row->queue < 0)
        return;
    sums->n_waits++;
    const sim_time start = row->submitted + row->queue;
    sums->steps = mem_grow(sums->steps, &sums->cap_steps, sums->n_steps + 2,
                           sizeof *sums->steps);
    sums->steps[sums->n_steps++] = (struct step){start, row->gpus};
    sums->steps[sums->n_steps++] =
        (struct step){start + row->duration, -(int64_t)row->gpus};
}

static void conclude(struct sums *sums, struct peak *out)
{
    int64_t now = 0, most = 0;
    const double span = span_seconds(sums->last - sums->first);
    out->waits_known = out->n_jobs && sums->n_waits * 10 >= out->n_jobs * 9;
    out->gpus = span > 0 ? sums->gpu_seconds / span / 0.8 : 0;
    if (out->waits_known) {
        qsort(sums->steps, sums->n_steps, sizeof *sums->steps, by_time);
        for (size_t i = 0; i < sums->n_steps; i++) {
            now += sums->steps[i].gpus;
            most = now > most ? now : most;
        }
        out->gpus = (double)most;
    }
    if (out->gpus < sums->most)
        out->gpus = sums->most;
    out->nodes = (uint64_t)ceil(out->gpus / 8);
}

enum status peak_measure(const char *path, const char *spec, struct peak *out,
                         struct error *err)
{
    struct trace_reader *reader;
    struct sums sums = {0};
    struct trace_row row;
    *out = (struct peak){0};
    enum status st = trace_open(path, spec, &reader, err);
    if (st != STATUS_OK)
        return st;
    while ((st = trace_next(reader, &row, err)) == STATUS_OK)
        add(&sums, out, &row);
    if (st == STATUS_END) {
        st = STATUS_OK;
        conclude(&sums, out);
        trace_note(reader, out->note);
        out->recorded_on = trace_recorded_on(reader);
    }
    free(sums.steps);
    trace_close(reader);
    return st;
}
