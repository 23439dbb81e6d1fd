/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the file of `schedsim gate`: the runs to make, the metrics to check,
 * and the expected values. */
#include "commands/study/gate_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GATE_FILE_MAX = 64 << 20 }; /* bytes of a gate file */

static const char *const gate_file_keys[] = {
    "schedsim_gate", "comment",  "metrics", "settings", "policies",
    "replications",  "traces",   "inputs",  "expected", "updates",
    "$schema",       "$comment", NULL};
static const char *const trace_keys[] = {"trace",    "name",    "settings",
                                         "policies", "metrics", "replications",
                                         "comment",  NULL};
static const char *const input_keys[] = {"trace", "file",    "sha256",
                                         "jobs",  "cluster", NULL};
static const char *const update_keys[] = {"update", "reason", "program", "date",
                                          NULL};

static enum status read_trace(struct gate_reader *r, const json_t *value,
                              const struct gate_trace *common,
                              struct gate_trace *out)
{
    int64_t replications;
    *out = *common;
    out->settings = (struct gate_settings){0};
    out->place = gate_here(r);
    enum status st = gate_object(r, value, trace_keys);
    if (st == STATUS_OK)
        st = gate_text(r, value, "trace", NULL, &out->path);
    if (st == STATUS_OK)
        st = gate_text(r, value, "name", out->path, &out->name);
    if (st == STATUS_OK)
        st = gate_read_settings(r, value, &out->settings);
    if (st == STATUS_OK)
        st = gate_read_policies(r, value, &out->policies, &out->n_policies);
    if (st == STATUS_OK)
        st = gate_read_metrics(r, value, &out->metrics, &out->n_metrics);
    if (st == STATUS_OK)
        st = gate_whole(r, value, "replications", out->replications, 0,
                        GATE_REPLICATIONS_MAX, &replications);
    if (st != STATUS_OK)
        return st;
    out->replications = (uint32_t)replications;
    if (!out->n_policies)
        return gate_bad(r, "has no \"policies\", nor has the file");
    if (!out->n_metrics)
        return gate_bad(r, "has no \"metrics\", nor has the file");
    if (strcmp(out->path, "-") == 0)
        return gate_bad(r, "expected a file: standard input can be read only "
                           "once");
    for (size_t i = 0; i < out->n_metrics; i++) {
        if (out->metrics[i].scale == GATE_INTERVAL && out->replications < 2)
            return gate_bad(r,
                            "the tolerance \"interval\" of %s needs "
                            "\"replications\" of at least 2",
                            out->metrics[i].name);
    }
    return STATUS_OK;
}

static enum status read_traces(struct gate_reader *r, struct gate_file *file,
                               const struct gate_trace *common)
{
    const json_t *list, *value;
    size_t i, n_runs = 0;
    enum status st = gate_array(r, file->root, "traces", &list);
    if (st != STATUS_OK)
        return st;
    if (!list || !json_array_size(list))
        return gate_bad(r, "\"traces\" is missing or empty");
    file->traces =
        ARENA_ARRAY(r->arena, struct gate_trace, json_array_size(list));
    gate_enter(r, "traces");
    json_array_foreach(list, i, value)
    {
        struct gate_trace *trace = &file->traces[i];
        gate_enter_row(r, i);
        st = read_trace(r, value, common, trace);
        for (size_t k = 0; k < i && st == STATUS_OK; k++) {
            if (strcmp(file->traces[k].name, trace->name) == 0)
                st = gate_bad(r,
                              "'%.200s' is there twice; give one of them a "
                              "\"name\"",
                              trace->name);
        }
        n_runs +=
            trace->n_policies * (trace->replications ? trace->replications : 1);
        if (st == STATUS_OK && n_runs > GATE_RUNS_MAX)
            st = gate_bad(r, "more than %d runs", GATE_RUNS_MAX);
        gate_leave(r);
        if (st != STATUS_OK)
            break;
        file->n_traces++;
    }
    gate_leave(r);
    return st;
}

static bool gate_file_is_value(const json_t *value)
{
    return json_is_number(value) || json_is_null(value);
}

