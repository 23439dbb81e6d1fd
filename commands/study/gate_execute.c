/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the runs of all cases and keeps from each run the values that the
 * gate compares. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/cli.h"
#include "commands/study/gate_internal.h"
#include "commands/study/size.h"
#include "commands/study/sweep_internal.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"
#include "traces/shelf.h"

/* Length of the blocks of replications, days: the default of `trace resample`
 * and of `compare --replications`. */
enum { BLOCK_DAYS = 7 };

/* The case and the run to which a task belongs. */
struct owner {
    struct gate_case *of;
    struct gate_run *run;
};

struct gate_execute_crew {
    struct study_task *tasks;
    struct owner *owners; /* owners by task */
    size_t n;
    const struct study *study; /* the study, for the progress line */
    struct shelf *shelf;
    struct replicas **replicas; /* all replications that were made; owned */
    size_t n_replicas, cap_replicas;
    /* the trace whose replications several cases share, and these replications;
     * NULL: none yet */
    const struct gate_trace *shared_by;
    const struct replicas *shared;
};

static char *execute_copy(const char *text)
{
    size_t len = strlen(text) + 1;
    return memcpy(mem_alloc(len), text, len);
}

/* Copies the number of jobs, and the identities of the trace, the cluster and
 * other files that the run has read. */
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
        file->what = NULL; /* the text belongs to the run, which is freed */
        file->path = execute_copy(run->files[i].path);
    }
}

/* Returns a hint about the path `name`, which the summary lacks: the nearest
 * path with the same first key or, if `name` is one key, the options that make
 * such metrics. NULL: no path is near. The caller frees the hint. */
static char *hint_at(const char *name, const json_t *summary)
{
    enum { KEYS_MAX = 256 };
    const char *keys[KEYS_MAX], *near = NULL;
    char head[GATE_NAME_MAX], words[3 * GATE_NAME_MAX];
    size_t n = 0;
    const char *dot = strchr(name, '.');
    if (!dot)
        return execute_copy(
            "; --wait-over and --by, as settings, make such metrics");
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
    if (!near)
        return NULL;
    snprintf(words, sizeof words, "; did you mean '%s.%.128s'?", head, near);
    return execute_copy(words);
}

static void execute_keep_values(struct gate_run *out,
                                const struct gate_trace *trace,
                                struct results results)
{
    struct summary summary;
    job_pass(NULL, NULL, results, &summary);
    json_t *document = gate_summary(results, &summary);
    for (size_t i = 0; i < trace->n_metrics; i++) {
        const struct gate *gate = &trace->metrics[i];
        out->values[i] = gate_value(gate, document);
        if (isnan(out->values[i]) && gate->is_path && !out->missing) {
            out->missing = execute_copy(gate->name);
            out->hint = hint_at(gate->name, document);
        }
    }
    json_decref(document);
    out->done.share = summary_finished_share(&summary.totals);
    summary_fini(&summary);
}

static void execute_take(void *self, const struct study_run *run)
{
    const struct gate_execute_crew *crew = self;
    const struct owner *owner = &crew->owners[run->index];
    struct gate_run *out = owner->run;
    out->status = run->status;
    if (!run->replay) {
        out->message = execute_copy(run->err->message);
        return;
    }
    const struct run_result *result = run->replay->results.run;
    execute_keep_values(out, owner->of->trace, run->replay->results);
    keep_identity(out, result);
    out->done.unfinished = result->n_unfinished;
    arena_init(&out->arena);
    out->remarks.arena = &out->arena;
    remarks_add_all(&out->remarks, &result->remarks);
}

static bool execute_note(void *self, const struct study_run *run)
{
    const struct gate_execute_crew *crew = self;
    (void)run;
    study_progress(crew->study);
    return true;
}

/* Puts the replications of the trace of a case on the shelf. Cases of one trace
 * whose policies have no settings of their own share its replications. */
