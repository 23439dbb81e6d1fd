/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The usage table, step times by its rows, and the distance between two
 * rows. */
#include "models/usage/usage.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/find.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/rows.h"
#include "traces/load.h"

const char *figure_name(enum usage_figure figure)
{
    static const char *const names[] = {
#define FIGURE_NAME(name, key) key,
        USAGE_FIGURES(FIGURE_NAME)
#undef FIGURE_NAME
    };
    return names[figure];
}

double usage_step_seconds(const struct usage *usage, uint32_t gpus,
                          uint32_t nodes)
{
    const struct figure *f = usage->figures;
    double others = (double)nodes - 1;
    for (unsigned i = FIGURE_STEP_FIXED_S; i <= FIGURE_STEP_SPREAD_S; i++) {
        if (f[i].value < 0 || usage->batch_size == 0 || gpus < nodes || !nodes)
            return 0;
    }
    return f[FIGURE_STEP_FIXED_S].value +
           f[FIGURE_STEP_SAMPLE_S].value * usage->batch_size +
           f[FIGURE_STEP_NODES_S].value * others / nodes +
           f[FIGURE_STEP_SPREAD_S].value * others / gpus;
}

/* Returns the next letter or digit in lower case and moves *at past it; 0 at
 * the end of the text. */
static char next_sign(const char **at)
{
    for (; **at; (*at)++) {
        char c = **at;
        bool upper = c >= 'A' && c <= 'Z';
        if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            (*at)++;
            return upper ? (char)(c - 'A' + 'a') : c;
        }
    }
    return 0;
}

bool model_name_equal(const char *a, const char *b)
{
    for (;;) {
        char x = next_sign(&a), y = next_sign(&b);
        if (x != y)
            return false;
        if (!x)
            return true;
    }
}

/* Returns log2(n), n > 0. Batch sizes are mostly powers of two. For these, log2
 * is not called, so that most runs never load the tables of log2 into
 * memory. */
static double log2_of(uint32_t n)
{
    return (n & (n - 1)) == 0 ? __builtin_ctz(n) : log2(n);
}

double usage_distance(const struct usage *a, const struct usage *b)
{
    if (!model_name_equal(a->model, b->model))
        return 2;
    double far = 0;
    if (a->batch_size && b->batch_size)
        far += fmin(fabs(log2_of(a->batch_size) - log2_of(b->batch_size)), 16) /
               32;
    if (a->amp >= 0 && b->amp >= 0 && a->amp != b->amp)
        far += 0.1;
    if (a->dataset[0] && b->dataset[0] &&
        !model_name_equal(a->dataset, b->dataset))
        far += 0.3;
    return far;
}

void usage_add(struct usage_table *table, const struct usage *usage)
{
    table->rows =
        mem_grow(table->rows, &table->cap, table->n + 1, sizeof *table->rows);
    table->rows[table->n++] = *usage;
}

void usage_fini(struct usage_table *table)
{
    free(table->rows);
    *table = (struct usage_table){0};
}

/* Reads rows of usage: the compiled-in rows, a JSON file of the same form, and
 * the CSV of Lucid's profiler. The CSV has the columns
 * model,dataset,batchsize,amp,gpu_util,gmem_util,gmem,label, with utilisation
 * in percent, memory in MiB, and label 0, 1 or 2 for the sharing classes tiny,
 * medium and jumbo. */

struct usage_reader {
    const char *path;
    struct arena *arena;
    struct usage_table *out;
    json_t *root;
    struct error *err;
};

static enum status usage_bad(const struct usage_reader *r, size_t row,
                             const char *key, const char *expected)
{
    return error_set(r->err, STATUS_BAD_INPUT, "%s: rows[%zu]: %s: expected %s",
                     r->path, row, key, expected);
}

static const char *usage_text_of(const struct usage_reader *r, const json_t *at)
{
    const char *s = json_is_string(at) ? json_string_value(at) : "";
    return arena_copy(r->arena, s, strlen(s));
}

static struct usage unknown_usage(void)
{
    struct usage usage = {.family = "", .model = "", .dataset = "", .amp = -1};
    for (unsigned f = 0; f < N_FIGURES; f++)
        usage.figures[f] = (struct figure){.value = -1, .source = ""};
    return usage;
}

static enum figure_status status_from(const char *name)
{
    if (strcmp(name, "measured") == 0)
        return FIGURE_MEASURED;
    return strcmp(name, "fitted") == 0 ? FIGURE_FITTED : FIGURE_ASSUMED;
}

