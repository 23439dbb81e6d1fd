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

struct keeper {
    const struct sweep *sweep;
    struct kept_run *runs; /* runs by position in `todo` */
};

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
    for (size_t i = 0; i < keeper->sweep->n_todo; i++)
        kept_run_fini(&keeper->runs[i]);
    free(keeper->runs);
    free(keeper);
}

bool keeper_has(const struct sweep *sweep, const struct task *task)
{
    struct arena arena;
    arena_init(&arena);
    const char *path = kept_run_path(&arena, sweep->options->out, "/runs/",
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
    mkdir(kept_run_path(&arena, sweep->options->out, "", "/traces", ""), 0777);
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
    return kept_run_path(&kept->arena, sweep->options->out, "/traces/", hex,
                         ".csv");
}

/* Fills `texts` with the options of the run: those of the task, and what the
 * sweep has changed. */
static void keep_texts(const struct task *task, const struct run_config *config,
                       const char *texts[RUN_ARGS_MAX])
{
    for (size_t k = 0; run_args[k].name; k++) {
        const char *name = run_args[k].name;
        texts[k] = strcmp(name, "what-if") == 0   ? config->what_if
                   : strcmp(name, "cluster") == 0 ? config->cluster
                   : strcmp(name, "format") == 0  ? config->format
                                                  : task->texts[k];
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
    const char *path =
        kept_run_path(&kept->arena, s->options->out, "/runs/", task->key, "");
    const char *texts[RUN_ARGS_MAX] = {0};
    keep_texts(task, config, texts);
    if (st == STATUS_OK)
        st = kept_run_begin(kept, path, config->trace, texts, observe, err);
    return st;
}

enum status keeper_take(struct keeper *keeper, const struct study_run *run,
                        struct error *err)
{
    return kept_run_end(&keeper->runs[run->index], run, err);
}
