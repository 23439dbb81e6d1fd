/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Philly log (Jeon et al., ATC 2019) flattened to one row per job:
 * job_id,vc,user,gpu_num,state,submit_time,submit_unix,duration_s,attempts,
 * source. submit_unix is UTC seconds; submit_time is the same time in US
 * Pacific time and is read only in files without the column submit_unix.
 * duration_s is the sum over the attempts. The state `NotPass` becomes an
 * unknown end, because it means failed or killed.
 *
 * The reader also accepts the file from which the workloads of Pollux and Sia
 * were sampled, with the columns timestamp,duration,num_gpus,gpu_time,cluster.
 * That file lists only jobs that passed, and has no job names. */
#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column columns[] = {
    {.names = "job_id", .kind = COLUMN_ID},
    {.names = "vc|cluster", .kind = COLUMN_VC, .required = true},
    {.names = "user", .kind = COLUMN_USER},
    {.names = "gpu_num|num_gpus", .kind = COLUMN_GPUS, .required = true},
    {.names = "state", .kind = COLUMN_STATE},
    {.names = "submit_unix", .kind = COLUMN_SUBMITTED},
    {.names = "submit_time|timestamp",
     .kind = COLUMN_SUBMITTED,
     .unit = UNIT_DATE},
    {.names = "duration_s|duration", .kind = COLUMN_DURATION, .required = true},
    {.names = "attempts", .kind = COLUMN_ATTEMPTS},
    {.names = "gpu_time"},
};

static const struct trace_signature signatures[] = {
    {.sure = 80, .names = {"vc", "gpu_num", "submit_unix", "duration_s"}},
    {.sure = 80, .names = {"timestamp", "duration", "num_gpus", "cluster"}},
    {0},
};

struct philly_flat {
    bool only_passed;
};

static enum status philly_flat_begin(void *state, const void *config,
                                     struct columns *file, struct error *err)
{
    struct philly_flat *self = state;
    (void)config;
    (void)err;
    file->clock.pacific = true;
    self->only_passed =
        columns_find(file, "state") < 0 && columns_find(file, "gpu_time") >= 0;
    return STATUS_OK;
}

static void philly_flat_finish(void *state, const struct columns *file,
                               struct trace_row *row)
{
    const struct philly_flat *self = state;
    (void)file;
    if (self->only_passed)
        row->end = TRACE_END_COMPLETED;
}

static void philly_flat_write_row(struct out *out, const struct trace_row *row,
                                  uint64_t index)
{
    static const char *const states[] = {
        [TRACE_END_COMPLETED] = "Pass",
        [TRACE_END_FAILED] = "Failed",
        [TRACE_END_CANCELLED] = "Killed",
        [TRACE_END_UNKNOWN] = "",
    };
    const struct clock clock = {.pacific = true};
    (void)index;
    out_csv(out, row->source_id);
    out_char(out, ',');
    out_csv(out, row->vc);
    out_char(out, ',');
    out_csv(out, row->user);
    out_char(out, ',');
    out_u64(out, row->gpus);
    out_char(out, ',');
    out_text(out, states[row->end]);
    out_char(out, ',');
    clock_write(&clock, out, row->submitted);
    out_char(out, ',');
    out_span(out, row->submitted);
    out_char(out, ',');
    if (row->duration != TRACE_NO_TIME)
        out_span(out, row->duration);
    out_char(out, ',');
    if (row->attempts)
        out_u64(out, row->attempts);
    out_text(out, ",schedsim\n");
}

const struct trace_ops trace_philly_flat = {
    .name = "philly-flat",
    .summary = "Microsoft Philly 2017, flattened to one CSV row for each job",
    .state_size = sizeof(struct philly_flat),
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .signatures = signatures,
    .begin = philly_flat_begin,
    .finish = philly_flat_finish,
    .preset = "philly",
    .holds = TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(VC) |
             TRACE_BIT(ATTEMPTS) | TRACE_BIT(END) | TRACE_BIT(FRACTION) |
             TRACE_BIT(NO_DURATION) | TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_GPU),
    .head = "job_id,vc,user,gpu_num,state,submit_time,submit_unix,"
            "duration_s,attempts,source\n",
    .write_row = philly_flat_write_row,
};
