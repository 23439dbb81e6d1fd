/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid of a sweep: a JSON object whose members are axes (docs/sweeps.md).
 */
#include "commands/study/sweep_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "commands/cli_renamed.h"

const char *grid_key_name(size_t key)
{
    if (key < GRID_TRACE)
        return run_args[key].name;
    return key == GRID_TRACE ? "trace" : key == GRID_NAME ? "name" : "load";
}

enum status grid_refuse(const struct grid *grid, const char *key,
                        struct error *err, const char *fmt, ...)
{
    char place[JSON_PLACE_MAX], words[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    return error_set(err, STATUS_BAD_INPUT, "%s: %s",
                     json_key_place(grid->path, key, place), words);
}

const char *grid_value_text(struct grid *grid, const json_t *value)
{
    char number[64];
    const char *text = json_string_value(value);
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%lld",
                 (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(number, sizeof number, "%.15g", json_real_value(value));
    if (json_is_number(value))
        text = number;
    return text ? arena_copy(&grid->arena, text, strlen(text)) : NULL;
}

static bool grid_same_key(const char *name, const char *key)
{
    for (; *name && *key; name++, key++) {
        if (*name != *key && !(*name == '-' && *key == '_'))
            return false;
    }
    return *name == *key;
}

/* Finds the number of a key: its row of run_args, or GRID_TRACE, GRID_NAME or
 * GRID_LOAD. */
static enum status grid_find_key(const struct grid *grid, const char *key,
                                 size_t *out, struct error *err)
{
    const char *names[GRID_KEYS + 2],
        *renamed = cli_renamed_key(grid->path, key);
    size_t n = 0;
    for (size_t k = 0; run_args[k].name; k++) {
        names[n++] = run_args[k].name;
        if (grid_same_key(run_args[k].name, renamed)) {
            *out = k;
            return STATUS_OK;
        }
    }
    for (size_t k = GRID_TRACE; k < GRID_KEYS; k++) {
        names[n++] = grid_key_name(k);
        if (strcmp(grid_key_name(k), renamed) == 0) {
            *out = k;
            return STATUS_OK;
        }
    }
    names[n++] = "tuples";
    const char *near = text_nearest(text_from(key), names, n);
    return grid_refuse(grid, key, err, "no key '%.100s'%s", key,
                       near ? text_suggest(near).words
                            : ": expected trace, tuples, name, load or a long "
                              "option of 'schedsim run'");
}

/* Records that runs have a setting, which thereby becomes a column. Returns
 * false if it is a column already. */
static bool add_key(struct grid *grid, size_t key)
{
    for (size_t i = 0; i < grid->n_keys; i++) {
        if (grid->keys[i] == key)
            return false;
    }
    grid->keys[grid->n_keys++] = key;
    return true;
}

static enum status refuse_twice(const struct grid *grid, const char *key,
                                struct error *err)
{
    return grid_refuse(grid, key, err,
                       "'%.100s' is in two axes: a run can have one value",
                       key);
}

static struct grid_point *grid_add_point(struct grid_axis *axis)
{
    axis->points = mem_grow(axis->points, &axis->cap_points, axis->n_points + 1,
                            sizeof *axis->points);
    struct grid_point *point = &axis->points[axis->n_points++];
    *point = (struct grid_point){0};
    return point;
}

static void grid_add_setting(struct grid_point *point, size_t row,
                             const char *text)
{
    point->settings = mem_grow(point->settings, &point->cap_settings,
                               point->n_settings + 1, sizeof *point->settings);
    point->settings[point->n_settings++] = (struct grid_setting){row, text};
}

/* Stores a value of an axis other than traces. A JSON null means that the
 * option is not given. */
static enum status grid_set_value(struct grid *grid, struct grid_point *point,
                                  const char *key, size_t number,
                                  const json_t *value, struct error *err)
{
    struct run_config probe = {0};
    if (json_is_null(value))
        return STATUS_OK;
    const char *text = grid_value_text(grid, value);
    if (!text)
        return grid_refuse(grid, key, err,
                           "%.100s: expected a text, a number or null", key);
    if (number == GRID_NAME) {
        point->label = text;
        return STATUS_OK;
    }
    if (number == GRID_LOAD) {
        double factor;
        if (!text_to_double(text_from(text), &factor) || !(factor > 0))
            return grid_refuse(grid, key, err,
                               "load: '%.100s' is not a number above 0", text);
        point->load = text;
        return STATUS_OK;
    }
    if (arg_store(&run_args[number], &probe, text, NULL, NULL, err) !=
        STATUS_OK) {
        char words[512];
        snprintf(words, sizeof words, "%.500s", err->message);
        return grid_refuse(grid, key, err, "%s", words);
    }
    trust_see(&grid->trust, run_args[number].name, text);
    grid_add_setting(point, number, text);
    return STATUS_OK;
}

/* Adds a point for each trace of an entry. Each point gets a copy of the
 * settings, the load and the name of `like`; NULL: none. */
static enum status add_traces(struct grid *grid, struct grid_axis *axis,
                              const struct grid_point *like,
                              const json_t *entry, struct shelf *shelf,
                              struct error *err)
{
    struct grid_traces traces = {0};
    enum status st = grid_trace_read(grid, entry, shelf, &traces, err);
    for (size_t i = 0; st == STATUS_OK && i < traces.n; i++) {
        struct grid_point *point = grid_add_point(axis);
        point->trace = traces.at[i];
        point->load = like ? like->load : NULL;
        point->label = like ? like->label : NULL;
        for (size_t k = 0; like && k < like->n_settings; k++)
            grid_add_setting(point, like->settings[k].row,
                             like->settings[k].text);
        grid->has_replications |= traces.at[i]->is_replication;
        grid->has_made |= traces.at[i]->made[0] != '\0';
    }
    free(traces.at);
    return st;
}

static struct grid_axis *add_axis(struct grid *grid, const char *key)
{
    struct grid_axis *axis = &grid->axes[grid->n_axes++];
    *axis =
        (struct grid_axis){.key = arena_copy(&grid->arena, key, strlen(key))};
    return axis;
}

/* Reads an axis of one setting: a list of values, or a single value. */
static enum status read_axis(struct grid *grid, const char *key,
                             const json_t *values, struct shelf *shelf,
                             struct error *err)
{
    size_t number;
    enum status st = grid_find_key(grid, key, &number, err);
    if (st != STATUS_OK)
        return st;
    if (!add_key(grid, number))
        return refuse_twice(grid, key, err);
    const bool is_list = json_is_array(values);
    const size_t n = is_list ? json_array_size(values) : 1;
    if (n == 0)
        return grid_refuse(grid, key, err,
                           "%.100s: expected a list with at least one value",
                           key);
    struct grid_axis *axis = add_axis(grid, key);
    for (size_t i = 0; st == STATUS_OK && i < n; i++) {
        const json_t *value = is_list ? json_array_get(values, i) : values;
        if (number == GRID_TRACE)
            st = add_traces(grid, axis, NULL, value, shelf, err);
        else
            st = grid_set_value(grid, grid_add_point(axis), key, number, value,
                                err);
    }
    return st;
}

/* Reads one tuple: an object whose settings vary together. `known`: by key,
 * true if a tuple of the axis has it; updated. */
static enum status read_tuple(struct grid *grid, struct grid_axis *axis,
                              const json_t *tuple, bool known[GRID_KEYS],
                              struct shelf *shelf, struct error *err)
{
    const char *key;
    json_t *value;
    const json_t *trace = NULL;
    struct grid_point point = {0};
    enum status st = STATUS_OK;
    /* The macro of jansson needs a pointer without const, but changes
     * nothing. */
    json_object_foreach((json_t *)(uintptr_t)tuple, key, value)
    {
        size_t number = 0;
        st = grid_find_key(grid, key, &number, err);
        if (st == STATUS_OK && !add_key(grid, number) && !known[number])
            st = refuse_twice(grid, key, err);
        if (st != STATUS_OK)
            break;
        known[number] = true;
        if (number == GRID_TRACE)
            trace = value;
        else
            st = grid_set_value(grid, &point, key, number, value, err);
        if (st != STATUS_OK)
            break;
    }
    if (st == STATUS_OK && trace) {
        st = add_traces(grid, axis, &point, trace, shelf, err);
        free(point.settings);
    } else {
        *grid_add_point(axis) = point;
    }
    return st;
}

static enum status read_tuples(struct grid *grid, const json_t *list,
                               struct shelf *shelf, struct error *err)
{
    bool known[GRID_KEYS] = {false};
    struct grid_axis *axis = add_axis(grid, "tuples");
    enum status st = STATUS_OK;
    for (size_t i = 0; st == STATUS_OK && i < json_array_size(list); i++) {
        const json_t *tuple = json_array_get(list, i);
        if (!json_is_object(tuple) || json_object_size(tuple) == 0)
            return grid_refuse(grid, "tuples", err,
                               "tuples: element %zu: expected an object of "
                               "settings that hold together",
                               i + 1);
        st = read_tuple(grid, axis, tuple, known, shelf, err);
    }
    return st;
}

/* Reads "tuples": a list of objects, which is one axis, or a list of such
 * lists. */
static enum status read_all_tuples(struct grid *grid, const json_t *list,
                                   struct shelf *shelf, struct error *err)
{
    if (!json_is_array(list) || json_array_size(list) == 0)
        return grid_refuse(grid, "tuples", err,
                           "tuples: expected a list of objects, or a list of "
                           "such lists");
    if (!json_is_array(json_array_get(list, 0)))
        return read_tuples(grid, list, shelf, err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_array(one) || json_array_size(one) == 0)
            return grid_refuse(grid, "tuples", err,
                               "tuples: element %zu: expected a list of "
                               "objects, as the first element is",
                               i + 1);
        if (grid->n_axes == GRID_AXES_MAX)
            return grid_refuse(grid, "tuples", err, "more than %d axes",
                               GRID_AXES_MAX);
        enum status st = read_tuples(grid, one, shelf, err);
        if (st != STATUS_OK)
            return st;
    }
    return STATUS_OK;
}

/* Counts the runs. Checks that they are not too many, that the grid has traces,
 * and that no time span is set for traces that are cut into windows. */
static enum status grid_finish(struct grid *grid, struct error *err)
{
    bool has_trace = false;
    grid->n_runs = 1;
    for (size_t k = 0; k < grid->n_keys; k++)
        has_trace |= grid->keys[k] == GRID_TRACE;
    if (!has_trace)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: no key 'trace': expected a list of traces",
                         grid->path);
    for (size_t a = 0; a < grid->n_axes; a++) {
        size_t n = grid->axes[a].n_points;
        for (size_t i = 0; i < n; i++) {
            const struct grid_point *p = &grid->axes[a].points[i];
            if (!p->trace || !p->trace->from)
                continue;
            for (size_t k = 0; k < grid->n_keys; k++) {
                const char *name = grid_key_name(grid->keys[k]);
                if (strcmp(name, "from") == 0 || strcmp(name, "to") == 0)
                    return grid_refuse(grid, name, err,
                                       "'%s' cannot be combined with windows "
                                       "of a trace",
                                       name);
            }
        }
        if (n > GRID_RUNS_MAX || grid->n_runs * n > GRID_RUNS_MAX)
            return error_set(err, STATUS_BAD_INPUT, "%s: more than %d runs",
                             grid->path, GRID_RUNS_MAX);
        grid->n_runs *= n;
    }
    return STATUS_OK;
}

