/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads calibrations from JSON into arrays. The files are part of the program
 * and were checked when they were made, but a developer may edit them: a value
 * that is missing or of a wrong type is an error that names its path. */
#include "traces/generate/calibration.h"

#include <stdlib.h>
#include <string.h>

/* Returns the names with which the rows of the list at `path` begin. *at: the
 * list, whose rows have `width` columns, so that the caller can read the
 * numbers. */
static struct calibration_name *calibration_names(struct fields *r,
                                                  json_t *root,
                                                  const char *path,
                                                  size_t width, json_t **at,
                                                  size_t *n)
{
    *at = fields_array(r, root, path, n);
    struct calibration_name *out =
        ARENA_ARRAY(r->arena, struct calibration_name, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        json_t *row = json_array_get(*at, i);
        if (json_array_size(row) != width)
            fields_fail(r, path, "another number of columns");
        out[i].name = fields_copy(r, json_array_get(row, 0), path);
    }
    return out;
}

static double column(struct fields *r, json_t *rows, size_t row, size_t i,
                     const char *path)
{
    return fields_element(r, json_array_get(rows, row), i, path);
}

static void read_kinds(struct fields *r, json_t *root, struct calibration *c)
{
    json_t *rows;
    c->kinds = calibration_names(r, root, "kinds.value", 2, &rows, &c->n_kinds);
    for (size_t i = 0; i < c->n_kinds; i++)
        c->kinds[i].share = column(r, rows, i, 1, "kinds.value");
}

static void read_vcs(struct fields *r, json_t *root, struct calibration *c)
{
    json_t *rows,
        *sizes = json_object_get(json_object_get(root, "vcs"), "sizes");
    c->vcs = calibration_names(r, root, "vcs.vcs", 6, &rows, &c->n_vcs);
    for (size_t i = 0; i < c->n_vcs; i++) {
        struct calibration_name *vc = &c->vcs[i];
        vc->nodes = (uint32_t)column(r, rows, i, 1, "vcs.vcs");
        vc->share = column(r, rows, i, 2, "vcs.vcs");
        vc->gpu_time = column(r, rows, i, 3, "vcs.vcs");
        vc->sizes = fields_points(r, sizes, vc->name, &vc->n_sizes);
        fields_within(r, "vcs.nodes", vc->nodes, 1, 1e6);
        fields_within(r, "vcs.job_share", vc->share, 1e-9, 1);
        fields_within(r, "vcs.gpu_time_share", vc->gpu_time, 1e-9, 1);
    }
}

static void read_causes(struct fields *r, json_t *root, struct calibration *c)
{
    json_t *rows;
    c->causes =
        calibration_names(r, root, "causes.rows", 4, &rows, &c->n_causes);
    for (size_t i = 0; i < c->n_causes; i++) {
        c->causes[i].share = column(r, rows, i, 1, "causes.rows");
        c->causes[i].mu = column(r, rows, i, 2, "causes.rows");
        c->causes[i].sigma = column(r, rows, i, 3, "causes.rows");
    }
}

static uint32_t state_index(struct fields *r, const char *name)
{
    static const char *const states[] = {"completed", "failed", "cancelled"};
    for (uint32_t i = 0; i < CALIBRATION_STATES; i++) {
        if (strcmp(name, states[i]) == 0)
            return i;
    }
    fields_fail(r, "joint.rows.state", "completed, failed or cancelled");
    return 0;
}

static uint32_t calibration_index_of(struct fields *r,
                                     const struct calibration_name *all,
                                     size_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(all[i].name, name) == 0)
            return i;
    }
    fields_fail(r, "joint.rows", "a known kind");
    return 0;
}

/* Adds the jobs of a virtual cluster to the cell of the whole cluster. */
static void add_cell(struct calibration *c, const struct calibration_cell *add)
{
    struct calibration_cell *to = c->cells;
    while (to < c->cells + c->n_cells &&
           (to->size != add->size || to->kind != add->kind ||
            to->state != add->state))
        to++;
    if (to == c->cells + c->n_cells) {
        c->n_cells++;
        *to = (struct calibration_cell){
            .size = add->size, .kind = add->kind, .state = add->state};
    }
    double share = to->share + add->share;
    for (size_t b = 0; b < CALIBRATION_BINS && share > 0; b++)
        to->bins[b] =
            (to->bins[b] * to->share + add->bins[b] * add->share) / share;
    to->share = share;
}

