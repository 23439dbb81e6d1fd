/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/series.h"

#include <stdlib.h>
#include <string.h>

#include "base/out.h"

/* `time`, then the columns in the order of series_row.values. */
const struct column series_columns[] = {
    {.name = "time",
     .unit = "s",
     .rule = "time, rises",
     .help = "since the first submission"},
    {.name = "gpus_up",
     .unit = "GPUs",
     .rule = "count, law series",
     .help = "GPUs of nodes that are up"},
    {.name = "gpus_busy",
     .unit = "GPUs",
     .rule = "count, law series",
     .help = "GPUs held by at least one job"},
    {.name = "gpus_stranded",
     .unit = "GPUs",
     .rule = "count, law series",
     .help = "free GPUs on nodes whose other GPUs are in use"},
    {.name = "jobs_pending",
     .unit = "jobs",
     .rule = "count, law series",
     .help = "jobs that wait for GPUs"},
    {.name = "gpus_pending",
     .unit = "GPUs",
     .rule = "count, law series",
     .help = "GPUs that the waiting jobs ask for"},
    {.name = "jobs_running",
     .unit = "jobs",
     .rule = "count, law series",
     .help = "jobs that hold GPUs"},
    {.name = "jobs_held",
     .unit = "jobs",
     .rule = "count, law series",
     .help = "jobs that failed and wait for the delay of a ruling"},
    {.name = "jobs_ended",
     .unit = "jobs",
     .rule = "count, law series",
     .help = "jobs that finished, failed for good or were rejected, so far"},
    {.name = NULL},
};

void series_init(struct series *series, const struct meter *meter,
                 struct out *out, sim_span interval)
{
    *series = (struct series){
        .meter = meter, .out = out, .interval = interval, .last = {.at = -1}};
    for (size_t i = 0; series_columns[i].name; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, series_columns[i].name);
    }
    out_char(out, '\n');
}

static void series_put_row(struct out *out, const struct series_row *row)
{
    enum { VALUES = sizeof row->values / sizeof *row->values };
    char *start =
        out_reserve(out, SPAN_TEXT_MAX + VALUES * (U64_TEXT_MAX + 1) + 1);
    char *at = digits_put_span(start, row->at);
    for (size_t i = 0; i < VALUES; i++) {
        *at++ = ',';
        at = digits_put(at, row->values[i]);
    }
    *at++ = '\n';
    out->len += (size_t)(at - start);
}

/* Not inline, because most moves come before the next sample and need none of
 * the registers that a row needs. */
static __attribute__((noinline)) void series_sample(struct series *series)
{
    const struct meter *g = series->meter;
    struct series_row row = {
        .at = series->next,
        .values = {g->gpus_up, g->gpus_busy, g->gpus_stranded,
                   g->jobs_in[JOB_PENDING], g->gpus_pending,
                   g->jobs_in[JOB_RUNNING], g->jobs_in[JOB_HELD],
                   g->jobs_in[JOB_FINISHED] + g->jobs_in[JOB_FAILED] +
                       g->jobs_in[JOB_REJECTED]}};
    if (series->last.at >= 0 &&
        memcmp(row.values, series->last.values, sizeof row.values) == 0)
        return;
    series_put_row(series->out, &row);
    series->last = row;
}

/* Samples the state at the next sample time, if it is before `end`, and skips
 * the later ones. Nothing changes between two moves, so rows at later times
 * would repeat the first. */
static void series_sample_until(struct series *series, sim_time end)
{
    if (series->next >= end)
        return;
    series_sample(series);
    sim_span passed = end - 1 - series->next;
    series->next += (passed / series->interval + 1) * series->interval;
}

static void series_read(void *self, const struct ledger_move *move)
{
    series_sample_until(self, move->at);
}

struct ledger_reader series_reader(struct series *series)
{
    return (struct ledger_reader){series_read, series};
}

void series_close(struct series *series, sim_time end)
{
    series_sample_until(series, end + 1);
}

