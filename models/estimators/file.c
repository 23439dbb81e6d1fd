/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with predictions from a CSV file, such as those that papers publish.
 * Each row has the identifier of a job in the trace and its predicted run time
 * in seconds. For a job without a prediction in the file, the layer below
 * answers. Published files contain negative predictions; `floor_s` and
 * `raised_s` say what replaces them. */
#include <string.h>

#include "base/rows.h"
#include "models/estimators/elapsed.h"
#include "traces/load.h"

#define OWN_ID "job_id"
#define OWN_COLUMN "prediction|priority"

struct file_config {
    const char *path, *id, *column, *skip;
    sim_span floor, raised, overrun;
};

static const struct option file_options[] = {
    OPT_PATH(struct file_config, path, "path", "",
             "CSV file of predictions, with a header line; plain, gzip or zstd",
             NULL),
    OPT_TEXT(struct file_config, id, "id", OWN_ID,
             "column of the jobs' identifiers", NULL),
    OPT_TEXT(struct file_config, column, "column", OWN_COLUMN,
             "column of the predicted run times, seconds; of several names "
             "separated by '|' the first that exists",
             "priority: the column of Lucid's files"),
    OPT_TEXT(struct file_config, skip, "skip", "",
             "other columns that the file may have, separated by '+'; *: any. "
             "Other columns are an error unless id or column is given",
             NULL),
    OPT_SPAN(struct file_config, floor, "floor_s", 0, -SECONDS_MAX, SECONDS_MAX,
             "predictions below this are raised to it", "assumed"),
    OPT_SPAN(struct file_config, raised, "raised_s", -SECONDS_MAX, -SECONDS_MAX,
             SECONDS_MAX,
             "predictions below floor_s are raised to this instead, if it is "
             "higher",
             "Lucid's simulator: below 0 becomes 1000"),
    OPT_SPAN(struct file_config, overrun, "overrun_s", 60, 0, 86400,
             "believed remaining time of a job that outlives its prediction",
             "assumed"),
    {0},
};

struct file {
    const struct file_config *config;
    struct elapsed elapsed;
    /* by job: predicted run time, us; TIME_NEVER: the file has none */
    sim_span *total;
};

static enum status file_read_row(struct file *s, const struct job_ids *ids,
                                 struct rows *rows, const int16_t at[2],
                                 struct error *err)
{
    double seconds;
    sim_span total;
    struct text cell = rows_cell(rows, at[1]);
    if (!cell.len) /* the publisher gives no prediction for this job */
        return STATUS_OK;
    if (!text_to_double(cell, &seconds) ||
        !span_from_outside(seconds, SECONDS_MAX, &total))
        return rows_bad(rows, at[1], err, "'%.*s' is not a time in seconds",
                        TEXT_ARGS(cell));
    job_id job = job_ids_find(ids, rows_cell(rows, at[0]));
    if (job == JOB_NONE)
        return STATUS_OK;
    const struct file_config *c = s->config;
    if (total < c->floor)
        total = c->raised > c->floor ? c->raised : c->floor;
    s->total[job] = total;
    return STATUS_OK;
}

static enum status estimator_file_init(void *self, const void *config,
                                       const struct run_env *env,
                                       struct error *err)
{
    struct file *s = self;
    s->config = config;
    const struct rows_column columns[] = {
        {.names = s->config->id, .required = true},
        {.names = s->config->column, .required = true}};
    /* If the user names a column, the file may have any further columns. With
     * the default names, it may have only those that `skip` names. */
    const bool own = strcmp(s->config->id, OWN_ID) == 0 &&
                     strcmp(s->config->column, OWN_COLUMN) == 0;
    int16_t at[2] = {-1, -1};
    struct rows *rows = NULL;
    struct job_ids ids;
    if (!s->config->path[0])
        return error_set(err, STATUS_USAGE,
                         "estimator file: no file is named; write "
                         "file:path=FILE");
    enum status st = rows_open(s->config->path, &rows, err);
    if (st != STATUS_OK)
        return st;
    elapsed_init(&s->elapsed, env);
    s->total = ARENA_ARRAY(env->arena, sim_span, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        s->total[i] = TIME_NEVER;
    job_ids_init(&ids, env);
    st = rows_header(rows, columns, 2, at, err);
    if (st == STATUS_OK && own)
        st = rows_header_known(rows, columns, 2, s->config->skip,
                               "file:skip=", err);
    while (st == STATUS_OK && (st = rows_next(rows, err)) == STATUS_OK)
        st = file_read_row(s, &ids, rows, at, err);
    job_ids_fini(&ids);
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}

static void file_observe(void *self, const struct event *event,
                         struct wakeups *wakeups)
{
    (void)wakeups;
    elapsed_observe(&((struct file *)self)->elapsed, event);
}

static bool file_remaining(void *self, const struct estimator *below,
                           const struct job *job, sim_time now,
                           struct belief *out)
{
    struct file *s = self;
    (void)below;
    if (s->total[job->id] == TIME_NEVER)
        return false;
    *out = elapsed_belief(&s->elapsed, job, now, s->total[job->id],
                          s->config->overrun);
    out->source = "file";
    return true;
}

const struct estimator_ops estimator_file = {
    .name = "file",
    .summary = "predictions from a CSV file: job_id,prediction in seconds",
    .options = file_options,
    .config_size = sizeof(struct file_config),
    .basis = BASIS_FILE,
    .state_size = sizeof(struct file),
    .init = estimator_file_init,
    .observe = file_observe,
    .remaining = file_remaining,
};
