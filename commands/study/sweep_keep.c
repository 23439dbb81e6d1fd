/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes result directories of single runs, as `run --out` does: DIR/runs/KEY.
 * A trace that is made is written to DIR/traces, so that `rerun` finds it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/study/sweep_internal.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"

/* A run in execution. */
struct kept_run {
    struct result_dir *dir; /* the result directory; NULL: none is open */
    struct provenance provenance;
    struct arena arena;
};

struct keeper {
    const struct sweep *sweep;
    struct kept_run *runs; /* runs by position in `todo` */
};

static const sim_span interval = 600 * SPAN_SECOND;

struct keeper *keeper_new(const struct sweep *sweep)
{
    struct keeper *keeper = mem_zalloc(1, sizeof *keeper);
    keeper->sweep = sweep;
    keeper->runs = mem_zalloc(sweep->n_todo + 1, sizeof *keeper->runs);
    return keeper;
}

void keeper_free(struct keeper *keeper)
{
    if (!keeper)
        return;
    for (size_t i = 0; i < keeper->sweep->n_todo; i++) {
        result_dir_abandon(keeper->runs[i].dir);
        arena_fini(&keeper->runs[i].arena);
    }
    free(keeper->runs);
    free(keeper);
}

static const char *keep_path_of(struct arena *arena, const char *dir,
                                const char *between, const char *name,
                                const char *end)
{
    size_t room =
        strlen(dir) + strlen(between) + strlen(name) + strlen(end) + 1;
    char *path = arena_alloc(arena, room);
    snprintf(path, room, "%s%s%s%s", dir, between, name, end);
    return path;
}

bool keeper_has(const struct sweep *sweep, const struct task *task)
{
    struct arena arena;
    arena_init(&arena);
    const char *path = keep_path_of(&arena, sweep->options->out, "/runs/",
                                    task->key, "/manifest.json");
    bool has = access(path, F_OK) == 0;
    arena_fini(&arena);
    return has;
}

/* Writes a trace that is made to a file, and makes the directory DIR/traces.
 * Does nothing if the file exists. */
static enum status write_trace(const struct sweep *sweep,
                               const struct grid_trace *trace, const char *path,
                               struct error *err)
{
    struct out *out;
    struct arena arena;
    if (access(path, F_OK) == 0)
        return STATUS_OK;
    arena_init(&arena);
    mkdir(keep_path_of(&arena, sweep->options->out, "", "/traces", ""), 0777);
    arena_fini(&arena);
    enum status st = out_open(path, &out, err);
    if (st != STATUS_OK)
        return st;
    st = made_trace_write(trace->maker, trace->replication, out, err);
    if (st == STATUS_OK)
        return out_close(out, err);
    out_abandon(out);
    return st;
}

/* Returns the path of the file of a trace that is made. The name of the file is
 * a digest of the trace's name. */
static const char *trace_path(struct kept_run *kept, const struct sweep *sweep,
                              const struct grid_trace *trace)
{
    char hex[DIGEST_HEX_MAX];
    struct digest *digest = digest_new();
    digest_add(digest, trace->name, strlen(trace->name));
    digest_end(digest, hex);
    hex[16] = '\0';
    return keep_path_of(&kept->arena, sweep->options->out, "/traces/", hex,
                        ".csv");
}

/* Fills the provenance with the command that makes this run alone. */
static void keep_tell(struct kept_run *kept, const struct task *task,
                      const struct run_config *config)
{
    struct provenance *p = &kept->provenance;
    const char **argv =
        ARENA_ARRAY(&kept->arena, const char *, PROVENANCE_OPTIONS_MAX + 2);
    *p = (struct provenance){
        .argv = argv, .trace = config->trace, .interval = interval};
    argv[p->argc++] = "run";
    argv[p->argc++] = config->trace;
    for (size_t k = 0;
         run_args[k].name && p->n_options < PROVENANCE_OPTIONS_MAX; k++) {
        const char *name = run_args[k].name, *text = task->texts[k];
        if (strcmp(name, "what-if") == 0)
            text = config->what_if;
        if (strcmp(name, "cluster") == 0)
            text = config->cluster;
        if (strcmp(name, "format") == 0)
            text = config->format;
        if (!text)
            continue;
        text = arena_copy(&kept->arena, text, strlen(text));
        p->options[p->n_options++] = (struct provenance_option){name, text};
        argv[p->argc++] = keep_path_of(&kept->arena, "--", name, "=", text);
    }
}

enum status keeper_begin(struct keeper *keeper, size_t at,
                         struct run_config *config,
                         struct replay_options *observe, struct error *err)
{
    const struct sweep *s = keeper->sweep;
    const struct task *task = &s->tasks[s->todo[at]];
    struct kept_run *kept = &keeper->runs[at];
    enum status st = STATUS_OK;
    arena_init(&kept->arena);
    if (task->trace->maker) {
        config->trace = trace_path(kept, s, task->trace);
        st = write_trace(s, task->trace, config->trace, err);
    }
    keep_tell(kept, task, config);
    const char *path =
        keep_path_of(&kept->arena, s->options->out, "/runs/", task->key, "");
    if (st == STATUS_OK)
        st = result_dir_open(path, &kept->dir, err);
    observe->interval = interval;
    if (st == STATUS_OK)
        st = result_dir_file(kept->dir, RESULT_SERIES, &observe->series, err);
    return st;
}

enum status keeper_take(struct keeper *keeper, const struct study_run *run,
                        struct error *err)
{
    struct kept_run *kept = &keeper->runs[run->index];
    struct result_dir *dir = kept->dir;
    struct summary summary = {0};
    enum status st = STATUS_OK;
    kept->dir = NULL;
    if (!run->replay) {
        result_dir_abandon(dir);
        return STATUS_OK;
    }
    struct results results = run->replay->results;
    results.provenance = &kept->provenance;
    st = report_write(dir, results, &summary, (struct report_wishes){0}, err);
    summary_fini(&summary);
    if (st == STATUS_OK)
        return result_dir_commit(dir, err);
    result_dir_abandon(dir);
    return st;
}