static enum status open_replicas(struct gate_execute_crew *crew,
                                 const struct gate_case *c,
                                 const struct replicas **out, struct error *err)
{
    const bool is_own = c->policy->settings.n > 0;
    char name[4096];
    if (crew->shared_by == c->trace && !is_own) {
        *out = crew->shared;
        return STATUS_OK;
    }
    crew->replicas = mem_grow(crew->replicas, &crew->cap_replicas,
                              crew->n_replicas + 1, sizeof *crew->replicas);
    struct replicas **made = &crew->replicas[crew->n_replicas];
    snprintf(name, sizeof name, "%s%s%s", c->trace->name, is_own ? ", " : "",
             is_own ? c->policy->name : "");
    enum status st =
        replicas_open(&c->options.config, name, c->trace->replications,
                      BLOCK_DAYS, crew->shelf, made, err);
    if (st != STATUS_OK)
        return st;
    crew->n_replicas++;
    *out = *made;
    if (!is_own) {
        crew->shared_by = c->trace;
        crew->shared = *made;
    }
    return STATUS_OK;
}

/* Returns the seed of the draws of a replication, such as errors of estimates.
 * Each replication has its own: if all drew the same numbers, their differences
 * would be alike, and the interval of the mean difference too narrow (of 200
 * pairs of seeds it left out 0 in 38; with own draws, in 19 of 400). Values
 * that were recorded without seeds belong to the seed of the run. */
static uint64_t seed_of(const struct gate_cases *cases,
                        const struct gate_case *c, uint32_t replication)
{
    const uint64_t seed = c->options.config.seed;
    const bool is_old =
        c->row != SIZE_MAX && !cases->file->rows[c->row].n_seeds;
    return is_old && !cases->is_update
               ? seed
               : seed * GATE_REPLICATIONS_MAX + replication;
}

/* Adds the tasks of a case. If its replications cannot be made, adds no task
 * and sets the error of its first run. */
static void add_tasks(struct gate_execute_crew *crew, struct gate_cases *cases,
                      struct gate_case *c)
{
    const struct replicas *replicas = NULL;
    struct error err;
    if (c->trace->replications &&
        open_replicas(crew, c, &replicas, &err) != STATUS_OK) {
        c->runs[0].message = execute_copy(err.message);
        c->runs[0].status = err.status;
        return;
    }
    for (uint32_t i = 0; i < c->n_runs; i++) {
        struct study_task *task = &crew->tasks[crew->n];
        task->config = c->options.config;
        if (replicas) {
            replicas_configure(replicas, i + 1, &cases->arena, &task->config);
            task->config.seed = seed_of(cases, c, i + 1);
        }
        crew->owners[crew->n++] = (struct owner){c, &c->runs[i]};
    }
}

/* Sets the digest of a resampled trace to that of the file from which it is
 * resampled; "" if the file cannot be read. */
static void execute_digest_source(struct gate_case *c)
{
    if (c->trace->replications && !c->runs[0].message &&
        digest_file(c->trace->path, c->runs[0].sha256, NULL) != STATUS_OK)
        c->runs[0].sha256[0] = '\0';
}

static enum status gate_execute_case(struct gate_execute_crew *crew,
                                     unsigned threads, bool progress,
                                     struct error *err)
{
    struct study study = {.tasks = crew->tasks,
                          .n = crew->n,
                          .n_threads = threads,
                          .shelf = crew->shelf,
                          .self = crew,
                          .take = execute_take,
                          .note = progress ? execute_note : NULL};
    crew->study = &study;
    enum status st = study_execute(&study, err);
    if (progress)
        study_progress_end();
    study_end(&study, "gate", "nothing is kept, the same command begins again");
    return st;
}

enum status gate_cases_execute(struct gate_cases *cases, unsigned threads,
                               bool progress, struct error *err)
{
    struct gate_execute_crew crew = {.shelf = shelf_new(0)};
    size_t n = 0;
    for (size_t i = 0; i < cases->n; i++)
        n += cases->at[i].n_runs;
    crew.tasks = mem_zalloc(n + 1, sizeof *crew.tasks);
    crew.owners = mem_zalloc(n + 1, sizeof *crew.owners);
    for (size_t i = 0; i < cases->n; i++)
        add_tasks(&crew, cases, &cases->at[i]);
    enum status st = gate_execute_case(&crew, threads, progress, err);
    for (size_t i = 0; i < cases->n && st == STATUS_OK; i++)
        execute_digest_source(&cases->at[i]);
    shelf_free(crew.shelf);
    for (size_t i = 0; i < crew.n_replicas; i++)
        replicas_free(crew.replicas[i]);
    free(crew.replicas);
    free(crew.tasks);
    free(crew.owners);
    return st;
}
