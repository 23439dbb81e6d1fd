/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.json: everything that is needed to repeat a result and to check it.
 * Only the last object, "provenance" (sim/results/manifest.h), depends on
 * when and where the run was made. */

#include <csv.h>
#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <schedsim_commit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/library.h"
#include "base/out.h"
#include "policies/quota/quota.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"
#include "sim/run/run.h"

struct json_stream;

/* Writes the settings in force to the manifest. */

struct known;

static void options(struct json_stream *js, const struct provenance *p);
static void nodes(struct json_stream *js, const struct cluster *c);
static void cluster(struct json_stream *js, const struct run_result *run);
static void manifest_figures(struct json_stream *js,
                             const struct usage *profile,
                             const struct known *known);
static void profiles(struct json_stream *js, const struct known *known);

/* Returns all values of the key "name" that have the owner of `first`: for a
 * chain the names of its layers, top first, "advisor,history". */
static const char *manifest_names_of(const struct run_setting *first,
                                     const struct run_setting *end, char *buf,
                                     size_t room)
{
    size_t n = 0;
    buf[0] = '\0';
    for (const struct run_setting *s = first; s < end && n + 1 < room; s++) {
        if (s->owner == first->owner && strcmp(s->key, "name") == 0)
            n += (size_t)snprintf(buf + n, room - n, "%s%s", n ? "," : "",
                                  s->value);
    }
    return buf;
}

/* Writes the settings of the owner of `first`: each key once, with its last
 * value. Only of the key "name" are all values listed. */
static void manifest_settings_of(struct json_stream *js,
                                 const struct run_setting *first,
                                 const struct run_setting *end)
{
    char names[512];
    json_stream_object(js, first->owner);
    for (const struct run_setting *s = first; s < end; s++) {
        const char *value = s->value;
        bool repeated = false;
        if (s->owner != first->owner)
            continue;
        for (const struct run_setting *t = first; t < s && !repeated; t++)
            repeated = t->owner == s->owner && strcmp(t->key, s->key) == 0;
        for (const struct run_setting *t = s + 1; t < end; t++) {
            if (t->owner == s->owner && strcmp(t->key, s->key) == 0)
                value = t->value;
        }
        if (strcmp(s->key, "name") == 0)
            value = manifest_names_of(first, end, names, sizeof names);
        if (!repeated)
            json_stream_text(js, s->key, value);
    }
    json_stream_object_end(js);
}

/* Writes the member "configuration": for each owner of settings
 * (run_setting.owner, such as "policy sjf") an object with its keys and values.
 * The last value of a key counts, but "name" has all of them, such as those of
 * the estimators of a chain, top first: "advisor,history". */
static void manifest_settings(struct json_stream *js,
                              const struct run_result *run)
{
    const struct run_setting *all = run->settings, *end = all + run->n_settings;
    json_stream_object(js, "configuration");
    for (const struct run_setting *s = all; s < end; s++) {
        bool known = false;
        for (const struct run_setting *t = all; t < s && !known; t++)
            known = t->owner == s->owner;
        if (!known)
            manifest_settings_of(js, s, end);
    }
    json_stream_object_end(js);
}

static const char *given(const struct provenance *p, const char *name)
{
    for (size_t i = 0; i < p->n_options; i++) {
        if (strcmp(p->options[i].name, name) == 0)
            return p->options[i].text;
    }
    return NULL;
}

/* Writes under "selection" which jobs of the trace were selected, with the
 * options as the user typed them. */
static void provenance_selection(struct json_stream *js,
                                 const struct provenance *p)
{
    static const char *const names[] = {"vc", "from", "to", "jobs"};
    json_stream_object(js, "selection");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = given(p, names[i]);
        if (text)
            json_stream_text(js, names[i], text);
    }
    json_stream_object_end(js);
}

static void options(struct json_stream *js, const struct provenance *p)
{
    json_stream_object(js, "options");
    json_stream_text(js, "trace", p->trace);
    for (size_t i = 0; i < p->n_options; i++)
        json_stream_text(js, p->options[i].name, p->options[i].text);
    json_stream_object_end(js);
}

/* Writes the crop of the timeline as typed, so that `rerun` repeats it. */
static void timeline(struct json_stream *js, const struct timeline_wish *wish)
{
    if (!wish || !(wish->from || wish->to || wish->n_vcs))
        return;
    json_stream_object(js, "timeline");
    if (wish->from)
        json_stream_text(js, "from", wish->from);
    if (wish->to)
        json_stream_text(js, "to", wish->to);
    json_stream_array(js, "vcs");
    for (size_t i = 0; i < wish->n_vcs; i++)
        json_stream_text(js, NULL, wish->vcs[i]);
    json_stream_array_end(js);
    json_stream_object_end(js);
}

