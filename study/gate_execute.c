/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the runs of all cases and keeps of each what the gate needs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/results/identity.h"
#include "sim/results/job_pass.h"
#include "study/gate_cases.h"
#include "study/runs.h"

/* Where a task belongs. */
struct owner {
    struct gate_case *of;
    struct gate_run *run;
};

struct crew {
    struct owner *owners; /* by task */
    size_t n;
    const struct study *study; /* for the progress line */
};

static char *copy(const char *text)
{
    size_t len = strlen(text) + 1;
    return memcpy(mem_alloc(len), text, len);
}

/* Keeps which trace, cluster and other files the run has read. */
static void keep_identity(struct gate_run *out, const struct run_result *run)
{
    struct identity identity;
    struct arena arena;
    arena_init(&arena);
    identity_of(run, &arena, &identity);
    for (size_t i = 0; i < IDENTITY_N; i++) {
        const char *name = identity_columns[i].name;
        if (strcmp(name, "cluster") == 0)
            snprintf(out->cluster, sizeof out->cluster, "%s",
                     identity.values[i]);
    }
    arena_fini(&arena);
    snprintf(out->sha256, sizeof out->sha256, "%s", run->jobset.digest);
    out->jobs = run->jobset.n_jobs;
    out->files = mem_zalloc(run->n_files + 1, sizeof *out->files);
    for (size_t i = 0; i < run->n_files; i++) {
        if (strcmp(run->files[i].what, "trace") == 0)
            continue;
        struct run_file *file = &out->files[out->n_files++];
        *file = run->files[i];
        file->what = NULL; /* belongs to the run */
        file->path = copy(run->files[i].path);
    }
}

/* Describes a path of keys that is not in the summary, with the nearest key. */
static char *describe_missing(const char *name, const json_t *summary)
{
    enum { KEYS_MAX = 256 };
    const char *keys[KEYS_MAX], *near = NULL;
    char head[GATE_NAME_MAX], words[3 * GATE_NAME_MAX];
    size_t n = 0;
    const char *dot = strchr(name, '.');
    snprintf(head, sizeof head, "%.*s", (int)(dot - name), name);
    json_t *part = json_object_get(summary, head);
    const char *key;
    json_t *value;
    json_object_foreach(part, key, value)
    {
        if (n < KEYS_MAX)
            keys[n++] = key;
    }
    struct text rest, tail = text_split(text_from(dot + 1), '.', &rest);
    if (!json_object_get(part, dot + 1))
        near = text_nearest(tail, keys, n);
    snprintf(words, sizeof words, "%s%s%s%s%.*s%s", name,
             near ? "; did you mean '" : "", near ? head : "", near ? "." : "",
             near ? 128 : 0, near ? near : "", near ? "'?" : "");
    return copy(words);
}

static void keep_values(struct gate_run *out, const struct gate_trace *trace,
                        struct results results)
{
    struct summary summary;
    job_pass(NULL, NULL, results, &summary);
    json_t *document = gate_summary(results, &summary);
    for (size_t i = 0; i < trace->n_metrics; i++) {
        const struct gate *gate = &trace->metrics[i];
        out->values[i] = gate_value(gate, document);
        if (isnan(out->values[i]) && gate->is_path && !out->missing)
            out->missing = describe_missing(gate->name, document);
    }
    json_decref(document);
    summary_fini(&summary);
}

static void take(void *self, const struct study_run *run)
{
    const struct crew *crew = self;
    const struct owner *owner = &crew->owners[run->index];
    struct gate_run *out = owner->run;
    out->status = run->status;
    if (!run->replay) {
        out->message = copy(run->err->message);
        return;
    }
    const struct run_result *result = run->replay->results.run;
    keep_values(out, owner->of->trace, run->replay->results);
    keep_identity(out, result);
    out->n_unfinished = result->n_unfinished;
    out->n_remarks = result->remarks.count;
    out->remarks = mem_zalloc(out->n_remarks + 1, sizeof *out->remarks);
    for (size_t i = 0; i < out->n_remarks; i++)
        out->remarks[i] = copy(result->remarks.at[i]);
}

/* Draws the progress line. */
static bool note(void *self, const struct study_run *run)
{
    const struct crew *crew = self;
    const struct study *study = crew->study;
    (void)run;
    fprintf(stderr, "\r%zu of %zu runs", study->n_done, crew->n);
    if (study->n_failed + study->n_incomplete)
        fprintf(stderr, ", %zu failed, %zu incomplete", study->n_failed,
                study->n_incomplete);
    fflush(stderr);
    return true;
}

enum status gate_cases_execute(struct gate_cases *cases, unsigned threads,
                               bool progress, struct error *err)
{
    struct crew crew = {0};
    for (size_t i = 0; i < cases->n; i++)
        crew.n += cases->at[i].n_runs;
    struct study_task *tasks = mem_zalloc(crew.n + 1, sizeof *tasks);
    crew.owners = mem_zalloc(crew.n + 1, sizeof *crew.owners);
    size_t n = 0;
    for (size_t i = 0; i < cases->n; i++) {
        struct gate_case *c = &cases->at[i];
        if (c->trace->replications)
            return error_set(err, STATUS_USAGE, "replications come later");
        for (uint32_t k = 0; k < c->n_runs; k++) {
            tasks[n].config = c->options.config;
            crew.owners[n++] = (struct owner){c, &c->runs[k]};
        }
    }
    struct study study = {.tasks = tasks,
                          .n = n,
                          .n_threads = threads,
                          .self = &crew,
                          .take = take,
                          .note = progress ? note : NULL};
    crew.study = &study;
    enum status st = study_execute(&study, err);
    if (progress)
        fputs("\r\033[K", stderr);
    free(tasks);
    free(crew.owners);
    study_die(study.signal);
    return st;
}
