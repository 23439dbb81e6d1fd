/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster_log.csv of HeliosData (Hu et al., SC 2021): one row a job, columns
 * job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,
 * end_time,duration,queue. Dates are local, UTC+8, no daylight saving; duration
 * (end - start) and queue (start - submit) are seconds.
 *
 * Columns are found by name, so cut-down copies are read too: for example,
 * those that have only log_row, submit_time, gpu_num and duration_s. A copy may
 * cut long run times and mark them in a column `clamped`; the reader uses the
 * cut times and counts them in the note. Jobs with gpu_num 0 are CPU jobs. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/base/rows.h"
#include "traces/formats/cells.h"
#include "traces/trace.h"

enum {
    ID,
    USER,
    VC,
    NAME,
    GPUS,
    CPUS,
    NODES,
    STATE,
    SUBMIT,
    START,
    END,
    DURATION,
    QUEUE,
    CLAMPED,
    N_COLUMNS
};

static const struct rows_column columns[N_COLUMNS] = {
    [ID] = {"job_id|log_row", false},
    [USER] = {"user", false},
    [VC] = {"vc", false},
    [NAME] = {"jobname", false},
    [GPUS] = {"gpu_num", true},
    [CPUS] = {"cpu_num", false},
    [NODES] = {"node_num", false},
    [STATE] = {"state", false},
    [SUBMIT] = {"submit_time", true},
    [START] = {"start_time", false},
    [END] = {"end_time", false},
    [DURATION] = {"duration|duration_s", true},
    [QUEUE] = {"queue", false},
    [CLAMPED] = {"clamped", false},
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
    struct rows *rows;
    int16_t at[N_COLUMNS];
    struct clock clock;
    uint64_t n_clamped;
};

static int helios_recognise(struct text head)
{
    static const char *const names[] = {"gpu_num", "submit_time",
                                        "duration|duration_s", NULL};
    return rows_head_names(head, names) ? 50 : 0;
}

static enum status helios_open(void *state, const void *config,
                               struct rows *rows, struct error *err)
{
    const struct helios_config *options = config;
    struct helios *self = state;
    self->rows = rows;
    self->clock.offset = span_from_seconds(options->utc_offset * 3600);
    return rows_header(rows, columns, N_COLUMNS, self->at, err);
}

/* Computes from the dates the times that the columns duration and queue
 * lack. */
static enum status read_dates(struct helios *self, struct trace_row *row,
                              struct error *err)
{
    sim_time start = TRACE_NO_TIME, end = TRACE_NO_TIME;
    enum status st =
        cells_time(self->rows, self->at[START], &self->clock, &start, err);
    if (st == STATUS_OK)
        st = cells_time(self->rows, self->at[END], &self->clock, &end, err);
    if (st != STATUS_OK || start == TRACE_NO_TIME)
        return st;
    if (row->queue == TRACE_NO_TIME)
        row->queue = start - row->submitted;
    if (row->duration == TRACE_NO_TIME && end != TRACE_NO_TIME)
        row->duration = end - start;
    return STATUS_OK;
}

static enum status read_times(struct helios *self, struct trace_row *row,
                              struct error *err)
{
    const struct rows *rows = self->rows;
    enum status st = cells_submitted(rows, self->at[SUBMIT], &self->clock,
                                     &row->submitted, err);
    if (st == STATUS_OK)
        st = cells_span(rows, self->at[DURATION], &row->duration, err);
    if (st == STATUS_OK)
        st = cells_span(rows, self->at[QUEUE], &row->queue, err);
    if (st == STATUS_OK &&
        (row->queue == TRACE_NO_TIME || row->duration == TRACE_NO_TIME))
        st = read_dates(self, row, err);
    return st;
}

static enum status helios_next(void *state, struct trace_row *row,
                               struct error *err)
{
    struct helios *self = state;
    struct rows *rows = self->rows;
    enum status st = rows_next(rows, err);
    row->line = rows_line_number(rows);
    if (st == STATUS_OK)
        st = read_times(self, row, err);
    if (st == STATUS_OK)
        st = cells_gpus(rows, self->at[GPUS], &row->gpus, err);
    if (st == STATUS_OK)
        st = cells_count(rows, self->at[CPUS], &row->cpus, err);
    if (st == STATUS_OK)
        st = cells_count(rows, self->at[NODES], &row->nodes, err);
    if (st != STATUS_OK)
        return st;
    row->source_id = rows_cell(rows, self->at[ID]);
    row->user = rows_cell(rows, self->at[USER]);
    row->vc = rows_cell(rows, self->at[VC]);
    row->name = rows_cell(rows, self->at[NAME]);
    row->end = cells_end(rows_cell(rows, self->at[STATE]));
    if (self->at[CLAMPED] >= 0)
        self->n_clamped += text_is(rows_cell(rows, self->at[CLAMPED]), "1");
    return STATUS_OK;
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

static const char *helios_cannot_hold(const struct trace_row *row)
{
    return trace_row_exceeds(
        row, TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(VC) | TRACE_BIT(NAME) |
                 TRACE_BIT(QUEUE) | TRACE_BIT(CPUS) | TRACE_BIT(NODES) |
                 TRACE_BIT(END) | TRACE_BIT(NO_DURATION) | TRACE_BIT(NEGATIVE) |
                 TRACE_BIT(NO_GPU));
}

static void helios_write_head(struct out *out)
{
    out_text(out, "job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,"
                  "submit_time,start_time,end_time,duration,queue\n");
}

static void write_dates(struct out *out, const struct trace_row *row)
{
    const struct clock clock = {.offset = 8 * SPAN_HOUR};
    bool started = row->queue != TRACE_NO_TIME;
    bool lasted = row->duration != TRACE_NO_TIME;
    clock_write(&clock, out, row->submitted);
    out_char(out, ',');
    if (started)
        clock_write(&clock, out, row->submitted + row->queue);
    out_char(out, ',');
    if (started && lasted)
        clock_write(&clock, out, row->submitted + row->queue + row->duration);
    out_char(out, ',');
    if (lasted)
        out_i64(out, row->duration / SPAN_SECOND);
    out_char(out, ',');
    if (started)
        out_i64(out, row->queue / SPAN_SECOND);
    out_char(out, '\n');
}

static void helios_write_row(struct out *out, const struct trace_row *row,
                             uint64_t index)
{
    const struct text texts[] = {row->source_id, row->user, row->vc, row->name};
    (void)index;
    cells_write_texts(out, texts, sizeof texts / sizeof *texts);
    out_printf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", row->gpus,
               row->cpus, row->nodes);
    out_text(out, cells_end_word(row->end));
    out_char(out, ',');
    write_dates(out, row);
}

static const char *helios_recorded_on(const void *state)
{
    (void)state;
    return "venus";
}

const struct trace_ops trace_helios = {
    .name = "helios",
    .summary = "SenseTime Helios 2020: cluster_log.csv",
    .options = helios_options,
    .config_size = sizeof(struct helios_config),
    .state_size = sizeof(struct helios),
    .columns = columns,
    .n_columns = N_COLUMNS,
    .recognise = helios_recognise,
    .open = helios_open,
    .next = helios_next,
    .recorded_on = helios_recorded_on,
    .note = helios_note,
    .cannot_hold = helios_cannot_hold,
    .write_head = helios_write_head,
    .write_row = helios_write_row,
};
