/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks manifest.json: the digests of the files, and what it repeats. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "sim/results/report.h"
#include "sim/verify/verify_internal.h"

/* Checks that the files of a result are listed in the manifest exactly if they
 * are there. */
static void manifest_check_listed(const char *dir, const json_t *outputs,
                                  struct verify_report *report)
{
    for (const struct column *file = result_files; file->name; file++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", dir, file->name);
        const bool needed = strcmp(file->name, "jobs.csv") == 0 ||
                            strcmp(file->name, "series.csv") == 0 ||
                            strcmp(file->name, "summary.json") == 0;
        if (json_object_get(outputs, file->name) ||
            strcmp(file->name, "manifest.json") == 0)
            continue;
        if (needed || access(path, F_OK) == 0)
            verify_say(report, "manifest.json: outputs: '%s' is not listed",
                       file->name);
    }
}

enum status verify_digests(const char *dir, const struct verify_data *data,
                           struct verify_report *report, struct error *err)
{
    enum status st = STATUS_OK;
    const char *name;
    json_t *value, *outputs = json_object_get(data->manifest, "outputs");
    manifest_check_listed(dir, outputs, report);
    json_object_foreach(outputs, name, value)
    {
        char path[PATH_MAX], hex[65];
        if (st != STATUS_OK)
            break;
        snprintf(path, sizeof path, "%s/%s", dir, name);
        const char *want = json_string_value(value);
        if (strchr(name, '/') || !want)
            verify_say(report, "manifest.json: outputs: '%.100s' is not a file",
                       name);
        else if ((st = digest_file(path, hex, err)) == STATUS_OK &&
                 strcmp(hex, want) != 0)
            verify_say(report,
                       "%s: was changed after the run wrote it (its "
                       "SHA-256 is not that in manifest.json)",
                       name);
    }
    return st;
}

/* Returns the value at a path such as "provenance.options.seed"; NULL: none. */
static const json_t *manifest_value(const struct verify_data *data,
                                    const char *path)
{
    const json_t *value = data->manifest;
    struct text rest = text_from(path);
    while (rest.len) {
        char key[64];
        struct text word = text_split(rest, '.', &rest);
        snprintf(key, sizeof key, "%.*s", TEXT_ARGS(word));
        value = json_object_get(value, key);
    }
    return value;
}

/* Gives a text of the part `of` of the manifest; "": of its root. */
static void manifest_expect(const struct verify_data *data, const char *of,
                            const char *key, json_t *value)
{
    json_t *part =
        *of ? json_object_get(data->want_manifest, of) : data->want_manifest;
    if (!part) {
        part = json_object();
        json_object_set_new(data->want_manifest, of, part);
    }
    json_object_set_new(part, key, value);
}

/* Gives the seed: the option, or 0 if it was not given; what the manifest says
 * if it has no `provenance`, which alone tells. */
static void manifest_expect_seed(const struct verify_data *data)
{
    const json_t *seed =
        manifest_value(data, json_object_get(data->manifest, "provenance")
                                 ? "provenance.options.seed"
                                 : "seed");
    manifest_expect(data, "", "seed",
                    seed ? json_deep_copy(seed) : json_string("0"));
}

/* Checks that each note is about a setting. */
static void manifest_check_notes(const struct verify_data *data,
                                 struct verify_report *report)
{
    const json_t *settings = json_object_get(data->manifest, "configuration");
    json_t *wants = json_array(), *note;
    size_t i;
    json_array_foreach(json_object_get(data->manifest, "notes"), i, note)
    {
        const char *about = json_string_value(json_object_get(note, "about"));
        const char *colon = about ? strstr(about, ": ") : NULL;
        char owner[256] = "";
        if (colon)
            snprintf(owner, sizeof owner, "%.*s", (int)(colon - about), about);
        if (!colon ||
            !json_object_get(json_object_get(settings, owner), colon + 2))
            verify_say(report, "manifest.notes.%zu.about: is no setting", i);
        json_array_append_new(wants, json_pack("{s:O?}", "about",
                                               json_object_get(note, "about")));
    }
    json_object_set_new(data->want_manifest, "notes", wants);
}

/* Checks that figures name sources that exist. */
static void manifest_check_sources(const struct verify_data *data,
                                   struct verify_report *report)
{
    const json_t *workloads = json_object_get(data->manifest, "workloads");
    const json_int_t n =
        (json_int_t)json_array_size(json_object_get(workloads, "sources"));
    json_t *profile, *figure;
    const char *key;
    size_t i;
    json_array_foreach(json_object_get(workloads, "profiles"), i, profile)
        json_object_foreach(json_object_get(profile, "figures"), key, figure)
    {
        if (json_integer_value(json_object_get(figure, "source")) >= n)
            verify_say(report,
                       "manifest.workloads.profiles.%zu.figures.%.40s.source: "
                       "is not in sources",
                       i, key);
    }
}

/* Checks the answers of a language model: a recording or a server gave them, or
 * nobody did. */
static void manifest_check_model(const struct verify_data *data,
                                 struct verify_report *report)
{
    json_int_t asked, hits, served, misses;
    const json_t *model = manifest_value(data, "provenance.language_model");
    if (model &&
        json_unpack((json_t *)(uintptr_t)model, "{s:I, s:I, s:I, s:I}", "asked",
                    &asked, "hits", &hits, "served", &served, "misses",
                    &misses) == 0 &&
        hits + served + misses != asked)
        verify_say(report, "manifest.provenance.language_model.asked, hits, "
                           "served, misses: do not add up");
}

/* The name of a policy or placer, up to its layers. */
static void manifest_check_name(const struct verify_data *data,
                                const char *what, struct verify_report *report)
{
    char path[64];
    const char *have = json_string_value(json_object_get(data->manifest, what));
    snprintf(path, sizeof path, "configuration.%s.name", what);
    const char *want = json_string_value(manifest_value(data, path));
    const size_t n = have ? strcspn(have, "+:") : 0;
    if (!have || !want || strlen(want) != n || strncmp(have, want, n) != 0)
        verify_say(report,
                   "manifest.%s: is '%.60s', configuration.%s.name is "
                   "'%.60s'",
                   what, have ? have : "", what, want ? want : "");
}

void verify_manifest(const struct verify_data *data,
                     struct verify_report *report)
{
    json_int_t rows = (json_int_t)data->n_jobs;
    const char *key;
    json_t *value;
    json_object_foreach(
        (json_t *)(uintptr_t)manifest_value(data, "input.dropped"), key, value)
        rows += json_integer_value(value);
    manifest_expect(data, "input", "rows", json_integer(rows));
    manifest_expect(data, "input", "jobs",
                    json_integer((json_int_t)data->n_jobs));
    manifest_expect_seed(data);
    const json_t *gpus =
        manifest_value(data, "configuration.schedmate.llm_gpus");
    uint64_t n = 0;
    if (gpus && text_to_u64(text_from(json_string_value(gpus)), &n) && n > 0)
        manifest_expect(data, "cluster", "llm_gpus",
                        json_integer((json_int_t)n));
    manifest_check_name(data, "policy", report);
    manifest_check_name(data, "placer", report);
    manifest_check_notes(data, report);
    manifest_check_sources(data, report);
    manifest_check_model(data, report);
    for (size_t i = 0; i < data->n_jobs; i++) {
        if (data->jobs[i].ended && data->jobs[i].finish > data->end &&
            data->jobs[i].n_attempts) {
            verify_say(report, "manifest.end_s: is %.6f, but job %s ends later",
                       span_seconds(data->end), data->jobs[i].id);
            break;
        }
    }
}
