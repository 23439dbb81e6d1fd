/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files of the Muri simulator (Zhao et al., SIGCOMM 2022): job_id,
 * num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,
 * iteration_time,resource_time_0..2,priority. Times are milliseconds;
 * submit_time counts from the first job, whose date the file does not give. The
 * option epoch_s does.
 *
 * The files are logs of Philly virtual clusters in which duration is the time
 * from the start of the first attempt to the end of the last one; models and
 * resource times are made up. All times in the published files are whole
 * seconds. On two of the logs FIFO gives the mean completion times that
 * HeliosArtifact publishes, 133826 s and 70215 s. */
#include <inttypes.h>

#include "traces/columns.h"
#include "traces/trace.h"

#define MILLISECOND INT64_C(1000)

static const struct trace_column muri_columns[] = {
    {.names = "job_id", .kind = COLUMN_ID, .required = true},
    {.names = "num_gpu", .kind = COLUMN_GPUS, .required = true},
    {.names = "submit_time",
     .kind = COLUMN_SUBMITTED,
     .unit = UNIT_MILLISECONDS,
     .required = true},
    {.names = "model_name", .kind = COLUMN_MODEL, .required = true},
    {.names = "batch_size", .kind = COLUMN_BATCH_SIZE},
    {.names = "duration",
     .kind = COLUMN_DURATION,
     .unit = UNIT_MILLISECONDS,
     .required = true,
     .filled = true},
    {.names = "iterations",
     .help = "not read; Muri's own jobs run iterations * iteration_time"},
    {.names = "priority", .kind = COLUMN_PRIORITY},
};

static const struct trace_signature muri_signatures[] = {
    {.sure = 80,
     .names = {"job_id", "num_gpu", "submit_time", "duration", "model_name",
               "iteration_time", "resource_time_0"}},
    {0},
};

struct muri_config {
    sim_span epoch;
    bool whole_seconds;
};

static const struct option muri_options[] = {
    OPT_SPAN(struct muri_config, epoch, "epoch_s", 0, 0, 3e9,
             "the first submission, in seconds since 1970", NULL),
    OPT_BOOL(struct muri_config, whole_seconds, "whole_seconds", 1,
             "cut run times down to whole seconds", "HeliosArtifact"),
    {0},
};

struct muri {
    bool whole_seconds;
};

static enum status muri_begin(void *state, const void *config,
                              struct columns *file, struct error *err)
{
    const struct muri_config *options = config;
    struct muri *self = state;
    (void)err;
    file->epoch = options->epoch;
    self->whole_seconds = options->whole_seconds;
    return STATUS_OK;
}

static void muri_finish(void *state, const struct columns *file,
                        struct trace_row *row)
{
    const struct muri *self = state;
    (void)file;
    if (self->whole_seconds)
        row->duration -= row->duration % SPAN_SECOND;
}

/* Writes a row. The cells of facts that struct trace_row lacks, such as
 * iterations and resource times, stay empty. submit_time counts from 1970. */
static void muri_write_row(struct out *out, const struct trace_row *row,
                           uint64_t index)
{
    (void)index;
    out_csv(out, row->source_id);
    out_printf(out, ",%" PRIu32 ",%" PRId64 ",,", row->gpus,
               row->submitted / MILLISECOND);
    out_csv(out, row->model);
    out_printf(out, ",%" PRIu32 ",%" PRId64 ",,,,,,", row->batch_size,
               row->duration / MILLISECOND);
    out_csv(out, row->priority);
    out_char(out, '\n');
}

const struct trace_ops trace_muri = {
    .name = "muri",
    .summary = "trace files of the Muri simulator (milliseconds)",
    .options = muri_options,
    .config_size = sizeof(struct muri_config),
    .state_size = sizeof(struct muri),
    .columns = muri_columns,
    .n_columns = sizeof muri_columns / sizeof *muri_columns,
    .signatures = muri_signatures,
    .begin = muri_begin,
    .finish = muri_finish,
    .holds = TRACE_BIT(ID) | TRACE_BIT(MODEL) | TRACE_BIT(BATCH_SIZE) |
             TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_GPU) | TRACE_BIT(PRIORITY),
    .head = "job_id,num_gpu,submit_time,iterations,model_name,batch_size,"
            "duration,interval,iteration_time,resource_time_0,"
            "resource_time_1,resource_time_2,priority\n",
    .write_row = muri_write_row,
};
