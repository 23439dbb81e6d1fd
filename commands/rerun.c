/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/rerun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/json_out.h"
#include "sim/results/provenance.h"
#include "sim/results/report.h"

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const json_t *provenance(const struct rerun *rerun)
{
    return json_object_get(rerun->manifest, "provenance");
}

static enum status check_schema(const struct rerun *rerun, struct error *err)
{
    const json_t *version = json_object_get(rerun->manifest, "schema_version");
    if (!json_is_object(provenance(rerun)) || !json_is_integer(version))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: does not say how its run was made: an older "
                         "version wrote it, or it has been changed",
                         rerun->path);
    if (json_integer_value(version) != MANIFEST_SCHEMA)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: has schema_version %lld; this program reads %d",
                         rerun->path, (long long)json_integer_value(version),
                         MANIFEST_SCHEMA);
    return STATUS_OK;
}

static enum status check_sources(const struct rerun *rerun, struct error *err)
{
    const struct run_config *c = &rerun->options.config;
    bool trace = c->trace && strcmp(c->trace, "-") == 0;
    if (!c->trace)
        return error_set(err, STATUS_BAD_INPUT, "%s: names no trace",
                         rerun->path);
    if (trace || (c->train && strcmp(c->train, "-") == 0))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: its %s was standard input, which is gone; save "
                         "it as a file and run it with --config %s",
                         rerun->path, trace ? "trace" : "--train", rerun->path);
    return STATUS_OK;
}

/* Reads whether the result has a timeline, and to which times and virtual
 * clusters it is limited. The texts are borrowed from the manifest. */
static void read_timeline(struct rerun *rerun, const json_t *outputs)
{
    const json_t *crop = json_object_get(provenance(rerun), "timeline");
    const json_t *vcs = json_object_get(crop, "vcs");
    struct timeline_wish *wish = &rerun->wishes.timeline;
    size_t n = json_array_size(vcs), i;
    json_t *vc;
    wish->gzip = json_object_get(outputs, "timeline.json.gz");
    wish->wanted = wish->gzip || json_object_get(outputs, "timeline.json");
    wish->from = json_string_value(json_object_get(crop, "from"));
    wish->to = json_string_value(json_object_get(crop, "to"));
    const char **names = ARENA_ARRAY(&rerun->arena, const char *, n + 1);
    json_array_foreach(vcs, i, vc)
    {
        if (json_is_string(vc))
            names[wish->n_vcs++] = json_string_value(vc);
    }
    wish->vcs = names;
}

enum status rerun_open(struct rerun *rerun, const char *dir, bool trusts,
                       struct error *err)
{
    *rerun = (struct rerun){0};
    run_options_init(&rerun->options);
    rerun->options.trusts = trusts;
    int n = snprintf(rerun->path, PATH_MAX, "%s/manifest.json", dir);
    if (n < 0 || n >= PATH_MAX)
        return error_set(err, STATUS_USAGE, "'%.100s' is not a path", dir);
    rerun->manifest = json_read_file(rerun->path, err);
    if (!rerun->manifest)
        return STATUS_BAD_INPUT;
    const json_t *outputs = json_object_get(rerun->manifest, "outputs");
    rerun->decisions = json_object_get(outputs, "decisions.log");
    rerun->series_by[SERIES_BY_VC] = json_object_get(outputs, "series_vc.csv");
    rerun->series_by[SERIES_BY_TYPE] =
        json_object_get(outputs, "series_type.csv");
    rerun->wishes.attempts = json_object_get(outputs, "attempts.csv");
    read_timeline(rerun, outputs);
    enum status st = check_schema(rerun, err);
    if (st == STATUS_OK)
        st = run_options_file(&rerun->options, rerun->path, NULL, &rerun->arena,
                              err);
    return st == STATUS_OK ? check_sources(rerun, err) : st;
}

void rerun_close(struct rerun *rerun)
{
    arena_fini(&rerun->arena);
    json_decref(rerun->manifest);
}

/* Checks that a file that the run read is unchanged. `base`: the directory that
 * relative paths start from. */
static enum status check_file(const struct rerun *rerun, const json_t *file,
                              const char *base, struct error *err)
{
    char path[PATH_MAX], now[DIGEST_HEX_MAX];
    const char *what = text_at(file, "what"), *given = text_at(file, "path");
    const char *was = text_at(file, "sha256");
    int n = given[0] == '/' ? snprintf(path, PATH_MAX, "%s", given)
                            : snprintf(path, PATH_MAX, "%s/%s", base, given);
    if (!given[0] || n < 0 || n >= PATH_MAX)
        return error_set(err, STATUS_BAD_INPUT, "%s: %s: no path", rerun->path,
                         what);
    if (!was[0])
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: %s was read from %s, which is no file and cannot "
                         "be read again",
                         rerun->path, what, given);
    if (digest_path(path, now, err) != STATUS_OK) {
        err->status = STATUS_BAD_INPUT;
        return error_prefix(err, "%s: cannot be run again, %s: ", rerun->path,
                            what);
    }
    if (strcmp(now, was) != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: cannot be run again, %s: %s has changed: SHA-256 "
                         "was %s, is %s",
                         rerun->path, what, path, was, now);
    return STATUS_OK;
}

