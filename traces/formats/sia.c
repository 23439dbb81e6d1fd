/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workload files of Pollux (OSDI 2021) and Sia (SOSP 2023): name,time,
 * application,num_replicas,batch_size and sometimes category (adaptive,
 * scale-gpus or rigid; adaptive if absent). `time` is seconds from the start.
 * num_replicas and batch_size are the tuned rigid configuration.
 *
 * The files have no run times: the artifact derives them from profiles. This
 * reader takes them from the table that sia_run_times.py computed, for the
 * tuned configuration on T4 GPUs. For a number of GPUs between two entries of
 * the table, it interpolates the speed. A job that the table does not cover has
 * an unknown run time. A run time in a column duration_s is used instead of the
 * table. */
#include <inttypes.h>
#include <stdio.h>

#include "traces/columns.h"
#include "traces/formats/sia_run_times.h"
#include "traces/trace.h"

static const struct column_word categories[] = {
    {"adaptive", JOB_ADAPTIVE},
    {"scale-gpus", JOB_SCALES},
    {"rigid", JOB_RIGID},
    {"", JOB_ADAPTIVE},
    {NULL, 0},
};

static const struct trace_column sia_columns[] = {
    {.names = "name", .kind = COLUMN_ID, .required = true},
    {.names = "time", .kind = COLUMN_SUBMITTED, .required = true},
    {.names = "application", .kind = COLUMN_MODEL, .required = true},
    {.names = "num_replicas", .kind = COLUMN_GPUS, .required = true},
    {.names = "batch_size", .kind = COLUMN_BATCH_SIZE, .required = true},
    {.names = "category", .kind = COLUMN_ELASTICITY, .words = categories},
    {.names = "duration_s", .kind = COLUMN_DURATION},
};

static const struct trace_signature sia_signatures[] = {
    {.sure = 90,
     .names = {"name", "time", "application", "num_replicas", "batch_size"}},
    {0},
};

struct formats_sia_config {
    bool derive;
};

static const struct option formats_sia_options[] = {
    OPT_BOOL(struct formats_sia_config, derive, "derive_duration", 1,
             "take run times, which the file lacks, from measured profiles",
             "profiles of the Sia artifact, T4 GPUs"),
    {0},
};

struct formats_sia {
    bool derive;
    uint64_t n_derived, n_unknown;
};

static enum status sia_begin(void *state, const void *config,
                             struct columns *file, struct error *err)
{
    const struct formats_sia_config *options = config;
    struct formats_sia *self = state;
    (void)file;
    (void)err;
    self->derive = options->derive;
    return STATUS_OK;
}

/* Returns the run time, us, rounded to whole seconds; TRACE_NO_TIME if the
 * table does not cover that number of GPUs. `seconds`: run times by sia_gpus.
 */
static sim_span sia_run_time(const uint32_t *seconds, uint32_t gpus)
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

static void sia_derive(struct formats_sia *self, struct trace_row *row)
{
    for (size_t i = 0; i < sizeof sia_run_times / sizeof *sia_run_times; i++) {
        if (sia_run_times[i].batch_size == row->batch_size &&
            text_is(row->model, sia_run_times[i].application))
            row->duration = sia_run_time(sia_run_times[i].seconds, row->gpus);
    }
    row->derived = row->duration != TRACE_NO_TIME;
    self->n_derived += row->duration != TRACE_NO_TIME;
    self->n_unknown += row->duration == TRACE_NO_TIME;
}

static void sia_finish(void *state, const struct columns *file,
                       struct trace_row *row)
{
    struct formats_sia *self = state;
    (void)file;
    if (row->duration == TRACE_NO_TIME && self->derive)
        sia_derive(self, row);
}

static void sia_note(const void *state, char *buf, size_t room)
{
    const struct formats_sia *self = state;
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
    return NULL;
}

static void sia_write_row(struct out *out, const struct trace_row *row,
                          uint64_t index)
{
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
    out_text(out, column_word_of(categories, row->elasticity));
    out_char(out, ',');
    if (row->duration != TRACE_NO_TIME)
        out_span(out, row->duration);
    out_char(out, '\n');
}

const struct trace_ops trace_sia = {
    .name = "sia",
    .summary = "workload files of Pollux and Sia",
    .options = formats_sia_options,
    .config_size = sizeof(struct formats_sia_config),
    .state_size = sizeof(struct formats_sia),
    .columns = sia_columns,
    .n_columns = sizeof sia_columns / sizeof *sia_columns,
    .signatures = sia_signatures,
    .begin = sia_begin,
    .finish = sia_finish,
    .preset = "sia-hetero",
    .note = sia_note,
    .holds = TRACE_BIT(ID) | TRACE_BIT(MODEL) | TRACE_BIT(BATCH_SIZE) |
             TRACE_BIT(ELASTIC) | TRACE_BIT(FRACTION) | TRACE_BIT(NO_DURATION),
    .cannot_hold = sia_cannot_hold,
    .head = "name,time,application,num_replicas,batch_size,category,"
            "duration_s\n",
    .write_row = sia_write_row,
};
