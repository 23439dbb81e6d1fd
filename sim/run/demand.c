/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/run/demand.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a job that the comparison needs. `vc` and `type` are symbols of
 * the interners in struct trace_demand. */
struct ask {
    double gpu_s;
    uint32_t vc, type, gpus;
};

struct trace_demand {
    const struct cluster_spec *spec;
    struct interner vcs, types; /* symbol 0 stands for a job that names none */
    struct ask *asks;
    size_t n, cap;
    sim_time first, last; /* first and last submission, us */
};

/* Number of jobs of one virtual cluster that ask for one GPU type, or for any
 * type, and the GPU time that they ask for. */
struct asked {
    uint64_t jobs;
    double gpu_s;
};

/* Index that stands for "any type"; it comes after those of all GPU types. */
#define ANY CLUSTER_TYPES_MAX

/* What would become of the jobs if they were run on the cluster. */
struct demand_verdict {
    /* by virtual cluster, then by type */
    struct asked (*asked)[CLUSTER_TYPES_MAX + 1];
    /* Numbers of jobs that would be dropped or rejected, by cause. */
    uint64_t n_no_vc, n_no_type, n_too_wide;
    /* first job of each cause, or NULL */
    const struct ask *no_vc, *no_type, *too_wide;
};

/* The demand for the GPUs of one type in one virtual cluster. */
struct demand_row {
    /* vc "all": the run ignores virtual clusters. type "any": jobs that name no
     * type, if the virtual cluster has several types */
    const char *vc, *type;
    /* number of GPUs of this type in the virtual cluster */
    uint32_t gpus;
    uint64_t jobs;
    /* GPU hours that the jobs ask for; GPU hours that the cluster has */
    double asked_h, there_h;
};

struct trace_demand *demand_open(const struct cluster_spec *spec)
{
    struct trace_demand *d = mem_zalloc(1, sizeof *d);
    d->spec = spec;
    d->first = INT64_MAX;
    d->last = INT64_MIN;
    interner_init(&d->vcs);
    interner_init(&d->types);
    return d;
}

void demand_close(struct trace_demand *d)
{
    if (!d)
        return;
    interner_fini(&d->vcs);
    interner_fini(&d->types);
    free(d->asks);
    free(d);
}

void demand_add(struct trace_demand *d, const struct trace_row *row)
{
    if (row->gpus == 0 || row->duration == TRACE_NO_TIME || row->duration < 0)
        return;
    d->first = row->submitted < d->first ? row->submitted : d->first;
    d->last = row->submitted > d->last ? row->submitted : d->last;
    d->asks = mem_grow(d->asks, &d->cap, d->n + 1, sizeof *d->asks);
    d->asks[d->n++] = (struct ask){
        .gpu_s = span_seconds(row->duration) * row->gpus,
        .vc = row->vc.len ? interner_add(&d->vcs, row->vc) : 0,
        .type = row->gpu_type.len ? interner_add(&d->types, row->gpu_type) : 0,
        .gpus = row->gpus,
    };
}

/* True if all jobs go to one virtual cluster, because no job of the trace names
 * one, or the cluster has only one. A run decides by the same rule. */
static bool demand_runs_as_one(const struct trace_demand *d)
{
    return d->spec->n_vcs == 1 || d->vcs.n_strings <= 1;
}

/* Returns the number of GPUs of one type in a virtual cluster; for ANY, of the
 * type that has the most. Nodes set aside for profiling do not count. */
static uint32_t demand_gpus_of(const struct trace_demand *d, size_t vc,
                               size_t type)
{
    uint32_t most = 0, of[CLUSTER_TYPES_MAX] = {0};
    for (size_t i = 0; i < d->spec->n_groups; i++) {
        const struct node_group *g = &d->spec->groups[i];
        if (!g->profiler && (g->vc == vc || demand_runs_as_one(d)))
            of[g->type] += g->count * g->gpus;
    }
    for (size_t t = 0; t < d->spec->n_types; t++)
        most = of[t] > most ? of[t] : most;
    return type == ANY ? most : of[type];
}

