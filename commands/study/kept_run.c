/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the result directory of one run of a study, as `run --out` does, for
 * `sweep --keep` and `compare --out`. */
#include <stdio.h>
#include <string.h>

#include "commands/study/sweep_internal.h"
#include "sim/results/report.h"

static const sim_span series_interval = 600 * SPAN_SECOND;

const char *kept_run_path(struct arena *arena, const char *dir,
                          const char *between, const char *name,
                          const char *end)
{
    const size_t room =
        strlen(dir) + strlen(between) + strlen(name) + strlen(end) + 1;
    char *path = arena_alloc(arena, room);
    snprintf(path, room, "%s%s%s%s", dir, between, name, end);
    return path;
}

/* Fills the provenance with the command that makes this run alone. */
static void kept_run_tell(struct kept_run *kept, const char *trace,
                          const char *const texts[RUN_ARGS_MAX])
{
    struct provenance *p = &kept->provenance;
    const char **argv =
        ARENA_ARRAY(&kept->arena, const char *, PROVENANCE_OPTIONS_MAX + 2);
    *p = (struct provenance){
        .argv = argv, .trace = trace, .interval = series_interval};
    argv[p->argc++] = "run";
    argv[p->argc++] = trace;
    for (size_t k = 0;
         run_args[k].name && p->n_options < PROVENANCE_OPTIONS_MAX; k++) {
        const char *name = run_args[k].name;
        if (!texts[k])
            continue;
        const char *text = arena_copy(&kept->arena, texts[k], strlen(texts[k]));
        p->options[p->n_options++] = (struct provenance_option){name, text};
        argv[p->argc++] = kept_run_path(&kept->arena, "--", name, "=", text);
    }
}

enum status kept_run_begin(struct kept_run *kept, const char *path,
                           const char *trace,
                           const char *const texts[RUN_ARGS_MAX],
                           struct replay_options *observe, struct error *err)
{
    kept_run_tell(kept, trace, texts);
    enum status st = result_dir_open(path, &kept->dir, err);
    observe->interval = series_interval;
    if (st == STATUS_OK)
        st = result_dir_file(kept->dir, RESULT_SERIES, &observe->series, err);
    return st;
}

enum status kept_run_end(struct kept_run *kept, const struct study_run *run,
                         struct error *err)
{
    struct result_dir *dir = kept->dir;
    struct summary summary = {0};
    kept->dir = NULL;
    if (!run->replay) {
        result_dir_abandon(dir);
        return STATUS_OK;
    }
    struct results results = run->replay->results;
    run_model_account(run->replay->model, &kept->provenance.model);
    results.provenance = &kept->provenance;
    enum status st =
        report_write(dir, results, &summary, (struct report_wishes){0}, err);
    summary_fini(&summary);
    if (st != STATUS_OK) {
        result_dir_abandon(dir);
        return st;
    }
    st = result_dir_commit(dir, err);
    kept->is_written = st == STATUS_OK;
    return st;
}

void kept_run_fini(struct kept_run *kept)
{
    result_dir_abandon(kept->dir);
    arena_fini(&kept->arena);
}