static int calibration_order(const void *a, const void *b)
{
    const struct calibration_cell *x = a, *y = b;
    uint32_t i = (x->size * 64 + x->kind) * CALIBRATION_STATES + x->state;
    uint32_t j = (y->size * 64 + y->kind) * CALIBRATION_STATES + y->state;
    return (i > j) - (i < j);
}

/* Reads the joint table, whose virtual clusters are summed up. */
static void read_cells(struct fields *r, json_t *root, struct calibration *c)
{
    size_t n;
    json_t *rows = fields_array(r, root, "joint.rows", &n);
    c->cells = ARENA_ARRAY(r->arena, struct calibration_cell, n + 1);
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_array_get(rows, i);
        struct calibration_cell cell = {
            .size = fields_count(r, row, "class"),
            .kind = calibration_index_of(r, c->kinds, c->n_kinds,
                                         fields_string(r, row, "kind")),
            .state = state_index(r, fields_string(r, row, "state")),
            .share = fields_number(r, row, "share"),
        };
        if (cell.size >= CALIBRATION_CLASSES)
            fields_fail(r, "joint.rows.class", "a known class");
        fields_fixed(r, row, "bins", cell.bins, CALIBRATION_BINS);
        add_cell(c, &cell);
    }
    qsort(c->cells, c->n_cells, sizeof *c->cells, calibration_order);
}

static void calibration_read_attempts(struct fields *r, json_t *root,
                                      struct calibration *c)
{
    size_t n;
    json_t *rows = fields_array(r, root, "attempts.value", &n);
    for (size_t s = 0; s < n && s < CALIBRATION_STATES; s++) {
        json_t *row = json_array_get(rows, s);
        c->n_attempts = json_array_size(row) < 8 ? json_array_size(row) : 8;
        for (size_t i = 0; i < c->n_attempts; i++)
            c->attempts[s][i] = fields_element(r, row, i, "attempts.value");
    }
}

static void read_cluster(struct fields *r, json_t *root, struct calibration *c)
{
    c->name = fields_string(r, root, "name");
    c->gpus = fields_count(r, root, "cluster.gpus");
    c->gpus_per_node = fields_count(r, root, "cluster.gpus_per_node");
    c->cpus_per_gpu = fields_count(r, root, "cluster.cpus_per_gpu");
    if (!span_from_outside(fields_number(r, root, "cluster.zone_s"),
                           span_seconds(SPAN_DAY), &c->zone))
        fields_fail(r, "cluster.zone_s", "number from -86400 to 86400");
    bool zoned;
    const char *start = fields_string(r, root, "cluster.start");
    if (!text_to_time(text_from(start), &c->start, &zoned))
        fields_fail(r, "cluster.start", "a date");
    c->start -= c->zone;
    if (!c->gpus || !c->gpus_per_node)
        fields_fail(r, "cluster.gpus", "a positive count");
    c->family = fields_string(r, root, "workloads");
}

static void calibration_read_jobs(struct fields *r, json_t *root,
                                  struct calibration *c)
{
    c->jobs_per_day = fields_number(r, root, "arrivals.jobs_per_day.value");
    fields_fixed(r, root, "arrivals.hours.value", c->hours, CALIBRATION_HOURS);
    fields_fixed(r, root, "arrivals.weekdays_mon_to_sun.value", c->weekdays,
                 CALIBRATION_DAYS);
    c->gaps =
        fields_points(r, root, "arrivals.gap_published.value", &c->n_gaps);
    c->gpu_counts = fields_points(r, root, "gpu_count.value", &c->n_gpu_counts);
    fields_fixed(r, root, "duration_cdf.value", c->duration_cdf,
                 CALIBRATION_BINS);
    fields_fixed(r, root, "states.value", c->states, CALIBRATION_STATES);
    c->gpu_s = fields_number(r, root, "gpu_time.mean_gpu_s");
    read_kinds(r, root, c);
    read_vcs(r, root, c);
    read_causes(r, root, c);
    read_cells(r, root, c);
    calibration_read_attempts(r, root, c);
}