/* Reads a figure: a list of a value and the key of its source, which gives the
 * status. Returns STATUS_BAD_INPUT, without a message, if it is anything
 * else. */
static enum status read_figure(const struct usage_reader *r, const json_t *at,
                               struct figure *out)
{
    const json_t *value = json_array_get(at, 0);
    const char *key = json_string_value(json_array_get(at, 1));
    const json_t *source =
        json_object_get(json_object_get(r->root, "sources"), key ? key : "");
    const char *status = json_string_value(json_object_get(source, "status"));
    if (!json_is_number(value) || json_number_value(value) < 0 || !status)
        return STATUS_BAD_INPUT;
    *out = (struct figure){
        .value = json_number_value(value),
        .source = usage_text_of(r, json_object_get(source, "text")),
        .status = status_from(status),
    };
    return STATUS_OK;
}

static enum status read_class(const json_t *at, uint8_t *out)
{
    static const char *const names[] = {"any", "small", "medium", "large"};
    const char *name = json_string_value(at);
    for (uint8_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        *out = i;
        if (strcmp(names[i], name) == 0)
            return STATUS_OK;
    }
    return STATUS_BAD_INPUT;
}

/* True if all utilisations are at most 1; false for a file that gives them in
 * percent. */
static bool sane(const struct usage *usage)
{
    return usage->figures[FIGURE_GPU_UTIL].value <= 1 &&
           usage->figures[FIGURE_MEM_BW_UTIL].value <= 1 &&
           usage->figures[FIGURE_SM_ACTIVITY].value <= 1;
}

static const char *const usage_file_keys[] = {"about",   "families", "figures",
                                              "sources", "rows",     NULL};

static const char *const source_keys[] = {"status", "text", NULL};

static const char *const usage_row_keys[] = {
    "family",      "model", "dataset", "class",        "figures",
    "batch_sizes", "amp",   "comment", "parameters_m", NULL};

/* Checks the keys of the file and of its sources; read_row checks those of a
 * row. */
static enum status usage_check_keys(const struct usage_reader *r)
{
    const char *name;
    json_t *source, *sources = json_object_get(r->root, "sources");
    enum status st =
        json_keys_known(r->root, usage_file_keys, r->path, "", r->err);
    json_object_foreach(sources, name, source)
    {
        char place[80];
        snprintf(place, sizeof place, "sources: %.60s", name);
        if (st == STATUS_OK)
            st = json_keys_known(source, source_keys, r->path, place, r->err);
    }
    return st;
}

static enum status usage_read_row(const struct usage_reader *r, size_t i,
                                  const json_t *row, struct usage *out)
{
    const json_t *names = json_object_get(r->root, "figures");
    const json_t *figures = json_object_get(row, "figures");
    char place[32];
    snprintf(place, sizeof place, "rows[%zu]", i);
    enum status st =
        json_keys_known(row, usage_row_keys, r->path, place, r->err);
    if (st != STATUS_OK)
        return st;
    *out = unknown_usage();
    out->family = usage_text_of(r, json_object_get(row, "family"));
    out->model = usage_text_of(r, json_object_get(row, "model"));
    out->dataset = usage_text_of(r, json_object_get(row, "dataset"));
    if (!out->model[0])
        return usage_bad(r, i, "model", "a text");
    if (read_class(json_object_get(row, "class"), &out->class) != STATUS_OK)
        return usage_bad(r, i, "class", "any, small, medium or large");
    for (size_t k = 0; k < json_array_size(figures); k++) {
        const char *name = json_string_value(json_array_get(names, k));
        unsigned f = 0;
        while (f < N_FIGURES && name &&
               strcmp(figure_name((enum usage_figure)f), name) != 0)
            f++;
        if (!name || f == N_FIGURES)
            return usage_bad(r, i, "figures", "as many as the file names");
        if (read_figure(r, json_array_get(figures, k), &out->figures[f]) !=
            STATUS_OK)
            return usage_bad(r, i, name,
                             "a list of a number and a source's name");
    }
    return sane(out) ? STATUS_OK
                     : usage_bad(r, i, "figures", "utilisations of at most 1");
}

/* Adds one usage row for each batch size and precision that an entry of the
 * file lists. */
