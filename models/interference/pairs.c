/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured pairs of jobs that share a GPU: reads them, extends them to all
 * pairs of a run, and answers as the model `table`.
 *
 * Extends measured pairs to all pairs of a run. The nearest measured pair is
 * the one with the smallest sum of two distances, one for each job. Two usage
 * rows of the same model are always nearer than two rows of different models.
 * Rows of different models are compared by GPU utilisation, memory bandwidth
 * and memory. Of equally near pairs, the one that comes first in the file is
 * used. */
#include "models/interference/pairs.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/state/cluster.h"
#include "models/interference/interference.h"

#define PAIRS_FAR 1e9

/* memory of the GPU on which Lucid measured its pairs (RTX 3090) */
#define MEMORY_SCALE_MIB 24576.0

uint32_t pairs_key(struct pairs *pairs, const struct usage *key)
{
    for (uint32_t i = 0; i < pairs->n_keys; i++) {
        const struct usage *k = &pairs->keys[i];
        if (strcmp(k->model, key->model) == 0 &&
            strcmp(k->dataset, key->dataset) == 0 &&
            k->batch_size == key->batch_size && k->amp == key->amp)
            return i;
    }
    pairs->keys = mem_grow(pairs->keys, &pairs->cap_keys, pairs->n_keys + 1,
                           sizeof *pairs->keys);
    pairs->keys[pairs->n_keys] = *key;
    return (uint32_t)pairs->n_keys++;
}

static void pairs_add(struct pairs *pairs, uint32_t a, uint32_t b,
                      double speed_a, double speed_b)
{
    pairs->pairs = mem_grow(pairs->pairs, &pairs->cap_pairs, pairs->n_pairs + 1,
                            sizeof *pairs->pairs);
    pairs->pairs[pairs->n_pairs++] = (struct pair){a, b, speed_a, speed_b};
}

void pairs_fini(struct pairs *pairs)
{
    free(pairs->keys);
    free(pairs->pairs);
    *pairs = (struct pairs){0};
}

/* Returns the distance of two rows by their figures; PAIRS_FAR if the GPU
 * utilisation of either row is unknown. Leaves out any other figure that is
 * unknown in either row. */
static double demand_distance(const struct usage *a, const struct usage *b)
{
    const struct figure *x = a->figures, *y = b->figures;
    double du = x[FIGURE_GPU_UTIL].value - y[FIGURE_GPU_UTIL].value, sum;
    if (x[FIGURE_GPU_UTIL].value < 0 || y[FIGURE_GPU_UTIL].value < 0)
        return PAIRS_FAR;
    sum = du * du;
    if (x[FIGURE_MEM_BW_UTIL].value >= 0 && y[FIGURE_MEM_BW_UTIL].value >= 0) {
        double d = x[FIGURE_MEM_BW_UTIL].value - y[FIGURE_MEM_BW_UTIL].value;
        sum += d * d;
    }
    if (x[FIGURE_MEM_MIB].value >= 0 && y[FIGURE_MEM_MIB].value >= 0) {
        double d = (x[FIGURE_MEM_MIB].value - y[FIGURE_MEM_MIB].value) /
                   MEMORY_SCALE_MIB;
        sum += d * d;
    }
    return sqrt(sum);
}

/* Returns 0 for rows that agree, a value below 1 for other rows of the same
 * model, 1 or more for rows of different models, and PAIRS_FAR if these cannot
 * be compared. */
static double pairs_distance(const struct usage *a, const struct usage *b)
{
    double same = usage_distance(a, b);
    if (same < 2)
        return same;
    double demand = demand_distance(a, b);
    return demand < PAIRS_FAR ? 1 + demand : PAIRS_FAR;
}

/* Copies the figures of the nearest row of the same model with a known
 * utilisation in the usage table of the run, if there is one. */
static void learn_figures(struct usage *key, const struct usage_table *usage)
{
    double best = 1;
    for (size_t i = 1; i < usage->n; i++) {
        const struct usage *row = &usage->rows[i];
        double far = usage_distance(key, row);
        if (far < best && row->figures[FIGURE_GPU_UTIL].value >= 0) {
            best = far;
            memcpy(key->figures, row->figures, sizeof key->figures);
        }
    }
}