/* True for a list of n values. */
static bool gate_file_is_list(const json_t *value, size_t n)
{
    bool holds = json_is_array(value) && json_array_size(value) == n;
    for (size_t i = 0; i < n && holds; i++)
        holds = gate_file_is_value(json_array_get(value, i));
    return holds;
}

/* Reads the seeds of a row; none if it does not name them. */
static enum status gate_file_read_seeds(struct gate_reader *r,
                                        const json_t *row,
                                        struct gate_recorded *out)
{
    const json_t *list;
    enum status st = gate_array(r, row, "seeds", &list);
    if (st != STATUS_OK || !list)
        return st;
    uint32_t *seeds =
        ARENA_ARRAY(r->arena, uint32_t, json_array_size(list) + 1);
    int64_t last = 0;
    gate_enter(r, "seeds");
    if (!json_array_size(list))
        st = gate_bad(r, "expected a list that is not empty");
    for (size_t i = 0; i < json_array_size(list) && st == STATUS_OK; i++) {
        const int64_t seed = json_integer_value(json_array_get(list, i));
        if (seed <= last || seed > UINT32_MAX) {
            gate_enter_row(r, i);
            st = gate_bad(r, "expected rising whole numbers from 1");
            gate_leave(r);
        }
        seeds[out->n_seeds++] = (uint32_t)(last = seed);
    }
    gate_leave(r);
    out->seeds = seeds;
    return st;
}

/* Checks the values of an expected row: a number, null, or a list of those of
 * the replications. */
static enum status check_values(struct gate_reader *r,
                                const struct gate_recorded *row)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)row->values, key, value)
    {
        bool is_own = strcmp(key, "trace") == 0 || strcmp(key, "policy") == 0 ||
                      strcmp(key, "seeds") == 0;
        if (is_own || gate_file_is_value(value) ||
            gate_file_is_list(value, row->n_seeds ? row->n_seeds : 3))
            continue;
        gate_enter(r, key);
        enum status st =
            row->n_seeds
                ? gate_bad(r,
                           "expected a number, null, or a list of %zu values, "
                           "one for each of \"seeds\"",
                           row->n_seeds)
                : gate_bad(r, "expected a number, null, or [mean, low, high] "
                              "of replications");
        gate_leave(r);
        return st;
    }
    return STATUS_OK;
}

static enum status gate_file_read_row(struct gate_reader *r,
                                      const json_t *value,
                                      struct gate_recorded *out)
{
    *out = (struct gate_recorded){.values = value, .place = gate_here(r)};
    enum status st = gate_object(r, value, NULL);
    if (st == STATUS_OK)
        st = gate_text(r, value, "trace", NULL, &out->trace);
    if (st == STATUS_OK)
        st = gate_text(r, value, "policy", NULL, &out->policy);
    if (st == STATUS_OK)
        st = gate_file_read_seeds(r, value, out);
    return st == STATUS_OK ? check_values(r, out) : st;
}

static enum status gate_file_read_rows(struct gate_reader *r,
                                       struct gate_file *file)
{
    const json_t *list, *value;
    size_t i;
    enum status st = gate_array(r, file->root, "expected", &list);
    if (!list || st != STATUS_OK)
        return st;
    if (json_array_size(list) > GATE_RUNS_MAX)
        return gate_bad(r, "more than %d expected rows", GATE_RUNS_MAX);
    file->rows =
        ARENA_ARRAY(r->arena, struct gate_recorded, json_array_size(list) + 1);
    gate_enter(r, "expected");
    json_array_foreach(list, i, value)
    {
        struct gate_recorded *row = &file->rows[i];
        gate_enter_row(r, i);
        st = gate_file_read_row(r, value, row);
        if (st == STATUS_OK &&
            gate_file_row(file, row->trace, row->policy, i) != SIZE_MAX)
            st = gate_bad(r, "'%.100s' on '%.100s' is expected twice",
                          row->policy, row->trace);
        gate_leave(r);
        if (st != STATUS_OK)
            break;
        file->n_rows++;
    }
    gate_leave(r);
    return st;
}

