/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/footprint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

/* Width of a node where the rows do not tell it. */
#define WIDTH_ASSUMED 8
/* Widest node that the rows are believed to tell. */
#define WIDTH_MAX 16
/* Share of its GPUs that a cluster is sized to keep busy, if nothing but the
 * demand of the jobs is known (assumed). */
#define BUSY_SHARE 0.8

/* A job takes GPUs at `at`, or gives them back if `gpus` is below 0. */
struct footprint_step {
    sim_time at;
    int64_t gpus;
    uint32_t type; /* symbol; 0: any */
};

/* Sums over the jobs of one GPU type. */
struct footprint_kind {
    double gpu_s;
    uint32_t most;     /* GPUs of its largest job */
    int64_t now, peak; /* GPUs in use, and their maximum */
};

struct footprint {
    struct interner types;
    struct footprint_kind kinds[FOOTPRINT_TYPES_MAX + 1]; /* by symbol */
    bool types_lost;
    struct footprint_step *steps;
    size_t n_steps, cap_steps;
    double gpu_s;
    sim_time first, last; /* submissions */
    sim_span longest;
    uint32_t most, width;
    uint64_t n_jobs, n_waits;
    bool several_nodes; /* true: some job had several nodes */
};

struct footprint *footprint_new(void)
{
    struct footprint *sums = mem_zalloc(1, sizeof *sums);
    interner_init(&sums->types);
    return sums;
}

/* Returns true if a description of a cluster can name the type. */
static bool can_name(struct text type)
{
    for (size_t i = 0; i < type.len; i++) {
        if (strchr("/:@+,=", type.at[i]))
            return false;
    }
    return type.len > 0 && !text_is(type, "profiler") &&
           !memmem(type.at, type.len, ".json", 5);
}

static uint32_t footprint_type_of(struct footprint *sums, struct text type)
{
    if (!type.len || sums->types_lost)
        return 0;
    const uint32_t symbol =
        can_name(type) ? interner_add(&sums->types, type) : 0;
    sums->types_lost = symbol == 0 || symbol > FOOTPRINT_TYPES_MAX;
    return sums->types_lost ? 0 : symbol;
}

static void add_times(struct footprint *sums, const struct trace_row *row,
                      uint32_t type)
{
    const bool known = row->queue != TRACE_NO_TIME && row->queue >= 0;
    const sim_time start = row->submitted + (known ? row->queue : 0);
    const sim_time end = start + row->duration;
    if (sums->n_jobs == 1 || row->submitted < sums->first)
        sums->first = row->submitted;
    if (sums->n_jobs == 1 || row->submitted > sums->last)
        sums->last = row->submitted;
    if (!known)
        return;
    sums->n_waits++;
    sums->steps = mem_grow(sums->steps, &sums->cap_steps, sums->n_steps + 2,
                           sizeof *sums->steps);
    sums->steps[sums->n_steps++] =
        (struct footprint_step){start, row->gpus, type};
    sums->steps[sums->n_steps++] =
        (struct footprint_step){end, -(int64_t)row->gpus, type};
}

void footprint_add(struct footprint *sums, const struct trace_row *row)
{
    if (!row->gpus || row->submitted == TRACE_NO_TIME)
        return;
    const uint32_t type = footprint_type_of(sums, row->gpu_type);
    struct footprint_kind *kind = &sums->kinds[type];
    sums->most = row->gpus > sums->most ? row->gpus : sums->most;
    kind->most = row->gpus > kind->most ? row->gpus : kind->most;
    if (row->nodes) {
        const uint32_t each = (row->gpus + row->nodes - 1) / row->nodes;
        sums->width = each > sums->width ? each : sums->width;
        sums->several_nodes |= row->nodes > 1;
    }
    if (row->duration == TRACE_NO_TIME || row->duration < 0)
        return;
    const double gpu_s = span_seconds(row->duration) * row->gpus;
    sums->n_jobs++;
    sums->gpu_s += gpu_s;
    kind->gpu_s += gpu_s;
    sums->longest =
        row->duration > sums->longest ? row->duration : sums->longest;
    add_times(sums, row, type);
}

/* Orders by time. At equal times, GPUs are given back before others are taken.
 */
