/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications: reads their tables or fitted models, and answers limits,
 * batches, step times, gradient statistics and speeds
 * (models/elastic/applications.h). */

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "models/elastic/elastic_internal.h"

static const char *application_type_name(const struct applications *apps,
                                         const char *type);
static enum status application_fitted(struct applications *apps,
                                      const struct application_facts *facts,
                                      struct application *out,
                                      struct error *err);

static const struct type_tables *tables(const struct application *app,
                                        uint8_t type)
{
    CHECK(type < app->data->n_types);
    return &app->data->types[type];
}

bool application_runs_on(const struct application *app, uint8_t type)
{
    return type < app->data->n_types && app->data->types[type].there;
}

uint32_t application_most_nodes(const struct application *app, uint8_t type)
{
    return tables(app, type)->most_nodes;
}

/* Returns a batch per GPU, reduced to the limit of the application. */
static uint32_t application_within(const struct application *app,
                                   uint32_t local)
{
    return app->local_most && local > app->local_most ? app->local_most : local;
}

struct batch_limits application_limits(const struct application *app,
                                       uint8_t type, double requested)
{
    const struct type_tables *t = tables(app, type);
    double largest = app->largest_batch;
    if (requested > 0 && requested < largest)
        largest = requested;
    return (struct batch_limits){
        .initial = app->initial_batch,
        .largest = largest,
        .local_min = t->local_min,
        .local_max = application_within(app, t->local_max),
    };
}

double application_one_gpu(const struct application *app, uint8_t type)
{
    return tables(app, type)->one_gpu;
}

struct pipeline application_pipeline(const struct application *app,
                                     uint8_t type)
{
    return tables(app, type)->pipeline;
}

bool application_step(const struct application *app, uint8_t type,
                      struct placement placement, double local,
                      struct step_time *out)
{
    return tables_step(tables(app, type), placement, local, out);
}

uint32_t application_local_max(const struct application *app, uint8_t type,
                               struct placement placement)
{
    return tables_local_max(tables(app, type), placement);
}

double application_epoch_end(const struct application *app, uint32_t e)
{
    CHECK(e <= app->epochs);
    return app->data->ends[e];
}

struct gradient application_gradient(const struct application *app,
                                     double total, uint32_t epoch)
{
    const struct application_data *data = app->data;
    size_t i = 0, stride = app->epochs;
    if (epoch >= app->epochs)
        epoch = app->epochs - 1;
    const struct gradient *at = &data->gradients[epoch];
    while (i < data->n_sizes && data->sizes[i] < total)
        i++;
    if (i == 0)
        return at[0];
    if (i == data->n_sizes)
        return at[(i - 1) * stride];
    double part =
        (total - data->sizes[i - 1]) / (data->sizes[i] - data->sizes[i - 1]);
    struct gradient a = at[(i - 1) * stride], b = at[i * stride];
    return (struct gradient){
        .sqr = a.sqr + part * (b.sqr - a.sqr),
        .var = a.var + part * (b.var - a.var),
    };
}

/* Limits a chosen batch, as Sia's simulator does, to the largest batch per GPU
 * that was measured on this number of GPUs, and to the largest total. */
static struct batch clip(const struct application *app,
                         const struct type_tables *t, uint32_t gpus,
                         struct batch batch)
{
    uint32_t widest = tables_widest(t, gpus);
    double most =
        floor(app->largest_batch / ((double)gpus * (batch.accumulation + 1.0)));
    if (widest && batch.local > widest)
        batch.local = widest;
    if (batch.local > most)
        batch.local = (uint32_t)most;
    return batch;
}

/* Returns the placement with `nodes` lowered to the number of nodes on which
 * the job has GPUs. The list per_node is not changed. */
static struct placement application_without_empty(struct placement placement)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; placement.per_node && i < placement.nodes; i++)
        nodes += placement.per_node[i] > 0;
    if (placement.per_node)
        placement.nodes = nodes;
    return placement;
}