static enum status gate_file_read_input(struct gate_reader *r,
                                        const json_t *value,
                                        struct gate_input *out)
{
    enum status st = gate_object(r, value, input_keys);
    out->is_file = !json_object_get(value, "trace");
    if (st == STATUS_OK)
        st = gate_text(r, value, out->is_file ? "file" : "trace", NULL,
                       &out->name);
    if (st == STATUS_OK)
        st = gate_text(r, value, "sha256", "", &out->sha256);
    if (st == STATUS_OK)
        st = gate_text(r, value, "cluster", "", &out->cluster);
    if (st == STATUS_OK)
        st = gate_whole(r, value, "jobs", -1, -1, INT64_MAX, &out->jobs);
    return st;
}

static enum status read_inputs(struct gate_reader *r, struct gate_file *file)
{
    const json_t *list, *value;
    size_t i;
    enum status st = gate_array(r, file->root, "inputs", &list);
    if (!list || st != STATUS_OK)
        return st;
    if (json_array_size(list) > GATE_RUNS_MAX)
        return gate_bad(r, "more than %d inputs", GATE_RUNS_MAX);
    file->inputs =
        ARENA_ARRAY(r->arena, struct gate_input, json_array_size(list) + 1);
    gate_enter(r, "inputs");
    json_array_foreach(list, i, value)
    {
        struct gate_input *input = &file->inputs[i];
        gate_enter_row(r, i);
        st = gate_file_read_input(r, value, input);
        if (st == STATUS_OK &&
            gate_file_input(file, input->is_file, input->name))
            st = gate_bad(r, "'%.100s' is there twice", input->name);
        gate_leave(r);
        if (st != STATUS_OK)
            break;
        file->n_inputs++;
    }
    gate_leave(r);
    return st;
}

static enum status read_updates(struct gate_reader *r, struct gate_file *file)
{
    const json_t *list, *value;
    size_t i;
    const char *text;
    int64_t number;
    enum status st = gate_array(r, file->root, "updates", &list);
    gate_enter(r, "updates");
    json_array_foreach(list, i, value)
    {
        if (st != STATUS_OK)
            break;
        gate_enter_row(r, i);
        st = gate_object(r, value, update_keys);
        if (st == STATUS_OK)
            st = gate_whole(r, value, "update", 0, 1, INT32_MAX, &number);
        if (st == STATUS_OK)
            st = gate_text(r, value, "reason", NULL, &text);
        if (st == STATUS_OK && (uint64_t)number > file->last_update)
            file->last_update = (uint64_t)number;
        gate_leave(r);
    }
    gate_leave(r);
    return st;
}

static enum status gate_file_read_all(struct gate_reader *r,
                                      struct gate_file *file)
{
    struct gate_trace common = {0};
    int64_t version, replications;
    if (!json_object_get(file->root, "schedsim_gate"))
        return gate_bad(r, "is not a gate file: expected an object with "
                           "\"schedsim_gate\": 1");
    enum status st = gate_object(r, file->root, gate_file_keys);
    if (st == STATUS_OK)
        st = gate_whole(r, file->root, "schedsim_gate", 0, 1, 1, &version);
    if (st == STATUS_OK)
        st = gate_read_settings(r, file->root, &file->settings);
    if (st == STATUS_OK)
        st = gate_read_policies(r, file->root, &common.policies,
                                &common.n_policies);
    if (st == STATUS_OK)
        st = gate_read_metrics(r, file->root, &common.metrics,
                               &common.n_metrics);
    if (st == STATUS_OK)
        st = gate_whole(r, file->root, "replications", 0, 0,
                        GATE_REPLICATIONS_MAX, &replications);
    if (st != STATUS_OK)
        return st;
    common.replications = (uint32_t)replications;
    st = read_traces(r, file, &common);
    if (st == STATUS_OK)
        st = gate_file_read_rows(r, file);
    if (st == STATUS_OK)
        st = read_inputs(r, file);
    return st == STATUS_OK ? read_updates(r, file) : st;
}

enum status gate_file_parse(const char *path, char *text, size_t len,
                            bool trusts, struct gate_file *out,
                            struct error *err)
{
    struct trust trust = {.file = path, .given = trusts};
    json_error_t why;
    *out = (struct gate_file){.text = text, .len = len};
    arena_init(&out->arena);
    out->path = arena_copy(&out->arena, path, strlen(path));
    out->root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
    if (!out->root)
        return error_set(err, STATUS_BAD_INPUT, "%s:%d:%d: is not JSON: %s",
                         path, why.line, why.column, why.text);
    struct gate_reader reader = {.path = out->path,
                                 .text = {text, len},
                                 .arena = &out->arena,
                                 .trust = &trust,
                                 .err = err};
    enum status st = gate_file_read_all(&reader, out);
    return st == STATUS_OK ? trust_ask(&trust, err) : st;
}

