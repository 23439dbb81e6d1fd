/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Philly log (Jeon et al., ATC 2019) flattened to one row a job:
 * job_id,vc,user,gpu_num,state,submit_time,submit_unix,duration_s,attempts,
 * source. submit_unix is UTC seconds; submit_time is the same in US Pacific
 * time and is used where submit_unix is missing. duration_s is the sum over the
 * attempts. `NotPass` (failed or killed, not known which) is an unknown end.
 *
 * Also read: the sampling source of the Pollux and Sia workloads, which names
 * the columns timestamp,duration,num_gpus,gpu_time,cluster and lists only jobs
 * that passed. It does not name jobs. */
#include "sim/base/rows.h"
#include "traces/formats/cells.h"
#include "traces/trace.h"

enum {
    ID,
    VC,
    USER,
    GPUS,
    STATE,
    SUBMIT,
    UNIX,
    DURATION,
    ATTEMPTS,
    GPU_TIME,
    N_COLUMNS
};

static const struct rows_column columns[N_COLUMNS] = {
    [ID] = {"job_id", false},
    [VC] = {"vc|cluster", true},
    [USER] = {"user", false},
    [GPUS] = {"gpu_num|num_gpus", true},
    [STATE] = {"state", false},
    [SUBMIT] = {"submit_time|timestamp", false},
    [UNIX] = {"submit_unix", false},
    [DURATION] = {"duration_s|duration", true},
    [ATTEMPTS] = {"attempts", false},
    [GPU_TIME] = {"gpu_time", false},
};

struct philly_flat {
    struct rows *rows;
    int16_t at[N_COLUMNS];
    struct clock clock;
    bool only_passed;
};

static int philly_flat_recognise(struct text head)
{
    static const char *const flat[] = {"vc", "gpu_num", "submit_unix",
                                       "duration_s", NULL};
    static const char *const passed[] = {"timestamp", "duration", "num_gpus",
                                         "cluster", NULL};
    return rows_head_names(head, flat) || rows_head_names(head, passed) ? 80
                                                                        : 0;
}

static enum status philly_flat_open(void *state, const void *config,
                                    struct rows *rows, struct error *err)
{
    (void)config;
    struct philly_flat *self = state;
    self->rows = rows;
    self->clock.pacific = true;
    enum status st = rows_header(rows, columns, N_COLUMNS, self->at, err);
    self->only_passed = self->at[STATE] < 0 && self->at[GPU_TIME] >= 0;
    if (st == STATUS_OK && self->at[UNIX] < 0 && self->at[SUBMIT] < 0)
        return rows_bad_at(rows, rows_line_number(rows), 1, "submit_unix", err,
                           "the header lacks this column");
    return st;
}

static enum status philly_flat_next(void *state, struct trace_row *row,
                                    struct error *err)
{
    struct philly_flat *self = state;
    struct rows *rows = self->rows;
    const int16_t *at = self->at;
    enum status st = rows_next(rows, err);
    row->line = rows_line_number(rows);
    if (st == STATUS_OK)
        st = at[UNIX] >= 0 ? cells_since(rows, at[UNIX], &row->submitted, err)
                           : cells_submitted(rows, at[SUBMIT], &self->clock,
                                             &row->submitted, err);
    if (st == STATUS_OK)
        st = cells_span(rows, at[DURATION], &row->duration, err);
    if (st == STATUS_OK)
        st = cells_gpus(rows, at[GPUS], &row->gpus, err);
    if (st == STATUS_OK)
        st = cells_count(rows, at[ATTEMPTS], &row->attempts, err);
    if (st != STATUS_OK)
        return st;
    row->source_id = rows_cell(rows, at[ID]);
    row->vc = rows_cell(rows, at[VC]);
    row->user = rows_cell(rows, at[USER]);
    row->end = self->only_passed ? TRACE_END_COMPLETED
                                 : cells_end(rows_cell(rows, at[STATE]));
    return STATUS_OK;
}

static const char *philly_flat_cannot_hold(const struct trace_row *row)
{
    return trace_row_exceeds(row, TRACE_BIT(ID) | TRACE_BIT(USER) |
                                      TRACE_BIT(VC) | TRACE_BIT(ATTEMPTS) |
                                      TRACE_BIT(END) | TRACE_BIT(FRACTION) |
                                      TRACE_BIT(NO_DURATION) |
                                      TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_GPU));
}

static void philly_flat_write_head(struct out *out)
{
    out_text(out, "job_id,vc,user,gpu_num,state,submit_time,submit_unix,"
                  "duration_s,attempts,source\n");
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

static const char *philly_flat_recorded_on(const void *state)
{
    (void)state;
    return "philly";
}

const struct trace_ops trace_philly_flat = {
    .name = "philly-flat",
    .summary = "Microsoft Philly 2017, flattened to a CSV row a job",
    .state_size = sizeof(struct philly_flat),
    .columns = columns,
    .n_columns = N_COLUMNS,
    .recognise = philly_flat_recognise,
    .open = philly_flat_open,
    .next = philly_flat_next,
    .recorded_on = philly_flat_recorded_on,
    .cannot_hold = philly_flat_cannot_hold,
    .write_head = philly_flat_write_head,
    .write_row = philly_flat_write_row,
};
