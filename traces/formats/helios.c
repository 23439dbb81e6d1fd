/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster_log.csv of HeliosData (Hu et al., SC 2021): one row per job, columns
 * job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,
 * end_time,duration,queue. Dates are local, UTC+8, no daylight saving; duration
 * (end - start) and queue (start - submit) are seconds.
 *
 * Columns are found by name, so cut-down copies are read too: for example,
 * those that have only log_row, submit_time, gpu_num and duration_s. A copy may
 * have cut long run times and marked them in a column `clamped`; the reader
 * uses the cut times, and the note counts them. Jobs with gpu_num 0 are CPU
 * jobs. */
#include <inttypes.h>
#include <stdio.h>

#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column helios_columns[] = {
    {.names = "job_id|log_row", .kind = COLUMN_ID},
    {.names = "user", .kind = COLUMN_USER},
    {.names = "vc", .kind = COLUMN_VC},
    {.names = "jobname", .kind = COLUMN_NAME},
    {.names = "gpu_num", .kind = COLUMN_GPUS, .required = true},
    {.names = "cpu_num", .kind = COLUMN_CPUS},
    {.names = "node_num", .kind = COLUMN_NODES},
    {.names = "state", .kind = COLUMN_STATE},
    {.names = "submit_time",
     .kind = COLUMN_SUBMITTED,
     .unit = UNIT_DATE,
     .required = true},
    {.names = "start_time", .kind = COLUMN_START, .unit = UNIT_DATE},
    {.names = "end_time", .kind = COLUMN_END, .unit = UNIT_DATE},
    {.names = "duration|duration_s", .kind = COLUMN_DURATION, .required = true},
    {.names = "queue", .kind = COLUMN_QUEUE},
    {.names = "clamped"},
};

static const struct trace_signature helios_signatures[] = {
    {.sure = 50, .names = {"gpu_num", "submit_time", "duration|duration_s"}},
    {0},
};

struct helios_config {
    double utc_offset;
};

static const struct option helios_options[] = {
    OPT_DOUBLE(struct helios_config, utc_offset, "utc_offset_h", 8, -12, 14,
               "hours by which the dates are ahead of UTC",
               "Helios is recorded in China"),
    {0},
};

struct helios {
    /* index of the cell that tells whether the run time was cut; -1: none */
    int clamped;
    uint64_t n_clamped;
};

static enum status helios_begin(void *state, const void *config,
                                struct columns *file, struct error *err)
{
    const struct helios_config *options = config;
    struct helios *self = state;
    (void)err;
    file->clock.offset = span_from_seconds(options->utc_offset * 3600);
    self->clamped = columns_find(file, "clamped");
    return STATUS_OK;
}

static void helios_finish(void *state, const struct columns *file,
                          struct trace_row *row)
{
    struct helios *self = state;
    (void)row;
    self->n_clamped += text_is(rows_cell(file->rows, self->clamped), "1");
}

static void helios_note(const void *state, char *buf, size_t room)
{
    const struct helios *self = state;
    if (self->n_clamped)
        snprintf(buf, room,
                 "%" PRIu64 " run times are cut short by the source, which "
                 "marks them as clamped",
                 self->n_clamped);
}

static void helios_write_row(struct out *out, const struct trace_row *row,
                             uint64_t index)
{
    const struct text texts[] = {row->source_id, row->user, row->vc, row->name};
    const struct clock clock = {.offset = 8 * SPAN_HOUR};
    (void)index;
    cells_write_texts(out, texts, sizeof texts / sizeof *texts);
    out_printf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", row->gpus,
               row->cpus, row->nodes);
    out_text(out, cells_end_word(row->end));
    out_char(out, ',');
    cells_write_dates(out, &clock, "", row);
    out_char(out, ',');
    cells_write_seconds(out, row->duration);
    out_char(out, ',');
    cells_write_seconds(out, row->queue);
    out_char(out, '\n');
}

const struct trace_ops trace_helios = {
    .name = "helios",
    .summary = "SenseTime Helios 2020: cluster_log.csv",
    .options = helios_options,
    .config_size = sizeof(struct helios_config),
    .state_size = sizeof(struct helios),
    .columns = helios_columns,
    .n_columns = sizeof helios_columns / sizeof *helios_columns,
    .signatures = helios_signatures,
    .begin = helios_begin,
    .finish = helios_finish,
    .preset = "venus",
    .note = helios_note,
    .holds = TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(VC) | TRACE_BIT(NAME) |
             TRACE_BIT(QUEUE) | TRACE_BIT(CPUS) | TRACE_BIT(NODES) |
             TRACE_BIT(END) | TRACE_BIT(NO_DURATION) | TRACE_BIT(NEGATIVE) |
             TRACE_BIT(NO_GPU),
    .head = "job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,"
            "submit_time,start_time,end_time,duration,queue\n",
    .write_row = helios_write_row,
};
