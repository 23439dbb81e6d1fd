/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `history add`: adds one job that has ended. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cmd_history.h"

enum {
    KEY_HISTORY = 1,
    KEY_USER,
    KEY_WORKDIR,
    KEY_COMMAND,
    KEY_BRANCH,
    KEY_NAME,
    KEY_VC,
    KEY_METADATA,
    KEY_SUBMITTED,
    KEY_DURATION,
    KEY_END,
    KEY_GPUS,
    KEY_GPU_TYPE,
    KEY_GPU_UTIL,
    KEY_MEM_MIB,
    KEY_SOURCE,
    KEY_ID,
};

struct add_input {
    struct cli_input cli;
    const char *history;
    struct jobdb_job job;
};

static const struct argp_option options[] = {
    {"history", KEY_HISTORY, "FILE", 0, HISTORY_HELP, 0},
    {"duration", KEY_DURATION, "SECONDS", 0, "running time (required)", 0},
    {"user", KEY_USER, "NAME", 0, "user who submitted the job", 0},
    {"workdir", KEY_WORKDIR, "DIR", 0, "working directory", 0},
    {"command", KEY_COMMAND, "TEXT", 0, "launch command", 0},
    {"branch", KEY_BRANCH, "NAME", 0, "git branch", 0},
    {"name", KEY_NAME, "TEXT", 0, "name of the job", 0},
    {"vc", KEY_VC, "NAME", 0, "virtual cluster", 0},
    {"metadata", KEY_METADATA, "TEXT", 0,
     "what the job trains, as 'key=value ...' (advise prints it)", 0},
    {"submitted", KEY_SUBMITTED, "DATE", 0, "when the job was submitted, UTC",
     0},
    {"end", KEY_END, "HOW", 0,
     "completed (default), failed, cancelled or unknown", 0},
    {"gpus", KEY_GPUS, "N", 0, "GPUs that the job ran on", 0},
    {"gpu-type", KEY_GPU_TYPE, "NAME", 0, "type of the GPUs", 0},
    {"gpu-util", KEY_GPU_UTIL, "PERCENT", 0, "mean utilisation of a GPU", 0},
    {"mem-mib", KEY_MEM_MIB, "MIB", 0, "memory used on a GPU", 0},
    {"source", KEY_SOURCE, "TEXT", 0,
     "system that gave the job its --id, e.g. slurm; a job is added once", 0},
    {"id", KEY_ID, "TEXT", 0, "id of the job in that system", 0},
    {0},
};

static const struct {
    int key;
    size_t offset;
} texts[] = {
    {KEY_USER, offsetof(struct jobdb_job, user)},
    {KEY_WORKDIR, offsetof(struct jobdb_job, workdir)},
    {KEY_COMMAND, offsetof(struct jobdb_job, command)},
    {KEY_BRANCH, offsetof(struct jobdb_job, branch)},
    {KEY_NAME, offsetof(struct jobdb_job, name)},
    {KEY_VC, offsetof(struct jobdb_job, vc)},
    {KEY_METADATA, offsetof(struct jobdb_job, metadata)},
    {KEY_GPU_TYPE, offsetof(struct jobdb_job, gpu_type)},
    {KEY_SOURCE, offsetof(struct jobdb_job, source)},
    {KEY_ID, offsetof(struct jobdb_job, source_id)},
};

static bool is_end(const char *word)
{
    return strcmp(word, "completed") == 0 || strcmp(word, "failed") == 0 ||
           strcmp(word, "cancelled") == 0 || strcmp(word, "unknown") == 0;
}

static error_t parse_figure(struct add_input *input, int key, char *arg,
                            struct argp_state *state)
{
    struct jobdb_job *job = &input->job;
    bool zoned;
    struct text t = text_from(arg);
    switch (key) {
    case KEY_DURATION:
        if (!text_to_span(t, &job->duration) || job->duration < 0)
            return cli_fail(state, "--duration: '%s' is not a time in seconds",
                            arg);
        return 0;
    case KEY_SUBMITTED:
        if (!text_to_time(t, &job->submitted, &zoned))
            return cli_fail(state, "--submitted: '%s' is not a date", arg);
        return 0;
    case KEY_GPUS:
        if (!text_to_u32(t, &job->gpus))
            return cli_fail(state, "--gpus: '%s' is not a count", arg);
        return 0;
    case KEY_GPU_UTIL:
        if (!text_to_double(t, &job->gpu_util) || job->gpu_util < 0 ||
            job->gpu_util > 100)
            return cli_fail(state, "--gpu-util: '%s' is not in 0..100", arg);
        return 0;
    case KEY_MEM_MIB:
        if (!text_to_double(t, &job->mem_mib) || job->mem_mib < 0)
            return cli_fail(state, "--mem-mib: '%s' is not a size", arg);
        return 0;
    case KEY_END:
        if (!is_end(arg))
            return cli_fail(state,
                            "--end: '%s' is not completed, failed, cancelled "
                            "or unknown",
                            arg);
        job->end = t;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct add_input *input = state->input;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].key != key)
            continue;
        struct text *text =
            (struct text *)(void *)((char *)&input->job + texts[i].offset);
        *text = text_from(arg);
        return 0;
    }
    if (key == KEY_HISTORY) {
        input->history = arg;
        return 0;
    }
    if (key == ARGP_KEY_END) {
        if (input->job.duration < 0)
            return cli_fail(state, "history add: --duration is missing");
        if (!input->job.source.len != !input->job.source_id.len)
            return cli_fail(state,
                            "history add: --source and --id belong together");
        return 0;
    }
    return parse_figure(input, key, arg, state);
}

static enum status run(int argc, char **argv, struct error *err)
{
    static const struct argp argp = {
        options, parse, NULL, "One job that has ended.", NULL, NULL, NULL};
    struct add_input input = {.job = {.duration = -1,
                                      .submitted = JOBDB_NO_TIME,
                                      .gpu_util = -1,
                                      .mem_mib = -1,
                                      .end = text_from("completed")}};
    struct jobdb *jobdb = NULL;
    char path[PATH_MAX];
    enum status st = cli_parse(&argp, argc, argv, &input, err);
    if (st == STATUS_OK)
        st = history_open(input.history, true, &jobdb, err);
    /* store the full path, as `advise` looks for it */
    if (st == STATUS_OK && input.job.workdir.len &&
        realpath(input.job.workdir.at, path))
        input.job.workdir = text_from(path);
    if (st == STATUS_OK)
        st = jobdb_add(jobdb, &input.job, NULL, err);
    jobdb_close(jobdb);
    return st;
}

const struct command history_command_add = {
    .name = "add",
    .summary = "one job that has ended",
    .run = run,
    .examples = "history add --duration 5400 --user ann --command \"python "
                "train.py\" --gpus 4",
};
