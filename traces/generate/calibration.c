/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads calibrations from JSON into arrays. The files are part of the program
 * and were checked when they were made, but a developer may edit them: a value
 * that is missing or of a wrong type is an error that names its path. */
#include "traces/generate/calibration.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

struct reader {
    struct arena *arena;
    const char *file;
    enum status st;
    struct error *err;
};

static void fail(struct reader *r, const char *path, const char *expected)
{
    if (r->st == STATUS_OK)
        r->st = error_set(r->err, STATUS_BAD_INPUT,
                          "calibration %s: %s: expected %s", r->file, path,
                          expected);
}

/* Returns the value at a path such as "a.b.c". If there is none, records the
 * failure and returns NULL. */
static json_t *find(struct reader *r, json_t *at, const char *path)
{
    struct text rest = text_from(path);
    while (at && rest.len) {
        struct text key = text_split(rest, '.', &rest);
        char name[64];
        if (key.len >= sizeof name)
            return NULL;
        memcpy(name, key.at, key.len);
        name[key.len] = 0;
        at = json_object_get(at, name);
    }
    if (!at)
        fail(r, path, "a value");
    return at;
}

static double number(struct reader *r, json_t *root, const char *path)
{
    json_t *at = find(r, root, path);
    if (at && !json_is_number(at))
        fail(r, path, "a number");
    return json_number_value(at);
}

static uint32_t count(struct reader *r, json_t *root, const char *path)
{
    double value = number(r, root, path);
    if (value < 0 || value > 1e6)
        fail(r, path, "a count");
    return (uint32_t)value;
}

static const char *copy(struct reader *r, json_t *at, const char *path)
{
    if (!json_is_string(at)) {
        fail(r, path, "a text");
        return "";
    }
    return arena_copy(r->arena, json_string_value(at), json_string_length(at));
}

static const char *string(struct reader *r, json_t *root, const char *path)
{
    return copy(r, find(r, root, path), path);
}

static json_t *array(struct reader *r, json_t *root, const char *path,
                     size_t *n)
{
    json_t *at = find(r, root, path);
    if (at && !json_is_array(at))
        fail(r, path, "a list");
    *n = json_array_size(at);
    return at;
}

static void fixed(struct reader *r, json_t *root, const char *path, double *out,
                  size_t want)
{
    size_t n;
    json_t *at = array(r, root, path, &n);
    if (n != want)
        fail(r, path, "another number of values");
    for (size_t i = 0; i < n && i < want; i++)
        out[i] = json_number_value(json_array_get(at, i));
}

static double *numbers(struct reader *r, json_t *root, const char *path,
                       size_t *n)
{
    json_t *at = array(r, root, path, n);
    double *out = ARENA_ARRAY(r->arena, double, *n + 1);
    for (size_t i = 0; i < *n; i++)
        out[i] = json_number_value(json_array_get(at, i));
    return out;
}

static struct calibration_point *points(struct reader *r, json_t *root,
                                        const char *path, size_t *n)
{
    json_t *at = array(r, root, path, n);
    struct calibration_point *out =
        ARENA_ARRAY(r->arena, struct calibration_point, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        json_t *pair = json_array_get(at, i);
        if (json_array_size(pair) != 2)
            fail(r, path, "pairs");
        out[i].value = json_number_value(json_array_get(pair, 0));
        out[i].weight = json_number_value(json_array_get(pair, 1));
    }
    return out;
}

/* Reads rows [name, share], [name, nodes, share] or [name, share, mu,
 * sigma]. */
static struct calibration_name *names(struct reader *r, json_t *root,
                                      const char *path, size_t *n)
{
    json_t *at = array(r, root, path, n);
    struct calibration_name *out =
        ARENA_ARRAY(r->arena, struct calibration_name, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        json_t *row = json_array_get(at, i);
        size_t width = json_array_size(row);
        out[i].name = copy(r, json_array_get(row, 0), path);
        out[i].share =
            json_number_value(json_array_get(row, width == 3 ? 2 : 1));
        if (width == 3)
            out[i].nodes = (uint32_t)json_number_value(json_array_get(row, 1));
        out[i].mu = json_number_value(json_array_get(row, 2));
        out[i].sigma = json_number_value(json_array_get(row, 3));
    }
    return out;
}

static uint32_t state_index(struct reader *r, const char *name)
{
    static const char *const states[] = {"completed", "failed", "cancelled"};
    for (uint32_t i = 0; i < CALIBRATION_STATES; i++) {
        if (strcmp(name, states[i]) == 0)
            return i;
    }
    fail(r, "joint.rows.state", "completed, failed or cancelled");
    return 0;
}

static void read_cells(struct reader *r, json_t *root, struct calibration *c)
{
    json_t *rows = array(r, root, "joint.rows", &c->n_cells);
    c->cells = ARENA_ARRAY(r->arena, struct calibration_cell, c->n_cells + 1);
    for (size_t i = 0; i < c->n_cells; i++) {
        json_t *row = json_array_get(rows, i);
        struct calibration_cell *cell = &c->cells[i];
        cell->size = count(r, row, "class");
        cell->share = number(r, row, "share");
        cell->state = state_index(r, string(r, row, "state"));
        const char *kind = string(r, row, "kind");
        while (cell->kind < c->n_kinds &&
               strcmp(c->kinds[cell->kind].name, kind) != 0)
            cell->kind++;
        if (cell->kind == c->n_kinds || cell->size >= CALIBRATION_CLASSES)
            fail(r, "joint.rows", "a known kind and class");
        fixed(r, row, "bins", cell->bins, CALIBRATION_BINS);
    }
}