struct resolver {
    const struct pairs *pairs;
    struct pair_matrix *m;
    /* distances: by usage row of the run, then by key of `pairs` */
    double *far;
    /* Arguments `nearest`, `none` and `self` of pairs_resolve. */
    bool nearest;
    double none;
    enum pair_self self;
};

/* The speeds found for a pair of rows. */
struct pairs_found {
    double x, y;
    double distance; /* distance of the measured pair that gave the speeds */
    /* true if the two jobs of the measured pair are interchangeable */
    bool alike;
};

/* Finds the measured pair that is nearest to rows x and y, and nearer than
 * `limit`. If there is none, `distance` is `limit` and both speeds are
 * `none`. */
static struct pairs_found find_nearest(const struct resolver *r, size_t x,
                                       size_t y, double limit)
{
    const struct pairs *p = r->pairs;
    const double *fx = r->far + x * p->n_keys, *fy = r->far + y * p->n_keys;
    struct pairs_found out = {
        .x = r->none, .y = r->none, .distance = limit, .alike = x == y};
    for (size_t i = 0; i < p->n_pairs; i++) {
        const struct pair *pair = &p->pairs[i];
        double forth = fx[pair->a] + fy[pair->b];
        double back = fx[pair->b] + fy[pair->a];
        if (forth >= out.distance && back >= out.distance)
            continue;
        out.distance = forth <= back ? forth : back;
        out.x = forth <= back ? pair->speed_a : pair->speed_b;
        out.y = forth <= back ? pair->speed_b : pair->speed_a;
        out.alike = x == y || pair->a == pair->b;
    }
    return out;
}

static void count_answer(struct pair_matrix *m, double distance, double limit)
{
    enum pair_answer answer = distance >= limit ? PAIR_NONE
                              : distance > 0    ? PAIR_NEAREST
                                                : PAIR_MEASURED;
    m->answers[answer]++;
    if (answer == PAIR_NEAREST && distance > m->farthest)
        m->farthest = distance;
}

/* Sets the speeds of rows x and y beside each other. */
static void pairs_resolve_one(struct resolver *r, size_t x, size_t y)
{
    /* Without `nearest`, only a measured pair at distance 0 is accepted. */
    double limit = r->nearest ? PAIRS_FAR : 1e-12;
    struct pairs_found found = find_nearest(r, x, y, limit);
    count_answer(r->m, found.distance, limit);
    if (x == y && r->self == PAIR_SELF_LISTED) {
        r->m->later[x] = found.x;
        found.x = found.y;
    } else if (found.alike) {
        found.x = found.y = (found.x + found.y) / 2;
        if (x == y)
            r->m->later[x] = found.x;
    }
    r->m->speed[x * r->m->n + y] = found.x;
    r->m->speed[y * r->m->n + x] = found.y;
}

/* Numbers the usage rows that jobs have, in m->dense, and lists them in `used`.
 * Returns how many there are. */
static size_t number_used(const struct usage_table *usage,
                          struct pair_matrix *m, const struct usage **used)
{
    size_t n = 0;
    for (size_t i = 0; i < usage->n; i++) {
        if (!usage->rows[i].n_jobs)
            continue;
        m->dense[i] = (uint16_t)n;
        used[n++] = &usage->rows[i];
    }
    return n;
}

/* Returns the speeds of all pairs of usage rows that jobs have. `none`: speed
 * of a pair that can be compared with no measured pair or, if `nearest` is
 * false, of any pair that was not measured. Fills in the figures of
 * pairs->keys. The result lives in the arena. */
