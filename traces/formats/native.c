/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedsim's own CSV: one column for each fact of a row, units in the names.
 * Times are seconds, exact to the microsecond, `submitted_unix_s` since 1970
 * UTC. An unknown value is an empty cell. Columns are found by name; only the
 * first three of the list are required. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/rows.h"
#include "traces/formats/cells.h"
#include "traces/trace.h"

/* Columns: symbol, name, true if required, unit, meaning. */
#define COLUMNS(X) \
    X(SUBMITTED, "submitted_unix_s", true, "s", \
      "when the job was submitted, since 1970 UTC; traces without " \
      "dates count from 0") \
    X(DURATION, "duration_s", true, "s", \
      "how long it ran on `gpus` GPUs; empty: unknown, and the job " \
      "is dropped unless what it trains tells it") \
    X(GPUS, "gpus", true, "GPUs", \
      "how many it holds at once; 0: a CPU job, which is dropped") \
    X(ID, "job_id", false, "", \
      "its name in results; empty: its number in the trace. A " \
      "second job of the same name is dropped") \
    X(USER, "user", false, "", "who submitted it") \
    X(VC, "vc", false, "", \
      "its virtual cluster; if no job names one, the cluster counts " \
      "as one") \
    X(NAME, "name", false, "", \
      "the name that the submitter gave it; repeated jobs share it") \
    X(MODEL, "model", false, "", "what it trains, such as resnet50") \
    X(DATASET, "dataset", false, "", "on which data") \
    X(GPU_TYPE, "gpu_type", false, "", \
      "the only GPU type it may run on; empty: any") \
    X(KIND, "kind", false, "", \
      "its kind, such as Pretrain; kept by `trace convert`, not " \
      "read by runs") \
    X(QUEUE, "queue_s", false, "s", \
      "how long it waited in the recorded cluster; not read by runs") \
    X(DECLARED, "declared_s", false, "s", \
      "run time or limit that the submitter stated; empty or 0: " \
      "none") \
    X(CPUS, "cpus", false, "", "CPU cores; not read by runs") \
    X(NODES, "nodes", false, "", "nodes that it used; not read by runs") \
    X(BATCH_SIZE, "batch_size", false, "", "total batch size; empty: unknown") \
    X(ATTEMPTS, "attempts", false, "", \
      "attempts in the recorded cluster; not read by runs") \
    X(END, "end", false, "", "completed, failed or cancelled; empty: unknown") \
    X(ELASTICITY, "elasticity", false, "", \
      "rigid, scales (in GPUs) or adaptive (in GPUs and batch " \
      "size); empty: rigid") \
    X(GPU_UTIL, "gpu_util_percent", false, "%", \
      "utilisation of one of its GPUs; empty: unknown") \
    X(GPU_MEM, "gpu_mem_mib", false, "MiB", \
      "memory that it needs on each GPU; empty: unknown") \
    X(AMP, "amp", false, "", "1: it trains in mixed precision; empty: 0")

enum {
#define COLUMN_ENUM(column, ...) column,
    COLUMNS(COLUMN_ENUM)
#undef COLUMN_ENUM
        N_COLUMNS
};

static const struct rows_column columns[N_COLUMNS] = {
#define COLUMN_ROW(column, name, required, unit, help) {name, required},
    COLUMNS(COLUMN_ROW)
#undef COLUMN_ROW
};

static const struct trace_column_doc docs[N_COLUMNS] = {
#define COLUMN_DOC(column, name, required, unit, help) {unit, help},
    COLUMNS(COLUMN_DOC)
#undef COLUMN_DOC
};

static const char *const end_words[] = {
    [TRACE_END_COMPLETED] = "completed",
    [TRACE_END_FAILED] = "failed",
    [TRACE_END_CANCELLED] = "cancelled",
    [TRACE_END_UNKNOWN] = "",
};

