/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload files of Pollux (OSDI 2021) and Sia (SOSP 2023): name,time,
 * application,num_replicas,batch_size and sometimes category (adaptive,
 * scale-gpus or rigid; adaptive if absent). `time` is seconds from the start.
 * num_replicas and batch_size are the tuned rigid configuration.
 *
 * The files have no run time: the artifact derives it from profiles. This
 * reader derives it too, for the tuned configuration on T4 GPUs, from the table
 * that sia_run_times.py computed; numbers of GPUs between two of the table are
 * interpolated by speed. A job that the table does not cover has an unknown run
 * time. A column duration_s, if there is one, is used instead. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/base/rows.h"
#include "traces/formats/cells.h"
#include "traces/formats/sia_run_times.h"
#include "traces/trace.h"

enum {
    NAME,
    TIME,
    APPLICATION,
    GPUS,
    BATCH_SIZE,
    CATEGORY,
    DURATION,
    N_COLUMNS
};

static const struct rows_column columns[N_COLUMNS] = {
    [NAME] = {"name", true},
    [TIME] = {"time", true},
    [APPLICATION] = {"application", true},
    [GPUS] = {"num_replicas", true},
    [BATCH_SIZE] = {"batch_size", true},
    [CATEGORY] = {"category", false},
    [DURATION] = {"duration_s", false},
};

struct sia_config {
    bool derive;
};

static const struct option sia_options[] = {
    OPT_BOOL(struct sia_config, derive, "derive_duration", 1,
             "take run times, which the file lacks, from measured profiles",
             "profiles of the Sia artifact, T4 GPUs"),
    {0},
};

struct sia {
    struct rows *rows;
    int16_t at[N_COLUMNS];
    bool derive;
    uint64_t n_derived, n_unknown;
};

static int sia_recognise(struct text head)
{
    static const char *const names[] = {
        "name", "time", "application", "num_replicas", "batch_size", NULL};
    return rows_head_names(head, names) ? 90 : 0;
}

static enum status sia_open(void *state, const void *config, struct rows *rows,
                            struct error *err)
{
    const struct sia_config *options = config;
    struct sia *self = state;
    self->rows = rows;
    self->derive = options->derive;
    return rows_header(rows, columns, N_COLUMNS, self->at, err);
}

/* Returns whole seconds, or TRACE_NO_TIME. */
static sim_span run_time(const uint32_t *seconds, uint32_t gpus)
{
    for (size_t i = 0; i < SIA_N_SIZES; i++) {
        if (sia_gpus[i] == gpus)
            return seconds[i] ? seconds[i] * SPAN_SECOND : TRACE_NO_TIME;
        if (i + 1 == SIA_N_SIZES || gpus > sia_gpus[i + 1])
            continue;
        if (gpus < sia_gpus[i] || !seconds[i] || !seconds[i + 1])
            return TRACE_NO_TIME;
        if (gpus == sia_gpus[i + 1])
            continue;
        double part = (double)(gpus - sia_gpus[i]) /
                      (double)(sia_gpus[i + 1] - sia_gpus[i]);
        double speed = (1 - part) / seconds[i] + part / seconds[i + 1];
        return (sim_span)(1 / speed + 0.5) * SPAN_SECOND;
    }
    return TRACE_NO_TIME;
}

static void derive(struct sia *self, struct trace_row *row)
{
    for (size_t i = 0; i < sizeof sia_run_times / sizeof *sia_run_times; i++) {
        if (sia_run_times[i].batch_size == row->batch_size &&
            text_is(row->model, sia_run_times[i].application))
            row->duration = run_time(sia_run_times[i].seconds, row->gpus);
    }
    row->derived = row->duration != TRACE_NO_TIME;
    self->n_derived += row->duration != TRACE_NO_TIME;
    self->n_unknown += row->duration == TRACE_NO_TIME;
}