static struct pair_matrix *pairs_resolve(const struct pairs *pairs,
                                         const struct usage_table *usage,
                                         bool nearest, double none,
                                         enum pair_self self,
                                         struct arena *arena)
{
    struct pair_matrix *m = ARENA_NEW(arena, struct pair_matrix);
    const struct usage **used = mem_zalloc(usage->n, sizeof *used);
    m->dense = ARENA_ARRAY(arena, uint16_t, usage->n);
    m->n = number_used(usage, m, used);
    m->later = ARENA_ARRAY(arena, double, m->n + 1);
    m->speed = ARENA_ARRAY(arena, double, m->n * m->n + 1);
    for (size_t k = 0; k < pairs->n_keys; k++)
        learn_figures(&pairs->keys[k], usage);
    struct resolver r = {
        .pairs = pairs, .m = m, .nearest = nearest, .none = none, .self = self};
    r.far = mem_zalloc(m->n * pairs->n_keys + 1, sizeof *r.far);
    for (size_t x = 0; x < m->n; x++) {
        for (size_t k = 0; k < pairs->n_keys; k++)
            r.far[x * pairs->n_keys + k] =
                used[x]->model[0] ? pairs_distance(used[x], &pairs->keys[k])
                                  : PAIRS_FAR;
    }
    for (size_t x = 0; x < m->n; x++) {
        for (size_t y = x; y < m->n; y++)
            pairs_resolve_one(&r, x, y);
    }
    free(r.far);
    free(used);
    return m;
}

/* Reads pairs from the three formats in which they are published. A pair with a
 * speed of 0 did not fit on one GPU and is left out. */

struct pairs_reader {
    const char *path, *gpu;
    struct arena *arena;
    struct pairs *out;
    struct error *err;
};

static const char *pairs_copy(const struct pairs_reader *r, struct text t)
{
    return arena_copy(r->arena, t.at ? t.at : "", t.len);
}

/* Returns a key whose figures are all unknown. */
static struct usage empty_key(void)
{
    struct usage key = {.model = "", .dataset = "", .family = "", .amp = -1};
    for (unsigned f = 0; f < N_FIGURES; f++)
        key.figures[f] = (struct figure){.value = -1, .source = ""};
    return key;
}

/* Reads one of the two jobs of a pair. `at`: columns of model, dataset, batch
 * size, amp and speed. */
static enum status lucid_side(const struct pairs_reader *r,
                              const struct rows *rows, const int16_t at[5],
                              struct usage *key, double *speed)
{
    struct text amp = rows_cell(rows, at[3]);
    bool on = false;
    *key = empty_key();
    key->model = pairs_copy(r, rows_cell(rows, at[0]));
    key->dataset = pairs_copy(r, rows_cell(rows, at[1]));
    if (!text_to_u32(rows_cell(rows, at[2]), &key->batch_size))
        return rows_bad(rows, at[2], r->err, "not a batch size");
    if (amp.len && !text_to_bool(amp, &on))
        return rows_bad(rows, at[3], r->err, "'%.*s' is not 0 or 1",
                        TEXT_ARGS(amp));
    key->amp = amp.len ? on : -1;
    if (!text_to_double(rows_cell(rows, at[4]), speed) || *speed < 0 ||
        *speed > 100)
        return rows_bad(rows, at[4], r->err, "not a speed within 0..100");
    return STATUS_OK;
}

static enum status lucid_row(const struct pairs_reader *r,
                             const struct rows *rows, const int16_t at[10])
{
    struct usage one, two;
    double speed_one, speed_two;
    enum status st = lucid_side(r, rows, at, &one, &speed_one);
    if (st == STATUS_OK)
        st = lucid_side(r, rows, at + 5, &two, &speed_two);
    if (st == STATUS_OK && speed_one > 0 && speed_two > 0) {
        uint32_t a = pairs_key(r->out, &one);
        pairs_add(r->out, a, pairs_key(r->out, &two), speed_one, speed_two);
    }
    return st;
}

static const struct rows_column lucid_columns[] = {
    {.names = "model1", .required = true},
    {.names = "dataset1", .required = true},
    {.names = "batchsize1", .required = true},
    {.names = "amp1", .required = true},
    {.names = "speed1", .required = true},
    {.names = "model2", .required = true},
    {.names = "dataset2", .required = true},
    {.names = "batchsize2", .required = true},
    {.names = "amp2", .required = true},
    {.names = "speed2", .required = true},
    /* Columns that are not read: the numbers of GPUs are always 1, and the
     * figures of a pair are for both jobs together. */
    {.names = "gpu_num1"},
    {.names = "gpu_num2"},
    {.names = "gpu_util"},
    {.names = "gmem_util"},
    {.names = "gmem"},
    {.names = ""},
};