static void provenance_files(struct json_stream *js,
                             const struct run_result *run)
{
    json_stream_array(js, "files");
    for (size_t i = 0; i < run->n_files; i++) {
        const struct run_file *file = &run->files[i];
        json_stream_object(js, NULL);
        json_stream_text(js, "what", file->what);
        json_stream_text(js, "path", file->path);
        json_stream_text(js, "sha256", file->sha256);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
}

static void model(struct json_stream *js, const struct provenance_model *m)
{
    if (!m->backend)
        return;
    json_stream_object(js, "language_model");
    json_stream_text(js, "backend", m->backend);
    json_stream_whole(js, "asked", (int64_t)m->asked);
    json_stream_whole(js, "hits", (int64_t)m->hits);
    json_stream_whole(js, "served", (int64_t)m->served);
    json_stream_whole(js, "misses", (int64_t)m->misses);
    json_stream_object_end(js);
}

static void numbers_text(void *function, char text[32])
{
    int v[3];
    ((void (*)(int *, int *, int *))function)(&v[0], &v[1], &v[2]);
    snprintf(text, 32, "%d.%d.%d", v[0], v[1], v[2]);
}

static void glpk_text(void *function, char text[32])
{
    snprintf(text, 32, "%s", ((const char *(*)(void))function)());
}

/* Libraries that are loaded on demand. The manifest lists only those that this
 * run has loaded. */
static const struct {
    const char *name, *files[3], *function;
    void (*text)(void *function, char text[32]);
} loaded[] = {
    {.name = "glpk",
     .files = {"libglpk.so.40", "libglpk.so"},
     .function = "glp_version",
     .text = glpk_text},
    {.name = "nlopt",
     .files = {"libnlopt.so.0", "libnlopt.so"},
     .function = "nlopt_version",
     .text = numbers_text},
    {.name = "xgboost",
     .files = {"libxgboost.so.0", "libxgboost.so"},
     .function = "XGBoostVersion",
     .text = numbers_text},
};

#define TEXT_OF(number) #number

#define NUMBERS(major, minor, release) \
    TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)

static void libraries(struct json_stream *js)
{
    json_stream_object(js, "libraries");
    json_stream_text(js, "glibc", gnu_get_libc_version());
    json_stream_text(js, "gsl", gsl_version);
    json_stream_text(js, "jansson", jansson_version_str());
    json_stream_text(js, "libcsv", NUMBERS(CSV_MAJOR, CSV_MINOR, CSV_RELEASE));
    json_stream_text(js, "openssl", OpenSSL_version(OPENSSL_VERSION_STRING));
    json_stream_text(js, "zlib", zlibVersion());
    json_stream_text(js, "zstd", ZSTD_versionString());
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++) {
        char text[32];
        void *function = library_loaded(loaded[i].files, loaded[i].function);
        if (!function)
            continue;
        loaded[i].text(function, text);
        json_stream_text(js, loaded[i].name, text);
    }
    json_stream_object_end(js);
}

const char *provenance_commit(void)
{
    return SCHEDSIM_COMMIT;
}

/* Writes the object "provenance". */
static void provenance_write(struct json_stream *js, const struct provenance *p,
                             const struct run_result *run)
{
    char directory[PATH_MAX];
    json_stream_object(js, "provenance");
    json_stream_array(js, "arguments");
    for (int i = 0; i < p->argc; i++)
        json_stream_text(js, NULL, p->argv[i]);
    json_stream_array_end(js);
    if (getcwd(directory, sizeof directory))
        json_stream_text(js, "directory", directory);
    options(js, p);
    timeline(js, p->timeline);
    provenance_files(js, run);
    model(js, &p->model);
    json_stream_text(js, "commit", provenance_commit());
#ifdef __clang__
    json_stream_text(js, "compiler", "clang " __clang_version__);
#else
    json_stream_text(js, "compiler", "gcc " __VERSION__);
#endif
    libraries(js);
    json_stream_object_end(js);
}

const char *provenance_version(void)
{
    return SCHEDSIM_VERSION " " SCHEDSIM_COMMIT;
}

size_t provenance_start(struct text manifest)
{
    static const char key[] = ",\n  \"provenance\": {";
    const char *at = memmem(manifest.at, manifest.len, key, strlen(key));
    return at ? (size_t)(at - manifest.at) : manifest.len;
}

