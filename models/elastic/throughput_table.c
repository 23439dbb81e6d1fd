/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Throughputs measured on several numbers of GPUs, from a CSV file: columns
 * model, gpus, throughput and, if it matters, batch_size. A job works at the
 * throughput on the GPUs that it has, divided by that on the GPUs that it asks
 * for: the run time in the trace is taken as the time on these. So the unit of
 * a throughput does not matter. A job whose model, batch size or number of GPUs
 * the file lacks is rigid. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/remarks.h"
#include "base/rows.h"
#include "models/elastic/throughput.h"

struct throughput_table_config {
    const char *path;
};

static const struct option throughput_table_options[] = {
    OPT_PATH(struct throughput_table_config, path, "file", "",
             "CSV file of measured throughputs: columns model,gpus,throughput "
             "and optionally batch_size (empty: any), in any one unit",
             NULL),
    {0},
};

/* One row of the file. */
struct measured {
    const char *model;
    uint32_t batch; /* total batch size; 0: any */
    uint32_t gpus;
    double throughput; /* > 0 */
};

struct throughput_table {
    struct measured *rows; /* ordered by measured_compare */
    size_t n, cap;
    /* by job: its first row, and the throughput on the GPUs that it asks for; 0
     * if the job is rigid */
    uint32_t *first;
    double *asked;
};

/* Orders by model, batch size and number of GPUs. */
static int measured_compare(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    int by_model = strcmp(x->model, y->model);
    if (by_model)
        return by_model;
    if (x->batch != y->batch)
        return (x->batch > y->batch) - (x->batch < y->batch);
    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

static enum status throughput_table_row(struct throughput_table *t,
                                        struct rows *rows, const int16_t *at,
                                        struct arena *arena, struct error *err)
{
    struct measured m = {0};
    struct text model = text_trim(rows_cell(rows, at[0]));
    struct text gpus = rows_cell(rows, at[1]), rate = rows_cell(rows, at[2]);
    struct text batch = text_trim(rows_cell(rows, at[3]));
    if (!model.len)
        return rows_bad(rows, at[0], err, "the model has no name");
    if (!text_to_u32(gpus, &m.gpus) || m.gpus == 0)
        return rows_bad(rows, at[1], err, "'%.*s' is not a number of GPUs",
                        TEXT_ARGS(gpus));
    if (!text_to_double(rate, &m.throughput) || !(m.throughput > 0))
        return rows_bad(rows, at[2], err, "'%.*s' is not a number above 0",
                        TEXT_ARGS(rate));
    if (batch.len && !text_to_u32(batch, &m.batch))
        return rows_bad(rows, at[3], err, "'%.*s' is not a batch size",
                        TEXT_ARGS(batch));
    m.model = arena_copy(arena, model.at, model.len);
    t->rows = mem_grow(t->rows, &t->cap, t->n + 1, sizeof *t->rows);
    t->rows[t->n++] = m;
    return STATUS_OK;
}

static enum status throughput_table_read(struct throughput_table *t,
                                         const char *path, struct arena *arena,
                                         struct error *err)
{
    static const struct rows_column columns[] = {
        {.names = "model", .required = true},
        {.names = "gpus", .required = true},
        {.names = "throughput", .required = true},
        {.names = "batch_size"},
    };
    enum { N_COLUMNS = sizeof columns / sizeof *columns };
    struct rows *rows;
    int16_t at[N_COLUMNS];
    enum status st = rows_open(path, &rows, err);
    if (st != STATUS_OK)
        return st;
    st = rows_header(rows, columns, N_COLUMNS, at, err);
    if (st == STATUS_OK)
        st = rows_header_known(rows, columns, N_COLUMNS, NULL, NULL, err);
    while (st == STATUS_OK && (st = rows_next(rows, err)) == STATUS_OK)
        st = throughput_table_row(t, rows, at, arena, err);
    rows_close(rows);
    if (st != STATUS_END)
        return st;
    if (t->n)
        qsort(t->rows, t->n, sizeof *t->rows, measured_compare);
    for (size_t i = 1; i < t->n; i++) {
        const struct measured *m = &t->rows[i];
        if (measured_compare(m - 1, m) == 0)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: two rows for model '%s', batch size %u and "
                             "%u GPUs",
                             path, m->model, m->batch, m->gpus);
    }
    return STATUS_OK;
}