enum status grid_read(struct grid *grid, const char *path, bool trusts,
                      struct shelf *shelf, struct error *err)
{
    const char *key;
    json_t *value;
    *grid =
        (struct grid){.path = path, .trust = {.file = path, .given = trusts}};
    arena_init(&grid->arena);
    json_t *root = json_read_file(path, err);
    if (!root)
        return STATUS_BAD_INPUT;
    enum status st = STATUS_OK;
    if (!json_is_object(root))
        st = error_set(err, STATUS_BAD_INPUT, "%s: expected an object of lists",
                       path);
    json_object_foreach(root, key, value)
    {
        if (st != STATUS_OK)
            break;
        if (grid->n_axes == GRID_AXES_MAX)
            st =
                grid_refuse(grid, key, err, "more than %d axes", GRID_AXES_MAX);
        else if (strcmp(key, "tuples") == 0)
            st = read_all_tuples(grid, value, shelf, err);
        else
            st = read_axis(grid, key, value, shelf, err);
    }
    json_decref(root);
    if (st == STATUS_OK)
        st = grid_finish(grid, err);
    return st == STATUS_OK ? trust_ask(&grid->trust, err) : st;
}

void grid_fini(struct grid *grid)
{
    for (size_t a = 0; a < grid->n_axes; a++) {
        for (size_t i = 0; i < grid->axes[a].n_points; i++)
            free(grid->axes[a].points[i].settings);
        free(grid->axes[a].points);
    }
    for (size_t i = 0; i < grid->n_makers; i++)
        made_trace_free(grid->makers[i]);
    free(grid->makers);
    arena_fini(&grid->arena);
}
