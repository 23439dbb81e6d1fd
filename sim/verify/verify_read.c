/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a result directory for verify: manifest.json, summary.json, series.csv
 * and, by verify_rows.c, jobs.csv and, if it was written, attempts.csv. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/series.h"
#include "sim/verify/verify_csv.h"
#include "sim/verify/verify_internal.h"
#include "sim/verify/verify_keys.h"

/* Largest number of nodes of a cluster. */
enum { VERIFY_READ_NODES_MAX = 65535 };

static void read_sample(struct verify_csv *csv, void *self)
{
    struct verify_data *d = self;
    d->samples = mem_grow(d->samples, &d->cap_samples, d->n_samples + 1,
                          sizeof *d->samples);
    struct verify_sample *s = &d->samples[d->n_samples++];
    s->at = verify_csv_span(csv, 0);
    for (unsigned i = 0; i < VERIFY_SERIES; i++)
        s->values[i] = (uint64_t)verify_csv_span(csv, i + 1);
}

/* Reads series.csv if its rules are checked; nobody else looks at it. */
static enum status read_series(const char *path, struct verify_data *d,
                               struct error *err)
{
    static const char *const names[] = {
        "time",          "gpus_up",      "gpus_busy",
        "gpus_stranded", "jobs_pending", "gpus_pending",
        "jobs_running",  "jobs_held",    "jobs_ended"};
    static const struct verify_table tables[] = {VERIFY_TABLE(series_columns),
                                                 {0}};
    struct verify_csv csv = {.path = path,
                             .names = names,
                             .n_names = sizeof names / sizeof *names,
                             .tables = tables,
                             .manifest = d->manifest,
                             .report = d->report,
                             .row = read_sample,
                             .self = d,
                             .err = err};
    return d->report ? verify_csv_read(&csv) : STATUS_OK;
}

/* Reads seconds as json_stream_span writes them. Returns false for anything
 * else and for times from TIME_NEVER on. */
static bool verify_read_seconds(const json_t *value, sim_span *out)
{
    const char *text = json_string_value(value);
    if (text)
        return text_to_any_span(text_from(text), out) && *out >= 0 &&
               *out < TIME_NEVER;
    return json_is_number(value) && json_number_value(value) >= 0 &&
           span_from_outside(json_number_value(value),
                             span_seconds(TIME_NEVER - 1), out);
}

static enum status read_groups(struct verify_data *d, const json_t *groups,
                               struct error *err)
{
    size_t i;
    json_t *row;
    json_array_foreach(groups, i, row)
    {
        const char *vc, *type;
        int nodes, gpus, profiler;
        double speed;
        if (json_unpack(row, "{s:i, s:i, s:s, s:s, s:b, s:F}", "nodes", &nodes,
                        "gpus", &gpus, "type", &type, "vc", &vc, "profiler",
                        &profiler, "speed", &speed) != 0 ||
            !(speed > 0) || nodes < 1 || gpus < 1 || gpus > 64 ||
            d->n_nodes + (size_t)nodes > VERIFY_READ_NODES_MAX)
            return error_set(err, STATUS_BAD_INPUT,
                             "manifest.json: cluster.groups[%zu] is not a "
                             "group of nodes",
                             i);
        for (int n = 0; n < nodes; n++) {
            d->nodes = mem_grow(d->nodes, &d->cap_nodes, d->n_nodes + 1,
                                sizeof *d->nodes);
            d->nodes[d->n_nodes++] = (struct verify_node){
                .first_gpu = d->n_gpus,
                .gpus = (uint32_t)gpus,
                .vc = interner_add(&d->vcs, text_from(vc)),
                .type = interner_add(&d->types, text_from(type)),
                .speed = speed,
                .profiler = profiler};
            d->n_gpus += (uint32_t)gpus;
        }
    }
    d->node_of = ARENA_ARRAY(&d->arena, uint32_t, d->n_gpus + 1);
    for (uint32_t n = 0; n < d->n_nodes; n++) {
        for (uint32_t g = 0; g < d->nodes[n].gpus; g++)
            d->node_of[d->nodes[n].first_gpu + g] = n;
    }
    return STATUS_OK;
}