static enum status check_files(const struct rerun *rerun, const char *base,
                               struct error *err)
{
    size_t i;
    const json_t *file;
    enum status st = STATUS_OK;
    json_array_foreach(json_object_get(provenance(rerun), "files"), i, file)
    {
        if (st == STATUS_OK)
            st = check_file(rerun, file, base, err);
    }
    return st;
}

enum status rerun_enter(const struct rerun *rerun, struct error *err)
{
    const char *recorded = text_at(provenance(rerun), "directory");
    bool is_there = recorded[0] == '/' && access(recorded, X_OK) == 0;
    enum status st = STATUS_FAILED;
    if (is_there)
        st = check_files(rerun, recorded, err);
    if (st == STATUS_OK) {
        if (chdir(recorded) != 0)
            return error_set(err, STATUS_FAILED, "%s: %s", recorded,
                             strerror(errno));
        return STATUS_OK;
    }
    struct error here;
    if (check_files(rerun, ".", &here) == STATUS_OK)
        return STATUS_OK;
    if (!is_there)
        *err = here;
    return err->status;
}

/* Reads a whole file. If it does not exist, *out is an empty text with at ==
 * NULL. */
static enum status read_whole(const char *dir, const char *name,
                              struct text *out, struct error *err)
{
    char path[PATH_MAX], *at = NULL;
    size_t len = 0, room = 0, n = 0;
    *out = (struct text){0};
    int wide = snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = wide > 0 && wide < PATH_MAX ? fopen(path, "rb") : NULL;
    if (!file && errno == ENOENT)
        return STATUS_OK;
    if (!file)
        return error_set(err, STATUS_FAILED, "%s: %s", path, strerror(errno));
    do {
        at = mem_grow(at, &room, len + (1 << 16), 1);
        n = fread(at + len, 1, room - len, file);
        len += n;
    } while (n);
    bool failed = ferror(file);
    fclose(file);
    *out = (struct text){at, len};
    return failed ? error_set(err, STATUS_FAILED, "%s: cannot be read", path)
                  : STATUS_OK;
}

static size_t line_of_difference(struct text a, struct text b)
{
    size_t line = 1;
    for (size_t i = 0; i < a.len && i < b.len && a.at[i] == b.at[i]; i++)
        line += a.at[i] == '\n';
    return line;
}

/* Returns words for a message that name the version of the program that made
 * the older result; "" if it was this version. */
static const char *by_whom(const struct rerun *rerun, char words[128])
{
    const char *version = text_at(rerun->manifest, "schedsim");
    words[0] = '\0';
    if (strcmp(version, SCHEDSIM_VERSION) != 0)
        snprintf(words, 128, " (schedsim %.60s made it, this is %s)", version,
                 SCHEDSIM_VERSION);
    return words;
}

static enum status compare_texts(const struct rerun *rerun, const char *old_dir,
                                 const char *name, struct text older,
                                 struct text newer,
                                 struct rerun_difference *out,
                                 struct error *err)
{
    char words[128];
    by_whom(rerun, words);
    if (strcmp(name, "manifest.json") == 0) {
        older.len = provenance_start(older);
        newer.len = provenance_start(newer);
    }
    if (!older.at && !newer.at)
        return STATUS_OK;
    if (older.at && newer.at && text_equal(older, newer))
        return STATUS_OK;
    *out = (struct rerun_difference){.file = name};
    if (!older.at || !newer.at)
        return error_set(err, STATUS_TOLERANCE,
                         "%s: is not what the run gives now: %s is %s%s",
                         old_dir, name,
                         older.at ? "no longer written" : "missing", words);
    out->line = line_of_difference(older, newer);
    return error_set(err, STATUS_TOLERANCE,
                     "%s: is not what the run gives now: %s differs from line "
                     "%zu on%s",
                     old_dir, name, out->line, words);
}

/* The manifest is compared last, because its digests differ whenever another
 * file differs. */
enum status rerun_compare(const struct rerun *rerun, const char *old_dir,
                          const char *new_dir, struct rerun_difference *out,
                          struct error *err)
{
    enum status st = STATUS_OK;
    *out = (struct rerun_difference){0};
    for (size_t i = 0; i < RESULT_N && st == STATUS_OK; i++) {
        const char *name = result_files[i].name;
        struct text older, newer = {0};
        st = read_whole(old_dir, name, &older, err);
        if (st == STATUS_OK)
            st = read_whole(new_dir, name, &newer, err);
        if (st == STATUS_OK)
            st = compare_texts(rerun, old_dir, name, older, newer, out, err);
        free((void *)(uintptr_t)older.at);
        free((void *)(uintptr_t)newer.at);
    }
    return st;
}
