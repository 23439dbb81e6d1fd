/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `verify --again`: how an older result was made, whether its inputs are
 * unchanged, and where it differs from a new result. */

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/json.h"
#include "commands/cli.h"
#include "commands/cmd_run.h"
#include "commands/commands_internal.h"
#include "commands/run_options.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"
#include "sim/results/series.h"

struct rerun {
    json_t *manifest;
    char path[PATH_MAX]; /* path of manifest.json */
    struct run_options options;
    struct arena arena;            /* owns the texts of `options` */
    bool decisions;                /* true if the result has decisions.log */
    bool series_by[SERIES_SPLITS]; /* by split: true if the result has its
                                    * file */
    /* optional files that the result has: attempts.csv, timeline */
    struct report_wishes wishes;
};

/* The first difference of two results. */
struct rerun_difference {
    const char *file; /* first file that differs; NULL: the results do not
                       * differ */
    /* first line that differs, from 1; 0: one result lacks the file, or they do
     * not differ */
    size_t line;
};

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
    if (!c->trace && !c->state)
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

/* Reads which columns of jobs.csv were chosen. */
static enum status read_columns(struct rerun *rerun, struct error *err)
{
    size_t i;
    const json_t *name;
    char words[4096] = "";
    size_t len = 0;
    json_array_foreach(json_object_get(rerun->manifest, "columns"), i, name)
    {
        int n = snprintf(words + len, sizeof words - len, "%s%s", i ? "," : "",
                         json_is_string(name) ? json_string_value(name) : "?");
        len += n > 0 && (size_t)n < sizeof words - len ? (size_t)n : 0;
    }
    enum status st = column_choice_read(words, &rerun->wishes.columns, err);
    rerun->options.config.load.extras =
        column_choice_has_extras(&rerun->wishes.columns);
    return st == STATUS_OK ? st : error_prefix(err, "%s: ", rerun->path);
}

/* Reads DIR/manifest.json. Returns STATUS_BAD_INPUT if it is not a manifest, if
 * a version with another schema wrote it, if it names no trace, if the run
 * read standard input, or if it acted outside the simulation and the user does
 * not trust it (trust.h). Call rerun_close in any case. */
static enum status rerun_open(struct rerun *rerun, const char *dir, bool trusts,
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
        st = read_columns(rerun, err);
    if (st == STATUS_OK)
        st = run_options_file(&rerun->options, rerun->path, NULL, &rerun->arena,
                              err);
    return st == STATUS_OK ? check_sources(rerun, err) : st;
}

static void rerun_close(struct rerun *rerun)
{
    arena_fini(&rerun->arena);
    json_decref(rerun->manifest);
}

/* Checks that a file that the run read is unchanged. `base`: the directory that
 * relative paths start from. */
static enum status rerun_check_file(const struct rerun *rerun,
                                    const json_t *file, const char *base,
                                    struct error *err)
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

static enum status rerun_check_files(const struct rerun *rerun,
                                     const char *base, struct error *err)
{
    size_t i;
    const json_t *file;
    enum status st = STATUS_OK;
    json_array_foreach(json_object_get(provenance(rerun), "files"), i, file)
    {
        if (st == STATUS_OK)
            st = rerun_check_file(rerun, file, base, err);
    }
    return st;
}

/* Changes to a directory from which all paths lead to unchanged files: the
 * directory in which the run was started, or else the current one. If neither
 * is such a directory, returns STATUS_BAD_INPUT and names the file that is
 * missing or has changed. */
static enum status rerun_enter(const struct rerun *rerun, struct error *err)
{
    const char *recorded = text_at(provenance(rerun), "directory");
    bool is_there = recorded[0] == '/' && access(recorded, X_OK) == 0;
    enum status st = STATUS_FAILED;
    if (is_there)
        st = rerun_check_files(rerun, recorded, err);
    if (st == STATUS_OK) {
        if (chdir(recorded) != 0)
            return error_set(err, STATUS_FAILED, "%s: %s", recorded,
                             strerror(errno));
        return STATUS_OK;
    }
    struct error here;
    if (rerun_check_files(rerun, ".", &here) == STATUS_OK)
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
static enum status rerun_compare(const struct rerun *rerun, const char *old_dir,
                                 const char *new_dir,
                                 struct rerun_difference *out,
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

/* `rerun DIR`: repeats the run of an older result and compares the files byte
 * by byte. */

/* A temporary directory for a result that is only compared and then removed. */
struct scratch {
    char dir[PATH_MAX], result[PATH_MAX];
    char files[RESULT_N][PATH_MAX];
    struct interrupt_path at_end[RESULT_N + 2];
    size_t n;
};

static void removed_at_end(struct scratch *s, const char *path, bool directory)
{
    struct interrupt_path *one = &s->at_end[s->n++];
    *one = (struct interrupt_path){.path = path, .directory = directory};
    interrupt_removes(one);
}

static enum status scratch_make(struct scratch *s, struct error *err)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || tmp[0] != '/' || strlen(tmp) > PATH_MAX / 2)
        tmp = "/tmp";
    snprintf(s->dir, sizeof s->dir, "%.*s/schedsim-rerun-XXXXXX", PATH_MAX / 2,
             tmp);
    if (!mkdtemp(s->dir))
        return error_set(err, STATUS_FAILED, "%s: cannot write: %s", s->dir,
                         strerror(errno));
    removed_at_end(s, s->dir, true);
    snprintf(s->result, sizeof s->result, "%.*s/result", PATH_MAX - 8, s->dir);
    removed_at_end(s, s->result, true);
    for (size_t i = 0; i < RESULT_N; i++) {
        snprintf(s->files[i], PATH_MAX, "%.*s/%s", PATH_MAX - 32, s->result,
                 result_files[i].name);
        removed_at_end(s, s->files[i], false);
    }
    return STATUS_OK;
}

