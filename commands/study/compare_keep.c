/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the result directories of `compare --out`, as `run --out` would. */
#include <stdlib.h>
#include <string.h>

#include "commands/cmd_run.h"
#include "commands/compared.h"
#include "commands/study/compare_internal.h"
#include "commands/study/sweep_internal.h"
#include "sim/results/manifest.h"
#include "sim/results/report.h"

static const sim_span series_interval = 600 * SPAN_SECOND;

struct compare_keeper {
    const struct run_options *options;
    const char *dir;
    const char *names[ARG_LIST_MAX];
    struct kept_policy {
        struct result_dir *dir; /* NULL: none is open */
        bool is_written;        /* true once the directory is complete */
        struct provenance provenance;
        const char *argv[PROVENANCE_OPTIONS_MAX + 2];
        struct arena arena;
    } runs[ARG_LIST_MAX];
};

struct compare_keeper *compare_keeper_new(const char *dir,
                                          const struct run_options *options,
                                          const struct arg_list *policies,
                                          struct arena *arena)
{
    struct compare_keeper *keeper = mem_zalloc(1, sizeof *keeper);
    keeper->options = options;
    keeper->dir = dir;
    compared_names(policies, arena, keeper->names);
    return keeper;
}

void compare_keeper_free(struct compare_keeper *keeper)
{
    for (size_t i = 0; keeper && i < ARG_LIST_MAX; i++) {
        result_dir_abandon(keeper->runs[i].dir);
        arena_fini(&keeper->runs[i].arena);
    }
    free(keeper);
}

static char *compare_keep_join(struct arena *arena, const char *a,
                               const char *joint, const char *b)
{
    const size_t room = strlen(a) + strlen(joint) + strlen(b) + 1;
    char *all = arena_alloc(arena, room);
    stpcpy(stpcpy(stpcpy(all, a), joint), b);
    return all;
}

/* Fills the provenance with the command that makes this run alone. */
static void compare_keep_tell(struct compare_keeper *keeper,
                              struct kept_policy *kept,
                              const struct run_config *config)
{
    struct provenance *p = &kept->provenance;
    *p = (struct provenance){.argv = kept->argv,
                             .trace = config->trace,
                             .interval = series_interval};
    kept->argv[p->argc++] = "run";
    kept->argv[p->argc++] = config->trace;
    for (size_t k = 0; run_args[k].name; k++) {
        const char *name = run_args[k].name;
        const char *text = strcmp(name, "policy") == 0
                               ? config->policy
                               : keeper->options->given[k];
        if (!text || p->n_options == PROVENANCE_OPTIONS_MAX)
            continue;
        /* The settings of SchedMate go to the rows that have it alone
         * (run_options_of_policy). */
        if ((strcmp(name, "schedmate") == 0 && !config->schedmate) ||
            (strncmp(name, "llm", 3) == 0 && !config->llm &&
             !config->llm_recording))
            continue;
        p->options[p->n_options++] = (struct provenance_option){name, text};
        kept->argv[p->argc++] = compare_keep_join(
            &kept->arena, compare_keep_join(&kept->arena, "--", name, ""), "=",
            text);
    }
}

enum status compare_keeper_begin(struct compare_keeper *keeper, size_t at,
                                 const struct run_config *config,
                                 struct replay_options *observe,
                                 struct error *err)
{
    struct kept_policy *kept = &keeper->runs[at];
    arena_init(&kept->arena);
    compare_keep_tell(keeper, kept, config);
    enum status st = result_dir_open(
        compare_keep_join(&kept->arena, keeper->dir, "/", keeper->names[at]),
        &kept->dir, err);
    observe->interval = series_interval;
    if (st == STATUS_OK)
        st = result_dir_file(kept->dir, RESULT_SERIES, &observe->series, err);
    return st;
}

enum status compare_keeper_take(struct compare_keeper *keeper,
                                const struct study_run *run, struct error *err)
{
    struct kept_policy *kept = &keeper->runs[run->index];
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

enum status compare_keeper_end(struct compare_keeper *keeper, struct error *err)
{
    const char *written[ARG_LIST_MAX];
    size_t n = 0;
    for (size_t i = 0; i < ARG_LIST_MAX; i++) {
        if (keeper->runs[i].is_written)
            written[n++] = keeper->names[i];
    }
    return n ? compared_write(keeper->dir, written, n, err) : STATUS_OK;
}