enum status gate_file_open(const char *path, bool trusts, struct gate_file *out,
                           struct error *err)
{
    char *text = NULL;
    size_t len = 0, cap = 0, got = 0;
    FILE *from = fopen(path, "r");
    *out = (struct gate_file){0};
    if (!from)
        return error_set(err, STATUS_BAD_INPUT, "%s: cannot be opened: %s",
                         path, strerror(errno));
    do {
        len += got;
        text = mem_grow(text, &cap, len + 65536, 1);
        got = fread(text + len, 1, 65536, from);
    } while (got > 0 && len + got <= GATE_FILE_MAX);
    int error = ferror(from) ? errno : 0;
    fclose(from);
    if (!error && got == 0)
        return gate_file_parse(path, text, len, trusts, out, err);
    free(text);
    return error_set(err, STATUS_BAD_INPUT, "%s: %s", path,
                     error ? strerror(error) : "is larger than 64 MiB");
}

void gate_file_close(struct gate_file *file)
{
    json_decref(file->root);
    free(file->text);
    arena_fini(&file->arena);
    *file = (struct gate_file){0};
}

size_t gate_file_row(const struct gate_file *file, const char *trace,
                     const char *policy, size_t from)
{
    for (size_t i = 0; i < file->n_rows; i++) {
        size_t at = (from + i) % file->n_rows;
        if (strcmp(file->rows[at].policy, policy) == 0 &&
            strcmp(file->rows[at].trace, trace) == 0)
            return at;
    }
    return SIZE_MAX;
}

const struct gate_input *gate_file_input(const struct gate_file *file,
                                         bool is_file, const char *name)
{
    for (size_t i = 0; i < file->n_inputs; i++) {
        if (file->inputs[i].is_file == is_file &&
            strcmp(file->inputs[i].name, name) == 0)
            return &file->inputs[i];
    }
    return NULL;
}

static double gate_file_number(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

struct gate_expected gate_recorded_value(const struct gate_recorded *row,
                                         const char *metric, bool *known)
{
    const json_t *value = json_object_get(row->values, metric);
    *known = value != NULL;
    if (!json_is_array(value))
        return (struct gate_expected){gate_file_number(value), NAN, NAN};
    if (!row->n_seeds)
        return (struct gate_expected){
            gate_file_number(json_array_get(value, 0)),
            gate_file_number(json_array_get(value, 1)),
            gate_file_number(json_array_get(value, 2))};
    double *values = mem_alloc(row->n_seeds * sizeof *values);
    for (size_t i = 0; i < row->n_seeds; i++)
        values[i] = gate_file_number(json_array_get(value, i));
    struct estimate e = estimate_of(values, NULL, row->n_seeds);
    free(values);
    return (struct gate_expected){e.mean, e.interval.lo, e.interval.hi};
}

const double *gate_recorded_values(const struct gate_recorded *row,
                                   const char *metric, struct arena *arena)
{
    const json_t *value = json_object_get(row->values, metric);
    if (!row->n_seeds || !json_is_array(value))
        return NULL;
    double *values = ARENA_ARRAY(arena, double, row->n_seeds);
    for (size_t i = 0; i < row->n_seeds; i++)
        values[i] = gate_file_number(json_array_get(value, i));
    return values;
}

struct jobs_done gate_recorded_done(const struct gate_recorded *row)
{
    return (struct jobs_done){
        .unfinished =
            json_number_value(json_object_get(row->values, "unfinished")),
        .share =
            gate_file_number(json_object_get(row->values, "finished_share"))};
}

bool gate_recorded_is_own_key(const char *key)
{
    static const char *const own[] = {"trace",      "policy", "seeds",
                                      "unfinished", "update", "finished_share"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strcmp(own[i], key) == 0)
            return true;
    }
    return false;
}
