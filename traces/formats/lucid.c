/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster_full_log.csv of Lucid (Hu et al., ASPLOS 2023), a Helios or Philly
 * log in which each job got a model: job_id,user,vc,jobname,gpu_num,cpu_num,
 * state,submit_time,duration,model,dataset,batchsize,amp,speed,gpu_util,
 * gmem_util,gmem. submit_time is a local date, UTC+8 as in Helios; gpu_util and
 * gmem_util are percent, gmem is MiB per GPU; amp is 0 or 1.
 *
 * The reader also accepts a layout with submit_s, the seconds from the start of
 * a window, and duration_s. */
#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column lucid_trace_columns[] = {
    {.names = "job_id", .kind = COLUMN_ID, .required = true},
    {.names = "user", .kind = COLUMN_USER},
    {.names = "vc", .kind = COLUMN_VC},
    {.names = "jobname", .kind = COLUMN_NAME},
    {.names = "gpu_num", .kind = COLUMN_GPUS, .required = true},
    {.names = "cpu_num", .kind = COLUMN_CPUS},
    {.names = "state", .kind = COLUMN_STATE},
    {.names = "submit_time", .kind = COLUMN_SUBMITTED, .unit = UNIT_DATE},
    {.names = "submit_s", .kind = COLUMN_SUBMITTED},
    {.names = "duration|duration_s", .kind = COLUMN_DURATION, .required = true},
    {.names = "model", .kind = COLUMN_MODEL, .required = true},
    {.names = "dataset", .kind = COLUMN_DATASET, .required = true},
    {.names = "batchsize", .kind = COLUMN_BATCH_SIZE, .required = true},
    {.names = "amp", .kind = COLUMN_AMP, .required = true},
    {.names = "gpu_util", .kind = COLUMN_GPU_UTIL},
    {.names = "gmem", .kind = COLUMN_GPU_MEM},
};

static const struct trace_signature lucid_signatures[] = {
    {.sure = 80,
     .names = {"job_id", "gpu_num", "submit_time|submit_s",
               "duration|duration_s", "dataset", "batchsize", "amp"}},
    {0},
};

struct formats_lucid_config {
    double utc_offset;
    sim_span epoch;
};

static const struct option formats_lucid_options[] = {
    OPT_DOUBLE(struct formats_lucid_config, utc_offset, "utc_offset_h", 8, -12,
               14, "hours by which the dates of submit_time are ahead of UTC",
               "Helios is recorded in China"),
    OPT_SPAN(struct formats_lucid_config, epoch, "epoch_s", 0, 0, 3e9,
             "second 0 of submit_s, in seconds since 1970", NULL),
    {0},
};

static enum status lucid_begin(void *state, const void *config,
                               struct columns *file, struct error *err)
{
    const struct formats_lucid_config *options = config;
    (void)state;
    (void)err;
    file->clock.offset = span_from_seconds(options->utc_offset * 3600);
    file->epoch = options->epoch;
    return STATUS_OK;
}

static void write_profile(struct out *out, const struct trace_row *row)
{
    out_csv(out, row->model);
    out_char(out, ',');
    out_csv(out, row->dataset);
    out_char(out, ',');
    if (row->batch_size)
        out_u64(out, row->batch_size);
    out_text(out, row->amp ? ",1," : ",0,");
    if (row->gpu_util >= 0)
        out_double(out, row->gpu_util);
    out_char(out, ',');
    if (row->gpu_mem_mib >= 0)
        out_double(out, row->gpu_mem_mib);
    out_char(out, '\n');
}

static void lucid_write_row(struct out *out, const struct trace_row *row,
                            uint64_t index)
{
    const struct clock clock = {.offset = 8 * SPAN_HOUR};
    const struct text texts[] = {row->source_id, row->user, row->vc, row->name};
    (void)index;
    cells_write_texts(out, texts, sizeof texts / sizeof *texts);
    out_u64(out, row->gpus);
    out_char(out, ',');
    out_u64(out, row->cpus);
    out_char(out, ',');
    out_text(out, cells_end_word(row->end));
    out_char(out, ',');
    clock_write(&clock, out, row->submitted);
    out_char(out, ',');
    if (row->duration != TRACE_NO_TIME)
        out_i64(out, row->duration / SPAN_SECOND);
    out_char(out, ',');
    write_profile(out, row);
}

const struct trace_ops trace_lucid = {
    .name = "lucid",
    .summary = "Lucid (ASPLOS 2023): cluster_full_log.csv",
    .options = formats_lucid_options,
    .config_size = sizeof(struct formats_lucid_config),
    .columns = lucid_trace_columns,
    .n_columns = sizeof lucid_trace_columns / sizeof *lucid_trace_columns,
    .signatures = lucid_signatures,
    .begin = lucid_begin,
    .preset = "venus",
    .holds = TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(VC) | TRACE_BIT(NAME) |
             TRACE_BIT(CPUS) | TRACE_BIT(END) | TRACE_BIT(MODEL) |
             TRACE_BIT(DATASET) | TRACE_BIT(BATCH_SIZE) | TRACE_BIT(AMP) |
             TRACE_BIT(GPU_UTIL) | TRACE_BIT(GPU_MEM) | TRACE_BIT(NO_DURATION) |
             TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_GPU),
    .head = "job_id,user,vc,jobname,gpu_num,cpu_num,state,submit_time,"
            "duration,model,dataset,batchsize,amp,gpu_util,gmem\n",
    .write_row = lucid_write_row,
};
