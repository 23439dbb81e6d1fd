/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files of the Muri simulator (Zhao et al., SIGCOMM 2022): job_id,
 * num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,
 * iteration_time,resource_time_0..2,priority. Times are milliseconds,
 * submit_time from the first job. The file does not give the date of that job;
 * the option epoch_s does.
 *
 * They are logs of Philly virtual clusters in which duration is last end -
 * first start; models and resource times are made up. The FIFO figures that
 * HeliosArtifact publishes for the two logs (mean completion 133826 s and
 * 70215 s) are met with whole seconds; every time of the published files is a
 * multiple of a second already. */
#include <inttypes.h>

#include "sim/base/rows.h"
#include "traces/formats/cells.h"
#include "traces/trace.h"

#define MILLISECOND INT64_C(1000)

enum { ID, GPUS, SUBMIT, MODEL, BATCH_SIZE, DURATION, N_COLUMNS };

static const struct rows_column columns[N_COLUMNS] = {
    [ID] = {"job_id", true},
    [GPUS] = {"num_gpu", true},
    [SUBMIT] = {"submit_time", true},
    [MODEL] = {"model_name", true},
    [BATCH_SIZE] = {"batch_size", false},
    [DURATION] = {"duration", true},
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
    struct rows *rows;
    int16_t at[N_COLUMNS];
    struct muri_config config;
};

static int muri_recognise(struct text head)
{
    static const char *const names[] = {
        "job_id",     "num_gpu",        "submit_time",     "duration",
        "model_name", "iteration_time", "resource_time_0", NULL};
    return rows_head_names(head, names) ? 80 : 0;
}

static enum status muri_open(void *state, const void *config, struct rows *rows,
                             struct error *err)
{
    struct muri *self = state;
    self->rows = rows;
    self->config = *(const struct muri_config *)config;
    return rows_header(rows, columns, N_COLUMNS, self->at, err);
}

static enum status read_milliseconds(const struct muri *self, int column,
                                     sim_span *out, struct error *err)
{
    struct text t = rows_cell(self->rows, self->at[column]);
    int64_t ms, most = (int64_t)(SECONDS_MAX * 1000);
    if (!text_to_i64(t, &ms) || ms > most || ms < -most)
        return rows_bad(self->rows, self->at[column], err,
                        "'%.*s' is not a number of milliseconds", TEXT_ARGS(t));
    *out = ms * MILLISECOND;
    return STATUS_OK;
}

static enum status muri_next(void *state, struct trace_row *row,
                             struct error *err)
{
    struct muri *self = state;
    struct rows *rows = self->rows;
    enum status st = rows_next(rows, err);
    row->line = rows_line_number(rows);
    if (st == STATUS_OK)
        st = read_milliseconds(self, SUBMIT, &row->submitted, err);
    if (st == STATUS_OK)
        st = read_milliseconds(self, DURATION, &row->duration, err);
    if (st == STATUS_OK)
        st = cells_gpus(rows, self->at[GPUS], &row->gpus, err);
    if (st == STATUS_OK)
        st = cells_count(rows, self->at[BATCH_SIZE], &row->batch_size, err);
    if (st != STATUS_OK)
        return st;
    row->submitted += self->config.epoch;
    if (self->config.whole_seconds)
        row->duration -= row->duration % SPAN_SECOND;
    row->source_id = rows_cell(rows, self->at[ID]);
    row->model = rows_cell(rows, self->at[MODEL]);
    return STATUS_OK;
}

static const char *muri_cannot_hold(const struct trace_row *row)
{
    return trace_row_exceeds(row, TRACE_BIT(ID) | TRACE_BIT(MODEL) |
                                      TRACE_BIT(BATCH_SIZE) |
                                      TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_GPU));
}

static void muri_write_head(struct out *out)
{
    out_text(out, "job_id,num_gpu,submit_time,iterations,model_name,batch_size,"
                  "duration,interval,iteration_time,resource_time_0,"
                  "resource_time_1,resource_time_2,priority\n");
}

/* Iterations and resource times are not in a row and stay empty; submit_time
 * counts from 1970. */
static void muri_write_row(struct out *out, const struct trace_row *row,
                           uint64_t index)
{
    (void)index;
    out_csv(out, row->source_id);
    out_printf(out, ",%" PRIu32 ",%" PRId64 ",,", row->gpus,
               row->submitted / MILLISECOND);
    out_csv(out, row->model);
    out_printf(out, ",%" PRIu32 ",%" PRId64 ",,,,,,\n", row->batch_size,
               row->duration / MILLISECOND);
}

const struct trace_ops trace_muri = {
    .name = "muri",
    .summary = "trace files of the Muri simulator (milliseconds)",
    .options = muri_options,
    .config_size = sizeof(struct muri_config),
    .state_size = sizeof(struct muri),
    .columns = columns,
    .n_columns = N_COLUMNS,
    .recognise = muri_recognise,
    .open = muri_open,
    .next = muri_next,
    .cannot_hold = muri_cannot_hold,
    .write_head = muri_write_head,
    .write_row = muri_write_row,
};
