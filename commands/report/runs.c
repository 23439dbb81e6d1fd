/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads result directories that are shown together, as `verify` reads them. */
#include "commands/report/report_internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "sim/results/manifest.h"

static enum status check_manifest(const struct report_run *run,
                                  struct error *err)
{
    const json_t *manifest = run->data.manifest;
    const json_t *version = json_object_get(manifest, "schema_version");
    if (json_integer_value(version) != MANIFEST_SCHEMA)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s/manifest.json: schema_version is not %d: another "
                         "version of the program wrote this result; repeat "
                         "the run",
                         run->dir, MANIFEST_SCHEMA);
    if (!json_is_string(json_object_get(manifest, "policy")) ||
        !json_is_object(json_object_get(manifest, "configuration")))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s/manifest.json: has no policy or no configuration",
                         run->dir);
    const json_t *values = json_object_get(run->data.summary, "metrics");
    if (!json_is_object(json_object_get(values, "jct_s")) ||
        !json_is_object(json_object_get(values, "queue_delay_s")) ||
        !json_is_object(json_object_get(run->data.summary, "identity")))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s/summary.json: has no jct_s, no queue_delay_s or "
                         "no identity",
                         run->dir);
    if (run->data.n_jobs == 0)
        return error_set(err, STATUS_BAD_INPUT, "%s/jobs.csv: has no jobs",
                         run->dir);
    return STATUS_OK;
}

/* Checks that each file has the digest in the manifest. The page shows numbers
 * of summary.json beside charts of the other files, so all files must come from
 * one run. */
static enum status runs_check_files(const struct report_run *run,
                                    struct error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(run->data.manifest, "outputs"), name,
                        value)
    {
        char path[PATH_MAX], hex[DIGEST_HEX_MAX];
        const char *want = json_string_value(value);
        if (strchr(name, '/') || !want)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s/manifest.json: outputs: '%.100s' is no file",
                             run->dir, name);
        snprintf(path, sizeof path, "%s/%s", run->dir, name);
        enum status st = digest_file(path, hex, err);
        if (st != STATUS_OK)
            return st;
        if (strcmp(hex, want) != 0)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: is not the file that the run wrote "
                             "(SHA-256); 'schedsim verify' says what differs",
                             path);
    }
    return STATUS_OK;
}

/* Callback of verify: keeps the first violation. */
static void keep_first(void *self, const char *words)
{
    struct error *err = self;
    if (err->status == STATUS_OK)
        error_set(err, STATUS_BAD_INPUT, "%s", words);
}

static enum status read_failures(struct report_run *run, struct error *err)
{
    struct error first = {.status = STATUS_OK};
    struct verify_report report = {.line = keep_first, .self = &first};
    verify_counted(&run->data);
    enum status st = verify_failures_read(&run->failures, run->dir, &run->data,
                                          &report, err);
    run->failures.report = NULL; /* not used after the rows are read */
    if (st == STATUS_OK && first.status != STATUS_OK)
        return error_set(err, STATUS_BAD_INPUT, "%s/%s", run->dir,
                         first.message);
    return st;
}

static void runs_add_question(void *self, const struct verify_question *q)
{
    struct report_run *run = self;
    if (q->server == VERIFY_NO_SERVER || q->server >= run->data.n_jobs + 1024)
        return;
    run->questions = mem_grow(run->questions, &run->cap_questions,
                              run->n_questions + 1, sizeof *run->questions);
    run->questions[run->n_questions++] =
        (struct report_question){q->begun, q->answered, q->server};
    if (q->server >= run->servers)
        run->servers = q->server + 1;
}

static enum status read_advice(struct report_run *run, struct error *err)
{
    struct verify_advice_reader reader = {
        .dir = run->dir, .row = runs_add_question, .self = run};
    return verify_advice_exists(&run->data) ? verify_advice_read(&reader, err)
                                            : STATUS_OK;
}

static void run_close(struct report_run *run)
{
    verify_failures_fini(&run->failures);
    verify_data_fini(&run->data);
    free(run->questions);
}

bool report_run_counts(const struct report_run *run,
                       const struct verify_job *job)
{
    return job->finished && verify_counts(&run->data, job);
}

static enum status run_open(const char *dir, struct report_run *run,
                            struct error *err)
{
    run->dir = dir;
    enum status st =
        verify_read(dir, VERIFY_COLUMNS_OF_WAITS, NULL, &run->data, err);
    if (st != STATUS_OK)
        return strstr(err->message, dir) ? st : error_prefix(err, "%s: ", dir);
    st = check_manifest(run, err);
    if (st == STATUS_OK)
        st = runs_check_files(run, err);
    if (st == STATUS_OK)
        st = read_failures(run, err);
    if (st == STATUS_OK)
        st = read_advice(run, err);
    run->policy =
        json_string_value(json_object_get(run->data.manifest, "policy"));
    if (st != STATUS_OK)
        run_close(run);
    return st;
}