struct batch application_batch(const struct application *app, uint8_t type,
                               struct placement placement,
                               const struct step_model *model,
                               struct gradient gradient, double fixed)
{
    const struct type_tables *t = tables(app, type);
    struct goodput job = {
        .gradient = gradient,
        .limits = application_limits(app, type, 0),
        .pipeline = t->pipeline,
    };
    uint32_t local_max = tables_local_max(t, placement);
    struct batch batch;
    if (t->pipeline.stages)
        return (struct batch){.local = t->pipeline.micro_batches};
    if (local_max)
        job.limits.local_max = application_within(app, local_max);
    if (fixed > 0) {
        batch = batch_divide(
            &job.limits, ceil(fixed / placement.gpus - 1e-8) * placement.gpus,
            placement.gpus);
    } else {
        batch = batch_first(&job.limits, placement.gpus);
        if (model) {
            job.model = *model;
            goodput_best(&job, application_without_empty(placement).nodes,
                         placement.gpus, &batch);
        }
    }
    return clip(app, t, placement.gpus, batch);
}

struct training_speed application_speed(const struct application *app,
                                        uint8_t type,
                                        struct placement placement,
                                        struct batch batch, uint32_t epoch)
{
    const struct type_tables *t = tables(app, type);
    struct pipeline p = t->pipeline;
    uint32_t replicas = p.stages ? placement.gpus / p.stages : placement.gpus;
    double total = batch_total(batch, replicas);
    struct training_speed speed = {
        .until = app->data->ends[epoch < app->epochs ? epoch + 1 : epoch],
        .gradient = application_gradient(app, total, epoch),
    };
    if (!tables_step(t, placement, p.stages ? 1 : batch.local, &speed.step))
        return speed;
    if (p.stages)
        speed.step.step = pipeline_time(p, speed.step.step, speed.step.sync);
    double time = speed.step.step +
                  (speed.step.step - speed.step.sync) * batch.accumulation;
    speed.rate = gradient_gain(speed.gradient, total / app->initial_batch) /
                 time / app->slowdown;
    return speed;
}

/* Opens and closes one table of an application, and reads its cells. */

enum status table_open(struct table_reader *r, const char *kind,
                       const char *which, const struct rows_column *columns,
                       size_t n, int16_t *at)
{
    snprintf(r->path, sizeof r->path, "%s/%.64s%s%.128s.csv", r->folder, kind,
             which ? "-" : "", which ? which : "");
    enum status st = rows_open(r->path, &r->rows, r->err);
    if (st == STATUS_OK)
        st = rows_header(r->rows, columns, n, at, r->err);
    if (st == STATUS_OK)
        st = rows_header_known(r->rows, columns, n, NULL, NULL, r->err);
    return st;
}

/* Adds a file to the list of files that the manifest names, unless it is there
 * already. */
static void application_note(struct applications *apps, const char *path,
                             const char *digest)
{
    for (size_t i = 0; i < apps->n_files; i++) {
        if (strcmp(apps->files[i].path, path) == 0)
            return;
    }
    apps->files = mem_grow(apps->files, &apps->cap_files, apps->n_files + 1,
                           sizeof *apps->files);
    apps->files[apps->n_files++] = (struct application_file){
        .path = arena_copy(&apps->arena, path, strlen(path)),
        .digest = arena_copy(&apps->arena, digest, strlen(digest)),
    };
}

void table_close(struct table_reader *r, bool whole)
{
    if (whole)
        application_note(r->apps, r->path, rows_digest(r->rows));
    rows_close(r->rows);
    r->rows = NULL;
}

enum status table_number(const struct table_reader *r, int at, double low,
                         double high, double *out)
{
    struct text cell = rows_cell(r->rows, at);
    if (!text_to_double(cell, out) || *out < low || *out > high)
        return rows_bad(r->rows, at, r->err,
                        "'%.*s' is not a number within %g..%g", TEXT_ARGS(cell),
                        low, high);
    return STATUS_OK;
}

enum status table_whole(const struct table_reader *r, int at, double high,
                        double *out)
{
    enum status st = table_number(r, at, 1, high, out);
    if (st == STATUS_OK && *out != floor(*out))
        st = rows_bad(r->rows, at, r->err, "'%g' is not a whole number", *out);
    return st;
}

/* Reads one application from its folder: validation-M.csv for each total batch
 * size M, and step times for each GPU type of the cluster that has tables. */

#define SIZES_MAX 64