enum {
    LUCID_COLUMNS = sizeof lucid_columns / sizeof *lucid_columns,
    GAVEL_COLUMNS = 5,
};

/* Parses "ResNet-18 (batch size 16)". A name of another form is taken whole as
 * the model, with an unknown batch size. */
static struct usage gavel_key(const struct pairs_reader *r, struct text name)
{
    static const char words[] = " (batch size ";
    const size_t n = sizeof words - 1;
    struct usage key = empty_key();
    const char *at = name.at ? memmem(name.at, name.len, words, n) : NULL;
    if (at && name.at[name.len - 1] == ')' &&
        text_to_u32(
            (struct text){at + n, (size_t)(name.at + name.len - 1 - at) - n},
            &key.batch_size))
        name.len = (size_t)(at - name.at);
    key.model = pairs_copy(r, name);
    return key;
}

static void gavel_add(const struct pairs_reader *r, struct text job,
                      struct text partner, double speed, double other)
{
    struct usage one = gavel_key(r, job), two = gavel_key(r, partner);
    if (!(speed > 0 && other > 0))
        return;
    uint32_t a = pairs_key(r->out, &one);
    pairs_add(r->out, a, pairs_key(r->out, &two), speed, other);
}

static const struct rows_column gavel_columns[] = {
    {.names = "gpu", .required = true},
    {.names = "job", .required = true},
    {.names = "partner", .required = true},
    {.names = "job_speed", .required = true},
    {.names = "partner_speed", .required = true},
};

static enum status gavel_row(const struct pairs_reader *r,
                             const struct rows *rows, const int16_t at[5])
{
    double speed, other;
    if (!text_is(rows_cell(rows, at[0]), r->gpu))
        return STATUS_OK;
    for (int i = 3; i < 5; i++) {
        double *out = i == 3 ? &speed : &other;
        if (!text_to_double(rows_cell(rows, at[i]), out) || *out < 0 ||
            *out > 100)
            return rows_bad(rows, at[i], r->err, "not a speed within 0..100");
    }
    gavel_add(r, rows_cell(rows, at[1]), rows_cell(rows, at[2]), speed, other);
    return STATUS_OK;
}

/* Returns "A3C" for "('A3C', 1)"; an empty text for any other key, such as that
 * of a job of several GPUs. */
static struct text single_gpu_name(const char *key)
{
    static const char end[] = "', 1)";
    struct text t = text_from(key);
    if (t.len < 7 || memcmp(t.at, "('", 2) != 0 ||
        memcmp(t.at + t.len - 5, end, 5) != 0)
        return (struct text){"", 0};
    return (struct text){t.at + 2, t.len - 7};
}

/* Returns the steps per second of a job that runs alone; 0 if the table gives
 * none. */
static double alone(const json_t *table, const char *key)
{
    return json_number_value(
        json_object_get(json_object_get(table, key), "null"));
}

/* Adds the pairs of one job in Gavel's throughputs. Skips pairs in which either
 * job has several GPUs or no speed alone. */
static void gavel_job(const struct pairs_reader *r, json_t *table,
                      const char *key, json_t *partners)
{
    struct text job = single_gpu_name(key);
    const char *other;
    json_t *both;
    double own_alone = alone(table, key);
    json_object_foreach(partners, other, both)
    {
        struct text partner = single_gpu_name(other);
        double other_alone = alone(table, other);
        if (!job.len || !partner.len || own_alone <= 0 || other_alone <= 0)
            continue;
        gavel_add(r, job, partner,
                  json_number_value(json_array_get(both, 0)) / own_alone,
                  json_number_value(json_array_get(both, 1)) / other_alone);
    }
}