static enum status read_category(const struct sia *self, struct trace_row *row,
                                 struct error *err)
{
    int at = self->at[CATEGORY];
    struct text t = rows_cell(self->rows, at);
    if (t.len == 0 || text_is(t, "adaptive"))
        row->elasticity = JOB_ADAPTIVE;
    else if (text_is(t, "scale-gpus"))
        row->elasticity = JOB_SCALES;
    else if (text_is(t, "rigid"))
        row->elasticity = JOB_RIGID;
    else
        return rows_bad(self->rows, at, err,
                        "'%.*s' is not adaptive, scale-gpus or rigid",
                        TEXT_ARGS(t));
    return STATUS_OK;
}

static enum status sia_next(void *state, struct trace_row *row,
                            struct error *err)
{
    struct sia *self = state;
    struct rows *rows = self->rows;
    enum status st = rows_next(rows, err);
    row->line = rows_line_number(rows);
    if (st == STATUS_OK)
        st = cells_since(rows, self->at[TIME], &row->submitted, err);
    if (st == STATUS_OK)
        st = cells_gpus(rows, self->at[GPUS], &row->gpus, err);
    if (st == STATUS_OK)
        st = cells_count(rows, self->at[BATCH_SIZE], &row->batch_size, err);
    if (st == STATUS_OK)
        st = cells_span(rows, self->at[DURATION], &row->duration, err);
    if (st == STATUS_OK)
        st = read_category(self, row, err);
    if (st != STATUS_OK)
        return st;
    row->source_id = rows_cell(rows, self->at[NAME]);
    row->model = rows_cell(rows, self->at[APPLICATION]);
    if (row->duration == TRACE_NO_TIME && self->derive)
        derive(self, row);
    return STATUS_OK;
}

static void sia_note(const void *state, char *buf, size_t room)
{
    const struct sia *self = state;
    if (self->n_derived || self->n_unknown)
        snprintf(buf, room,
                 "run times are not in the file: %" PRIu64
                 " are derived from profiles of T4 GPUs, %" PRIu64
                 " are unknown",
                 self->n_derived, self->n_unknown);
}

static const char *sia_cannot_hold(const struct trace_row *row)
{
    if (!row->model.len)
        return "a job without a model";
    if (!row->batch_size)
        return "a job without a batch size";
    if (!row->source_id.len)
        return "a job without an id";
    return trace_row_exceeds(row, TRACE_BIT(ID) | TRACE_BIT(MODEL) |
                                      TRACE_BIT(BATCH_SIZE) |
                                      TRACE_BIT(ELASTIC) | TRACE_BIT(FRACTION) |
                                      TRACE_BIT(NO_DURATION));
}

static void sia_write_head(struct out *out)
{
    out_text(out, "name,time,application,num_replicas,batch_size,category,"
                  "duration_s\n");
}

static void sia_write_row(struct out *out, const struct trace_row *row,
                          uint64_t index)
{
    static const char *const categories[] = {
        [JOB_RIGID] = "rigid",
        [JOB_SCALES] = "scale-gpus",
        [JOB_ADAPTIVE] = "adaptive",
    };
    (void)index;
    out_csv(out, row->source_id);
    out_char(out, ',');
    out_span(out, row->submitted);
    out_char(out, ',');
    out_csv(out, row->model);
    out_char(out, ',');
    out_u64(out, row->gpus);
    out_char(out, ',');
    out_u64(out, row->batch_size);
    out_char(out, ',');
    out_text(out, categories[row->elasticity]);
    out_char(out, ',');
    if (row->duration != TRACE_NO_TIME)
        out_span(out, row->duration);
    out_char(out, '\n');
}

static const char *sia_recorded_on(const void *state)
{
    (void)state;
    return "sia-hetero";
}

const struct trace_ops trace_sia = {
    .name = "sia",
    .summary = "workload files of Pollux and Sia",
    .options = sia_options,
    .config_size = sizeof(struct sia_config),
    .state_size = sizeof(struct sia),
    .columns = columns,
    .n_columns = N_COLUMNS,
    .recognise = sia_recognise,
    .open = sia_open,
    .next = sia_next,
    .recorded_on = sia_recorded_on,
    .note = sia_note,
    .cannot_hold = sia_cannot_hold,
    .write_head = sia_write_head,
    .write_row = sia_write_row,
};
