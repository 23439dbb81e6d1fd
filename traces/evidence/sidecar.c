/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/evidence/sidecar.h"

#include <string.h>

const struct rows_column sidecar_columns[SIDECAR_COLUMNS] = {
    [SIDECAR_JOB] = {"job_id", true},
    [SIDECAR_DIRECTORY] = {"directory", false},
    [SIDECAR_COMMAND] = {"command", false},
    [SIDECAR_BRANCH] = {"branch", false},
    [SIDECAR_STYLE] = {"log_style", false},
    [SIDECAR_LOG] = {"log", false},
    [SIDECAR_STEP_S] = {"step_s", false},
    [SIDECAR_START_S] = {"start_s", false},
    [SIDECAR_STEPS] = {"steps", false},
    [SIDECAR_STEPS_PER_EPOCH] = {"steps_per_epoch", false},
    [SIDECAR_LOG_EVERY] = {"log_every", false},
    [SIDECAR_BATCH_SIZE] = {"batch_size", false},
    [SIDECAR_STEP_TIME] = {"step_time", false},
};

const struct sidecar_help sidecar_help[SIDECAR_COLUMNS] = {
    [SIDECAR_JOB] = {"", "identifier of the job in the trace"},
    [SIDECAR_DIRECTORY] =
        {"",
         "working directory of the job, relative to the side-car and in its "
         "folder (or in that of --evidence-root); SchedMate reads files below "
         "it and nowhere else"},
    [SIDECAR_COMMAND] = {"", "launch command; empty: unknown"},
    [SIDECAR_BRANCH] = {"", "git branch; empty: unknown"},
    [SIDECAR_STYLE] =
        {"", "style of a log that is generated: torch-imagenet, hf-trainer, "
             "deepspeed, megatron, lightning, nanogpt, fairseq, keras, "
             "mmengine, paddle, rl or plain-epoch; empty: none is generated"},
    [SIDECAR_LOG] = {"", "path of a real log, relative to the side-car and in "
                         "its folder (or in that of --evidence-root)"},
    [SIDECAR_STEP_S] = {"s", "time of a step while the job is alone on its "
                             "GPUs; empty: 1"},
    [SIDECAR_START_S] = {"s", "time from the start of the job to its first "
                              "step; an attempt that continues earlier work "
                              "has none; empty: 0"},
    [SIDECAR_STEPS] = {"steps",
                       "steps of the whole job as submitted; empty: 1"},
    [SIDECAR_STEPS_PER_EPOCH] = {"steps", "steps of an epoch; empty: 1"},
    [SIDECAR_LOG_EVERY] = {"steps", "steps from one progress line to the next; "
                                    "empty: 1"},
    [SIDECAR_BATCH_SIZE] = {"samples", "samples of a step on all GPUs; empty: "
                                       "1"},
    [SIDECAR_STEP_TIME] = {"", "1: progress lines state the time of a step or "
                               "the samples per second; empty: 0"},
};

static enum status sidecar_read_seconds(const struct rows *rows, int at,
                                        double least, double *out,
                                        struct error *err)
{
    struct text cell = rows_cell(rows, at);
    if (!cell.len)
        return STATUS_OK;
    if (!text_to_double(cell, out) || *out < least || *out > 1e9)
        return rows_bad(rows, at, err, "'%.*s' is not in %g .. 1e9 seconds",
                        TEXT_ARGS(cell), least);
    return STATUS_OK;
}

static enum status sidecar_read_count(const struct rows *rows, int at,
                                      uint64_t most, uint64_t *out,
                                      struct error *err)
{
    struct text cell = rows_cell(rows, at);
    if (!cell.len)
        return STATUS_OK;
    if (!text_to_u64(cell, out) || *out < 1 || *out > most)
        return rows_bad(rows, at, err, "'%.*s' is not a whole number, 1 .. %g",
                        TEXT_ARGS(cell), (double)most);
    return STATUS_OK;
}