static void scratch_remove(struct scratch *s)
{
    while (s->n) {
        struct interrupt_path *one = &s->at_end[--s->n];
        interrupt_keeps(one);
        if (one->directory)
            rmdir(one->path);
        else
            unlink(one->path);
    }
}

/* Repeats the run and writes its result to `new_dir`, an absolute path, because
 * rerun_enter has changed the working directory. */
static enum status rerun_run_again(struct rerun *rerun,
                                   const struct verify_input *input,
                                   const char *new_dir, struct error *err)
{
    struct result_dir *dir;
    struct run_report report = {
        .options = &rerun->options,
        .provenance = {.argc = input->call.argc,
                       .argv = input->call.argv,
                       .interval = rerun->options.interval},
        .decisions = rerun->decisions,
        .series_by = {rerun->series_by[0], rerun->series_by[1]},
        .wishes = rerun->wishes,
        .progress = !input->quiet && cli_is_terminal(),
    };
    enum status st = result_dir_open(new_dir, &dir, err);
    if (st == STATUS_OK)
        st = run_report_make(&report, dir, err);
    run_report_fini(&report);
    return st == STATUS_INCOMPLETE ? STATUS_OK : st;
}

/* Makes a path absolute. Call it before the working directory changes. */
static enum status absolute(const char *path, const char *what,
                            char out[PATH_MAX], struct error *err)
{
    char here[PATH_MAX] = "";
    int n = -1;
    if (path[0] == '/')
        n = snprintf(out, PATH_MAX, "%s", path);
    else if (getcwd(here, sizeof here))
        n = snprintf(out, PATH_MAX, "%s/%s", here, path);
    if (n > 0 && n < PATH_MAX)
        return STATUS_OK;
    return error_set(err, STATUS_USAGE, "%s: '%.100s' is not a path", what,
                     path);
}

static bool is_same_place(const char *a, const char *b)
{
    char x[PATH_MAX], y[PATH_MAX];
    return realpath(a, x) && realpath(b, y) && strcmp(x, y) == 0;
}

/* Finds the absolute paths of both results. Without --out the new one is
 * temporary. */
static enum status rerun_find_places(const struct verify_input *input,
                                     struct scratch *scratch,
                                     char old_dir[PATH_MAX],
                                     char new_dir[PATH_MAX], struct error *err)
{
    enum status st = absolute(input->dir, "verify", old_dir, err);
    if (st != STATUS_OK)
        return st;
    st = input->out ? absolute(input->out, "--out", new_dir, err)
                    : scratch_make(scratch, err);
    if (st == STATUS_OK && !input->out)
        memcpy(new_dir, scratch->result, PATH_MAX);
    if (st == STATUS_OK && is_same_place(old_dir, new_dir))
        st = error_set(err, STATUS_USAGE,
                       "--out: %s would be replaced; name another directory",
                       input->out);
    return st;
}

/* Prints {"result": DIR, "same": false, "file": NAME, "line": 7}. If nothing
 * differs, "same" is true, and file and line are null. */
static enum status rerun_print_json(const char *dir,
                                    const struct rerun_difference *difference,
                                    struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    json_t *root = json_object();
    json_put(root, "result", json_text(dir));
    json_put(root, "same", json_boolean(!difference->file));
    json_put(root, "file", json_text(difference->file));
    json_put(root, "line",
             difference->line ? json_integer((json_int_t)difference->line)
                              : json_null());
    json_write(out, root);
    json_decref(root);
    return out_close(out, err);
}

static enum status say_result(const struct verify_input *input, enum status st,
                              const struct rerun_difference *difference,
                              struct error *err)
{
    bool is_compared = st == STATUS_OK || st == STATUS_TOLERANCE;
    if (input->json && is_compared) {
        enum status printed = rerun_print_json(input->dir, difference,
                                               st == STATUS_OK ? err : NULL);
        return st == STATUS_OK ? printed : st;
    }
    if (st == STATUS_OK && !input->quiet)
        printf("%s: run again, every file has the same bytes\n", input->dir);
    return st;
}

static enum status rerun_all(const struct verify_input *input,
                             struct scratch *scratch, struct error *err)
{
    struct rerun rerun;
    struct rerun_difference difference;
    char old_dir[PATH_MAX], new_dir[PATH_MAX];
    enum status st = rerun_open(&rerun, input->dir, input->trusts, err);
    if (st == STATUS_OK)
        st = rerun_find_places(input, scratch, old_dir, new_dir, err);
    if (st == STATUS_OK)
        st = rerun_enter(&rerun, err);
    if (st == STATUS_OK)
        st = rerun_run_again(&rerun, input, new_dir, err);
    if (st == STATUS_OK) {
        st = rerun_compare(&rerun, old_dir, new_dir, &difference, err);
        st = say_result(input, st, &difference, err);
    }
    rerun_close(&rerun);
    return st;
}

enum status rerun_result(const struct verify_input *input, struct error *err)
{
    struct scratch *scratch = mem_zalloc(1, sizeof *scratch);
    enum status st = rerun_all(input, scratch, err);
    scratch_remove(scratch);
    free(scratch);
    return st;
}
