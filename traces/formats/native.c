/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedsim's own CSV: one column for each fact that a row can have, with units
 * in the names. Times are seconds, exact to the microsecond; `submitted_unix_s`
 * counts from 1970 UTC. An unknown value is an empty cell. Columns are found by
 * name; only the first three are required. */
#include <inttypes.h>

#include "traces/columns.h"
#include "traces/trace.h"

static const struct column_word native_ends[] = {
    {"completed", TRACE_END_COMPLETED},
    {"failed", TRACE_END_FAILED},
    {"cancelled", TRACE_END_CANCELLED},
    {NULL, 0},
};

static const struct column_word elasticities[] = {
    {"rigid", JOB_RIGID},
    {"scales", JOB_SCALES},
    {"adaptive", JOB_ADAPTIVE},
    {NULL, 0},
};

static const struct trace_column native_columns[] = {
    {.names = "submitted_unix_s",
     .kind = COLUMN_SUBMITTED,
     .required = true,
     .doc_unit = "s",
     .help = "when the job was submitted, since 1970 UTC; traces without "
             "dates count from 0"},
    {.names = "duration_s",
     .kind = COLUMN_DURATION,
     .required = true,
     .doc_unit = "s",
     .help = "how long it ran on `gpus` GPUs; empty: unknown, and the job "
             "is dropped unless what it trains tells it"},
    {.names = "gpus",
     .kind = COLUMN_GPUS,
     .required = true,
     .doc_unit = "GPUs",
     .help = "how many it holds at once; 0: a CPU job, which is dropped"},
    {.names = "job_id",
     .kind = COLUMN_ID,
     .help = "its name in results; empty: its number in the trace. A "
             "second job of the same name is dropped"},
    {.names = "user", .kind = COLUMN_USER, .help = "who submitted it"},
    {.names = "vc",
     .kind = COLUMN_VC,
     .help = "its virtual cluster; if no job names one, the cluster counts "
             "as one"},
    {.names = "name",
     .kind = COLUMN_NAME,
     .help = "the name that the submitter gave it; repeated jobs share it"},
    {.names = "model",
     .kind = COLUMN_MODEL,
     .help = "what it trains, such as resnet50"},
    {.names = "dataset", .kind = COLUMN_DATASET, .help = "on which data"},
    {.names = "gpu_type",
     .kind = COLUMN_GPU_TYPE,
     .help = "the only GPU type it may run on; empty: any"},
    {.names = "kind",
     .kind = COLUMN_JOB_KIND,
     .help = "its kind, such as Pretrain; kept by `trace convert`, not "
             "read by runs"},
    {.names = "queue_s",
     .kind = COLUMN_QUEUE,
     .doc_unit = "s",
     .help = "how long it waited in the recorded cluster; only -p recorded "
             "reads it"},
    {.names = "declared_s",
     .kind = COLUMN_DECLARED,
     .doc_unit = "s",
     .help = "run time or limit that the submitter stated; empty or 0: "
             "none"},
    {.names = "cpus",
     .kind = COLUMN_CPUS,
     .help = "CPU cores; not read by runs"},
    {.names = "nodes",
     .kind = COLUMN_NODES,
     .help = "nodes that it used; not read by runs"},
    {.names = "batch_size",
     .kind = COLUMN_BATCH_SIZE,
     .help = "total batch size; empty: unknown"},
    {.names = "attempts",
     .kind = COLUMN_ATTEMPTS,
     .help = "attempts in the recorded cluster; not read by runs"},
    {.names = "end",
     .kind = COLUMN_STATE,
     .words = native_ends,
     .help = "completed, failed or cancelled; empty: unknown"},
    {.names = "elasticity",
     .kind = COLUMN_ELASTICITY,
     .words = elasticities,
     .help = "rigid, scales (in GPUs) or adaptive (in GPUs and batch "
             "size); empty: rigid"},
    {.names = "gpu_util_percent",
     .kind = COLUMN_GPU_UTIL,
     .doc_unit = "%",
     .help = "utilisation of one of its GPUs; empty: unknown"},
    {.names = "gpu_mem_mib",
     .kind = COLUMN_GPU_MEM,
     .doc_unit = "MiB",
     .help = "memory that it needs on each GPU; empty: unknown"},
    {.names = "amp",
     .kind = COLUMN_AMP,
     .help = "1: it trains in mixed precision; empty: 0"},
    /* The columns from here on are written only if the source has them. */
    {.names = "deadline_s",
     .kind = COLUMN_DEADLINE,
     .doc_unit = "s",
     .help = "time from the submission by which it should have ended; empty: "
             "none"},
    {.names = "priority",
     .kind = COLUMN_PRIORITY,
     .help = "its priority as the source writes it, a number or a word; only "
             "policies of your own read it"},
    {.names = "mem_mib",
     .kind = COLUMN_MEM,
     .doc_unit = "MiB",
     .help = "main memory of the whole job; empty: unknown; not read by runs"},
    {.names = "cluster",
     .kind = COLUMN_CLUSTER,
     .help = "cluster that the trace comes from, as --cluster takes it, in one "
             "row; empty in the others. Runs without --cluster use it"},
};
enum {
    N_RARE = 4,
    NATIVE_N_COLUMNS = sizeof native_columns / sizeof *native_columns
};