static enum status gavel_json(const struct pairs_reader *r)
{
    json_error_t why;
    json_t *root = json_load_file(r->path, JSON_REJECT_DUPLICATES, &why);
    const char *key;
    json_t *partners;
    enum status st = STATUS_OK;
    if (!root)
        return error_set(r->err, STATUS_BAD_INPUT, "%s:%d:%d: %s", r->path,
                         why.line, why.column, why.text);
    json_t *table = json_object_get(root, r->gpu);
    if (!json_is_object(table))
        st = error_set(r->err, STATUS_BAD_INPUT, "%s: no table of '%.60s'",
                       r->path, r->gpu);
    json_object_foreach(table, key, partners)
        gavel_job(r, table, key, partners);
    json_decref(root);
    return st;
}

static enum status pairs_read_csv(const struct pairs_reader *r)
{
    static const char *const gavel_names[] = {"gpu", "job", "partner", NULL};
    int16_t at[LUCID_COLUMNS];
    struct rows *rows;
    enum status st = rows_open(r->path, &rows, r->err);
    if (st != STATUS_OK)
        return st;
    bool gavel = rows_head_names(rows_head(rows), gavel_names);
    const struct rows_column *columns = gavel ? gavel_columns : lucid_columns;
    size_t n = gavel ? GAVEL_COLUMNS : LUCID_COLUMNS;
    st = rows_header(rows, columns, n, at, r->err);
    if (st == STATUS_OK)
        st = rows_header_known(rows, columns, n, NULL, NULL, r->err);
    while (st == STATUS_OK && (st = rows_next(rows, r->err)) == STATUS_OK) {
        st = gavel ? gavel_row(r, rows, at) : lucid_row(r, rows, at);
        if (st == STATUS_OK && r->out->n_keys > PAIRS_KEYS_MAX)
            st = rows_bad(rows, 0, r->err, "more than %d workloads",
                          PAIRS_KEYS_MAX);
    }
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}

enum status pairs_read(const char *path, const char *gpu, struct arena *arena,
                       struct pairs *out, struct error *err)
{
    struct pairs_reader r = {
        .path = path, .gpu = gpu, .arena = arena, .out = out, .err = err};
    size_t n = strlen(path);
    *out = (struct pairs){0};
    bool json = n > 5 && strcmp(path + n - 5, ".json") == 0;
    enum status st = json ? gavel_json(&r) : pairs_read_csv(&r);
    if (st == STATUS_OK && out->n_pairs == 0)
        st = error_set(err, STATUS_BAD_INPUT, "%s: no pair of '%.60s'", path,
                       gpu);
    if (st != STATUS_OK)
        pairs_fini(out);
    return st;
}

/* Measured speeds of pairs, from a file. By default a pair that is not in the
 * file gets the speeds of the nearest measured pair; the manifest counts such
 * pairs. For more than two jobs, the speeds beside each single job are
 * multiplied (assumed: no table has triples). Pairs were measured on one GPU;
 * in the engine, a job on several GPUs runs at the rate of the slowest of them.
 *
 * Measured speeds can exceed 1 (20.6 % of Lucid's, up to 1.498). The reasons
 * are noise, caches and clocks, not packing, so a rate above 1 becomes 1 unless
 * `clip` is off. The two speeds of a workload beside itself are replaced by
 * their mean unless `self` is listed. With
 * `nearest=false,none=1,clip=false,self=listed` the table is read as Lucid's
 * simulator reads it. */

struct table_config {
    const char *file, *gpu;
    double none;
    bool clip, nearest;
    unsigned self; /* rule for two jobs of one row, enum pair_self */
};

struct pairs_table {
    const struct pair_matrix *matrix; /* speeds of pairs, by row of usage */
};

static const char *const self_names[] = {"mean", "listed", NULL};

