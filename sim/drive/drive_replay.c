/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans again from the states in a log of decisions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/drive/drive_internal.h"

struct replayed {
    const char *path;
    const struct drive_configure *make;
    struct run_config config;
    bool has_config, ordered, stops;
    size_t line;
    uint64_t n_plans; /* equal ones */
};

/* Returns the difference of two lists of identifiers as words, or NULL. */
static const char *list_difference(const json_t *was, const json_t *is,
                                   const char *what, char *out, size_t room)
{
    const size_t n = json_array_size(was), m = json_array_size(is);
    for (size_t i = 0; i < n || i < m; i++) {
        const char *a = json_string_value(json_array_get(was, i));
        const char *b = json_string_value(json_array_get(is, i));
        if (a && b && strcmp(a, b) == 0)
            continue;
        snprintf(out, room, "%s %zu is %.40s in the log and %.40s now", what,
                 i + 1, a ? a : "missing", b ? b : "missing");
        return out;
    }
    return NULL;
}

static enum status replay_compare(const struct replayed *r, const json_t *was,
                                  const json_t *is, const char *at,
                                  struct error *err)
{
    static const char *const keys[] = {"starts", "stops", "order"};
    static const char *const words[] = {"start", "stop", "place in the order"};
    char out[200];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *difference = list_difference(json_object_get(was, keys[i]),
                                                 json_object_get(is, keys[i]),
                                                 words[i], out, sizeof out);
        if (difference)
            return error_set(err, STATUS_TOLERANCE,
                             "%s:%zu: the plan of %.40s differs: %s", r->path,
                             r->line, at ? at : "?", difference);
    }
    return STATUS_OK;
}

static enum status replay_plan(struct replayed *r, const json_t *row,
                               struct error *err)
{
    const json_t *was = json_object_get(row, "plan");
    const json_t *given = json_object_get(row, "state");
    struct state state;
    struct drive_plan plan;
    if (!json_is_object(was) || !json_is_object(given) || !r->has_config)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s:%zu: expected a plan with its state, after a line "
                         "with \"drive\": 1",
                         r->path, r->line);
    char *text = json_dumps(given, JSON_INDENT(1));
    enum status st = state_read_text(r->path, (struct text){text, strlen(text)},
                                     &state, err);
    free(text);
    if (st != STATUS_OK)
        return st;
    st = drive_plan_make(&r->config, &state, r->ordered, r->stops, &plan, err);
    if (st == STATUS_OK) {
        json_t *is = drive_plan_json(&plan, &state);
        st = replay_compare(r, was, is,
                            json_string_value(json_object_get(row, "time_utc")),
                            err);
        json_decref(is);
        drive_plan_fini(&plan);
    }
    r->n_plans += st == STATUS_OK;
    state_fini(&state);
    return st;
}

static enum status replay_begin(struct replayed *r, const json_t *row,
                                struct error *err)
{
    const char *by = json_string_value(json_object_get(row, "by"));
    const json_t *settings = json_object_get(row, "options");
    if (json_integer_value(json_object_get(row, "drive")) != 1 || !by ||
        !json_is_object(settings))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s:%zu: expected \"drive\": 1, \"by\", \"options\"",
                         r->path, r->line);
    r->ordered = strcmp(by, drive_by_names[DRIVE_BY_NICE]) == 0;
    r->stops = json_is_true(json_object_get(row, "requeue"));
    r->has_config = true;
    return r->make->call(r->make->self, settings, &r->config, err);
}

static enum status replay_line(struct replayed *r, const char *text, size_t len,
                               struct error *err)
{
    json_error_t why;
    json_t *row = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    enum status st = STATUS_OK;
    if (!row && text[len - 1] != '\n')
        return STATUS_OK; /* cut off by a kill or a full disk */
    if (!row)
        return error_set(err, STATUS_BAD_INPUT, "%s:%zu:%d: %s", r->path,
                         r->line, why.column, why.text);
    if (json_object_get(row, "drive"))
        st = replay_begin(r, row, err);
    else if (json_object_get(row, "plan"))
        st = replay_plan(r, row, err);
    else if (!json_object_get(row, "done"))
        st =
            error_set(err, STATUS_BAD_INPUT,
                      "%s:%zu: is no line of a log of drive", r->path, r->line);
    json_decref(row);
    return st;
}

enum status drive_replay(const char *log, const struct drive_configure *make,
                         uint64_t *n_plans, struct error *err)
{
    struct replayed r = {.path = log, .make = make};
    FILE *file = fopen(log, "re");
    char *text = NULL;
    size_t cap = 0;
    ssize_t len;
    enum status st = STATUS_OK;
    *n_plans = 0;
    if (!file)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s", log, strerror(errno));
    while (st == STATUS_OK && (len = getline(&text, &cap, file)) > 0) {
        r.line++;
        st = replay_line(&r, text, (size_t)len, err);
    }
    if (st == STATUS_OK && !r.has_config)
        st = error_set(err, STATUS_BAD_INPUT,
                       "%s: is no log of drive: it has no line with \"drive\": "
                       "1",
                       log);
    *n_plans = r.n_plans;
    free(text);
    fclose(file);
    return st;
}
