/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.json: everything that is needed to repeat a result and to check it.
 * Only the last object, "provenance" (sim/results/provenance.h), depends on
 * when and where the run was made. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_stream.h"
#include "sim/results/manifest_internal.h"
#include "sim/results/provenance.h"
#include "sim/results/report.h"

const struct column manifest_keys[] = {
    {.name = "schema_version",
     .unit = "",
     .help = "version of the format of this file; raised when a key is removed "
             "or changes its meaning"},
    {.name = "schedsim", .unit = "", .help = "version of the program"},
    {.name = "series_interval_s",
     .unit = "s",
     .help = "time between rows of series.csv"},
    {.name = "input",
     .unit = "",
     .help = "the trace: format, SHA-256 of its bytes as stored, rows, jobs, "
             "what was dropped and why; `selection`: `--vc`, `--from`, `--to` "
             "and `--jobs` as given"},
    {.name = "counted",
     .unit = "",
     .help = "only with `--warmup` or `--cooldown`: `jobs`, the number of jobs "
             "that the metrics of jobs count: those submitted from `from_s` to "
             "`to_s`, both included, in seconds since the first submission"},
    {.name = "files",
     .unit = "",
     .help = "SHA-256 of each file that was read; for a directory, of the "
             "lines `PATH DIGEST` of its files"},
    {.name = "remarks",
     .unit = "",
     .help = "what a reader of the result must know, the gravest first"},
    {.name = "remark_ranks",
     .unit = "",
     .help = "by remark: `conclusion`, if the numbers alone mislead, "
             "`numbers`, if an assumption or omission moves them, or "
             "`detail`"},
    {.name = "configuration",
     .unit = "",
     .help = "every setting in force by its owner, defaults included; for a "
             "file its SHA-256"},
    {.name = "cluster",
     .unit = "",
     .help = "nodes, and their changes during the run; "
             "`vcs_without_nodes` and `types_without_nodes`: names that no "
             "node has"},
    {.name = "notes",
     .unit = "",
     .help = "sources of numbers that were not measured on this cluster"},
    {.name = "workloads",
     .unit = "",
     .help = "figures of what the jobs train, with their sources"},
    {.name = "outputs", .unit = "", .help = "SHA-256 of the other files"},
    {.name = "provenance",
     .unit = "",
     .help = "the last object: how and by which program the result was made. "
             "It differs between machines and builds and is left out where "
             "results are compared; without it (`jq 'del(.provenance)'`) equal "
             "runs have equal bytes"},
    {.name = NULL},
};

const struct column provenance_keys[] = {
    {.name = "arguments",
     .unit = "",
     .help = "arguments of the command line, as given"},
    {.name = "directory",
     .unit = "",
     .help = "where the run was started; relative paths lead from there"},
    {.name = "options",
     .unit = "",
     .help = "options that decide the result, as given on the command line or "
             "in a `--config` file; other options have their defaults"},
    {.name = "timeline",
     .unit = "",
     .help = "only if the timeline was cropped: `--timeline-from`, "
             "`--timeline-to` and `--timeline-vc` as given"},
    {.name = "files", .unit = "", .help = "what was read: role, path, SHA-256"},
    {.name = "language_model",
     .unit = "",
     .help = "only if a language model was asked: questions, and how many of "
             "them a recording or a server answered"},
    {.name = "commit",
     .unit = "",
     .help = "commit of the sources; `-dirty`: the sources were changed; "
             "`unknown`: built outside their repository"},
    {.name = "compiler", .unit = "", .help = "compiler that built the program"},
    {.name = "libraries",
     .unit = "",
     .help = "libraries that this run has loaded, with their versions"},
    {.name = NULL},
};