/* Reads one validation file. Sets gradients[e] and lowers progress[e + 1] to
 * the progress after epoch e = 0, 1, ... in this file, so that `progress`
 * becomes the minimum over all files. Fails if progress does not grow from row
 * to row or the file has fewer rows than the job has epochs. */
static enum status application_read_epochs(struct table_reader *r,
                                           const char *size, double *progress,
                                           struct gradient *gradients)
{
    static const struct rows_column columns[] = {
        {.names = "progress", .required = true},
        {.names = "grad_sqr", .required = true},
        {.names = "grad_var", .required = true},
        /* The published files have these columns too; they are not read. */
        {.names = "iteration"},
        {.names = "metric"},
    };
    int16_t at[5];
    uint32_t epoch = 0;
    double before = 0, now = 0;
    enum status st = table_open(r, "validation", size, columns, 5, at);
    while (st == STATUS_OK && (st = rows_next(r->rows, r->err)) == STATUS_OK) {
        struct gradient g = {0};
        if ((st = table_number(r, at[0], 0, 1e15, &now)) == STATUS_OK &&
            (st = table_number(r, at[1], 0, 1e300, &g.sqr)) == STATUS_OK)
            st = table_number(r, at[2], 0, 1e300, &g.var);
        if (st == STATUS_OK && now <= before)
            st = rows_bad(r->rows, at[0], r->err,
                          "progress must grow from epoch to epoch");
        if (st == STATUS_OK && epoch < r->facts->epochs) {
            gradients[epoch] = g;
            if (now < progress[epoch + 1])
                progress[epoch + 1] = now;
        }
        before = now;
        epoch++;
    }
    if (st == STATUS_END && epoch < r->facts->epochs)
        st = rows_bad_at(r->rows, epoch + UINT64_C(1), 1, "epochs", r->err,
                         "%u of them; a job runs for %u", epoch,
                         r->facts->epochs);
    table_close(r, st == STATUS_END);
    return st == STATUS_END ? STATUS_OK : st;
}

static int application_by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Lists, in ascending order, the total batch sizes M for which there is a file
 * validation-M.csv, at most SIZES_MAX of them. None is an error. */
static enum status list_sizes(const struct table_reader *r, double *out,
                              size_t *n)
{
    static const char prefix[] = "validation-", suffix[] = ".csv";
    const size_t at = sizeof prefix - 1, end = sizeof suffix - 1;
    DIR *dir = opendir(r->folder);
    *n = 0;
    if (!dir)
        return error_set(r->err, STATUS_BAD_INPUT, "%s: %s", r->folder,
                         strerror(errno));
    for (const struct dirent *entry; (entry = readdir(dir));) {
        size_t len = strlen(entry->d_name);
        uint32_t size;
        if (len <= at + end || strncmp(entry->d_name, prefix, at) != 0 ||
            strcmp(entry->d_name + len - end, suffix) != 0 ||
            !text_to_u32((struct text){entry->d_name + at, len - at - end},
                         &size) ||
            size == 0 || *n == SIZES_MAX)
            continue;
        out[(*n)++] = size;
    }
    closedir(dir);
    qsort(out, *n, sizeof *out, application_by_value);
    return *n > 0 ? STATUS_OK
                  : error_set(r->err, STATUS_BAD_INPUT,
                              "%s: no validation-M.csv with the epochs at a "
                              "total batch size of M",
                              r->folder);
}

static enum status read_all_epochs(struct table_reader *r,
                                   struct application *out)
{
    struct application_data *data = out->data;
    struct arena *arena = &r->apps->arena;
    double sizes[SIZES_MAX];
    enum status st = list_sizes(r, sizes, &data->n_sizes);
    if (st != STATUS_OK)
        return st;
    data->sizes = ARENA_ARRAY(arena, double, data->n_sizes);
    data->ends = ARENA_ARRAY(arena, double, out->epochs + 1);
    data->gradients =
        ARENA_ARRAY(arena, struct gradient, data->n_sizes * out->epochs);
    memcpy(data->sizes, sizes, data->n_sizes * sizeof *sizes);
    for (uint32_t e = 1; e <= out->epochs; e++)
        data->ends[e] = INFINITY;
    for (size_t i = 0; i < data->n_sizes && st == STATUS_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "%.0f", sizes[i]);
        st = application_read_epochs(r, name, data->ends,
                                     &data->gradients[i * out->epochs]);
    }
    out->initial_batch = data->sizes[0];
    out->largest_batch = data->sizes[data->n_sizes - 1];
    return st;
}

