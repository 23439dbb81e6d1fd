/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result directories of `compare --out`. */
#include <stdlib.h>
#include <string.h>

#include "commands/compared.h"
#include "commands/study/compare_internal.h"
#include "commands/study/sweep_internal.h"

struct compare_keeper {
    const struct run_options *options;
    const char *dir;
    const char *names[ARG_LIST_MAX];
    struct kept_run runs[ARG_LIST_MAX];
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
    for (size_t i = 0; keeper && i < ARG_LIST_MAX; i++)
        kept_run_fini(&keeper->runs[i]);
    free(keeper);
}

/* Fills `texts` with the options of the run of one policy. The settings of
 * SchedMate go to the rows that have it alone (run_options_of_policy). */
static void compare_keep_texts(const struct run_options *options,
                               const struct run_config *config,
                               const char *texts[RUN_ARGS_MAX])
{
    for (size_t k = 0; run_args[k].name; k++) {
        const char *name = run_args[k].name;
        texts[k] = strcmp(name, "policy") == 0          ? config->policy
                   : strcmp(name, "schedmate") == 0     ? config->schedmate
                   : strcmp(name, "llm") == 0           ? config->llm
                   : strcmp(name, "llm-recording") == 0 ? config->llm_recording
                   : strcmp(name, "llm-recording-mode") == 0
                       ? config->llm_recording_mode
                       : options->given[k];
    }
}

enum status compare_keeper_begin(struct compare_keeper *keeper, size_t at,
                                 const struct run_config *config,
                                 struct replay_options *observe,
                                 struct error *err)
{
    struct kept_run *kept = &keeper->runs[at];
    const char *texts[RUN_ARGS_MAX] = {0};
    arena_init(&kept->arena);
    compare_keep_texts(keeper->options, config, texts);
    return kept_run_begin(
        kept,
        kept_run_path(&kept->arena, keeper->dir, "/", keeper->names[at], ""),
        config->trace, texts, observe, err);
}

enum status compare_keeper_take(struct compare_keeper *keeper,
                                const struct study_run *run, struct error *err)
{
    return kept_run_end(&keeper->runs[run->index], run, err);
}

size_t compare_keeper_count(const struct compare_keeper *keeper)
{
    size_t n = 0;
    for (size_t i = 0; i < ARG_LIST_MAX; i++)
        n += keeper->runs[i].is_written;
    return n;
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