/* `time`, the group, then the values of a row. */
const struct column series_by_columns[] = {
    {.name = "time",
     .unit = "s",
     .rule = "time, rises",
     .help = "since the first submission"},
    {.name = "vc",
     .unit = "",
     .rule = "text, law series",
     .help = "virtual cluster; in series_type.csv `gpu_type`: the GPU type of "
             "the nodes; a running job belongs to the type that it holds, "
             "another to the type that it asks for, `(any)` if it asks for "
             "none"},
    {.name = "gpus_up",
     .unit = "GPUs",
     .rule = "count, law series",
     .help = "as in series.csv; by virtual cluster under quotas: the nominal "
             "quota"},
    {.name = "gpus_busy",
     .unit = "GPUs",
     .rule = "count, bounds series",
     .help = "as in series.csv; by virtual cluster under quotas: the GPUs that "
             "its jobs hold, each once for each job"},
    {.name = "gpus_stranded",
     .unit = "GPUs",
     .rule = "count, law series",
     .help = "as in series.csv; by virtual cluster under quotas: 0"},
    {.name = "jobs_pending",
     .unit = "jobs",
     .rule = "count, law series",
     .help = "as in series.csv"},
    {.name = "gpus_pending",
     .unit = "GPUs",
     .rule = "count, law series",
     .help = "as in series.csv"},
    {.name = "jobs_running",
     .unit = "jobs",
     .rule = "count, law series",
     .help = "as in series.csv"},
    {.name = "jobs_held",
     .unit = "jobs",
     .rule = "count, law series",
     .help = "as in series.csv"},
    {.name = "jobs_ended",
     .unit = "jobs",
     .rule = "count, law series",
     .help = "as in series.csv"},
    {.name = NULL},
};

/* Places of the values in a row. */
enum {
    V_UP,
    V_BUSY,
    V_STRANDED,
    V_PENDING,
    V_GPUS_PENDING,
    V_RUNNING,
    V_HELD,
    V_ENDED
};

void series_by_init(struct series_by *series, enum series_split split,
                    const struct meter *meter, const struct cluster *cluster,
                    struct out *out, sim_span interval)
{
    bool by_type = split == SERIES_BY_TYPE;
    *series = (struct series_by){.split = split,
                                 .meter = meter,
                                 .cluster = cluster,
                                 .out = out,
                                 .interval = interval,
                                 .n_groups = by_type ? cluster->n_types + 1
                                                     : cluster->n_vcs};
    series->groups = mem_zalloc(series->n_groups, sizeof *series->groups);
    if (!by_type && cluster->merged)
        series->held =
            mem_zalloc(meter->n_jobs + (size_t)1, sizeof *series->held);
    if (by_type)
        series->type_of = mem_zalloc(meter->n_jobs + (size_t)1, 1);
    for (size_t i = 0; series_by_columns[i].name; i++) {
        if (i)
            out_char(out, ',');
        out_text(out,
                 by_type && i == 1 ? "gpu_type" : series_by_columns[i].name);
    }
    out_char(out, '\n');
}

static void by_put_row(const struct series_by *series, uint32_t g,
                       const uint64_t *values)
{
    struct out *out = series->out;
    const struct cluster *c = series->cluster;
    const char *name = series->split == SERIES_BY_VC ? c->vcs[g]
                       : g < c->n_types              ? c->types[g].name
                                                     : "(any)";
    char *start = out_reserve(out, SPAN_TEXT_MAX + 1);
    char *at = digits_put_span(start, series->next);
    *at++ = ',';
    out->len += (size_t)(at - start);
    out_csv(out, text_from(name));
    start = at = out_reserve(out, SERIES_BY_VALUES * (U64_TEXT_MAX + 1) + 1);
    for (size_t i = 0; i < SERIES_BY_VALUES; i++) {
        *at++ = ',';
        at = digits_put(at, values[i]);
    }
    *at++ = '\n';
    out->len += (size_t)(at - start);
}

/* Adds the GPUs of all nodes to the values of their groups. */
static void series_add_nodes(const struct series_by *series,
                             uint64_t (*values)[SERIES_BY_VALUES])
{
    const struct cluster *c = series->cluster;
    if (series->held) { /* series_hold counts the GPUs in use */
        for (uint32_t vc = 0; vc < c->n_vcs; vc++)
            values[vc][V_UP] = c->nominal[vc];
        return;
    }
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        const struct meter_node *node = &series->meter->nodes[n];
        const struct pool *pool = &c->pools[c->nodes[n].pool];
        uint64_t *v =
            values[series->split == SERIES_BY_VC ? pool->vc : pool->type];
        uint32_t busy = (uint32_t)node->gpus - node->n_free;
        v[V_UP] += node->up ? node->gpus : 0;
        v[V_BUSY] += busy;
        v[V_STRANDED] += node->up && busy ? node->n_free : 0;
    }
}