static int footprint_by_time(const void *a, const void *b)
{
    const struct footprint_step *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

/* Finds the largest number of GPUs in use, in all and by type. Returns that of
 * all. */
static int64_t find_peaks(struct footprint *sums)
{
    int64_t now = 0, peak = 0;
    if (sums->n_steps) /* an empty list has no array to sort */
        qsort(sums->steps, sums->n_steps, sizeof *sums->steps,
              footprint_by_time);
    for (size_t i = 0; i < sums->n_steps; i++) {
        struct footprint_kind *kind = &sums->kinds[sums->steps[i].type];
        now += sums->steps[i].gpus;
        kind->now += sums->steps[i].gpus;
        peak = now > peak ? now : peak;
        kind->peak = kind->now > kind->peak ? kind->now : kind->peak;
    }
    return peak;
}

/* Returns the number of GPUs for jobs that used `gpu_s` GPU seconds and at most
 * `peak` GPUs at a time, the largest with `most` GPUs. */
static double gpus_for(const struct footprint_fit *fit, double gpu_s,
                       int64_t peak, uint32_t most)
{
    const double span = span_seconds(fit->last - fit->first);
    double gpus = span > 0 ? gpu_s / span / BUSY_SHARE : 0;
    gpus = fit->waits_known ? (double)peak : gpus;
    return fmax(fmax(gpus, most), 1);
}

static uint64_t nodes_for(const struct footprint_fit *fit, double gpus)
{
    return (uint64_t)ceil(gpus / fit->width);
}

/* Describes a cluster with the GPU types of the rows. Jobs without a type are
 * given room on the type with the largest demand. */
static void describe_types(const struct footprint *sums,
                           struct footprint_fit *out)
{
    const size_t n = sums->types.n_strings;
    const bool any = sums->kinds[0].most > 0;
    size_t len = 0, widest = 1;
    for (size_t s = 2; s < n; s++)
        widest = sums->kinds[s].gpu_s > sums->kinds[widest].gpu_s ? s : widest;
    for (size_t s = 1; s < n && len < sizeof out->cluster; s++) {
        struct footprint_kind kind = sums->kinds[s];
        if (s == widest) {
            kind.gpu_s += sums->kinds[0].gpu_s;
            kind.peak += sums->kinds[0].peak;
            kind.most = kind.most > sums->kinds[0].most ? kind.most
                                                        : sums->kinds[0].most;
        }
        const double gpus = gpus_for(out, kind.gpu_s, kind.peak, kind.most);
        /* Equal speeds are stated where jobs may choose between types. */
        len += (size_t)snprintf(out->cluster + len, sizeof out->cluster - len,
                                "%s%" PRIu64 "x%u:%s%s", s > 1 ? "+" : "",
                                nodes_for(out, gpus), out->width,
                                interner_string(&sums->types, (uint32_t)s),
                                any && n > 2 ? "@1" : "");
    }
    out->n_types = n - 1;
    if (len >= sizeof out->cluster)
        out->n_types = 0;
}

static void footprint_describe(const struct footprint *sums,
                               struct footprint_fit *out)
{
    if (sums->types.n_strings > 1 && !sums->types_lost)
        describe_types(sums, out);
    out->types_lost =
        sums->types_lost || (sums->types.n_strings > 1 && out->n_types == 0);
    if (out->n_types == 0)
        snprintf(out->cluster, sizeof out->cluster, "%" PRIu64 "x%u",
                 nodes_for(out, out->gpus), out->width);
    snprintf(out->why, sizeof out->why,
             "nodes of %u GPUs%s, as many as hold %s (%.0f GPU%s)%s",
             out->width, out->width_known ? "" : " (assumed)",
             out->waits_known ? "the most GPUs that were in use at once"
             : out->gpus > sums->most
                 ? "the mean demand at 80 %"
                 : "the largest job, which exceeds the mean demand at 80 %",
             ceil(out->gpus), out->gpus > 1 ? "s" : "",
             out->n_types ? ", by GPU type" : "");
}

void footprint_end(struct footprint *sums, struct footprint_fit *out)
{
    *out = (struct footprint_fit){
        .n_jobs = sums->n_jobs,
        .gpu_s = sums->gpu_s,
        .waits_known = sums->n_jobs && sums->n_waits * 10 >= sums->n_jobs * 9,
        .first = sums->first,
        .last = sums->last,
        .longest = sums->longest,
        .most = sums->most,
        .width = WIDTH_ASSUMED,
    };
    if (sums->several_nodes && sums->width <= WIDTH_MAX) {
        out->width = sums->width;
        out->width_known = true;
    }
    out->gpus = gpus_for(out, sums->gpu_s, find_peaks(sums), sums->most);
    footprint_describe(sums, out);
}

const char *footprint_cluster(struct footprint *sums, const char *recorded_on,
                              struct arena *arena)
{
    struct footprint_fit fit;
    if (!recorded_on) {
        footprint_end(sums, &fit);
        recorded_on = fit.cluster;
    }
    return arena_copy(arena, recorded_on, strlen(recorded_on));
}

void footprint_free(struct footprint *sums)
{
    if (!sums)
        return;
    free(sums->steps);
    interner_fini(&sums->types);
    free(sums);
}