static bool same(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

static void input(struct json_stream *js, const struct run_result *run,
                  const struct provenance *provenance)
{
    const struct jobset *w = &run->jobset;
    char zero[TIME_TEXT_MAX], utc[TIME_TEXT_MAX + 1];
    time_to_text(w->zero, zero);
    json_stream_object(js, "input");
    json_stream_text(js, "format", w->format);
    json_stream_text(js, "sha256", w->digest);
    json_stream_whole(js, "rows", (int64_t)w->n_rows);
    json_stream_whole(js, "jobs", w->n_jobs);
    json_stream_object(js, "dropped");
    for (unsigned i = 0; i < LOAD_N_REASONS; i++) {
        if (w->dropped[i])
            json_stream_whole(js, load_reason_words((enum load_reason)i),
                              (int64_t)w->dropped[i]);
    }
    json_stream_object_end(js);
    snprintf(utc, sizeof utc, "%sZ", zero);
    json_stream_text(js, "time_zero", utc);
    if (provenance)
        provenance_selection(js, provenance);
    json_stream_object_end(js);
}

/* Writes which jobs count, if not all do. */
static void counted(struct json_stream *js, const struct counted *c)
{
    if (!c->some)
        return;
    json_stream_object(js, "counted");
    json_stream_text(js, "warmup", c->warmup ? c->warmup : "0");
    json_stream_text(js, "cooldown", c->cooldown ? c->cooldown : "0");
    json_stream_span(js, "from_s", c->from);
    json_stream_span(js, "to_s", c->to);
    json_stream_whole(js, "jobs", c->n_jobs);
    json_stream_object_end(js);
}

/* Lists the files that were read, by their digests. Paths are in the
 * provenance, because they differ between machines. */
static void files(struct json_stream *js, const struct run_result *run)
{
    json_stream_array(js, "files");
    for (size_t i = 0; i < run->n_files; i++) {
        json_stream_object(js, NULL);
        json_stream_text(js, "what", run->files[i].what);
        json_stream_text(js, "sha256", run->files[i].sha256);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

/* Returns the pool in which the cluster file puts a node, even if the node is
 * lent to another pool now. */
static const struct pool *pool_of(const struct cluster *c, uint32_t node)
{
    const struct pool *pool = &c->pools[c->nodes[node].pool];
    return pool->loan ? &c->pools[pool->home] : pool;
}

/* Lists the nodes in the order of their numbers; equal neighbours form one
 * row. */
static void nodes(struct json_stream *js, const struct cluster *c)
{
    json_stream_array(js, "groups");
    for (uint32_t n = 0, count; n < c->n_nodes; n += count) {
        const struct node *node = &c->nodes[n];
        const struct pool *pool = pool_of(c, n);
        count = 1;
        while (n + count < c->n_nodes && pool_of(c, n + count) == pool &&
               c->nodes[n + count].gpus == node->gpus)
            count++;
        json_stream_object(js, NULL);
        json_stream_whole(js, "nodes", count);
        json_stream_whole(js, "gpus", node->gpus);
        json_stream_text(js, "type", c->types[pool->type].name);
        json_stream_number(js, "speed", c->types[pool->type].speed);
        json_stream_text(js, "vc", c->vcs[pool->vc]);
        json_stream_bool(js, "profiler", pool->profiler);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

/* Writes a list of the names that no node has, if there are any. `named`: true
 * for each name that some node has. */
static void name_list(struct json_stream *js, const char *key,
                      const char *const *names, const bool *named, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (named[i])
            continue;
        if (!any)
            json_stream_array(js, key);
        any = true;
        json_stream_text(js, NULL, names[i]);
    }
    if (any)
        json_stream_array_end(js);
}

/* Names the virtual clusters and types that have no node, because jobs and rows
 * of the series may still name them. */
static void without_nodes(struct json_stream *js, const struct cluster *c)
{
    bool *vcs = mem_zalloc(c->n_vcs, sizeof *vcs),
         *types = mem_zalloc(c->n_types, sizeof *types);
    const char **names = mem_alloc((c->n_types + 1) * sizeof *names);
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        const struct pool *pool = pool_of(c, n);
        vcs[pool->vc] = types[pool->type] = true;
    }
    for (uint32_t t = 0; t < c->n_types; t++)
        names[t] = c->types[t].name;
    name_list(js, "vcs_without_nodes", c->vcs, vcs, c->n_vcs);
    name_list(js, "types_without_nodes", names, types, c->n_types);
    free(vcs);
    free(types);
    free(names);
}

static void cluster(struct json_stream *js, const struct run_result *run)
{
    const struct ledger *ledger = &run->ledger;
    static const char *const words[] = {[LEDGER_NODE_DOWN] = "down",
                                        [LEDGER_NODE_UP] = "up",
                                        [LEDGER_NODE_LENT] = "lent",
                                        [LEDGER_NODE_BACK] = "back"};
    json_stream_object(js, "cluster");
    json_stream_text(js, "name", run->cluster_name);
    json_stream_text(js, "source", run->cluster_source);
    json_stream_whole(js, "share_limit", run->cluster.share_limit);
    nodes(js, &run->cluster);
    without_nodes(js, &run->cluster);
    if (ledger->station.gpus)
        json_stream_whole(js, "llm_gpus", ledger->station.gpus);
    json_stream_array(js, "changes");
    for (size_t i = 0; i < ledger->n_node_changes; i++) {
        const struct node_change *change = &ledger->node_changes[i];
        json_stream_array(js, NULL);
        json_stream_span(js, NULL, change->at);
        json_stream_whole(js, NULL, change->node);
        json_stream_text(js, NULL, words[change->kind]);
        json_stream_text(js, NULL, change->why);
        json_stream_array_end(js);
    }
    json_stream_array_end(js);
    json_stream_object_end(js);
}

/* The rows of usage that jobs of the run have and that hold any figure, and the
 * distinct sources of the figures. A figure names its source by number. */
struct known {
    const struct usage **profiles;
    const char **sources;
    size_t n_profiles, n_sources, cap_profiles, cap_sources;
};

static size_t source_number(const struct known *known, const char *source)
{
    size_t i = 0;
    while (i < known->n_sources && !same(known->sources[i], source))
        i++;
    return i;
}

static void add_profile(struct known *known, const struct usage *profile)
{
    bool any = false;
    for (unsigned f = 0; f < N_FIGURES; f++) {
        const struct figure *figure = &profile->figures[f];
        if (figure->status == FIGURE_UNKNOWN)
            continue;
        any = true;
        if (source_number(known, figure->source) < known->n_sources)
            continue;
        known->sources = mem_grow(known->sources, &known->cap_sources,
                                  known->n_sources + 1, sizeof *known->sources);
        known->sources[known->n_sources++] = figure->source;
    }
    if (!any)
        return;
    known->profiles = mem_grow(known->profiles, &known->cap_profiles,
                               known->n_profiles + 1, sizeof *known->profiles);
    known->profiles[known->n_profiles++] = profile;
}

static void figures(struct json_stream *js, const struct usage *profile,
                    const struct known *known)
{
    static const char *const words[] = {"unknown", "measured", "fitted",
                                        "assumed"};
    json_stream_object(js, "figures");
    for (unsigned f = 0; f < N_FIGURES; f++) {
        const struct figure *figure = &profile->figures[f];
        if (figure->status == FIGURE_UNKNOWN)
            continue;
        json_stream_object(js, figure_name((enum usage_figure)f));
        json_stream_number(js, "value", figure->value);
        json_stream_text(js, "status", words[figure->status]);
        json_stream_whole(js, "source",
                          (int64_t)source_number(known, figure->source));
        json_stream_object_end(js);
    }
    json_stream_object_end(js);
}

static void profiles(struct json_stream *js, const struct known *known)
{
    json_stream_array(js, "profiles");
    for (size_t i = 0; i < known->n_profiles; i++) {
        const struct usage *p = known->profiles[i];
        json_stream_object(js, NULL);
        json_stream_text(js, "model", p->model);
        json_stream_text(js, "dataset", p->dataset);
        json_stream_whole(js, "batch_size", p->batch_size);
        if (p->amp >= 0)
            json_stream_bool(js, "amp", p->amp);
        json_stream_whole(js, "jobs", p->n_jobs);
        json_stream_bool(js, "similar", p->inherited);
        figures(js, p, known);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

/* Writes which models the jobs train, and for each known figure of these models
 * whether it was measured, fitted or assumed. */
static void workloads(struct json_stream *js, const struct run_result *run)
{
    struct known known = {0};
    for (size_t i = 1; i < run->usage.n; i++) {
        if (run->usage.rows[i].n_jobs)
            add_profile(&known, &run->usage.rows[i]);
    }
    if (known.n_profiles) {
        json_stream_object(js, "workloads");
        json_stream_array(js, "sources");
        for (size_t i = 0; i < known.n_sources; i++)
            json_stream_text(js, NULL, known.sources[i]);
        json_stream_array_end(js);
        profiles(js, &known);
        json_stream_object_end(js);
    }
    free(known.sources);
    free(known.profiles);
}

/* Lists the settings that name a source: their values were not measured on this
 * cluster. */
static void notes(struct json_stream *js, const struct run_result *run)
{
    char *about = NULL;
    size_t room = 0;
    json_stream_array(js, "notes");
    for (size_t i = 0; i < run->n_settings; i++) {
        const struct run_setting *s = &run->settings[i];
        if (!s->source || !s->source[0])
            continue;
        size_t need = strlen(s->owner) + strlen(s->key) + sizeof ": ";
        about = mem_grow(about, &room, need, 1);
        snprintf(about, room, "%s: %s", s->owner, s->key);
        json_stream_object(js, NULL);
        json_stream_text(js, "about", about);
        json_stream_text(js, "source", s->source);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
    free(about);
}

static void outputs(struct json_stream *js, const struct result_dir *dir)
{
    json_stream_object(js, "outputs");
    for (unsigned i = 0; i < RESULT_N; i++) {
        const char *digest = result_dir_digest(dir, (enum result_file)i);
        if (digest)
            json_stream_text(js, result_files[i].name, digest);
    }
    json_stream_object_end(js);
}

void report_manifest(struct out *out, struct results results,
                     const struct result_dir *dir)
{
    const struct run_result *run = results.run;
    struct json_stream stream = json_stream_to(out), *js = &stream;
    /* as text, because many JSON readers keep numbers as doubles */
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    json_stream_object(js, NULL);
    json_stream_whole(js, "schema_version", MANIFEST_SCHEMA);
    json_stream_text(js, "schedsim", SCHEDSIM_VERSION);
    if (results.provenance)
        json_stream_number(js, "series_interval_s",
                           span_seconds(results.provenance->interval));
    input(js, run, results.provenance);
    counted(js, &run->counted);
    files(js, run);
    json_stream_text(js, "policy", run->policy);
    json_stream_text(js, "placer", run->placer);
    json_stream_text(js, "rules", run->conventions);
    json_stream_text(js, "seed", seed);
    json_stream_span(js, "end_s", results.end);
    json_stream_bool(js, "unit_rates", results.meter->unit_rates);
    json_stream_whole(js, "events", (int64_t)run->n_events);
    json_stream_whole(js, "decisions", (int64_t)run->n_decisions);
    report_remarks(js, &run->remarks);
    manifest_settings(js, run);
    cluster(js, run);
    notes(js, run);
    workloads(js, run);
    outputs(js, dir);
    if (results.provenance)
        provenance_write(js, results.provenance, run);
    json_stream_object_end(js);
    json_stream_end(js);
}