/* Adds the names of virtual clusters or types that no node has. */
static enum status read_empty(const json_t *cluster, const char *key,
                              struct interner *names, struct error *err)
{
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(cluster, key), i, name)
    {
        if (json_typeof(name) != JSON_STRING)
            return error_set(err, STATUS_BAD_INPUT,
                             "manifest.json: cluster.%s[%zu] is not a text",
                             key, i);
        interner_add(names, text_from(json_string_value(name)));
    }
    return STATUS_OK;
}

static bool change_kind(const char *word, unsigned *kind)
{
    static const char *const words[] = {"down", "up", "lent", "back"};
    for (*kind = 0; *kind < 4 && strcmp(word, words[*kind]) != 0;)
        ++*kind;
    return *kind < 4;
}

static enum status verify_read_changes(struct verify_data *d,
                                       const json_t *changes, struct error *err)
{
    size_t i;
    json_t *row;
    d->changes = ARENA_ARRAY(&d->arena, struct verify_change,
                             json_array_size(changes) + 1);
    json_array_foreach(changes, i, row)
    {
        json_int_t node = json_integer_value(json_array_get(row, 1));
        const char *way = json_string_value(json_array_get(row, 2));
        unsigned kind = 0;
        sim_time at;
        if (json_array_size(row) < 3 || !way || node < 0 ||
            (uint64_t)node >= d->n_nodes || !change_kind(way, &kind) ||
            !verify_read_seconds(json_array_get(row, 0), &at))
            return error_set(err, STATUS_BAD_INPUT,
                             "manifest.json: cluster.changes[%zu] is not "
                             "[time, node, up|down|lent|back, why]",
                             i);
        d->changes[d->n_changes++] =
            (struct verify_change){at, (uint32_t)node, kind};
        d->n_loans += kind == NODE_LENT;
    }
    return STATUS_OK;
}

/* Returns a length of time from the configuration in the manifest; -1 if the
 * owner has no such key, or the value is not a length of time. */
static sim_span option_span(const json_t *manifest, const char *owner,
                            const char *key)
{
    sim_span span;
    const char *value = json_string_value(json_object_get(
        json_object_get(json_object_get(manifest, "configuration"), owner),
        key));
    return value && text_to_span(text_from(value), &span) ? span : -1;
}

/* Returns the profiling limit of the policy, if it is one that profiles with
 * policies/lucid/lucid.h; otherwise -1. */
static sim_span profile_limit(const json_t *manifest)
{
    char owner[128];
    const char *policy = json_string_value(json_object_get(manifest, "policy"));
    /* "lucid+schedmate" has the settings of lucid */
    snprintf(owner, sizeof owner, "policy %s", policy ? policy : "");
    owner[strcspn(owner, "+")] = '\0';
    return option_span(manifest, owner, "profile_s");
}

/* Returns the time between two checkpoints if it is fixed, otherwise 0. */
static sim_span fixed_interval(const json_t *manifest)
{
    const char *law = json_string_value(json_object_get(
        json_object_get(json_object_get(manifest, "configuration"),
                        "overhead fixed"),
        "interval"));
    sim_span span = option_span(manifest, "overhead fixed", "checkpoint_s");
    return law && strcmp(law, "fixed") == 0 && span > 0 ? span : 0;
}

static enum status verify_read_manifest(struct verify_data *d,
                                        struct error *err)
{
    const char *seed;
    const json_t *cluster = json_object_get(d->manifest, "cluster");
    json_t *end, *groups, *changes;
    int unit, limit;
    if (json_unpack(d->manifest, "{s:s, s:o, s:b, s:{s:i, s:o, s:o}}", "seed",
                    &seed, "end_s", &end, "unit_rates", &unit, "cluster",
                    "share_limit", &limit, "groups", &groups, "changes",
                    &changes) != 0 ||
        limit < 1 || !verify_read_seconds(end, &d->end) ||
        !verify_read_seconds(json_object_get(d->manifest, "series_interval_s"),
                             &d->interval) ||
        d->interval == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "manifest.json: is not a manifest of this program");
    if (!text_to_u64(text_from(seed), &d->seed))
        return error_set(err, STATUS_BAD_INPUT,
                         "manifest.seed: '%.40s' is not a whole number", seed);
    d->unit_rates = unit;
    d->has_attempts = json_object_get(json_object_get(d->manifest, "outputs"),
                                      "attempts.csv");
    d->profile_limit = profile_limit(d->manifest);
    d->grid = option_span(d->manifest, "time-law grid", "step_s");
    d->grid = d->grid > 0 ? d->grid : 0;
    d->elastic = verify_sizes_may_change(d);
    d->checkpoint = fixed_interval(d->manifest);
    d->share_limit = (uint32_t)limit;
    d->llm_gpus =
        (uint32_t)json_integer_value(json_object_get(cluster, "llm_gpus"));
    enum status st = read_groups(d, groups, err);
    if (st == STATUS_OK)
        st = read_empty(cluster, "vcs_without_nodes", &d->vcs, err);
    if (st == STATUS_OK)
        st = verify_quota_read(d, cluster, err);
    if (st == STATUS_OK)
        st = read_empty(cluster, "types_without_nodes", &d->types, err);
    return st == STATUS_OK ? verify_read_changes(d, changes, err) : st;
}