const struct column manifest_keys[] = {
    {.name = "schema_version",
     .unit = "",
     .rule = "count, always 1",
     .help = "version of the format of this file; raised when a key is removed "
             "or changes its meaning"},
    {.name = "schedsim",
     .unit = "",
     .rule = "text, given",
     .help = "version of the program"},
    {.name = "series_interval_s",
     .unit = "s",
     .rule = "time, bounds series",
     .help = "time between rows of series.csv"},
    {.name = "columns",
     .unit = "",
     .rule = "list?, given",
     .help = "the columns of jobs.csv, if `--columns` chose them"},
    {.name = "input",
     .unit = "",
     .rule = "object, given",
     .help = "the trace: format, SHA-256 of its bytes as stored, rows, jobs, "
             "what was dropped and why; `selection`: `--vc`, `--from`, `--to` "
             "and `--jobs` as given"},
    {.name = "counted",
     .unit = "",
     .rule = "object?, given",
     .help = "only with `--warmup` or `--cooldown`: `jobs`, the number of jobs "
             "that the metrics of jobs count: those submitted from `from_s` to "
             "`to_s`, both included, in seconds since the first submission"},
    {.name = "files",
     .unit = "",
     .rule = "list, given",
     .help = "SHA-256 of each file that was read; for a directory, of the "
             "lines `PATH DIGEST` of its files"},
    KEY("policy", "", "text, bounds manifest",
        "its name, with those of its layers"),
    KEY("placer", "", "text, bounds manifest", "placer of the policy"),
    KEY("rules", "", "text, given", "the preset of --conventions"),
    KEY("seed", "", "text, law manifest", "of all draws, a whole number"),
    KEY("end_s", "s", "time, bounds manifest",
        "last move of a job, or the time at which a limit ended the run"),
    KEY("unit_rates", "", "flag, bounds attempts",
        "true: all work of the run was done at rate 1"),
    KEY("events", "", "count, given", "that the engine handled"),
    KEY("decisions", "", "count, given", "times that the policy was asked"),
    {.name = "remarks",
     .unit = "",
     .rule = "list, given",
     .help = "what a reader of the result must know, the gravest first"},
    {.name = "remark_ranks",
     .unit = "",
     .rule = "list, given",
     .help = "by remark: `conclusion`, if the numbers alone mislead, "
             "`numbers`, if an assumption or omission moves them, or "
             "`detail`"},
    {.name = "configuration",
     .unit = "",
     .rule = "object, given",
     .help = "every setting in force by its owner, defaults included; for a "
             "file its SHA-256"},
    {.name = "cluster",
     .unit = "",
     .rule = "object, given",
     .help = "nodes, and their changes during the run; "
             "`vcs_without_nodes` and `types_without_nodes`: names that no "
             "node has; `quotas`: those that the layer quota keeps, `parent` "
             "being a row of this list"},
    {.name = "notes",
     .unit = "",
     .rule = "list, given",
     .help = "sources of numbers that were not measured on this cluster"},
    {.name = "workloads",
     .unit = "",
     .rule = "object?, given",
     .help = "figures of what the jobs train, with their sources"},
    {.name = "outputs",
     .unit = "",
     .rule = "object, given",
     .help = "SHA-256 of the other files"},
    {.name = "provenance",
     .unit = "",
     .rule = "object?, given",
     .help = "the last object: how and by which program the result was made. "
             "It differs between machines and builds and is left out where "
             "results are compared; without it (`jq 'del(.provenance)'`) equal "
             "runs have equal bytes"},
    {.name = NULL},
};

const struct column provenance_keys[] = {
    {.name = "arguments",
     .unit = "",
     .rule = "list, given",
     .help = "arguments of the command line, as given"},
    {.name = "directory",
     .unit = "",
     .rule = "text?, given",
     .help = "where the run was started; relative paths lead from there"},
    {.name = "options",
     .unit = "",
     .rule = "object, given",
     .help = "options that decide the result, as given on the command line or "
             "in a `--config` file; other options have their defaults"},
    {.name = "timeline",
     .unit = "",
     .rule = "object?, given",
     .help = "only if the timeline was cropped: `--timeline=from`, "
             "`to` and `vc` as given"},
    {.name = "files",
     .unit = "",
     .rule = "list, given",
     .help = "what was read: role, path, SHA-256"},
    {.name = "language_model",
     .unit = "",
     .rule = "object?, given",
     .help = "only if a language model was asked: questions, and how many of "
             "them a recording or a server answered"},
    {.name = "commit",
     .unit = "",
     .rule = "text, given",
     .help = "commit of the sources; `-dirty`: the sources were changed; "
             "`unknown`: built outside their repository"},
    {.name = "compiler",
     .unit = "",
     .rule = "text, given",
     .help = "compiler that built the program"},
    {.name = "libraries",
     .unit = "",
     .rule = "object, given",
     .help = "libraries that this run has loaded, with their versions"},
    {.name = NULL},
};

