/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster_full_log.csv of Lucid (Hu et al., ASPLOS 2023), a Helios or Philly
 * log joined with a model for each job: job_id,user,vc,jobname,gpu_num,cpu_num,
 * state,submit_time,duration,model,dataset,batchsize,amp,speed,gpu_util,
 * gmem_util,gmem. submit_time is a local date, UTC+8 as in Helios; gpu_util and
 * gmem_util are percent, gmem is MiB a GPU; amp is 0 or 1.
 *
 * Also read: the layout that counts seconds from the start of a window in
 * submit_s and has duration_s. */
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
    STATE,
    SUBMIT,
    SUBMIT_S,
    DURATION,
    MODEL,
    DATASET,
    BATCH_SIZE,
    AMP,
    GPU_UTIL,
    GPU_MEM,
    N_COLUMNS
};

static const struct rows_column columns[N_COLUMNS] = {
    [ID] = {"job_id", true},
    [USER] = {"user", false},
    [VC] = {"vc", false},
    [NAME] = {"jobname", false},
    [GPUS] = {"gpu_num", true},
    [CPUS] = {"cpu_num", false},
    [STATE] = {"state", false},
    [SUBMIT] = {"submit_time", false},
    [SUBMIT_S] = {"submit_s", false},
    [DURATION] = {"duration|duration_s", true},
    [MODEL] = {"model", true},
    [DATASET] = {"dataset", true},
    [BATCH_SIZE] = {"batchsize", true},
    [AMP] = {"amp", true},
    [GPU_UTIL] = {"gpu_util", false},
    [GPU_MEM] = {"gmem", false},
};

struct lucid_config {
    double utc_offset;
    sim_span epoch;
};

static const struct option lucid_options[] = {
    OPT_DOUBLE(struct lucid_config, utc_offset, "utc_offset_h", 8, -12, 14,
               "hours by which the dates of submit_time are ahead of UTC",
               "Helios is recorded in China"),
    OPT_SPAN(struct lucid_config, epoch, "epoch_s", 0, 0, 3e9,
             "second 0 of submit_s, in seconds since 1970", NULL),
    {0},
};

struct lucid {
    struct rows *rows;
    int16_t at[N_COLUMNS];
    struct clock clock;
    sim_span epoch;
};

static int lucid_recognise(struct text head)
{
    static const char *const names[] = {"job_id",
                                        "gpu_num",
                                        "submit_time|submit_s",
                                        "duration|duration_s",
                                        "dataset",
                                        "batchsize",
                                        "amp",
                                        NULL};
    return rows_head_names(head, names) ? 80 : 0;
}

static enum status lucid_open(void *state, const void *config,
                              struct rows *rows, struct error *err)
{
    const struct lucid_config *options = config;
    struct lucid *self = state;
    self->rows = rows;
    self->clock.offset = span_from_seconds(options->utc_offset * 3600);
    self->epoch = options->epoch;
    enum status st = rows_header(rows, columns, N_COLUMNS, self->at, err);
    if (st == STATUS_OK && self->at[SUBMIT] < 0 && self->at[SUBMIT_S] < 0)
        return rows_bad_at(rows, rows_line_number(rows), 1, "submit_time", err,
                           "the header lacks this column");
    return st;
}

static enum status read_submitted(struct lucid *self, struct trace_row *row,
                                  struct error *err)
{
    if (self->at[SUBMIT] >= 0)
        return cells_submitted(self->rows, self->at[SUBMIT], &self->clock,
                               &row->submitted, err);
    enum status st =
        cells_since(self->rows, self->at[SUBMIT_S], &row->submitted, err);
    row->submitted += st == STATUS_OK ? self->epoch : 0;
    return st;
}

static enum status read_profile(struct lucid *self, struct trace_row *row,
                                struct error *err)
{
    const struct rows *rows = self->rows;
    struct text amp = rows_cell(rows, self->at[AMP]);
    enum status st =
        cells_count(rows, self->at[BATCH_SIZE], &row->batch_size, err);
    if (st == STATUS_OK)
        st = cells_number(rows, self->at[GPU_UTIL], &row->gpu_util, err);
    if (st == STATUS_OK)
        st = cells_number(rows, self->at[GPU_MEM], &row->gpu_mem_mib, err);
    if (st == STATUS_OK && !cells_tell_nothing(amp) &&
        !text_to_bool(amp, &row->amp))
        st = rows_bad(rows, self->at[AMP], err, "'%.*s' is not 0 or 1",
                      TEXT_ARGS(amp));
    row->model = rows_cell(rows, self->at[MODEL]);
    row->dataset = rows_cell(rows, self->at[DATASET]);
    return st;
}