/* application_read reads an application from its folder, application_fitted
 * from its entry in applications.json. Data that are missing or wrong are
 * STATUS_BAD_INPUT. */
static enum status application_read(struct applications *apps,
                                    const struct application_facts *facts,
                                    struct application *out, struct error *err)
{
    struct table_reader r = {.apps = apps, .facts = facts, .err = err};
    bool any = false;
    int len =
        snprintf(r.folder, sizeof r.folder, "%s/%s", apps->path, facts->name);
    if (len < 0 || (size_t)len >= sizeof r.folder)
        return error_set(err, STATUS_BAD_INPUT, "%s: too long a path",
                         apps->path);
    enum status st = read_all_epochs(&r, out);
    for (size_t t = 0; t < apps->n_types && st == STATUS_OK; t++) {
        st = application_read_type(&r,
                                   application_type_name(apps, apps->types[t]),
                                   &out->data->types[t]);
        any |= out->data->types[t].there;
    }
    if (st == STATUS_OK && !any)
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: no placements-TYPE.csv for any GPU type of the "
                       "cluster (%s%s)",
                       r.folder, apps->types[0],
                       apps->n_types > 1 ? ", ..." : "");
    return st;
}

/* Opens a source of applications and reads what its tables do not contain:
 * epochs, the cost of a restart, the slowdown. These come from applications.csv
 * in the directory if it names the application, else from
 * models/elastic/applications.json. */

#define EPOCHS_MAX 100000

static enum status check_directory(const char *path, struct error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", path,
                         strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: not a directory with one folder per application",
                         path);
    return STATUS_OK;
}

enum status applications_open(const char *path, const char *const *types,
                              size_t n_types, struct applications **out,
                              struct error *err)
{
    json_error_t why;
    *out = NULL;
    if (path) {
        enum status st = check_directory(path, err);
        if (st != STATUS_OK)
            return st;
    }
    json_t *root = json_loadb(applications_jsons[0].json,
                              applications_jsons[0].len, 0, &why);
    if (!root)
        return error_set(err, STATUS_FAILED, "applications:%d:%d: %s", why.line,
                         why.column, why.text);
    struct applications *apps = mem_zalloc(1, sizeof *apps);
    arena_init(&apps->arena);
    apps->root = root;
    apps->path = path ? arena_copy(&apps->arena, path, strlen(path)) : NULL;
    apps->n_types = n_types;
    apps->types = ARENA_ARRAY(&apps->arena, const char *, n_types);
    for (size_t i = 0; i < n_types; i++)
        apps->types[i] = arena_copy(&apps->arena, types[i], strlen(types[i]));
    *out = apps;
    return STATUS_OK;
}

void applications_close(struct applications *apps)
{
    if (!apps)
        return;
    json_decref(apps->root);
    arena_fini(&apps->arena);
    free(apps->known);
    free(apps->files);
    free(apps);
}

const char *applications_source(const struct applications *apps)
{
    return apps->path ? apps->path : "fitted coefficients, synthetic";
}

size_t applications_files(const struct applications *apps)
{
    return apps->n_files;
}

const char *applications_file(const struct applications *apps, size_t i,
                              const char **digest)
{
    *digest = apps->files[i].digest;
    return apps->files[i].path;
}

/* Returns the name that the tables use for a GPU type. If applications.json
 * lists the type as an alias, in any case of letters, this is the name that the
 * alias stands for, else the type's own name. */
static const char *application_type_name(const struct applications *apps,
                                         const char *type)
{
    json_t *all = json_object_get(apps->root, "types"), *names;
    const char *own;
    json_object_foreach(all, own, names)
    {
        for (size_t i = 0; i < json_array_size(names); i++) {
            const char *name = json_string_value(json_array_get(names, i));
            if (text_is_nocase(text_from(type), name))
                return own;
        }
    }
    return type;
}

