/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files of the Tiresias simulator (Gu et al., NSDI 2019): job_id,num_gpu,
 * submit_time,iterations,model_name,duration,interval. Times are in seconds. In
 * the published files submit_time counts from the first job; it is read and
 * written as the time since 1970. The columns iterations and interval (the time
 * since the previous job) are neither read nor written. */
#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column columns[] = {
    {.names = "job_id", .kind = COLUMN_ID, .required = true},
    {.names = "num_gpu", .kind = COLUMN_GPUS, .required = true},
    {.names = "submit_time", .kind = COLUMN_SUBMITTED, .required = true},
    {.names = "model_name", .kind = COLUMN_MODEL, .required = true},
    {.names = "duration", .kind = COLUMN_DURATION, .required = true},
};

static const struct trace_signature signatures[] = {
    {.sure = 60,
     .names = {"job_id", "num_gpu", "submit_time", "duration", "model_name"}},
    {0},
};

static void tiresias_write_row(struct out *out, const struct trace_row *row,
                               uint64_t index)
{
    (void)index;
    out_csv(out, row->source_id);
    out_char(out, ',');
    out_u64(out, row->gpus);
    out_char(out, ',');
    out_span(out, row->submitted);
    out_char(out, ',');
    out_csv(out, row->model);
    out_char(out, ',');
    if (row->duration != TRACE_NO_TIME)
        out_span(out, row->duration);
    out_char(out, '\n');
}

const struct trace_ops trace_tiresias = {
    .name = "tiresias",
    .summary = "trace files of the Tiresias simulator",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .signatures = signatures,
    .holds = TRACE_BIT(ID) | TRACE_BIT(MODEL) | TRACE_BIT(FRACTION) |
             TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_DURATION) | TRACE_BIT(NO_GPU),
    .head = "job_id,num_gpu,submit_time,model_name,duration\n",
    .write_row = tiresias_write_row,
};