static const struct option table_options[] = {
    OPT_PATH(struct table_config, file, "file", "",
             "file of measured pairs: Lucid's colocate_info.csv, Gavel's "
             "throughputs (JSON), or CSV with the columns "
             "gpu,job,partner,job_speed,partner_speed",
             NULL),
    OPT_TEXT(
        struct table_config, gpu, "gpu", "v100",
        "GPU type whose pairs are read from Gavel's throughputs or from the "
        "CSV",
        "assumed"),
    OPT_BOOL(
        struct table_config, clip, "clip", 1,
        "cut speeds at 1, so that no job runs faster beside others than alone",
        "assumed: measured speeds above 1 are noise "
        "(models/interference/pairs.c)"),
    OPT_BOOL(struct table_config, nearest, "nearest", 1,
             "take the speeds of the nearest measured pair for a pair that "
             "was not measured; false: take those of the setting none",
             "assumed"),
    OPT_CHOICE(struct table_config, self, "self", PAIR_SELF_MEAN, self_names,
               "mean: two jobs of one workload run at the mean of the pair's "
               "speeds; listed: the later job runs at the first speed, the "
               "other at the second",
               "Lucid's simulator: listed"),
    OPT_DOUBLE(
        struct table_config, none, "none", 0.83, 0.01, 1,
        "relative speed of both jobs if no measured pair can be compared",
        "1 / 1.2, the constant slowdown of Horus (TPDS 2022)"),
    {0},
};

static size_t n_used(const struct usage_table *usage)
{
    size_t n = 0;
    for (size_t i = 0; i < usage->n; i++)
        n += usage->rows[i].n_jobs > 0;
    return n;
}

/* Notes for the manifest how many pairs of the run were measured, how many take
 * the speeds of the nearest measured pair, and how many are unknown. */
static void pairs_report(const struct run_env *env,
                         const struct pair_matrix *matrix)
{
    char text[160];
    snprintf(text, sizeof text,
             "%llu measured, %llu nearest (at most %.3f away), %llu unknown",
             (unsigned long long)matrix->answers[PAIR_MEASURED],
             (unsigned long long)matrix->answers[PAIR_NEAREST],
             matrix->farthest, (unsigned long long)matrix->answers[PAIR_NONE]);
    env_note(env, "pairs", text,
             "pairs of workloads of this run, by the source of their speeds",
             matrix->answers[PAIR_NEAREST] || matrix->answers[PAIR_NONE]
                 ? "assumed: a pair that was not measured behaves as the "
                   "nearest measured one"
                 : "");
}

static enum status pairs_table_init(void *self, const void *config,
                                    const struct run_env *env,
                                    struct error *err)
{
    const struct table_config *c = config;
    struct pairs_table *t = self;
    struct pairs pairs;
    if (!c->file[0])
        return error_set(err, STATUS_USAGE,
                         "interference table: no file is named; write "
                         "table:file=FILE");
    if (n_used(env->usage) > USAGE_ROWS_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "interference table: the jobs have more than %d "
                         "workloads",
                         USAGE_ROWS_MAX);
    enum status st = pairs_read(c->file, c->gpu, env->arena, &pairs, err);
    if (st != STATUS_OK)
        return st;
    t->matrix = pairs_resolve(&pairs, env->usage, c->nearest, c->none,
                              (enum pair_self)c->self, env->arena);
    pairs_fini(&pairs);
    pairs_report(env, t->matrix);
    return STATUS_OK;
}

static void table_rates(const struct interference *model,
                        const struct job *const *jobs, size_t count,
                        double *rates)
{
    const struct table_config *c = model->config;
    const struct pairs_table *t = model->self;
    double speeds[SHARE_LIMIT_MAX];
    for (size_t i = 0; i < count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < count; k++) {
            if (k != i)
                speeds[n++] = pair_speed(t->matrix, jobs[i]->usage,
                                         jobs[k]->usage, i > k);
        }
        interference_sort(speeds, n);
        rates[i] = 1.0;
        for (size_t k = 0; k < n; k++)
            rates[i] *= speeds[k];
        if (c->clip && rates[i] > 1)
            rates[i] = 1.0;
    }
}

const struct interference_ops interference_table = {
    .name = "table",
    .summary = "measured speeds of pairs; a missing pair takes those of the "
               "nearest",
    .options = table_options,
    .config_size = sizeof(struct table_config),
    .state_size = sizeof(struct pairs_table),
    .init = pairs_table_init,
    .rates = table_rates,
};