static enum status usage_add_row(const struct usage_reader *r, size_t i,
                                 const json_t *row)
{
    const json_t *sizes = json_object_get(row, "batch_sizes");
    const json_t *amps = json_object_get(row, "amp");
    struct usage usage;
    enum status st = usage_read_row(r, i, row, &usage);
    for (size_t s = 0; s < json_array_size(sizes) && st == STATUS_OK; s++) {
        const json_t *size = json_array_get(sizes, s);
        if (!json_is_integer(size) || json_integer_value(size) < 0 ||
            json_integer_value(size) > UINT32_MAX)
            return usage_bad(r, i, "batch_sizes", "whole numbers");
        usage.batch_size = (uint32_t)json_integer_value(size);
        for (size_t a = 0; a < json_array_size(amps); a++) {
            usage.amp = json_is_true(json_array_get(amps, a)) ? 1 : 0;
            usage_add(r->out, &usage);
        }
    }
    return st;
}

static enum status usage_read_json(struct usage_reader *r)
{
    json_error_t why;
    enum status st = STATUS_OK;
    const json_t *row;
    size_t i;
    r->root = json_load_file(r->path, JSON_REJECT_DUPLICATES, &why);
    if (!r->root)
        return error_set(r->err, STATUS_BAD_INPUT, "%s:%d:%d: %s", r->path,
                         why.line, why.column, why.text);
    st = usage_check_keys(r);
    json_array_foreach(json_object_get(r->root, "rows"), i, row)
    {
        if (st == STATUS_OK)
            st = usage_add_row(r, i, row);
        if (st == STATUS_OK && r->out->n > USAGE_ROWS_MAX)
            st = error_set(r->err, STATUS_BAD_INPUT,
                           "%s: more than %d workloads", r->path,
                           USAGE_ROWS_MAX);
    }
    if (st == STATUS_OK && r->out->n <= 1)
        st = error_set(r->err, STATUS_BAD_INPUT, "%s: no rows", r->path);
    json_decref(r->root);
    return st;
}

static enum status read_cell(const struct rows *rows, int at, double most,
                             double unit, const char *path,
                             struct figure *figure, struct error *err)
{
    struct text cell = rows_cell(rows, at);
    if (!cell.len)
        return STATUS_OK;
    if (!text_to_double(cell, &figure->value) || figure->value < 0 ||
        figure->value > most)
        return rows_bad(rows, at, err, "'%.*s' is not within 0..%g",
                        TEXT_ARGS(cell), most);
    figure->value *= unit;
    figure->source = path;
    figure->status = FIGURE_MEASURED;
    return STATUS_OK;
}

static enum status read_csv_row(const struct rows *rows, const int16_t at[8],
                                const struct usage_reader *r, struct usage *p)
{
    struct text model = rows_cell(rows, at[0]), set = rows_cell(rows, at[1]);
    struct text amp = rows_cell(rows, at[3]);
    bool on = false;
    *p = unknown_usage();
    p->family = "lucid";
    p->model = arena_copy(r->arena, model.at, model.len);
    p->dataset = arena_copy(r->arena, set.at, set.len);
    if (!text_to_u32(rows_cell(rows, at[2]), &p->batch_size))
        return rows_bad(rows, at[2], r->err, "not a batch size");
    if (amp.len && !text_to_bool(amp, &on))
        return rows_bad(rows, at[3], r->err, "'%.*s' is not 0 or 1",
                        TEXT_ARGS(amp));
    p->amp = amp.len ? on : -1;
    struct text label = rows_cell(rows, at[7]);
    uint32_t score = 0;
    if (label.len && (!text_to_u32(label, &score) || score > 2))
        return rows_bad(rows, at[7], r->err, "'%.*s' is not 0, 1 or 2",
                        TEXT_ARGS(label));
    p->sharing = label.len ? (uint8_t)(SHARING_TINY + score) : SHARING_UNKNOWN;
    enum status st = read_cell(rows, at[4], 100, 0.01, r->path,
                               &p->figures[FIGURE_GPU_UTIL], r->err);
    if (st == STATUS_OK)
        st = read_cell(rows, at[5], 100, 0.01, r->path,
                       &p->figures[FIGURE_MEM_BW_UTIL], r->err);
    if (st == STATUS_OK)
        st = read_cell(rows, at[6], 1e9, 1, r->path,
                       &p->figures[FIGURE_MEM_MIB], r->err);
    return st;
}