static bool manifest_same(const char *a, const char *b)
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
static void manifest_files(struct json_stream *js, const struct run_result *run)
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
static const struct pool *manifest_pool_of(const struct cluster *c,
                                           uint32_t node)
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
        const struct pool *pool = manifest_pool_of(c, n);
        count = 1;
        while (n + count < c->n_nodes &&
               manifest_pool_of(c, n + count) == pool &&
               c->nodes[n + count].gpus == node->gpus &&
               c->nodes[n + count].home == node->home)
            count++;
        json_stream_object(js, NULL);
        json_stream_whole(js, "nodes", count);
        json_stream_whole(js, "gpus", node->gpus);
        json_stream_text(js, "type", c->types[pool->type].name);
        json_stream_number(js, "speed", c->types[pool->type].speed);
        json_stream_text(js, "vc", cluster_home(c, n));
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
        types[manifest_pool_of(c, n)->type] = true;
        if (c->nodes[n].home != UINT16_MAX)
            vcs[c->nodes[n].home] = true;
    }
    for (uint32_t t = 0; t < c->n_types; t++)
        names[t] = c->types[t].name;
    name_list(js, "vcs_without_nodes", c->vcs, vcs, c->n_vcs);
    name_list(js, "types_without_nodes", names, types, c->n_types);
    free(vcs);
    free(types);
    free(names);
}

static void manifest_put_limit(struct json_stream *js, const char *key,
                               int64_t limit)
{
    if (limit != QUOTA_NO_LIMIT)
        json_stream_whole(js, key, limit);
}

static void manifest_put_rule(struct json_stream *js, const char *key,
                              enum quota_rule rule, enum quota_rule usual)
{
    static const char *const words[] = {[QUOTA_NEVER] = "never",
                                        [QUOTA_LOWER] = "lower",
                                        [QUOTA_LOWER_OR_NEWER] =
                                            "lower-or-newer",
                                        [QUOTA_ANY] = "any"};
    if (rule != usual)
        json_stream_text(js, key, words[rule]);
}