static size_t demand_find_vc(const struct trace_demand *d, uint32_t symbol)
{
    size_t vc = 0;
    const char *name = interner_string(&d->vcs, symbol);
    while (!demand_runs_as_one(d) && vc < d->spec->n_vcs &&
           strcmp(d->spec->vcs[vc], name) != 0)
        vc++;
    return vc;
}

static size_t demand_find_type(const struct trace_demand *d, uint32_t symbol)
{
    size_t type = 0;
    const char *name = interner_string(&d->types, symbol);
    if (symbol == 0)
        return ANY;
    while (type < d->spec->n_types &&
           strcmp(d->spec->types[type].name, name) != 0)
        type++;
    return type < d->spec->n_types ? type : SIZE_MAX;
}

static void demand_count(uint64_t *n, const struct ask **first,
                         const struct ask *ask)
{
    if ((*n)++ == 0)
        *first = ask;
}

static void demand_judge(const struct trace_demand *d, const struct ask *ask,
                         struct demand_verdict *v)
{
    size_t vc = demand_find_vc(d, ask->vc),
           type = demand_find_type(d, ask->type);
    if (vc == d->spec->n_vcs) {
        demand_count(&v->n_no_vc, &v->no_vc, ask);
        return;
    }
    if (type == SIZE_MAX || demand_gpus_of(d, vc, type) == 0) {
        demand_count(&v->n_no_type, &v->no_type, ask);
        return;
    }
    if (ask->gpus > demand_gpus_of(d, vc, type))
        demand_count(&v->n_too_wide, &v->too_wide, ask);
    v->asked[vc][type].jobs++;
    v->asked[vc][type].gpu_s += ask->gpu_s;
}

static struct demand_row demand_row_of(const struct trace_demand *d,
                                       const struct demand_verdict *v,
                                       size_t vc, size_t type, uint32_t gpus)
{
    const struct asked *asked = &v->asked[vc][type];
    return (struct demand_row){
        .vc = demand_runs_as_one(d) ? "all" : d->spec->vcs[vc],
        .type = type == ANY ? "any" : d->spec->types[type].name,
        .gpus = gpus,
        .jobs = asked->jobs,
        .asked_h = asked->gpu_s / 3600,
        .there_h = gpus * span_seconds(d->last - d->first) / 3600,
    };
}

/* Collects the rows of a virtual cluster; returns their number. If there is
 * only one type, jobs that name no type count for that type. If there are
 * several types, such jobs get a row "any", whose GPUs are counted in other
 * rows too. */
static size_t rows_of(const struct trace_demand *d, struct demand_verdict *v,
                      size_t vc, struct demand_row rows[CLUSTER_TYPES_MAX + 1])
{
    uint32_t all = 0;
    size_t n = 0, only = 0;
    for (size_t t = 0; t < d->spec->n_types; t++) {
        uint32_t gpus = demand_gpus_of(d, vc, t);
        all += gpus;
        n += gpus > 0;
        only = gpus > 0 ? t : only;
    }
    if (n == 1) {
        v->asked[vc][only].jobs += v->asked[vc][ANY].jobs;
        v->asked[vc][only].gpu_s += v->asked[vc][ANY].gpu_s;
    }
    n = 0;
    for (size_t t = 0; t < d->spec->n_types; t++) {
        uint32_t gpus = demand_gpus_of(d, vc, t);
        if (gpus > 0)
            rows[n++] = demand_row_of(d, v, vc, t, gpus);
    }
    if (n > 1)
        rows[n++] = demand_row_of(d, v, vc, ANY, all);
    return n;
}

static void demand_print_row(const struct demand_row *row, struct out *out)
{
    out_printf(out, "%-16.60s %-12.60s %6u %8" PRIu64 " %12.1f %12.1f", row->vc,
               row->type, row->gpus, row->jobs, row->asked_h, row->there_h);
    if (row->there_h > 0)
        out_printf(out, " %7.1f %%\n", row->asked_h / row->there_h * 100);
    else
        out_text(out, "         -\n");
}

