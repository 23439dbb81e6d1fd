/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_seren.csv and trace_kalos.csv of Acme (Hu et al., NSDI 2024): one row
 * per job, columns job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,
 * start_time,end_time,duration,queue,gpu_time, in Kalos also mem_per_pod_GB,
 * shared_mem_per_pod,fail_time,stop_time. Dates name their zone: UTC in Kalos,
 * UTC+8 in Seren. The reader assumes this zone if a date lacks it.
 *
 * In Seren, duration is end - start. In Kalos, duration is end - submit and
 * includes the wait, although the description of the trace says otherwise, so
 * the run time is duration - queue. The reader assumes that the job of a Kalos
 * row without queue and start did not wait, and the note counts such rows. */
#include <inttypes.h>
#include <stdio.h>

#include "traces/columns.h"
#include "traces/trace.h"

static const struct trace_column acme_columns[] = {
    {.names = "job_id", .kind = COLUMN_ID},
    {.names = "user", .kind = COLUMN_USER},
    {.names = "node_num", .kind = COLUMN_NODES},
    {.names = "gpu_num", .kind = COLUMN_GPUS, .required = true},
    {.names = "cpu_num", .kind = COLUMN_CPUS},
    {.names = "mem_per_pod_GB", .kind = COLUMN_MEM},
    {.names = "type", .kind = COLUMN_JOB_KIND, .required = true},
    {.names = "state", .kind = COLUMN_STATE},
    {.names = "submit_time",
     .kind = COLUMN_SUBMITTED,
     .unit = UNIT_DATE,
     .required = true},
    {.names = "start_time", .kind = COLUMN_START, .unit = UNIT_DATE},
    {.names = "fail_time"},
    {.names = "duration", .kind = COLUMN_DURATION, .required = true},
    {.names = "queue", .kind = COLUMN_QUEUE, .required = true},
    {.names = "gpu_time"},
};

#define ACME_NAMES \
    "gpu_num", "type", "submit_time", "duration", "queue", "gpu_time"
static const struct trace_signature acme_signatures[] = {
    {.sure = 80, .names = {ACME_NAMES}},
    {0},
};
static const struct trace_signature kalos_signatures[] = {
    {.sure = 90, .names = {ACME_NAMES, "mem_per_pod_GB", "fail_time"}},
    {0},
};

enum { CLUSTER_BY_COLUMNS, CLUSTER_SEREN, CLUSTER_KALOS };

struct acme_config {
    unsigned cluster;
};

static const char *const clusters[] = {"by-columns", "seren", "kalos", NULL};

static const struct option acme_options[] = {
    OPT_CHOICE(
        struct acme_config, cluster, "cluster", CLUSTER_BY_COLUMNS, clusters,
        "which of Acme's logs the file is; in that of kalos, durations include "
        "the waiting time",
        "only Kalos has the columns fail_time and mem_per_pod_GB"),
    {0},
};

struct acme {
    bool kalos; /* true for a file of Kalos, false for one of Seren */
    /* For Kalos: number of rows whose run time is duration - queue, and number
     * of rows without queue and start. */
    uint64_t n_subtracted, n_unknown;
};

static enum status acme_begin(void *state, const void *config,
                              struct columns *file, struct error *err)
{
    const struct acme_config *options = config;
    struct acme *self = state;
    (void)err;
    self->kalos = options->cluster == CLUSTER_BY_COLUMNS
                      ? columns_find(file, "fail_time") >= 0 ||
                            columns_find(file, "mem_per_pod_GB") >= 0
                      : options->cluster == CLUSTER_KALOS;
    file->clock.offset = self->kalos ? 0 : 8 * SPAN_HOUR;
    return STATUS_OK;
}