static enum status usage_read_csv(struct usage_reader *r)
{
    static const struct rows_column columns[] = {
        {"model", true},     {"dataset", true},
        {"batchsize", true}, {"amp", true},
        {"gpu_util", true},  {"gmem_util", false},
        {"gmem", false},     {"label", false},
        {"speed", false}, /* a column of Lucid's file that is not read */
        {"", false},
    };
    enum { N_COLUMNS = sizeof columns / sizeof *columns };
    int16_t at[N_COLUMNS];
    struct rows *rows;
    enum status st = rows_open(r->path, &rows, r->err);
    if (st != STATUS_OK)
        return st;
    st = rows_header(rows, columns, N_COLUMNS, at, r->err);
    if (st == STATUS_OK)
        st = rows_header_known(rows, columns, N_COLUMNS, NULL, NULL, r->err);
    r->path = arena_copy(r->arena, r->path, strlen(r->path));
    while (st == STATUS_OK && (st = rows_next(rows, r->err)) == STATUS_OK) {
        struct usage usage;
        st = read_csv_row(rows, at, r, &usage);
        if (st == STATUS_OK && r->out->n > USAGE_ROWS_MAX)
            st = rows_bad(rows, 0, r->err, "more than %d workloads",
                          USAGE_ROWS_MAX);
        if (st == STATUS_OK)
            usage_add(r->out, &usage);
    }
    rows_close(rows);
    return st == STATUS_END ? STATUS_OK : st;
}

static void add_built_in(struct usage_table *out)
{
    for (size_t i = 0; i < usage_n_built_in; i++)
        usage_add(out, &usage_built_in[i]);
}

enum status usage_read(const char *path, struct arena *arena,
                       struct usage_table *out, struct error *err)
{
    struct usage_reader r = {
        .path = path, .arena = arena, .out = out, .err = err};
    size_t n = path ? strlen(path) : 0;
    struct usage unknown = unknown_usage();
    *out = (struct usage_table){0};
    usage_add(out, &unknown);
    bool csv = n > 4 && strcmp(path + n - 4, ".csv") == 0;
    enum status st = STATUS_OK;
    if (path)
        st = csv ? usage_read_csv(&r) : usage_read_json(&r);
    else
        add_built_in(out);
    out->n_listed = out->n;
    if (st != STATUS_OK)
        usage_fini(out);
    return st;
}

/* Decides which model each job trains. The recipe `trace` keeps the models that
 * the trace names; the recipes of SchedMate (by size of job) and of Lucid (any
 * model) draw one for every job. */

struct recipe_config {
    const char *file, *family;
    uint32_t large, medium;
};

struct assigner {
    const struct recipe_config *config;
    struct jobset *jobs;
    struct usage_table *out;
    struct arena *arena;
    gsl_rng *rng;
};

#define FILE_ROW \
    OPT_PATH(struct recipe_config, file, "file", "", \
             "file of profiles: JSON like models/usage/usage.json, or CSV " \
             "like Lucid's " \
             "single_data.csv; empty: the profiles compiled in", \
             NULL)

static const struct option usage_trace_options[] = {
    FILE_ROW,
    OPT_TEXT(struct recipe_config, family, "family", "",
             "family of the profiles that are searched; empty: all profiles, "
             "in their order",
             NULL),
    {0},
};

static const struct option usage_lucid_options[] = {
    FILE_ROW,
    OPT_TEXT(struct recipe_config, family, "family", "lucid",
             "family of the profiles from which the model of a job is drawn; "
             "empty: all profiles",
             "assumed: every model is equally likely, then every batch size "
             "and precision; the released simulator's join is not published"),
    {0},
};

static const struct option usage_schedmate_options[] = {
    FILE_ROW,
    OPT_TEXT(struct recipe_config, family, "family", "schedmate",
             "family of the profiles from which the model of a job is drawn; "
             "empty: all profiles",
             "SchedMate, Table 1; assumed: every model of a class is equally "
             "likely, then every batch size"),
    OPT_U32(struct recipe_config, large, "large_gpus", 9, 1, 1000000,
            "jobs of at least this many GPUs are large",
            "SchedMate, 5.2: more than 8"),
    OPT_U32(struct recipe_config, medium, "medium_gpus", 4, 1, 1000000,
            "jobs of at least this many GPUs, but below large_gpus, are medium",
            "SchedMate, 5.2: 4-8"),
    {0},
};

static const struct model_recipe recipe_trace = {
    .name = "trace",
    .summary = "the model that the trace names",
    .options = usage_trace_options,
    .config_size = sizeof(struct recipe_config),
};

static const struct model_recipe recipe_lucid = {
    .name = "lucid",
    .summary = "any of Lucid's models, drawn for every job",
    .options = usage_lucid_options,
    .config_size = sizeof(struct recipe_config),
};