struct pipeline application_stages(const struct application_facts *facts,
                                   const char *type)
{
    const json_t *at = json_object_get(facts->entry, "pipeline");
    const json_t *stages = json_object_get(json_object_get(at, "stages"), type);
    if (!stages)
        return (struct pipeline){0};
    return (struct pipeline){
        .stages = (uint32_t)json_integer_value(stages),
        .micro_batches =
            (uint32_t)json_integer_value(json_object_get(at, "micro_batches")),
    };
}

static double constant(const json_t *entry, const char *name)
{
    return json_number_value(
        json_object_get(json_object_get(entry, "constants"), name));
}

static void compiled_facts(const struct applications *apps,
                           struct application_facts *out)
{
    const json_t *entry =
        json_object_get(json_object_get(apps->root, "applications"), out->name);
    out->entry = entry;
    out->epochs = (uint32_t)constant(entry, "epochs");
    out->restart = span_from_seconds(constant(entry, "restart_s"));
    out->penalty = span_from_seconds(constant(entry, "penalty_s"));
    out->slowdown = constant(entry, "slowdown");
}

static enum status read_facts_row(const struct table_reader *r,
                                  const int16_t *at,
                                  struct application_facts *out)
{
    double epochs, restart, penalty, slowdown;
    enum status st = table_whole(r, at[1], EPOCHS_MAX, &epochs);
    if (st == STATUS_OK)
        st = table_number(r, at[2], 0, SECONDS_MAX, &restart);
    if (st == STATUS_OK)
        st = table_number(r, at[3], 0, SECONDS_MAX, &penalty);
    if (st == STATUS_OK)
        st = table_number(r, at[4], 1e-3, 1e3, &slowdown);
    if (st != STATUS_OK)
        return st;
    out->epochs = (uint32_t)epochs;
    out->restart = span_from_seconds(restart);
    out->penalty = span_from_seconds(penalty);
    out->slowdown = slowdown;
    return STATUS_OK;
}

/* Reads the row of an application in the directory's applications.csv. Without
 * file or row, *out stays as it is. */
static enum status directory_facts(struct applications *apps,
                                   struct application_facts *out,
                                   struct error *err)
{
    static const struct rows_column columns[] = {
        {.names = "application", .required = true},
        {.names = "epochs", .required = true},
        {.names = "restart_s", .required = true},
        {.names = "penalty_s", .required = true},
        {.names = "slowdown", .required = true}};
    struct table_reader r = {.apps = apps, .err = err};
    struct stat there;
    int16_t at[5];
    snprintf(r.folder, sizeof r.folder, "%s", apps->path);
    snprintf(r.path, sizeof r.path, "%s/applications.csv", r.folder);
    if (stat(r.path, &there) != 0)
        return STATUS_OK;
    enum status st = table_open(&r, "applications", NULL, columns, 5, at);
    while (st == STATUS_OK && (st = rows_next(r.rows, err)) == STATUS_OK) {
        if (text_is(rows_cell(r.rows, at[0]), out->name))
            st = read_facts_row(&r, at, out);
    }
    table_close(&r, st == STATUS_END);
    return st == STATUS_END ? STATUS_OK : st;
}

static enum status application_unknown(const struct applications *apps,
                                       const char *name, struct error *err)
{
    const char *names[64], *key;
    size_t n = 0;
    json_t *entry;
    json_object_foreach(json_object_get(apps->root, "applications"), key, entry)
    {
        if (n < sizeof names / sizeof *names)
            names[n++] = key;
    }
    const char *near = text_nearest(text_from(name), names, n);
    return error_set(err, STATUS_BAD_INPUT, "no application '%.60s'%s%s%s: %s",
                     name, near ? "; did you mean '" : "", near ? near : "",
                     near ? "'" : "",
                     apps->path ? "neither known nor in the directory's "
                                  "applications.csv"
                                : "give a directory of its tables");
}

void applications_follow_pollux(struct applications *apps)
{
    apps->pollux = true;
}

static void pollux_constants(struct application *app)
{
    app->restart = app->penalty = 30 * SPAN_SECOND;
    app->slowdown = 1;
    app->local_most = strcmp(app->name, "yolov3") == 0 ? 8 : 0;
    app->alone = strcmp(app->name, "ncf") == 0;
}