/* Lists the quotas that the run keeps, each after its parent. */
static void manifest_put_quotas(struct json_stream *js,
                                const struct quota_tree *tree)
{
    json_stream_array(js, "quotas");
    for (uint32_t i = 0; i < tree->n; i++) {
        const struct quota_node *node = &tree->nodes[i];
        json_stream_object(js, NULL);
        json_stream_text(js, node->is_queue ? "vc" : "cohort", node->name);
        if (node->parent != QUOTA_NO_PARENT)
            json_stream_whole(js, "parent", node->parent);
        json_stream_whole(js, "nominal", node->nominal);
        manifest_put_limit(js, "borrowing_limit", node->borrowing_limit);
        manifest_put_limit(js, "lending_limit", node->lending_limit);
        if (node->is_queue) {
            manifest_put_rule(js, "reclaim", node->reclaim, QUOTA_ANY);
            manifest_put_rule(js, "within", node->within, QUOTA_NEVER);
        }
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
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
    if (run->quotas)
        manifest_put_quotas(js, run->quotas);
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
    while (i < known->n_sources && !manifest_same(known->sources[i], source))
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

static void manifest_figures(struct json_stream *js,
                             const struct usage *profile,
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
        manifest_figures(js, p, known);
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

static void manifest_columns(struct json_stream *js,
                             const struct column_choice *choice)
{
    unsigned at = 0;
    const char *name;
    json_stream_array(js, "columns");
    while ((name = column_choice_next(choice, &at)))
        json_stream_text(js, NULL, name);
    json_stream_array_end(js);
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
    if (results.columns)
        manifest_columns(js, results.columns);
    input(js, run, results.provenance);
    counted(js, &run->counted);
    manifest_files(js, run);
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

const struct column identity_columns[] = {
    {.name = "trace",
     .unit = "",
     .rule = "digest, manifest input.sha256",
     .help = "SHA-256 of the trace"},
    {.name = "jobs",
     .unit = "jobs",
     .rule = "text, law summary",
     .help = "those of the trace that were simulated"},
    {.name = "first_submission",
     .unit = "",
     .rule = "date, manifest input.time_zero",
     .help = "of these jobs: a date of UTC"},
    {.name = "cluster",
     .unit = "",
     .rule = "digest, given",
     .help = "SHA-256 of the numbers of nodes by virtual cluster, GPU type, "
             "speed and GPUs a node; which of them profile does not count"},
    {.name = "policy",
     .unit = "",
     .rule = "text, manifest policy",
     .help = "its name, without its settings"},
    {.name = "rules",
     .unit = "",
     .rule = "text, manifest rules",
     .help = "the preset of --conventions"},
    {.name = "counted",
     .unit = "s",
     .rule = "text?, law counted",
     .help = "first and last submission that the metrics of jobs count; only "
             "with `--warmup` or `--cooldown`"},
    {.name = NULL},
};

static int manifest_by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns virtual cluster, GPU type and number of GPUs of a node, packed into
 * one number. */
static uint64_t manifest_kind_of(const struct cluster *c, uint32_t node)
{
    const struct pool *pool = &c->pools[c->nodes[node].pool];
    pool = pool->loan ? &c->pools[pool->home] : pool;
    return (uint64_t)c->nodes[node].home << 32 | (uint64_t)pool->type << 16 |
           c->nodes[node].gpus;
}

static void write_kinds(const struct cluster *c, struct out *out)
{
    uint64_t *kinds = mem_alloc((c->n_nodes + 1) * sizeof *kinds);
    for (uint32_t i = 0; i < c->n_nodes; i++)
        kinds[i] = manifest_kind_of(c, i);
    qsort(kinds, c->n_nodes, sizeof *kinds, manifest_by_value);
    for (uint32_t i = 0, n; i < c->n_nodes; i += n) {
        const struct gpu_type_spec *type = &c->types[kinds[i] >> 16 & 0xffff];
        for (n = 1; i + n < c->n_nodes && kinds[i + n] == kinds[i];)
            n++;
        out_printf(out, "%" PRIu32 "x%u ", n, (unsigned)(kinds[i] & 0xffff));
        out_double(out, type->speed);
        uint16_t home = (uint16_t)(kinds[i] >> 32);
        out_printf(out, " %s\n%s\n", type->name,
                   home == UINT16_MAX ? "all" : c->vcs[home]);
    }
    free(kinds);
}

static const char *cluster_digest(const struct cluster *c, struct arena *arena)
{
    char hex[DIGEST_HEX_MAX];
    struct out *out = out_to_memory();
    struct digest *digest = digest_new();
    write_kinds(c, out);
    digest_add(digest, out_memory(out).at, out_memory(out).len);
    digest_end(digest, hex);
    out_abandon(out);
    return arena_copy(arena, hex, strlen(hex));
}

static const char *counted_text(const struct counted *counted,
                                struct arena *arena)
{
    char text[2 * SPAN_TEXT_MAX + 4];
    size_t n = 0;
    if (counted->some) {
        n = span_to_text(counted->from, text);
        memcpy(text + n, " to ", 4);
        n += 4 + span_to_text(counted->to, text + n + 4);
    }
    return arena_copy(arena, text, n);
}

void identity_of(const struct run_result *run, struct arena *arena,
                 struct identity *out)
{
    const struct jobset *w = &run->jobset;
    char jobs[U64_TEXT_MAX], zero[TIME_TEXT_MAX], utc[TIME_TEXT_MAX + 1];
    time_to_text(w->zero, zero);
    snprintf(utc, sizeof utc, "%sZ", zero);
    *out = (struct identity){
        .values =
            {
                arena_copy(arena, w->digest, strlen(w->digest)),
                arena_copy(arena, jobs, u64_to_text(w->n_jobs, jobs)),
                arena_copy(arena, utc, strlen(utc)),
                cluster_digest(&run->cluster, arena),
                arena_copy(arena, run->policy, strlen(run->policy)),
                arena_copy(arena, run->conventions, strlen(run->conventions)),
                counted_text(&run->counted, arena),
            },
        .cluster_name =
            arena_copy(arena, run->cluster_name, strlen(run->cluster_name))};
}

void identity_write(struct json_stream *js, const struct run_result *run)
{
    const size_t n = run->counted.some ? IDENTITY_N : IDENTITY_COUNTED;
    struct identity identity;
    struct arena arena;
    arena_init(&arena);
    identity_of(run, &arena, &identity);
    json_stream_object(js, "identity");
    for (size_t i = 0; i < n; i++)
        json_stream_text(js, identity_columns[i].name, identity.values[i]);
    json_stream_object_end(js);
    arena_fini(&arena);
}
