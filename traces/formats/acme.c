/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_seren.csv and trace_kalos.csv of Acme (Hu et al., NSDI 2024): one row a
 * job, columns job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,
 * start_time,end_time,duration,queue,gpu_time, in Kalos also mem_per_pod_GB,
 * shared_mem_per_pod,fail_time,stop_time. Dates carry their zone (Kalos UTC,
 * Seren UTC+8, which are assumed where one is missing).
 *
 * In Seren, duration is end - start. In Kalos it is end - submit, waiting
 * included, although the description of the trace says otherwise; there the run
 * time is duration - queue. The reader assumes that a
 * Kalos row without queue and start did not wait, and counts it in the note. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/base/rows.h"
#include "traces/formats/cells.h"
#include "traces/trace.h"

enum {
    ID,
    USER,
    NODES,
    GPUS,
    CPUS,
    POD_MEM,
    TYPE,
    STATE,
    SUBMIT,
    START,
    FAIL,
    DURATION,
    QUEUE,
    GPU_TIME,
    N_COLUMNS
};

static const struct rows_column columns[N_COLUMNS] = {
    [ID] = {"job_id", false},         [USER] = {"user", false},
    [NODES] = {"node_num", false},    [GPUS] = {"gpu_num", true},
    [CPUS] = {"cpu_num", false},      [POD_MEM] = {"mem_per_pod_GB", false},
    [TYPE] = {"type", true},          [STATE] = {"state", false},
    [SUBMIT] = {"submit_time", true}, [START] = {"start_time", false},
    [FAIL] = {"fail_time", false},    [DURATION] = {"duration", true},
    [QUEUE] = {"queue", true},        [GPU_TIME] = {"gpu_time", false},
};

enum { CLUSTER_BY_COLUMNS, CLUSTER_SEREN, CLUSTER_KALOS };

struct acme_config {
    unsigned cluster;
};

static const char *const clusters[] = {"by-columns", "seren", "kalos", NULL};

static const struct option acme_options[] = {
    OPT_CHOICE(struct acme_config, cluster, "cluster", CLUSTER_BY_COLUMNS,
               clusters, "which log: kalos counts the waiting time as duration",
               "only Kalos has the columns fail_time and mem_per_pod_GB"),
    {0},
};

struct acme {
    struct rows *rows;
    int16_t at[N_COLUMNS];
    struct clock clock;
    bool kalos;
    uint64_t n_subtracted, n_unknown;
};

static int acme_recognise(struct text head)
{
    static const char *const names[] = {"gpu_num",  "type",  "submit_time",
                                        "duration", "queue", "gpu_time",
                                        NULL};
    return rows_head_names(head, names) ? 80 : 0;
}

static enum status acme_open(void *state, const void *config, struct rows *rows,
                             struct error *err)
{
    const struct acme_config *options = config;
    struct acme *self = state;
    self->rows = rows;
    enum status st = rows_header(rows, columns, N_COLUMNS, self->at, err);
    self->kalos = options->cluster == CLUSTER_BY_COLUMNS
                      ? self->at[FAIL] >= 0 || self->at[POD_MEM] >= 0
                      : options->cluster == CLUSTER_KALOS;
    self->clock.offset = self->kalos ? 0 : 8 * SPAN_HOUR;
    return st;
}

static enum status read_times(struct acme *self, struct trace_row *row,
                              struct error *err)
{
    const struct rows *rows = self->rows;
    sim_time start = TRACE_NO_TIME;
    enum status st = cells_submitted(rows, self->at[SUBMIT], &self->clock,
                                     &row->submitted, err);
    if (st == STATUS_OK)
        st = cells_time(rows, self->at[START], &self->clock, &start, err);
    if (st == STATUS_OK)
        st = cells_span(rows, self->at[QUEUE], &row->queue, err);
    if (st == STATUS_OK)
        st = cells_span(rows, self->at[DURATION], &row->duration, err);
    if (st != STATUS_OK)
        return st;
    if (row->queue == TRACE_NO_TIME && start != TRACE_NO_TIME)
        row->queue = start - row->submitted;
    if (!self->kalos || row->duration == TRACE_NO_TIME)
        return STATUS_OK;
    if (row->queue == TRACE_NO_TIME) {
        self->n_unknown++;
        return STATUS_OK;
    }
    row->duration -= row->queue;
    self->n_subtracted++;
    return STATUS_OK;
}

static enum status acme_next(void *state, struct trace_row *row,
                             struct error *err)
{
    struct acme *self = state;
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
    row->kind = rows_cell(rows, self->at[TYPE]);
    row->end = cells_end(rows_cell(rows, self->at[STATE]));
    return STATUS_OK;
}