/* Reads a JSON file. What it says is `wrong` if it is not JSON. */
static enum status verify_read_json(const char *dir, const char *name,
                                    enum status wrong, json_t **out,
                                    struct error *err)
{
    char path[PATH_MAX];
    json_error_t where;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return error_set(err, STATUS_BAD_INPUT, "unable to open %s: %s", path,
                         strerror(errno));
    *out = json_loadf(file, JSON_REJECT_DUPLICATES, &where);
    const bool failed = ferror(file);
    fclose(file);
    if (failed)
        return error_set(err, STATUS_FAILED, "%s: cannot be read", path);
    if (!*out)
        return error_set(err, wrong, "%s:%d: %s",
                         wrong == STATUS_BROKEN ? name : path, where.line,
                         where.text);
    return STATUS_OK;
}

/* Reads the files that the manifest describes. */
static enum status read_files(const char *dir, struct verify_data *data,
                              struct error *err)
{
    char path[PATH_MAX];
    enum status st = verify_read_json(
        dir, "summary.json", data->report ? STATUS_BROKEN : STATUS_BAD_INPUT,
        &data->summary, err);
    if (st == STATUS_OK)
        st = verify_read_rows(dir, data, err);
    snprintf(path, sizeof path, "%s/series.csv", dir);
    return st == STATUS_OK ? read_series(path, data, err) : st;
}

enum status verify_read(const char *dir, enum verify_columns columns,
                        struct verify_report *report, struct verify_data *data,
                        struct error *err)
{
    *data = (struct verify_data){.columns = columns, .report = report};
    arena_init(&data->arena);
    /* Never NULL: a job without attempts has a place in these lists too. */
    data->attempts =
        mem_grow(NULL, &data->cap_attempts, 1, sizeof *data->attempts);
    data->attempt_more =
        mem_grow(NULL, &data->cap_attempt_more, 1, sizeof *data->attempt_more);
    interner_init(&data->vcs);
    interner_init(&data->types);
    interner_init(&data->users);
    data->want_manifest = json_object();
    data->want_summary = json_object();
    enum status st = verify_read_json(dir, "manifest.json", STATUS_BAD_INPUT,
                                      &data->manifest, err);
    const bool is_own = json_object_get(data->manifest, "schedsim") ||
                        json_object_get(data->manifest, "outputs");
    if (st == STATUS_OK && report && is_own)
        verify_keys_forms(data, "manifest", data->manifest, report);
    if (st == STATUS_OK)
        st = verify_read_manifest(data, err);
    /* a manifest of this program can be read; what it says is wrong */
    if (st == STATUS_BAD_INPUT && report && is_own)
        st = err->status = STATUS_BROKEN;
    if (st == STATUS_OK && report)
        st = verify_digests(dir, data, report, err);
    if (st == STATUS_OK)
        st = read_files(dir, data, err);
    if (st != STATUS_OK)
        verify_data_fini(data);
    return st;
}

void verify_data_fini(struct verify_data *data)
{
    free(data->jobs);
    free(data->attempts);
    free(data->job_more);
    free(data->told);
    free(data->attempt_more);
    free(data->attempt_lines);
    free(data->classes);
    free(data->deadlines);
    for (unsigned g = 0; g < VERIFY_GROUPS; g++)
        free(data->sums[g]);
    free(data->ranges);
    free(data->nodes);
    free(data->samples);
    interner_fini(&data->vcs);
    interner_fini(&data->types);
    interner_fini(&data->users);
    json_decref(data->manifest);
    json_decref(data->summary);
    json_decref(data->want_manifest);
    json_decref(data->want_summary);
    arena_fini(&data->arena);
}