static const struct trace_signature native_signatures[] = {
    {.sure = 100, .names = {"submitted_unix_s", "duration_s", "gpus"}},
    {0},
};

struct native_config {
    const char *skip;
};

static const struct option native_options[] = {
    OPT_TEXT(struct native_config, skip, "skip", "",
             "columns of other names to skip, separated by '+'; *: all. "
             "Without it they are an error",
             NULL),
    {0},
};

static enum status native_begin(void *state, const void *config,
                                struct columns *file, struct error *err)
{
    const struct native_config *options = config;
    (void)state;
    return columns_known(file, options->skip, "native:skip=", err);
}

static void write_names(struct out *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, native_columns[i].names);
    }
    out_char(out, '\n');
}

static void native_write_head(struct out *out)
{
    write_names(out, NATIVE_N_COLUMNS - N_RARE);
}

static void wide_write_head(struct out *out)
{
    write_names(out, NATIVE_N_COLUMNS);
}

static void comma_span(struct out *out, sim_span span, sim_span unknown)
{
    out_char(out, ',');
    if (span != unknown)
        out_span(out, span);
}

static void comma_count(struct out *out, uint32_t count)
{
    out_char(out, ',');
    if (count)
        out_u64(out, count);
}

static void comma_number(struct out *out, double number)
{
    out_char(out, ',');
    if (number >= 0)
        out_double(out, number);
}

static void write_common(struct out *out, const struct trace_row *row)
{
    const struct text texts[] = {row->source_id, row->user,  row->vc,
                                 row->name,      row->model, row->dataset,
                                 row->gpu_type,  row->kind};
    out_span(out, row->submitted);
    comma_span(out, row->duration, TRACE_NO_TIME);
    out_char(out, ',');
    out_u64(out, row->gpus);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        out_char(out, ',');
        out_csv(out, texts[i]);
    }
    comma_span(out, row->queue, TRACE_NO_TIME);
    comma_span(out, row->declared, 0);
    comma_count(out, row->cpus);
    comma_count(out, row->nodes);
    comma_count(out, row->batch_size);
    comma_count(out, row->attempts);
    out_char(out, ',');
    out_text(out, column_word_of(native_ends, row->end));
    out_char(out, ',');
    if (row->elasticity != JOB_RIGID)
        out_text(out, column_word_of(elasticities, row->elasticity));
    comma_number(out, row->gpu_util);
    comma_number(out, row->gpu_mem_mib);
    out_text(out, row->amp ? ",1" : ",");
}

static void native_write_row(struct out *out, const struct trace_row *row,
                             uint64_t index)
{
    (void)index;
    write_common(out, row);
    out_char(out, '\n');
}

static void wide_write_row(struct out *out, const struct trace_row *row,
                           uint64_t index)
{
    (void)index;
    write_common(out, row);
    comma_span(out, row->deadline, TRACE_NO_TIME);
    out_char(out, ',');
    out_csv(out, row->priority);
    comma_number(out, row->mem_mib);
    out_char(out, ',');
    out_csv(out, row->cluster);
    out_char(out, '\n');
}

static const struct trace_ops native_wide = {
    .name = "native",
    .holds = UINT32_MAX,
    .write_head = wide_write_head,
    .write_row = wide_write_row,
};

const struct trace_ops trace_native = {
    .name = "native",
    .summary = "schedsim's own CSV: everything a row can tell",
    .options = native_options,
    .config_size = sizeof(struct native_config),
    .columns = native_columns,
    .n_columns = NATIVE_N_COLUMNS,
    .signatures = native_signatures,
    .begin = native_begin,
    .holds = ~TRACE_RARE,
    .write_head = native_write_head,
    .write_row = native_write_row,
    .wide = &native_wide,
};