static void acme_finish(void *state, const struct columns *file,
                        struct trace_row *row)
{
    struct acme *self = state;
    (void)file;
    if (row->mem_mib >= 0) /* until here GiB per pod; a pod is a node */
        row->mem_mib *= 1024.0 * (row->nodes ? row->nodes : 1);
    if (!self->kalos || row->duration == TRACE_NO_TIME)
        return;
    if (row->queue == TRACE_NO_TIME) {
        self->n_unknown++;
        return;
    }
    row->duration -= row->queue;
    self->n_subtracted++;
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

/* Writes the cells submit, start, end[, fail, stop], duration, queue,
 * gpu_time. */
static void write_times(struct out *out, const struct trace_row *row,
                        bool kalos)
{
    const struct clock clock = {.offset = kalos ? 0 : 8 * SPAN_HOUR};
    sim_span lasted = row->duration;
    cells_write_dates(out, &clock, kalos ? "+00:00" : "+08:00", row);
    out_text(out, kalos ? ",,," : ",");
    if (kalos && lasted != TRACE_NO_TIME && row->queue != TRACE_NO_TIME)
        lasted += row->queue;
    cells_write_seconds(out, lasted);
    out_char(out, ',');
    cells_write_seconds(out, row->queue);
    out_char(out, ',');
    if (row->duration != TRACE_NO_TIME)
        out_printf(out, "%.1f", span_seconds(row->duration) * row->gpus);
    out_char(out, '\n');
}

static void acme_write_row_one(struct out *out, const struct trace_row *row,
                               bool kalos)
{
    const struct text names[] = {row->source_id, row->user};
    cells_write_texts(out, names, 2);
    out_printf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", row->nodes,
               row->gpus, row->cpus);
    if (kalos && row->mem_mib >= 0) /* a pod is a node */
        out_double(out, row->mem_mib / 1024 / (row->nodes ? row->nodes : 1));
    if (kalos)
        out_text(out, ",,");
    cells_write_texts(out, &row->kind, 1);
    out_text(out, cells_end_word(row->end));
    out_char(out, ',');
    write_times(out, row, kalos);
}

static void acme_write_row(struct out *out, const struct trace_row *row,
                           uint64_t index)
{
    (void)index;
    acme_write_row_one(out, row, false);
}

static void kalos_write_row(struct out *out, const struct trace_row *row,
                            uint64_t index)
{
    (void)index;
    acme_write_row_one(out, row, true);
}

static const char *acme_recorded_on(const void *state)
{
    return ((const struct acme *)state)->kalos ? "kalos" : "seren";
}

/* The members of trace_ops that Seren and Kalos share: the reader. They are two
 * formats because their files have different columns and each must be writable.
 */
#define ACME_OPS \
    .options = acme_options, .config_size = sizeof(struct acme_config), \
    .state_size = sizeof(struct acme), .columns = acme_columns, \
    .n_columns = sizeof acme_columns / sizeof *acme_columns, \
    .begin = acme_begin, .finish = acme_finish, \
    .recorded_on = acme_recorded_on, .note = acme_note
#define ACME_HOLDS \
    (TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(KIND) | TRACE_BIT(QUEUE) | \
     TRACE_BIT(CPUS) | TRACE_BIT(NODES) | TRACE_BIT(END) | \
     TRACE_BIT(NO_DURATION) | TRACE_BIT(NEGATIVE) | TRACE_BIT(NO_GPU))

const struct trace_ops trace_acme = {
    .name = "acme",
    .summary = "Shanghai AI Laboratory Acme 2023: trace_seren",
    ACME_OPS,
    .holds = ACME_HOLDS,
    .signatures = acme_signatures,
    .head = "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,"
            "start_time,end_time,duration,queue,gpu_time\n",
    .write_row = acme_write_row,
};

const struct trace_ops trace_kalos = {
    .name = "kalos",
    .summary = "Shanghai AI Laboratory Acme 2023: trace_kalos",
    ACME_OPS,
    .holds = ACME_HOLDS | TRACE_BIT(MEM),
    .signatures = kalos_signatures,
    .head = "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,"
            "shared_mem_per_pod,type,state,submit_time,start_time,"
            "end_time,fail_time,stop_time,duration,queue,gpu_time\n",
    .write_row = kalos_write_row,
};
