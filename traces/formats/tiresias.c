/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files of the Tiresias simulator (Gu et al., NSDI 2019): job_id,num_gpu,
 * submit_time,iterations,model_name,duration,interval. Times are in seconds. In
 * the published files submit_time counts from the first job; it is read and
 * written as the time since 1970. The columns iterations and interval (the time
 * since the previous job) are neither read nor written.
 *
 * The traces of Chronus (Gao et al., SoCC 2021) have user, expect_time_list,
 * expect_value_list, best_effort and job_type too. Their times are minutes, in
 * which their simulator counts: they are of 14 days of Philly, and their last
 * submit_time is 20151. A deadline counts from the submission. A job of type
 * soft has several deadlines of falling value, and that simulator judges it by
 * the first. A job of type best has none: its expect_time_list repeats its
 * submit_time. */
#include <inttypes.h>
#include <stdio.h>

#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column tiresias_columns[] = {
    {.names = "job_id", .kind = COLUMN_ID, .required = true},
    {.names = "num_gpu", .kind = COLUMN_GPUS, .required = true},
    {.names = "submit_time", .kind = COLUMN_SUBMITTED, .required = true},
    {.names = "model_name", .kind = COLUMN_MODEL, .required = true},
    {.names = "duration", .kind = COLUMN_DURATION, .required = true},
    {.names = "user", .kind = COLUMN_USER},
    {.names = "expect_time_list",
     .kind = COLUMN_DEADLINES,
     .help = "deadlines, counted from the submission and joined with -, of "
             "which the first is read; not read in rows with best_effort 1. "
             "With this column, all times are minutes"},
    {.names = "best_effort", .help = "1: the job has no deadline"},
    {.names = "expect_value_list",
     .help = "what it is worth to meet each deadline; not read"},
    {.names = "job_type",
     .help = "strict, soft or best; not read, because the other columns say "
             "it"},
    {.names = "iterations", .help = "not read"},
    {.names = "interval", .help = "time since the previous job; not read"},
};

enum { TIMES_AUTO, TIMES_SECONDS, TIMES_MINUTES };
static const char *const tiresias_times[] = {"auto", "seconds", "minutes",
                                             NULL};

struct formats_tiresias_config {
    unsigned times;
    const char *skip;
};

static const struct option formats_tiresias_options[] = {
    OPT_CHOICE(struct formats_tiresias_config, times, "times", TIMES_AUTO,
               tiresias_times,
               "unit of all times; auto: minutes in a file with the column "
               "expect_time_list, as in the traces of Chronus, else seconds",
               "Chronus: 14 days of Philly are 20151"),
    OPT_TEXT(struct formats_tiresias_config, skip, "skip", "",
             "columns of other names to skip, separated by '+'; *: all. "
             "Without it they are an error",
             NULL),
    {0},
};

struct formats_tiresias {
    int deadlines, best; /* index of the cell; -1: the file lacks it */
    bool minutes;
    uint64_t n_best, n_soft;
};

static enum status tiresias_begin(void *state, const void *config,
                                  struct columns *file, struct error *err)
{
    const struct formats_tiresias_config *options = config;
    struct formats_tiresias *self = state;
    self->deadlines = columns_find(file, "expect_time_list");
    self->best = columns_find(file, "best_effort");
    self->minutes = options->times == TIMES_AUTO
                        ? self->deadlines >= 0
                        : options->times == TIMES_MINUTES;
    return columns_known(file, options->skip, "tiresias:skip=", err);
}

/* Makes minutes, which were read as seconds, seconds. */
static void tiresias_stretch(sim_span *span)
{
    const sim_span most = span_from_seconds(SECONDS_MAX);
    if (*span != TRACE_NO_TIME)
        *span = *span > most / 60    ? most
                : *span < -most / 60 ? -most
                                     : *span * 60;
}

static void tiresias_finish(void *state, const struct columns *file,
                            struct trace_row *row)
{
    struct formats_tiresias *self = state;
    bool best = false;
    if (self->deadlines >= 0 && self->best >= 0 &&
        text_to_bool(file->cells[self->best], &best) && best) {
        row->deadline = TRACE_NO_TIME;
        self->n_best++;
    } else if (self->deadlines >= 0) {
        struct text rest;
        text_split(file->cells[self->deadlines], '-', &rest);
        self->n_soft += rest.len > 0;
    }
    if (self->minutes) {
        tiresias_stretch(&row->submitted);
        tiresias_stretch(&row->duration);
        tiresias_stretch(&row->deadline);
    }
}

static void tiresias_note(const void *state, char *buf, size_t room)
{
    const struct formats_tiresias *self = state;
    size_t n = 0;
    if (self->minutes && self->deadlines >= 0)
        n += (size_t)snprintf(buf, room,
                              "times are minutes, as in the traces of Chronus "
                              "(tiresias:times=seconds)");
    if (self->n_soft && n < room)
        n += (size_t)snprintf(buf + n, room - n,
                              "%s%" PRIu64 " job%s several deadlines, of "
                              "which the first is read",
                              n ? "; " : "", self->n_soft,
                              self->n_soft > 1 ? "s have" : " has");
    if (self->n_best && n < room)
        snprintf(buf + n, room - n,
                 "%s%" PRIu64 " best-effort job%s no deadline", n ? "; " : "",
                 self->n_best, self->n_best > 1 ? "s have" : " has");
}

static const struct trace_signature tiresias_signatures[] = {
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
    .options = formats_tiresias_options,
    .config_size = sizeof(struct formats_tiresias_config),
    .state_size = sizeof(struct formats_tiresias),
    .columns = tiresias_columns,
    .n_columns = sizeof tiresias_columns / sizeof *tiresias_columns,
    .signatures = tiresias_signatures,
    .begin = tiresias_begin,
    .finish = tiresias_finish,
    .note = tiresias_note,
    .holds = TRACE_BIT(ID) | TRACE_BIT(MODEL) | TRACE_BIT(FRACTION) |
             TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_DURATION) | TRACE_BIT(NO_GPU),
    .head = "job_id,num_gpu,submit_time,model_name,duration\n",
    .write_row = tiresias_write_row,
};