static const struct model_recipe recipe_schedmate = {
    .name = "schedmate",
    .summary = "a model of SchedMate's Table 1 drawn by the size of the job",
    .options = usage_schedmate_options,
    .config_size = sizeof(struct recipe_config),
};

const struct model_recipe *const model_recipes[] = {
    &recipe_trace,
    &recipe_schedmate,
    &recipe_lucid,
    NULL,
};

FIND_IN(model_recipes, model_recipe, model_recipe_find, "recipe of workloads")

static bool usage_in_family(const struct assigner *a, const struct usage *usage)
{
    return !a->config->family[0] ||
           strcmp(a->config->family, usage->family) == 0;
}

/* Returns a usage row with the model, data set, batch size and precision that
 * the trace gives the job; the figures are unknown. */
static struct usage usage_identity(const struct assigner *a,
                                   const struct job *job)
{
    const struct job_names *names = &a->jobs->names[job->id];
    struct usage p = a->out->rows[0];
    p.family = "trace";
    p.n_jobs = 0;
    p.model = jobset_string(a->jobs, job->model);
    p.batch_size = job->batch_size;
    p.dataset = interner_string(&a->jobs->datasets, names->dataset);
    /* a trace without data sets has no precisions either: its 0 means that the
     * precision is unknown */
    p.amp = p.dataset[0] || names->amp ? names->amp : -1;
    return p;
}

/* Returns the number of the nearest listed row of the same model, the first one
 * if several are equally near; 0 if there is none. If the option `family` is
 * set, only rows of that family count. *distance becomes its distance, 1 if
 * there is none. */
static size_t usage_nearest(const struct assigner *a,
                            const struct usage *wanted, double *distance)
{
    size_t best = 0;
    *distance = 1;
    for (size_t i = 1; i < a->out->n_listed; i++) {
        const struct usage *row = &a->out->rows[i];
        double far = usage_in_family(a, row) ? usage_distance(wanted, row) : 2;
        if (far < *distance) {
            *distance = far;
            best = i;
        }
    }
    return best;
}

/* Adds the row `wanted`, with the figures, size class and sharing class of the
 * nearest listed row if there is one. Returns the number of the new row. */
static uint16_t usage_add_named(struct assigner *a, const struct usage *wanted)
{
    double distance;
    struct usage usage = *wanted;
    size_t row = usage_nearest(a, wanted, &distance);
    if (row) {
        memcpy(usage.figures, a->out->rows[row].figures, sizeof usage.figures);
        usage.class = a->out->rows[row].class;
        usage.sharing = a->out->rows[row].sharing;
        usage.inherited = distance > 0;
    }
    usage_add(a->out, &usage);
    return (uint16_t)(a->out->n - 1);
}

static uint32_t pair_symbol(struct interner *pairs, uint32_t a, uint32_t b)
{
    const uint32_t pair[] = {a, b};
    return interner_add(pairs, (struct text){(const char *)pair, sizeof pair});
}

/* Counts the job in n_jobs of its row. Fills in memory and utilisation if the
 * job has none and the row has them. */
static void usage_settle(struct assigner *a, struct job *job)
{
    struct usage *p = &a->out->rows[job->usage];
    double mem = p->figures[FIGURE_MEM_MIB].value;
    double util = p->figures[FIGURE_GPU_UTIL].value;
    p->n_jobs++;
    if (!(job->mem_mib > 0) && mem > 0)
        job->mem_mib = (float)mem;
    if (job->gpu_util == GPU_UTIL_UNKNOWN && util >= 0)
        job->gpu_util = (uint8_t)(util * 100 + 0.5);
}

/* Makes a row for each combination of model, batch size, data set and
 * precision. Jobs without a model get row 0, and so do jobs with combinations
 * whose numbers do not fit into the 16 bits of job.usage. */
static void assign_named(struct assigner *a)
{
    struct interner variants, keys;
    uint16_t *number = NULL; /* by key: number of its row; 0: none yet */
    size_t cap = 0, n_known = 0;
    interner_init(&variants);
    interner_init(&keys);
    for (uint32_t i = 0; i < a->jobs->n_jobs; i++) {
        struct job *job = &a->jobs->jobs[i];
        uint32_t key = 0;
        if (job->model) {
            const struct job_names *names = &a->jobs->names[i];
            key = pair_symbol(&variants, job->batch_size,
                              (uint32_t)names->dataset << 1 | names->amp);
            key = pair_symbol(&keys, job->model, key);
        }
        number = mem_grow(number, &cap, keys.n_strings, sizeof *number);
        while (n_known < keys.n_strings)
            number[n_known++] = 0;
        if (key && key <= UINT16_MAX && !number[key] &&
            a->out->n <= UINT16_MAX) {
            struct usage wanted = usage_identity(a, job);
            number[key] = usage_add_named(a, &wanted);
        }
        job->usage = key <= UINT16_MAX ? number[key] : 0;
        usage_settle(a, job);
    }
    interner_fini(&variants);
    interner_fini(&keys);
    free(number);
}