static void by_sample(struct series_by *series)
{
    uint64_t(*values)[SERIES_BY_VALUES] =
        mem_zalloc(series->n_groups, sizeof *values);
    for (uint32_t g = 0; g < series->n_groups; g++)
        memcpy(values[g], series->groups[g].jobs, sizeof *values);
    series_add_nodes(series, values);
    for (uint32_t g = 0; g < series->n_groups; g++) {
        struct series_group *group = &series->groups[g];
        if (group->has_row &&
            memcmp(group->last, values[g], sizeof *values) == 0)
            continue;
        by_put_row(series, g, values[g]);
        memcpy(group->last, values[g], sizeof *values);
        group->has_row = true;
    }
    free(values);
}

/* Samples the state at the next sample time, if it is before `end`, and skips
 * the later ones; nothing changes between two moves. */
static void by_sample_until(struct series_by *series, sim_time end)
{
    if (series->next >= end)
        return;
    by_sample(series);
    sim_span passed = end - 1 - series->next;
    series->next += (passed / series->interval + 1) * series->interval;
}

/* Adds `by` (1, or -1 as an unsigned number) to the counts of the job's group
 * for jobs in `state`. */
static void series_count(struct series_by *series, const struct job *job,
                         enum job_state state, uint64_t by)
{
    uint32_t g = job->vc;
    if (series->split == SERIES_BY_TYPE)
        g = state == JOB_RUNNING ? series->type_of[job->id]
            : job->gpu_type < series->cluster->n_types
                ? job->gpu_type
                : series->cluster->n_types;
    uint64_t *jobs = series->groups[g].jobs;
    switch ((int)state) {
    case JOB_PENDING:
        jobs[V_PENDING] += by;
        jobs[V_GPUS_PENDING] += by * job->gpus;
        break;
    case JOB_RUNNING:
        jobs[V_RUNNING] += by;
        break;
    case JOB_HELD:
        jobs[V_HELD] += by;
        break;
    case JOB_FINISHED:
    case JOB_FAILED:
    case JOB_REJECTED:
        jobs[V_ENDED] += by;
        break;
    default: /* JOB_FUTURE */
        break;
    }
}

/* Counts the GPUs that jobs of the virtual cluster hold, where virtual clusters
 * share nodes. */
static void series_hold(struct series_by *series,
                        const struct ledger_move *move)
{
    uint64_t *jobs = series->groups[move->job->vc].jobs;
    uint32_t *held = &series->held[move->job->id];
    bool starts = move->kind == LEDGER_STARTED;
    if (!starts && meter_state_after(move->kind) == JOB_RUNNING)
        return;
    jobs[V_BUSY] -= *held;
    *held = starts ? move->gpus : 0;
    jobs[V_BUSY] += *held;
}

static void series_by_read(void *self, const struct ledger_move *move)
{
    struct series_by *series = self;
    const struct cluster *c = series->cluster;
    by_sample_until(series, move->at);
    if (!move->job)
        return;
    enum job_state old = (enum job_state)series->meter->state[move->job->id];
    series_count(series, move->job, old, UINT64_MAX);
    if (series->type_of && move->kind == LEDGER_STARTED && move->where.count) {
        const struct node *node = &c->nodes[move->where.at[0].node];
        series->type_of[move->job->id] = (uint8_t)c->pools[node->pool].type;
    }
    series_count(series, move->job, meter_state_after(move->kind), 1);
    if (series->held)
        series_hold(series, move);
}

struct ledger_reader series_by_reader(struct series_by *series)
{
    return (struct ledger_reader){series_by_read, series};
}

void series_by_close(struct series_by *series, sim_time end)
{
    by_sample_until(series, end + 1);
}

void series_by_fini(struct series_by *series)
{
    free(series->groups);
    free(series->type_of);
    free(series->held);
    *series = (struct series_by){0};
}