/* Returns the last part of a path. */
static struct text runs_last_part(const char *path)
{
    struct text t = text_from(path);
    while (t.len > 1 && t.at[t.len - 1] == '/')
        t.len--;
    for (size_t i = t.len; i > 0; i--) {
        if (t.at[i - 1] == '/' && i < t.len)
            return text_skip(t, i);
    }
    return t;
}

/* Returns the name of the policy, with the mark of what it knew. */
static const char *title_of(const struct report_run *run, struct arena *arena)
{
    const json_t *knowledge = json_object_get(run->data.summary, "knowledge");
    return knowledge_name(run->policy,
                          json_string_value(json_object_get(knowledge, "mark")),
                          arena);
}

static void label_runs(struct report_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        runs->at[i].title = title_of(&runs->at[i], &runs->arena);
    for (size_t i = 0; i < runs->n; i++) {
        struct report_run *run = &runs->at[i];
        bool title_unique = true, part_unique = true;
        struct text part = runs_last_part(run->dir);
        for (size_t k = 0; k < runs->n; k++) {
            const struct report_run *other = &runs->at[k];
            if (k == i || strcmp(other->title, run->title) != 0)
                continue;
            title_unique = false;
            part_unique &= !text_equal(part, runs_last_part(other->dir));
        }
        if (!part_unique)
            part = text_from(run->dir);
        size_t room = strlen(run->title) + part.len + sizeof " ()";
        char *label = arena_alloc(&runs->arena, room);
        if (title_unique)
            snprintf(label, room, "%s", run->title);
        else
            snprintf(label, room, "%s (%.*s)", run->title, (int)part.len,
                     part.at);
        run->label = label;
    }
}

static const char *runs_identity(const struct report_run *run, const char *key)
{
    const char *text = json_string_value(
        json_object_get(json_object_get(run->data.summary, "identity"), key));
    return text ? text : "";
}

static bool equal_jobs(const struct verify_data *a, const struct verify_data *b)
{
    if (a->n_jobs != b->n_jobs)
        return false;
    for (size_t i = 0; i < a->n_jobs; i++) {
        if (strcmp(a->jobs[i].id, b->jobs[i].id) != 0)
            return false;
    }
    return true;
}

static void report_runs_compare(struct report_runs *runs)
{
    static const char *const keys[] = {"trace", "jobs", "first_submission",
                                       "cluster", "rules"};
    const struct report_run *first = &runs->at[0];
    runs->same_jobs = true;
    for (size_t i = 0; i < runs->n; i++) {
        const struct report_run *run = &runs->at[i];
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            bool equal = strcmp(runs_identity(first, keys[k]),
                                runs_identity(run, keys[k])) == 0;
            if (!equal && !runs->differs)
                runs->differs = keys[k];
            if (!equal && k < 3)
                runs->same_jobs = false;
        }
        runs->same_jobs =
            runs->same_jobs && equal_jobs(&first->data, &run->data);
    }
}

static void find_end(struct report_runs *runs)
{
    runs->end = 1;
    for (size_t i = 0; i < runs->n; i++) {
        const struct verify_data *d = &runs->at[i].data;
        runs->end = d->end > runs->end ? d->end : runs->end;
        for (size_t a = 0; a < d->n_attempts; a++) {
            if (d->attempts[a].end > runs->end)
                runs->end = d->attempts[a].end;
        }
    }
}

enum status report_runs_open(const char *const *dirs, size_t n,
                             struct report_runs *out, struct error *err)
{
    enum status st = STATUS_OK;
    *out = (struct report_runs){0};
    if (n > REPORT_RUNS_MAX)
        return error_set(err, STATUS_USAGE,
                         "%zu directories are given, at most %d can be shown "
                         "together",
                         n, REPORT_RUNS_MAX);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(dirs[i], dirs[k]) == 0)
                return error_set(err, STATUS_USAGE, "'%.200s' is given twice",
                                 dirs[i]);
        }
    }
    out->at = mem_zalloc(n + 1, sizeof *out->at);
    while (st == STATUS_OK && out->n < n) {
        st = run_open(dirs[out->n], &out->at[out->n], err);
        out->n += st == STATUS_OK;
    }
    if (st != STATUS_OK) {
        report_runs_close(out);
        return st;
    }
    label_runs(out);
    report_runs_compare(out);
    find_end(out);
    return STATUS_OK;
}

void report_runs_close(struct report_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        run_close(&runs->at[i]);
    free(runs->at);
    arena_fini(&runs->arena);
}