static void print_losses(const struct trace_demand *d,
                         const struct demand_verdict *v, struct out *out)
{
    if (v->n_no_vc)
        out_printf(
            out,
            "%8" PRIu64 " jobs would be dropped: each names a virtual "
            "cluster that the cluster does not have, the first '%.60s'\n",
            v->n_no_vc, interner_string(&d->vcs, v->no_vc->vc));
    if (v->n_no_type)
        out_printf(out,
                   "%8" PRIu64 " jobs would be rejected: the virtual cluster "
                   "has no GPU of the type asked for, the first '%.60s'\n",
                   v->n_no_type, interner_string(&d->types, v->no_type->type));
    if (v->n_too_wide)
        out_printf(out,
                   "%8" PRIu64 " jobs would be rejected: each asks for more "
                   "GPUs than the virtual cluster has of one type, the first "
                   "for %u\n",
                   v->n_too_wide, v->too_wide->gpus);
    if (v->n_no_vc + v->n_no_type + v->n_too_wide == 0)
        out_text(out, "no job would be dropped or rejected\n");
}

static struct demand_verdict demand_judge_all(const struct trace_demand *d)
{
    struct demand_verdict v = {.asked =
                                   mem_zalloc(d->spec->n_vcs, sizeof *v.asked)};
    for (size_t i = 0; i < d->n; i++)
        demand_judge(d, &d->asks[i], &v);
    return v;
}

static size_t demand_n_vcs(const struct trace_demand *d)
{
    return demand_runs_as_one(d) ? 1 : d->spec->n_vcs;
}

static double submission_hours(const struct trace_demand *d)
{
    return d->n ? span_seconds(d->last - d->first) / 3600 : 0;
}

void demand_print(const struct trace_demand *d, struct out *out)
{
    struct demand_row rows[CLUSTER_TYPES_MAX + 1];
    struct demand_verdict v = demand_judge_all(d);
    out_printf(out,
               "\non cluster %.200s, over the %.1f h in which jobs are "
               "submitted:\n",
               d->spec->name, submission_hours(d));
    out_printf(out, "%-16s %-12s %6s %8s %12s %12s %9s\n", "virtual cluster",
               "GPU type", "GPUs", "jobs", "GPU h asked", "GPU h there",
               "demand");
    for (size_t vc = 0; vc < demand_n_vcs(d); vc++) {
        size_t n = rows_of(d, &v, vc, rows);
        for (size_t i = 0; i < n; i++)
            demand_print_row(&rows[i], out);
    }
    print_losses(d, &v, out);
    free(v.asked);
}

static void demand_write_row(const struct demand_row *row,
                             struct json_stream *js)
{
    json_stream_object(js, NULL);
    json_stream_text(js, "vc", row->vc);
    json_stream_text(js, "gpu_type", row->type);
    json_stream_whole(js, "gpus", row->gpus);
    json_stream_whole(js, "jobs", (int64_t)row->jobs);
    json_stream_number(js, "asked_gpu_hours", row->asked_h);
    json_stream_number(js, "cluster_gpu_hours", row->there_h);
    json_stream_object_end(js);
}

void demand_write(const struct trace_demand *d, struct json_stream *js)
{
    struct demand_row rows[CLUSTER_TYPES_MAX + 1];
    struct demand_verdict v = demand_judge_all(d);
    json_stream_object(js, "demand");
    json_stream_text(js, "cluster", d->spec->name);
    json_stream_number(js, "submission_hours", submission_hours(d));
    json_stream_array(js, "pools");
    for (size_t vc = 0; vc < demand_n_vcs(d); vc++) {
        size_t n = rows_of(d, &v, vc, rows);
        for (size_t i = 0; i < n; i++)
            demand_write_row(&rows[i], js);
    }
    json_stream_array_end(js);
    json_stream_whole(js, "dropped_for_vc", (int64_t)v.n_no_vc);
    json_stream_whole(js, "rejected_for_gpu_type", (int64_t)v.n_no_type);
    json_stream_whole(js, "rejected_for_width", (int64_t)v.n_too_wide);
    json_stream_object_end(js);
    free(v.asked);
}