static void read_attempts(struct reader *r, json_t *root, struct calibration *c)
{
    size_t n;
    json_t *rows = array(r, root, "attempts.value", &n);
    for (size_t s = 0; s < n && s < CALIBRATION_STATES; s++) {
        json_t *row = json_array_get(rows, s);
        c->n_attempts = json_array_size(row) < 8 ? json_array_size(row) : 8;
        for (size_t i = 0; i < c->n_attempts; i++)
            c->attempts[s][i] = json_number_value(json_array_get(row, i));
    }
}

static void read_cluster(struct reader *r, json_t *root, struct calibration *c)
{
    c->name = string(r, root, "name");
    c->gpus = count(r, root, "cluster.gpus");
    c->gpus_per_node = count(r, root, "cluster.gpus_per_node");
    c->cpus_per_gpu = count(r, root, "cluster.cpus_per_gpu");
    c->zone = span_from_seconds(number(r, root, "cluster.zone_s"));
    bool zoned;
    const char *start = string(r, root, "cluster.start");
    if (!text_to_time(text_from(start), &c->start, &zoned))
        fail(r, "cluster.start", "a date");
    c->start -= c->zone;
    if (!c->gpus || !c->gpus_per_node)
        fail(r, "cluster.gpus", "a positive count");
    c->family = string(r, root, "workloads");
}

static void read_jobs(struct reader *r, json_t *root, struct calibration *c)
{
    c->jobs_per_day = number(r, root, "arrivals.jobs_per_day.value");
    fixed(r, root, "arrivals.hours.value", c->hours, CALIBRATION_HOURS);
    fixed(r, root, "arrivals.weekdays_mon_to_sun.value", c->weekdays,
          CALIBRATION_DAYS);
    c->gaps = points(r, root, "arrivals.gap_operational.value", &c->n_gaps);
    c->gpu_counts = points(r, root, "gpu_count.value", &c->n_gpu_counts);
    fixed(r, root, "duration_cdf.value", c->duration_cdf, CALIBRATION_BINS);
    fixed(r, root, "states.value", c->states, CALIBRATION_STATES);
    c->kinds = names(r, root, "kinds.value", &c->n_kinds);
    c->vcs = names(r, root, "vcs.vcs", &c->n_vcs);
    c->causes = names(r, root, "causes.rows", &c->n_causes);
    read_cells(r, root, c);
    read_attempts(r, root, c);
}

static void read_people(struct reader *r, json_t *root, struct calibration *c)
{
    c->users = numbers(r, root, "users.weights", &c->n_users);
    c->keep = number(r, root, "recurrence.keep");
    c->persist = number(r, root, "recurrence.persist");
    c->jump = number(r, root, "recurrence.jump");
    c->spread = number(r, root, "recurrence.spread");
    c->back = number(r, root, "recurrence.return");
    c->stay = points(r, root, "recurrence.stay", &c->n_stay);
    if (!c->n_users || !c->n_gpu_counts || !c->n_cells || c->n_gaps < 2)
        fail(r, "users", "every distribution to have values");
}

static enum status parse(const char *name, json_t **out, struct error *err)
{
    const char *known[16];
    size_t n = 0;
    for (const struct calibration_file *f = calibration_files; f->name; f++) {
        json_error_t why;
        if (strcmp(f->name, name) != 0) {
            if (strcmp(f->name, "models") != 0 && n < 16)
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
                     "seren and kalos",
                     name);
}

enum status calibration_load(const char *name, struct arena *arena,
                             struct calibration *out, struct error *err)
{
    json_t *root = NULL;
    struct reader r = {.arena = arena, .file = name, .err = err};
    *out = (struct calibration){0};
    enum status st = parse(name, &root, err);
    if (st != STATUS_OK)
        return st;
    read_cluster(&r, root, out);
    read_jobs(&r, root, out);
    read_people(&r, root, out);
    json_decref(root);
    return r.st;
}

enum status calibration_models(const char *family, struct arena *arena,
                               struct calibration_model **out, size_t *n,
                               struct error *err)
{
    json_t *root = NULL;
    struct reader r = {.arena = arena, .file = "models", .err = err};
    enum status st = parse("models", &root, err);
    if (st != STATUS_OK)
        return st;
    if (!json_object_get(json_object_get(root, family), "rows")) {
        st = error_set(err, STATUS_USAGE,
                       "no workloads '%s'; there are lucid, sia, muri and "
                       "tiresias",
                       family);
        goto out;
    }
    json_t *rows = array(&r, json_object_get(root, family), "rows", n);
    *out = ARENA_ARRAY(arena, struct calibration_model, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        json_t *row = json_array_get(rows, i);
        (*out)[i] = (struct calibration_model){
            .model = copy(&r, json_array_get(row, 0), "model"),
            .dataset = copy(&r, json_array_get(row, 1), "dataset"),
            .batch_size = (uint32_t)json_number_value(json_array_get(row, 2)),
            .gpu_hours = json_number_value(json_array_get(row, 3)),
        };
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

uint32_t calibration_bin(double seconds)
{
    uint32_t i = 0;
    while (i < CALIBRATION_BINS - 1 && seconds > (double)(UINT32_C(1) << i))
        i++;
    return i;
}