static enum status lucid_next(void *state, struct trace_row *row,
                              struct error *err)
{
    struct lucid *self = state;
    struct rows *rows = self->rows;
    enum status st = rows_next(rows, err);
    row->line = rows_line_number(rows);
    if (st == STATUS_OK)
        st = read_submitted(self, row, err);
    if (st == STATUS_OK)
        st = cells_span(rows, self->at[DURATION], &row->duration, err);
    if (st == STATUS_OK)
        st = cells_gpus(rows, self->at[GPUS], &row->gpus, err);
    if (st == STATUS_OK)
        st = cells_count(rows, self->at[CPUS], &row->cpus, err);
    if (st == STATUS_OK)
        st = read_profile(self, row, err);
    if (st != STATUS_OK)
        return st;
    row->source_id = rows_cell(rows, self->at[ID]);
    row->user = rows_cell(rows, self->at[USER]);
    row->vc = rows_cell(rows, self->at[VC]);
    row->name = rows_cell(rows, self->at[NAME]);
    row->end = cells_end(rows_cell(rows, self->at[STATE]));
    return STATUS_OK;
}

static const char *lucid_cannot_hold(const struct trace_row *row)
{
    return trace_row_exceeds(
        row, TRACE_BIT(ID) | TRACE_BIT(USER) | TRACE_BIT(VC) | TRACE_BIT(NAME) |
                 TRACE_BIT(CPUS) | TRACE_BIT(END) | TRACE_BIT(MODEL) |
                 TRACE_BIT(DATASET) | TRACE_BIT(BATCH_SIZE) | TRACE_BIT(AMP) |
                 TRACE_BIT(GPU_UTIL) | TRACE_BIT(GPU_MEM) |
                 TRACE_BIT(NO_DURATION) | TRACE_BIT(NEGATIVE) |
                 TRACE_BIT(NO_GPU));
}

static void lucid_write_head(struct out *out)
{
    out_text(out, "job_id,user,vc,jobname,gpu_num,cpu_num,state,submit_time,"
                  "duration,model,dataset,batchsize,amp,gpu_util,gmem\n");
}

static void write_profile(struct out *out, const struct trace_row *row)
{
    out_csv(out, row->model);
    out_char(out, ',');
    out_csv(out, row->dataset);
    out_char(out, ',');
    if (row->batch_size)
        out_u64(out, row->batch_size);
    out_text(out, row->amp ? ",1," : ",0,");
    if (row->gpu_util >= 0)
        out_double(out, row->gpu_util);
    out_char(out, ',');
    if (row->gpu_mem_mib >= 0)
        out_double(out, row->gpu_mem_mib);
    out_char(out, '\n');
}

static void lucid_write_row(struct out *out, const struct trace_row *row,
                            uint64_t index)
{
    const struct clock clock = {.offset = 8 * SPAN_HOUR};
    const struct text texts[] = {row->source_id, row->user, row->vc, row->name};
    (void)index;
    cells_write_texts(out, texts, sizeof texts / sizeof *texts);
    out_u64(out, row->gpus);
    out_char(out, ',');
    out_u64(out, row->cpus);
    out_char(out, ',');
    out_text(out, cells_end_word(row->end));
    out_char(out, ',');
    clock_write(&clock, out, row->submitted);
    out_char(out, ',');
    if (row->duration != TRACE_NO_TIME)
        out_i64(out, row->duration / SPAN_SECOND);
    out_char(out, ',');
    write_profile(out, row);
}

static const char *lucid_recorded_on(const void *state)
{
    (void)state;
    return "venus";
}

const struct trace_ops trace_lucid = {
    .name = "lucid",
    .summary = "Lucid (ASPLOS 2023): cluster_full_log.csv",
    .options = lucid_options,
    .config_size = sizeof(struct lucid_config),
    .state_size = sizeof(struct lucid),
    .columns = columns,
    .n_columns = N_COLUMNS,
    .recognise = lucid_recognise,
    .open = lucid_open,
    .next = lucid_next,
    .recorded_on = lucid_recorded_on,
    .cannot_hold = lucid_cannot_hold,
    .write_head = lucid_write_head,
    .write_row = lucid_write_row,
};
