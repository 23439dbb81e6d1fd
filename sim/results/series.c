/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/series.h"

#include <string.h>

#include "base/digits.h"

/* `time`, then the columns in the order of series_row.values. */
const struct column series_columns[] = {
    {.name = "time", .unit = "s", .help = "since the first submission"},
    {.name = "gpus_up", .unit = "GPUs", .help = "GPUs of nodes that are up"},
    {.name = "gpus_busy",
     .unit = "GPUs",
     .help = "GPUs held by at least one job"},
    {.name = "gpus_stranded",
     .unit = "GPUs",
     .help = "free GPUs on nodes whose other GPUs are in use"},
    {.name = "jobs_pending", .unit = "jobs", .help = "jobs that wait for GPUs"},
    {.name = "gpus_pending",
     .unit = "GPUs",
     .help = "GPUs that the waiting jobs ask for"},
    {.name = "jobs_running", .unit = "jobs", .help = "jobs that hold GPUs"},
    {.name = "jobs_held",
     .unit = "jobs",
     .help = "jobs that failed and wait for the delay of a ruling"},
    {.name = "jobs_ended",
     .unit = "jobs",
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

static void put_row(struct out *out, const struct series_row *row)
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
static __attribute__((noinline)) void sample(struct series *series)
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
    put_row(series->out, &row);
    series->last = row;
}

/* Samples the state at the next sample time, if it is before `end`, and skips
 * the later ones. Nothing changes between two moves, so rows at later times
 * would repeat the first. */
static void sample_until(struct series *series, sim_time end)
{
    if (series->next >= end)
        return;
    sample(series);
    sim_span passed = end - 1 - series->next;
    series->next += (passed / series->interval + 1) * series->interval;
}

static void series_read(void *self, const struct ledger_move *move)
{
    sample_until(self, move->at);
}

struct ledger_reader series_reader(struct series *series)
{
    return (struct ledger_reader){series_read, series};
}

void series_close(struct series *series, sim_time end)
{
    sample_until(series, end + 1);
}