static const char *const elasticity_words[] = {
    [JOB_RIGID] = "rigid",
    [JOB_SCALES] = "scales",
    [JOB_ADAPTIVE] = "adaptive",
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

struct native {
    struct rows *rows;
    int16_t at[N_COLUMNS];
};

static int native_recognise(struct text head)
{
    static const char *const names[] = {"submitted_unix_s", "duration_s",
                                        "gpus", NULL};
    return rows_head_names(head, names) ? 100 : 0;
}

static enum status native_open(void *state, const void *config,
                               struct rows *rows, struct error *err)
{
    const struct native_config *options = config;
    struct native *self = state;
    self->rows = rows;
    enum status st = rows_header(rows, columns, N_COLUMNS, self->at, err);
    if (st == STATUS_OK)
        st = rows_header_known(rows, columns, N_COLUMNS, options->skip,
                               "native:skip=", err);
    return st;
}

static enum status read_word(const struct native *self, int column,
                             const char *const *words, size_t n, unsigned *out,
                             struct error *err)
{
    struct text t = rows_cell(self->rows, self->at[column]);
    if (t.len == 0)
        return STATUS_OK;
    for (size_t i = 0; i < n; i++) {
        if (text_is(t, words[i])) {
            *out = (unsigned)i;
            return STATUS_OK;
        }
    }
    return rows_bad(self->rows, self->at[column], err,
                    "'%.*s' is not %s, %s or %s", TEXT_ARGS(t), words[0],
                    words[1], words[2]);
}

static enum status read_numbers(struct native *self, struct trace_row *row,
                                struct error *err)
{
    const struct rows *rows = self->rows;
    const int16_t *at = self->at;
    unsigned end = row->end, elasticity = row->elasticity;
    enum status st = cells_since(rows, at[SUBMITTED], &row->submitted, err);
    if (st == STATUS_OK)
        st = cells_span(rows, at[DURATION], &row->duration, err);
    if (st == STATUS_OK)
        st = cells_gpus(rows, at[GPUS], &row->gpus, err);
    if (st == STATUS_OK)
        st = cells_span(rows, at[QUEUE], &row->queue, err);
    if (st == STATUS_OK)
        st = cells_span(rows, at[DECLARED], &row->declared, err);
    if (st == STATUS_OK)
        st = cells_count(rows, at[CPUS], &row->cpus, err);
    if (st == STATUS_OK)
        st = cells_count(rows, at[NODES], &row->nodes, err);
    if (st == STATUS_OK)
        st = cells_count(rows, at[BATCH_SIZE], &row->batch_size, err);
    if (st == STATUS_OK)
        st = cells_count(rows, at[ATTEMPTS], &row->attempts, err);
    if (st == STATUS_OK)
        st = cells_number(rows, at[GPU_UTIL], &row->gpu_util, err);
    if (st == STATUS_OK)
        st = cells_number(rows, at[GPU_MEM], &row->gpu_mem_mib, err);
    if (st == STATUS_OK)
        st = read_word(self, END, end_words, TRACE_END_UNKNOWN, &end, err);
    if (st == STATUS_OK)
        st = read_word(self, ELASTICITY, elasticity_words, 3, &elasticity, err);
    row->end = (enum trace_end)end;
    row->elasticity = (enum job_elasticity)elasticity;
    return st;
}

static enum status native_next(void *state, struct trace_row *row,
                               struct error *err)
{
    struct native *self = state;
    const int16_t *at = self->at;
    enum status st = rows_next(self->rows, err);
    row->line = rows_line_number(self->rows);
    if (st == STATUS_OK)
        st = read_numbers(self, row, err);
    if (st != STATUS_OK)
        return st;
    struct text amp = rows_cell(self->rows, at[AMP]);
    if (amp.len && !text_to_bool(amp, &row->amp))
        return rows_bad(self->rows, at[AMP], err, "'%.*s' is not 0 or 1",
                        TEXT_ARGS(amp));
    row->source_id = rows_cell(self->rows, at[ID]);
    row->user = rows_cell(self->rows, at[USER]);
    row->vc = rows_cell(self->rows, at[VC]);
    row->name = rows_cell(self->rows, at[NAME]);
    row->model = rows_cell(self->rows, at[MODEL]);
    row->dataset = rows_cell(self->rows, at[DATASET]);
    row->gpu_type = rows_cell(self->rows, at[GPU_TYPE]);
    row->kind = rows_cell(self->rows, at[KIND]);
    return STATUS_OK;
}

static const char *native_cannot_hold(const struct trace_row *row)
{
    return trace_row_exceeds(row, UINT32_MAX);
}

static void native_write_head(struct out *out)
{
    for (int i = 0; i < N_COLUMNS; i++) {
        if (i)
            out_char(out, ',');
        out_text(out, columns[i].names);
    }
    out_char(out, '\n');
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

static void native_write_row(struct out *out, const struct trace_row *row,
                             uint64_t index)
{
    (void)index;
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
    out_text(out, end_words[row->end]);
    out_char(out, ',');
    if (row->elasticity != JOB_RIGID)
        out_text(out, elasticity_words[row->elasticity]);
    comma_number(out, row->gpu_util);
    comma_number(out, row->gpu_mem_mib);
    out_text(out, row->amp ? ",1\n" : ",\n");
}

const struct trace_ops trace_native = {
    .name = "native",
    .summary = "schedsim's own CSV: everything a row can tell",
    .options = native_options,
    .config_size = sizeof(struct native_config),
    .state_size = sizeof(struct native),
    .columns = columns,
    .docs = docs,
    .n_columns = N_COLUMNS,
    .recognise = native_recognise,
    .open = native_open,
    .next = native_next,
    .cannot_hold = native_cannot_hold,
    .write_head = native_write_head,
    .write_row = native_write_row,
};