static enum status read_style(const struct rows *rows, int at,
                              struct sidecar_row *out, struct error *err)
{
    struct text cell = rows_cell(rows, at);
    out->log.style = evidence_style(cell);
    out->has_log = cell.len > 0;
    if (!cell.len || out->log.style)
        return STATUS_OK;
    const char *near = text_nearest(cell, evidence_styles, EVIDENCE_STYLES);
    return rows_bad(rows, at, err, "no style of logs '%.*s'%s", TEXT_ARGS(cell),
                    text_suggest(near).words);
}

static enum status sidecar_read_flag(const struct rows *rows, int at, bool *out,
                                     struct error *err)
{
    struct text cell = rows_cell(rows, at);
    if (cell.len && !text_to_bool(cell, out))
        return rows_bad(rows, at, err, "'%.*s' is not 0 or 1", TEXT_ARGS(cell));
    return STATUS_OK;
}

/* Reads the numbers of a log. A number that the file does not give becomes 1,
 * except that start_s stays as it is. */
static enum status sidecar_read_numbers(const struct rows *rows,
                                        const int16_t *at,
                                        struct evidence_log *log,
                                        struct error *err)
{
    log->step_s = 1;
    log->steps = log->steps_per_epoch = log->log_every = log->batch_size = 1;
    const struct {
        enum sidecar_column column;
        uint64_t most, *out;
    } counts[] = {
        {SIDECAR_STEPS, UINT64_C(1) << 53, &log->steps},
        {SIDECAR_STEPS_PER_EPOCH, UINT64_C(1) << 53, &log->steps_per_epoch},
        {SIDECAR_LOG_EVERY, UINT64_C(1) << 53, &log->log_every},
        {SIDECAR_BATCH_SIZE, UINT32_MAX, &log->batch_size},
    };
    enum status st =
        sidecar_read_seconds(rows, at[SIDECAR_STEP_S], 1e-6, &log->step_s, err);
    if (st == STATUS_OK)
        st = sidecar_read_seconds(rows, at[SIDECAR_START_S], 0, &log->start_s,
                                  err);
    for (size_t i = 0; i < sizeof counts / sizeof *counts && st == STATUS_OK;
         i++)
        st = sidecar_read_count(rows, at[counts[i].column], counts[i].most,
                                counts[i].out, err);
    return st;
}

enum status sidecar_read(const struct rows *rows,
                         const int16_t at[SIDECAR_COLUMNS], struct arena *arena,
                         struct sidecar_row *out, struct error *err)
{
    *out = (struct sidecar_row){
        .job = rows_cell(rows, at[SIDECAR_JOB]),
        .directory = rows_cell(rows, at[SIDECAR_DIRECTORY]),
        .command = rows_cell(rows, at[SIDECAR_COMMAND]),
        .branch = rows_cell(rows, at[SIDECAR_BRANCH]),
    };
    struct text log = rows_cell(rows, at[SIDECAR_LOG]);
    if (!out->job.len)
        return rows_bad(rows, at[SIDECAR_JOB], err, "a job is missing");
    enum status st = read_style(rows, at[SIDECAR_STYLE], out, err);
    if (st == STATUS_OK)
        st = sidecar_read_numbers(rows, at, &out->log, err);
    if (st == STATUS_OK)
        st = sidecar_read_flag(rows, at[SIDECAR_STEP_TIME], &out->log.step_time,
                               err);
    if (st == STATUS_OK && log.len) {
        out->log.path = arena_copy(arena, log.at, log.len);
        out->has_log = true;
    }
    return st;
}

char *sidecar_path(const char *trace, struct arena *arena)
{
    static const char end[] = ".evidence.csv";
    static const char *const packed[] = {".gz", ".zst"};
    const char *slash = strrchr(trace, '/');
    const char *name = slash ? slash + 1 : trace;
    size_t n = strlen(name), before = (size_t)(name - trace);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t len = strlen(packed[i]);
        if (n > len && memcmp(name + n - len, packed[i], len) == 0)
            n -= len;
    }
    const char *dot = memrchr(name, '.', n);
    if (dot && dot > name)
        n = (size_t)(dot - name);
    char *path = arena_alloc(arena, before + n + sizeof end);
    memcpy(path, trace, before + n);
    memcpy(path + before + n, end, sizeof end);
    return path;
}