static enum status application_load(struct applications *apps,
                                    const struct application_facts *facts,
                                    struct application *out, struct error *err)
{
    *out = (struct application){
        .name = facts->name,
        .slowdown = facts->slowdown,
        .restart = facts->restart,
        .penalty = facts->penalty,
        .epochs = facts->epochs,
        .data = ARENA_NEW(&apps->arena, struct application_data),
    };
    if (apps->pollux)
        pollux_constants(out);
    out->data->n_types = apps->n_types;
    out->data->types =
        ARENA_ARRAY(&apps->arena, struct type_tables, apps->n_types);
    return apps->path ? application_read(apps, facts, out, err)
                      : application_fitted(apps, facts, out, err);
}

enum status application_find(struct applications *apps, const char *name,
                             const struct application **out, struct error *err)
{
    for (size_t i = 0; i < apps->n; i++) {
        if (strcmp(apps->known[i]->name, name) == 0) {
            *out = apps->known[i];
            return STATUS_OK;
        }
    }
    struct application_facts facts = {
        .name = arena_copy(&apps->arena, name, strlen(name))};
    compiled_facts(apps, &facts);
    if (apps->path) {
        enum status st = directory_facts(apps, &facts, err);
        if (st != STATUS_OK)
            return st;
    }
    if (!facts.epochs)
        return application_unknown(apps, name, err);
    struct application *app = ARENA_NEW(&apps->arena, struct application);
    enum status st = application_load(apps, &facts, app, err);
    if (st != STATUS_OK)
        return st;
    apps->known =
        mem_grow(apps->known, &apps->cap, apps->n + 1, sizeof *apps->known);
    apps->known[apps->n++] = app;
    *out = app;
    return STATUS_OK;
}

bool application_is_known(const struct applications *apps, const char *name)
{
    struct stat st;
    char path[4096];
    if (json_object_get(json_object_get(apps->root, "applications"), name))
        return true;
    if (!apps->path || !name[0] || name[0] == '.' || strchr(name, '/'))
        return false;
    int n = snprintf(path, sizeof path, "%s/%s", apps->path, name);
    return n > 0 && (size_t)n < sizeof path && stat(path, &st) == 0 &&
           S_ISDIR(st.st_mode);
}

/* Reads an application from its entry in models/elastic/applications.json, a
 * compiled-in file that bench/fit_applications.c writes. The file stores a
 * series as knots, between which values are interpolated linearly. */

struct application_reader {
    struct applications *apps;
    const struct application_facts *facts;
    struct error *err;
};

static enum status application_bad(const struct application_reader *r,
                                   const char *what)
{
    return error_set(r->err, STATUS_BAD_INPUT, "applications: %s: %s",
                     r->facts->name, what);
}

/* Returns element `which` of the i-th list in `knots`; 0 if there is none. */
static double application_pair(const json_t *knots, size_t i, size_t which)
{
    return json_number_value(json_array_get(json_array_get(knots, i), which));
}

/* Interpolates linearly between the knots [index, value], which are sorted by
 * index, and writes the values at 0 .. n-1. Outside the range of the knots, a
 * value equals that of the nearest knot. Returns false if there is no knot. */
static bool application_spread(const json_t *knots, double *out, size_t n)
{
    size_t count = json_array_size(knots), k = 0;
    for (size_t i = 0; i < n && count > 0; i++) {
        double at = (double)i;
        while (k + 1 < count && application_pair(knots, k + 1, 0) <= at)
            k++;
        out[i] = application_pair(knots, k, 1);
        if (k + 1 < count && at > application_pair(knots, k, 0))
            out[i] += (application_pair(knots, k + 1, 1) - out[i]) *
                      (at - application_pair(knots, k, 0)) /
                      (application_pair(knots, k + 1, 0) -
                       application_pair(knots, k, 0));
    }
    return count > 0;
}

