/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicted submissions from a CSV file with a row for every 10 minutes, such
 * as Lucid publishes (time,...,pred_gpu_job,pred_gpu_num; dates are UTC). The
 * outlook is the mean of the next five rows, or of all remaining rows if there
 * are fewer than five. */
#include <stdlib.h>

#include "base/rows.h"
#include "models/forecasts/forecast.h"

struct forecast_file_config {
    const char *path, *skip;
};

static const struct option forecast_file_options[] = {
    OPT_PATH(struct forecast_file_config, path, "path", "",
             "CSV file of predictions, a row for every 10 minutes: columns "
             "time,pred_gpu_job,pred_gpu_num",
             NULL),
    OPT_TEXT(struct forecast_file_config, skip, "skip", "",
             "other columns that the file may have, separated by '+'; *: any",
             NULL),
    {0},
};

struct file_row {
    sim_time at; /* start of the period, on the run's clock */
    /* predicted numbers of jobs and GPUs submitted in the period */
    double jobs, gpus;
};

struct forecast_file {
    struct file_row *rows;
    size_t n, cap;
};

static enum status forecast_file_read_row(struct forecast_file *s,
                                          struct rows *rows,
                                          const int16_t at[3], sim_time zero,
                                          struct error *err)
{
    struct file_row row;
    bool zoned;
    struct text time = rows_cell(rows, at[0]);
    struct text jobs = rows_cell(rows, at[1]), gpus = rows_cell(rows, at[2]);
    if (!text_to_time(time, &row.at, &zoned))
        return rows_bad(rows, at[0], err, "'%.*s' is not a date",
                        TEXT_ARGS(time));
    if (!text_to_double(jobs, &row.jobs))
        return rows_bad(rows, at[1], err, "'%.*s' is not a number",
                        TEXT_ARGS(jobs));
    if (!text_to_double(gpus, &row.gpus))
        return rows_bad(rows, at[2], err, "'%.*s' is not a number",
                        TEXT_ARGS(gpus));
    row.at -= zero;
    if (s->n && row.at <= s->rows[s->n - 1].at)
        return rows_bad(rows, at[0], err,
                        "the time is not later than that of "
                        "the row above");
    s->rows = mem_grow(s->rows, &s->cap, s->n + 1, sizeof *s->rows);
    s->rows[s->n++] = row;
    return STATUS_OK;
}

static enum status forecast_file_init(void *self, const void *config,
                                      const struct run_env *env,
                                      struct error *err)
{
    static const struct rows_column columns[] = {
        {.names = "time", .required = true},
        {.names = "pred_gpu_job", .required = true},
        {.names = "pred_gpu_num", .required = true},
        /* Columns of Lucid's file with the true submissions; not read. */
        {.names = "submit_gpu_job"},
        {.names = "submit_gpu_num"},
    };
    enum { N_COLUMNS = sizeof columns / sizeof *columns };
    const struct forecast_file_config *c = config;
    struct forecast_file *s = self;
    struct rows *rows;
    int16_t at[N_COLUMNS];
    if (!c->path[0])
        return error_set(err, STATUS_USAGE,
                         "forecast file: no file is named; write "
                         "file:path=FILE");
    enum status st = rows_open(c->path, &rows, err);
    if (st != STATUS_OK)
        return st;
    st = rows_header(rows, columns, N_COLUMNS, at, err);
    if (st == STATUS_OK)
        st = rows_header_known(rows, columns, N_COLUMNS, c->skip,
                               "file:skip=", err);
    while (st == STATUS_OK && (st = rows_next(rows, err)) == STATUS_OK)
        st = forecast_file_read_row(s, rows, at, env->zero, err);
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}

/* Returns the index of the first row later than `at`; s->n if there is none. */
static size_t row_after(const struct forecast_file *s, sim_time at)
{
    size_t lo = 0, hi = s->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (s->rows[mid].at > at)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static bool file_expect(void *self, sim_time at, struct outlook *out)
{
    const struct forecast_file *s = self;
    size_t first = row_after(s, at), left = s->n - first;
    size_t n = left > FORECAST_AHEAD ? FORECAST_AHEAD : left;
    double jobs = 0, gpus = 0;
    for (size_t i = first; i < first + n; i++) {
        jobs += s->rows[i].jobs;
        gpus += s->rows[i].gpus;
    }
    *out = (struct outlook){.until = TIME_NEVER};
    if (n == 0)
        return false;
    *out = (struct outlook){.jobs = jobs / (double)n,
                            .gpus = gpus / (double)n,
                            .until = s->rows[first].at};
    return true;
}

static void file_fini(void *self)
{
    free(((struct forecast_file *)self)->rows);
}

const struct forecast_ops forecast_file = {
    .name = "file",
    .summary = "predictions from a CSV file, a row for every 10 minutes",
    .options = forecast_file_options,
    .config_size = sizeof(struct forecast_file_config),
    .state_size = sizeof(struct forecast_file),
    .init = forecast_file_init,
    .expect = file_expect,
    .fini = file_fini,
};