static void read_habits(struct fields *r, json_t *root, struct calibration *c)
{
    c->users = fields_list(r, root, "users.weights", &c->n_users);
    c->busiest_durations =
        fields_list(r, root, "people.busiest_durations.value", &c->n_busiest);
    c->back = fields_number(r, root, "recurrence.return");
    if (fields_count(r, root, "people.n_users.value") != c->n_users)
        fields_fail(r, "people.n_users", "as many as there are weights");
    if (!c->n_users || !c->n_gpu_counts || !c->n_cells || c->n_gaps < 2)
        fields_fail(r, "users", "every distribution to have values");
}

static enum status calibration_parse(const char *name, json_t **out,
                                     struct error *err)
{
    const char *known[16];
    size_t n = 0;
    for (const struct calibration_file *f = calibration_files; f->name; f++) {
        json_error_t why;
        if (strcmp(f->name, name) != 0) {
            if (strcmp(f->name, "models") != 0 &&
                strcmp(f->name, "fitted") != 0 && n < 16)
                known[n++] = f->name;
            continue;
        }
        *out = json_loadb(f->json, f->len, JSON_REJECT_DUPLICATES, &why);
        return *out ? STATUS_OK
                    : error_set(err, STATUS_BAD_INPUT,
                                "calibration %s:%d:%d: %s", name, why.line,
                                why.column, why.text);
    }
    const char *near = text_nearest(text_from(name), known, n);
    if (near)
        return error_set(err, STATUS_USAGE,
                         "no calibration '%s'; did you mean '%s'?", name, near);
    return error_set(err, STATUS_USAGE,
                     "no calibration '%s'; there are philly, venus, saturn, "
                     "seren, kalos and philly-2017-all",
                     name);
}

enum status calibration_load(const char *name, struct arena *arena,
                             struct calibration *out, struct error *err)
{
    json_t *root = NULL;
    struct fields r = {.arena = arena, .file = name, .err = err};
    *out = (struct calibration){0};
    enum status st = calibration_parse(name, &root, err);
    if (st != STATUS_OK)
        return st;
    read_cluster(&r, root, out);
    calibration_read_jobs(&r, root, out);
    read_habits(&r, root, out);
    json_decref(root);
    return r.st;
}

enum status calibration_models(const char *family, struct arena *arena,
                               struct calibration_model **out, size_t *n,
                               struct error *err)
{
    json_t *root = NULL;
    struct fields r = {.arena = arena, .file = "models", .err = err};
    enum status st = calibration_parse("models", &root, err);
    if (st != STATUS_OK)
        return st;
    if (!json_object_get(json_object_get(root, family), "rows")) {
        st = error_set(err, STATUS_USAGE,
                       "no workloads '%s'; there are lucid, sia, muri and "
                       "tiresias",
                       family);
        goto out;
    }
    json_t *rows = fields_array(&r, json_object_get(root, family), "rows", n);
    *out = ARENA_ARRAY(arena, struct calibration_model, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        json_t *row = json_array_get(rows, i);
        (*out)[i] = (struct calibration_model){
            .model = fields_copy(&r, json_array_get(row, 0), "model"),
            .dataset = fields_copy(&r, json_array_get(row, 1), "dataset"),
            .batch_size = (uint32_t)fields_element(&r, row, 2, "batch_size"),
        };
        json_t *share = json_array_get(row, 3);
        if (json_array_size(share) != CALIBRATION_CLASSES)
            fields_fail(&r, "share", "a share for each size class");
        for (size_t k = 0; k < CALIBRATION_CLASSES; k++)
            (*out)[i].share[k] = fields_element(&r, share, k, "share");
    }
    st = r.st;
out:
    json_decref(root);
    return st;
}

uint32_t calibration_class(uint32_t gpus)
{
    static const uint32_t upper[] = {1, 2, 4, 8, 16, 32, 64};
    uint32_t i = 0;
    while (i < CALIBRATION_CLASSES - 1 && gpus > upper[i])
        i++;
    return i;
}
