/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads rows of usage: the compiled-in rows, a JSON file of the same form, and
 * the CSV of Lucid's profiler. The CSV has the columns
 * model,dataset,batchsize,amp,gpu_util,gmem_util,gmem,label, with utilisation
 * in percent, memory in MiB, and label 0, 1 or 2 for the sharing classes tiny,
 * medium and jumbo. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_keys.h"
#include "base/rows.h"
#include "models/usage/usage.h"

struct reader {
    const char *path;
    struct arena *arena;
    struct usage_table *out;
    json_t *root;
    struct error *err;
};

static enum status bad(const struct reader *r, size_t row, const char *key,
                       const char *expected)
{
    return error_set(r->err, STATUS_BAD_INPUT, "%s: rows[%zu]: %s: expected %s",
                     r->path, row, key, expected);
}

static const char *text_of(const struct reader *r, const json_t *at)
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
static enum status read_figure(const struct reader *r, const json_t *at,
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
        .source = text_of(r, json_object_get(source, "text")),
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

static const char *const file_keys[] = {"about",   "families", "figures",
                                        "sources", "rows",     NULL};
static const char *const source_keys[] = {"status", "text", NULL};
static const char *const row_keys[] = {
    "family",      "model", "dataset", "class",        "figures",
    "batch_sizes", "amp",   "comment", "parameters_m", NULL};

/* Checks the keys of the file and of its sources; read_row checks those of a
 * row. */
static enum status check_keys(const struct reader *r)
{
    const char *name;
    json_t *source, *sources = json_object_get(r->root, "sources");
    enum status st = json_keys_known(r->root, file_keys, r->path, "", r->err);
    json_object_foreach(sources, name, source)
    {
        char place[80];
        snprintf(place, sizeof place, "sources: %.60s", name);
        if (st == STATUS_OK)
            st = json_keys_known(source, source_keys, r->path, place, r->err);
    }
    return st;
}

static enum status read_row(const struct reader *r, size_t i, const json_t *row,
                            struct usage *out)
{
    const json_t *names = json_object_get(r->root, "figures");
    const json_t *figures = json_object_get(row, "figures");
    char place[32];
    snprintf(place, sizeof place, "rows[%zu]", i);
    enum status st = json_keys_known(row, row_keys, r->path, place, r->err);
    if (st != STATUS_OK)
        return st;
    *out = unknown_usage();
    out->family = text_of(r, json_object_get(row, "family"));
    out->model = text_of(r, json_object_get(row, "model"));
    out->dataset = text_of(r, json_object_get(row, "dataset"));
    if (!out->model[0])
        return bad(r, i, "model", "a text");
    if (read_class(json_object_get(row, "class"), &out->class) != STATUS_OK)
        return bad(r, i, "class", "any, small, medium or large");
    for (size_t k = 0; k < json_array_size(figures); k++) {
        const char *name = json_string_value(json_array_get(names, k));
        unsigned f = 0;
        while (f < N_FIGURES && name &&
               strcmp(figure_name((enum usage_figure)f), name) != 0)
            f++;
        if (!name || f == N_FIGURES)
            return bad(r, i, "figures", "as many as the file names");
        if (read_figure(r, json_array_get(figures, k), &out->figures[f]) !=
            STATUS_OK)
            return bad(r, i, name, "a list of a number and a source's name");
    }
    return sane(out) ? STATUS_OK
                     : bad(r, i, "figures", "utilisations of at most 1");
}

/* Adds one usage row for each batch size and precision that an entry of the
 * file lists. */
static enum status add_row(const struct reader *r, size_t i, const json_t *row)
{
    const json_t *sizes = json_object_get(row, "batch_sizes");
    const json_t *amps = json_object_get(row, "amp");
    struct usage usage;
    enum status st = read_row(r, i, row, &usage);
    for (size_t s = 0; s < json_array_size(sizes) && st == STATUS_OK; s++) {
        const json_t *size = json_array_get(sizes, s);
        if (!json_is_integer(size) || json_integer_value(size) < 0 ||
            json_integer_value(size) > UINT32_MAX)
            return bad(r, i, "batch_sizes", "whole numbers");
        usage.batch_size = (uint32_t)json_integer_value(size);
        for (size_t a = 0; a < json_array_size(amps); a++) {
            usage.amp = json_is_true(json_array_get(amps, a)) ? 1 : 0;
            usage_add(r->out, &usage);
        }
    }
    return st;
}

static enum status read_json(struct reader *r)
{
    json_error_t why;
    enum status st = STATUS_OK;
    const json_t *row;
    size_t i;
    r->root = json_load_file(r->path, JSON_REJECT_DUPLICATES, &why);
    if (!r->root)
        return error_set(r->err, STATUS_BAD_INPUT, "%s:%d:%d: %s", r->path,
                         why.line, why.column, why.text);
    st = check_keys(r);
    json_array_foreach(json_object_get(r->root, "rows"), i, row)
    {
        if (st == STATUS_OK)
            st = add_row(r, i, row);
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
                                const struct reader *r, struct usage *p)
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

static enum status read_csv(struct reader *r)
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
    struct reader r = {.path = path, .arena = arena, .out = out, .err = err};
    size_t n = path ? strlen(path) : 0;
    struct usage unknown = unknown_usage();
    *out = (struct usage_table){0};
    usage_add(out, &unknown);
    bool csv = n > 4 && strcmp(path + n - 4, ".csv") == 0;
    enum status st = STATUS_OK;
    if (path)
        st = csv ? read_csv(&r) : read_json(&r);
    else
        add_built_in(out);
    out->n_listed = out->n;
    if (st != STATUS_OK)
        usage_fini(out);
    return st;
}
