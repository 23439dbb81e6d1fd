/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files of the Tiresias simulator (Gu et al., NSDI 2019): job_id,num_gpu,
 * submit_time,iterations,model_name,duration,interval. Times are seconds from
 * the first job; interval, the time since the job before, is redundant. */
#include "sim/base/rows.h"
#include "traces/formats/cells.h"
#include "traces/trace.h"

enum { ID, GPUS, SUBMIT, MODEL, DURATION, N_COLUMNS };

static const struct rows_column columns[N_COLUMNS] = {
    [ID] = {"job_id", true},          [GPUS] = {"num_gpu", true},
    [SUBMIT] = {"submit_time", true}, [MODEL] = {"model_name", true},
    [DURATION] = {"duration", true},
};

struct tiresias {
    struct rows *rows;
    int16_t at[N_COLUMNS];
};

static int tiresias_recognise(struct text head)
{
    static const char *const names[] = {"job_id",   "num_gpu",    "submit_time",
                                        "duration", "model_name", NULL};
    return rows_head_names(head, names) ? 60 : 0;
}

static enum status tiresias_open(void *state, const void *config,
                                 struct rows *rows, struct error *err)
{
    (void)config;
    struct tiresias *self = state;
    self->rows = rows;
    return rows_header(rows, columns, N_COLUMNS, self->at, err);
}

static enum status tiresias_next(void *state, struct trace_row *row,
                                 struct error *err)
{
    struct tiresias *self = state;
    struct rows *rows = self->rows;
    enum status st = rows_next(rows, err);
    row->line = rows_line_number(rows);
    if (st == STATUS_OK)
        st = cells_since(rows, self->at[SUBMIT], &row->submitted, err);
    if (st == STATUS_OK)
        st = cells_span(rows, self->at[DURATION], &row->duration, err);
    if (st == STATUS_OK)
        st = cells_gpus(rows, self->at[GPUS], &row->gpus, err);
    if (st != STATUS_OK)
        return st;
    row->source_id = rows_cell(rows, self->at[ID]);
    row->model = rows_cell(rows, self->at[MODEL]);
    return STATUS_OK;
}

static const char *tiresias_cannot_hold(const struct trace_row *row)
{
    return trace_row_exceeds(row,
                             TRACE_BIT(ID) | TRACE_BIT(MODEL) |
                                 TRACE_BIT(FRACTION) | TRACE_BIT(NEGATIVE) |
                                 TRACE_BIT(NO_DURATION) | TRACE_BIT(NO_GPU));
}

static void tiresias_write_head(struct out *out)
{
    out_text(out, "job_id,num_gpu,submit_time,model_name,duration\n");
}

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
    .state_size = sizeof(struct tiresias),
    .columns = columns,
    .n_columns = N_COLUMNS,
    .recognise = tiresias_recognise,
    .open = tiresias_open,
    .next = tiresias_next,
    .cannot_hold = tiresias_cannot_hold,
    .write_head = tiresias_write_head,
    .write_row = tiresias_write_row,
};