/* Returns the index of the row with these values, or of the first one after
 * it. */
static size_t throughput_table_at(const struct throughput_table *t,
                                  struct measured key)
{
    size_t lo = 0, hi = t->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (measured_compare(&t->rows[mid], &key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Returns the throughput of the model and batch size of row `first` on a number
 * of GPUs; 0: not measured. */
static double throughput_table_on(const struct throughput_table *t,
                                  size_t first, uint32_t gpus)
{
    const struct measured *of = &t->rows[first];
    for (size_t i = first; i < t->n; i++) {
        const struct measured *m = &t->rows[i];
        if (m->gpus > gpus || m->batch != of->batch ||
            strcmp(m->model, of->model) != 0)
            break;
        if (m->gpus == gpus)
            return m->throughput;
    }
    return 0;
}

/* Finds the rows of a job: those of its batch size, else those of any. Returns
 * false if there are none, or none of the GPUs that it asks for. */
static bool throughput_table_find(struct throughput_table *t,
                                  const struct run_env *env,
                                  const struct job *job)
{
    struct measured key = {.model = env->string(env->strings, job->model)};
    for (int any = job->batch_size == 0; any < 2; any++) {
        key.batch = any ? 0 : job->batch_size;
        size_t i = throughput_table_at(t, key);
        if (i == t->n || t->rows[i].batch != key.batch ||
            strcmp(t->rows[i].model, key.model) != 0)
            continue;
        t->first[job->id] = (uint32_t)i;
        t->asked[job->id] = throughput_table_on(t, i, job->gpus);
        return t->asked[job->id] > 0;
    }
    return false;
}

static enum status throughput_table_init(void *self, const void *config,
                                         const struct run_env *env,
                                         struct error *err)
{
    const struct throughput_table_config *c = config;
    struct throughput_table *t = self;
    uint32_t rigid = 0;
    if (!c->path[0])
        return error_set(err, STATUS_USAGE,
                         "throughput table: no file is named; write "
                         "table:file=FILE");
    enum status st = throughput_table_read(t, c->path, env->arena, err);
    if (st != STATUS_OK)
        return st;
    t->first = ARENA_ARRAY(env->arena, uint32_t, env->n_jobs);
    t->asked = ARENA_ARRAY(env->arena, double, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        rigid += !throughput_table_find(t, env, &env->jobs[i]);
    if (rigid)
        remarks_add(env->remarks, REMARK_NUMBERS,
                    "throughput table: %s lacks the model, the batch size or "
                    "the number of GPUs of %u of %u jobs, which are rigid",
                    c->path, rigid, env->n_jobs);
    return STATUS_OK;
}

static void throughput_table_fini(void *self)
{
    free(((struct throughput_table *)self)->rows);
}

static double throughput_table_rate(const struct throughput *model,
                                    const struct cluster *cluster,
                                    const struct job *job, struct shape shape)
{
    const struct throughput_table *t = model->self;
    double speed = cluster->types[shape.gpu_type].speed;
    double asked = t->asked[job->id];
    if (shape.gpus == job->gpus)
        return speed;
    return asked > 0
               ? speed * throughput_table_on(t, t->first[job->id], shape.gpus) /
                     asked
               : 0;
}

const struct throughput_ops throughput_table = {
    .name = "table",
    .summary = "throughputs measured on several numbers of GPUs, from a file",
    .options = throughput_table_options,
    .config_size = sizeof(struct throughput_table_config),
    .state_size = sizeof(struct throughput_table),
    .init = throughput_table_init,
    .fini = throughput_table_fini,
    .rate = throughput_table_rate,
};