static enum model_class usage_class_of(const struct assigner *a, uint32_t gpus)
{
    if (gpus >= a->config->large)
        return CLASS_LARGE;
    return gpus >= a->config->medium ? CLASS_MEDIUM : CLASS_SMALL;
}

static bool may_draw(const struct assigner *a, size_t row, uint8_t class)
{
    const struct usage *p = &a->out->rows[row];
    return usage_in_family(a, p) && (class == CLASS_ANY || p->class == class);
}

static bool same_model(const struct assigner *a, size_t x, size_t y)
{
    return model_name_equal(a->out->rows[x].model, a->out->rows[y].model);
}

/* The rows that may be drawn for a size class, grouped by model. */
struct candidates {
    uint16_t *rows; /* row numbers in the usage table */
    /* by model: index of its first row in `rows`; the last element is n */
    uint32_t *models;
    uint32_t n, n_models;
};

static struct candidates candidates_of(const struct assigner *a, uint8_t class)
{
    size_t n = a->out->n_listed;
    struct candidates c = {.rows = ARENA_ARRAY(a->arena, uint16_t, n),
                           .models = ARENA_ARRAY(a->arena, uint32_t, n + 1)};
    for (size_t i = 1; i < n; i++) {
        if (!may_draw(a, i, class))
            continue;
        if (c.n == 0 || !same_model(a, c.rows[c.n - 1], i))
            c.models[c.n_models++] = c.n;
        c.rows[c.n++] = (uint16_t)i;
    }
    c.models[c.n_models] = c.n;
    return c;
}

/* Draws a model, then a row of that model, both uniformly. */
static uint16_t usage_draw(struct assigner *a, const struct candidates *c)
{
    uint32_t model = rng_below(a->rng, c->n_models);
    uint32_t from = c->models[model], n = c->models[model + 1] - from;
    return c->rows[from + rng_below(a->rng, n)];
}

static enum status assign_drawn(struct assigner *a, bool by_size,
                                struct error *err)
{
    struct candidates by_class[CLASS_LARGE + 1];
    for (uint8_t class = CLASS_ANY; class <= CLASS_LARGE; class ++)
        by_class[class] = candidates_of(a, class);
    for (uint32_t i = 0; i < a->jobs->n_jobs; i++) {
        struct job *job = &a->jobs->jobs[i];
        unsigned class = by_size ? usage_class_of(a, job->gpus) : CLASS_ANY;
        if (!by_class[class].n)
            return error_set(err, STATUS_USAGE,
                             "workloads: family '%.60s' has no workload for a "
                             "job of %u GPUs",
                             a->config->family, job->gpus);
        job->usage = usage_draw(a, &by_class[class]);
        const struct usage *p = &a->out->rows[job->usage];
        job->model = interner_add(&a->jobs->strings, text_from(p->model));
        job->batch_size = p->batch_size;
        /* memory and utilisation in the trace were those of another model */
        job->mem_mib = 0;
        job->gpu_util = GPU_UTIL_UNKNOWN;
        usage_settle(a, job);
    }
    return STATUS_OK;
}

enum status usage_assign(const struct model_recipe *recipe, const void *config,
                         uint64_t seed, struct jobset *jobs,
                         struct arena *arena, struct usage_table *out,
                         struct error *err)
{
    struct assigner a = {
        .config = config, .jobs = jobs, .out = out, .arena = arena};
    const char *file = a.config->file[0] ? a.config->file : NULL;
    enum status st = usage_read(file, arena, out, err);
    if (st != STATUS_OK)
        return st;
    out->recipe = recipe->name;
    if (recipe == &recipe_trace) {
        assign_named(&a);
    } else {
        a.rng = rng_open(seed, "workloads");
        st = assign_drawn(&a, recipe == &recipe_schedmate, err);
        rng_free(a.rng);
    }
    if (st != STATUS_OK)
        usage_fini(out);
    return st;
}