static enum status fitted_read_epochs(const struct application_reader *r,
                                      struct application *out)
{
    const json_t *entry = r->facts->entry;
    const json_t *sizes = json_object_get(entry, "batches");
    const json_t *signal = json_object_get(entry, "signal");
    struct application_data *data = out->data;
    struct arena *arena = &r->apps->arena;
    size_t n = json_array_size(sizes), epochs = out->epochs;
    double *values = ARENA_ARRAY(arena, double, epochs);
    data->ends = ARENA_ARRAY(arena, double, epochs + 1);
    data->sizes = ARENA_ARRAY(arena, double, n);
    data->gradients = ARENA_ARRAY(arena, struct gradient, n * epochs);
    data->n_sizes = n;
    if (n == 0 || json_array_size(signal) != n ||
        !application_spread(json_object_get(entry, "ends"), data->ends,
                            epochs + 1))
        return application_bad(r, "no batches, signal or ends");
    for (size_t i = 0; i < n; i++) {
        data->sizes[i] = json_number_value(json_array_get(sizes, i));
        if (!application_spread(json_array_get(signal, i), values, epochs))
            return application_bad(r, "no signal");
        for (size_t e = 0; e < epochs; e++)
            data->gradients[i * epochs + e] =
                (struct gradient){.sqr = values[e], .var = 1 - values[e]};
    }
    out->initial_batch = data->sizes[0];
    out->largest_batch = data->sizes[n - 1];
    return STATUS_OK;
}

void application_factors(struct arena *arena, const json_t *list,
                         struct type_tables *t)
{
    t->n_factors = json_array_size(list);
    t->factors = ARENA_ARRAY(arena, struct shape_factor, t->n_factors);
    for (size_t i = 0; i < t->n_factors; i++)
        t->factors[i] = (struct shape_factor){
            .gpus = (uint32_t)application_pair(list, i, 0),
            .compute = application_pair(list, i, 1),
            .step = application_pair(list, i, 2),
        };
}

static enum status application_read_type_one(const struct application_reader *r,
                                             const json_t *at, const char *type,
                                             struct type_tables *t)
{
    const json_t *model = json_object_get(at, "model");
    const json_t *limits = json_object_get(at, "local");
    double *parameters = &t->model.alpha_c;
    if (json_array_size(model) != STEP_MODEL_SIZE || !json_array_size(limits))
        return application_bad(r, "no model or local");
    for (size_t i = 0; i < STEP_MODEL_SIZE; i++)
        parameters[i] = json_number_value(json_array_get(model, i));
    t->n_limits = json_array_size(limits);
    t->limits = ARENA_ARRAY(&r->apps->arena, struct local_limit, t->n_limits);
    for (size_t i = 0; i < t->n_limits; i++)
        t->limits[i] = (struct local_limit){
            .gpus = (uint32_t)application_pair(limits, i, 0),
            .local_max = (uint32_t)application_pair(limits, i, 1),
        };
    application_factors(&r->apps->arena, json_object_get(at, "dense"), t);
    t->node_gpus =
        (uint32_t)json_integer_value(json_object_get(at, "node_gpus"));
    t->local_min = (uint32_t)json_integer_value(json_object_get(at, "least"));
    t->local_max = (uint32_t)json_integer_value(json_object_get(at, "most"));
    t->most_nodes = (uint32_t)json_integer_value(json_object_get(at, "nodes"));
    t->one_gpu = json_number_value(json_object_get(at, "one_gpu"));
    t->pipeline = application_stages(r->facts, type);
    t->pipeline.stage = json_number_value(json_object_get(at, "stage_s"));
    t->fitted = t->there = true;
    return t->local_min && t->local_max && t->most_nodes
               ? STATUS_OK
               : application_bad(r, "no least, most or nodes");
}

static enum status application_fitted(struct applications *apps,
                                      const struct application_facts *facts,
                                      struct application *out,
                                      struct error *err)
{
    struct application_reader r = {.apps = apps, .facts = facts, .err = err};
    const json_t *types = json_object_get(facts->entry, "types");
    bool any = false;
    enum status st = fitted_read_epochs(&r, out);
    for (size_t i = 0; i < apps->n_types && st == STATUS_OK; i++) {
        const char *type = application_type_name(apps, apps->types[i]);
        const json_t *at = json_object_get(types, type);
        if (!at)
            continue; /* the application does not run on this type */
        st = application_read_type_one(&r, at, type, &out->data->types[i]);
        any = true;
    }
    return st != STATUS_OK || any
               ? st
               : application_bad(&r, "no coefficients for any GPU type "
                                     "of the cluster");
}