static void acme_note(const void *state, char *buf, size_t room)
{
    const struct acme *self = state;
    if (self->n_unknown)
        snprintf(buf, room,
                 "Kalos: %" PRIu64 " run times are duration - queue, %" PRIu64
                 " are duration, as no queue is recorded",
                 self->n_subtracted, self->n_unknown);
    else if (self->n_subtracted)
        snprintf(buf, room, "Kalos: run times are duration - queue");
}

static const char *acme_cannot_hold(const struct trace_row *row)
{
    return trace_row_exceeds(row, TRACE_BIT(ID) | TRACE_BIT(USER) |
                                      TRACE_BIT(KIND) | TRACE_BIT(QUEUE) |
                                      TRACE_BIT(CPUS) | TRACE_BIT(NODES) |
                                      TRACE_BIT(END) | TRACE_BIT(NO_DURATION) |
                                      TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_GPU));
}

static void acme_write_head(struct out *out)
{
    out_text(out, "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,"
                  "start_time,end_time,duration,queue,gpu_time\n");
}

static void write_date(struct out *out, sim_time at, bool kalos)
{
    const struct clock clock = {.offset = kalos ? 0 : 8 * SPAN_HOUR};
    clock_write(&clock, out, at);
    out_text(out, kalos ? "+00:00" : "+08:00");
}

/* Writes submit, start, end[, fail, stop], duration, queue, gpu_time. */
static void write_times(struct out *out, const struct trace_row *row,
                        bool kalos)
{
    bool started = row->queue != TRACE_NO_TIME;
    bool lasted = row->duration != TRACE_NO_TIME;
    write_date(out, row->submitted, kalos);
    out_char(out, ',');
    if (started)
        write_date(out, row->submitted + row->queue, kalos);
    out_char(out, ',');
    if (started && lasted)
        write_date(out, row->submitted + row->queue + row->duration, kalos);
    out_text(out, kalos ? ",,," : ",");
    if (lasted) {
        sim_span waited = kalos && started ? row->queue : 0;
        out_i64(out, (row->duration + waited) / SPAN_SECOND);
    }
    out_char(out, ',');
    if (started)
        out_i64(out, row->queue / SPAN_SECOND);
    out_char(out, ',');
    if (lasted)
        out_printf(out, "%.1f", span_seconds(row->duration) * row->gpus);
    out_char(out, '\n');
}

static void write_row(struct out *out, const struct trace_row *row, bool kalos)
{
    const struct text names[] = {row->source_id, row->user};
    cells_write_texts(out, names, 2);
    out_printf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", row->nodes,
               row->gpus, row->cpus);
    if (kalos)
        out_text(out, ",,"); /* memory of a pod: struct trace_row lacks it */
    cells_write_texts(out, &row->kind, 1);
    out_text(out, cells_end_word(row->end));
    out_char(out, ',');
    write_times(out, row, kalos);
}

static void acme_write_row(struct out *out, const struct trace_row *row,
                           uint64_t index)
{
    (void)index;
    write_row(out, row, false);
}

static void kalos_write_head(struct out *out)
{
    out_text(out, "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,"
                  "shared_mem_per_pod,type,state,submit_time,start_time,"
                  "end_time,fail_time,stop_time,duration,queue,gpu_time\n");
}

static void kalos_write_row(struct out *out, const struct trace_row *row,
                            uint64_t index)
{
    (void)index;
    write_row(out, row, true);
}

static const char *acme_recorded_on(const void *state)
{
    return ((const struct acme *)state)->kalos ? "kalos" : "seren";
}

/* The Kalos layout: the same reader, listed as a format of its own so that it
 * can be written. */
static int kalos_recognise(struct text head)
{
    static const char *const names[] = {"mem_per_pod_GB", "fail_time", NULL};
    return acme_recognise(head) && rows_head_names(head, names) ? 90 : 0;
}

const struct trace_ops trace_acme = {
    .name = "acme",
    .summary = "Shanghai AI Laboratory Acme 2023: trace_seren",
    .options = acme_options,
    .config_size = sizeof(struct acme_config),
    .state_size = sizeof(struct acme),
    .columns = columns,
    .n_columns = N_COLUMNS,
    .recognise = acme_recognise,
    .open = acme_open,
    .next = acme_next,
    .recorded_on = acme_recorded_on,
    .note = acme_note,
    .cannot_hold = acme_cannot_hold,
    .write_head = acme_write_head,
    .write_row = acme_write_row,
};

const struct trace_ops trace_kalos = {
    .name = "kalos",
    .summary = "Shanghai AI Laboratory Acme 2023: trace_kalos",
    .options = acme_options,
    .config_size = sizeof(struct acme_config),
    .state_size = sizeof(struct acme),
    .columns = columns,
    .n_columns = N_COLUMNS,
    .recognise = kalos_recognise,
    .open = acme_open,
    .next = acme_next,
    .recorded_on = acme_recorded_on,
    .note = acme_note,
    .cannot_hold = acme_cannot_hold,
    .write_head = kalos_write_head,
    .write_row = kalos_write_row,
};
