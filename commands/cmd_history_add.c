/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `history add`: adds one job that has ended. */
#include <limits.h>
#include <stdlib.h>

#include "commands/cmd_history_internal.h"

struct add_input {
    struct cli_call call;
    const char *history;
    unsigned end; /* index into `ends` */
    struct jobdb_job job;
};

static const char *const ends[] = {"completed", "failed", "cancelled",
                                   "unknown", NULL};

static enum status run(void *self, struct error *err)
{
    struct add_input *input = self;
    struct jobdb_job *job = &input->job;
    struct jobdb *jobdb = NULL;
    char path[PATH_MAX];
    if (!job->source.len != !job->source_id.len)
        return error_set(err, STATUS_USAGE,
                         "history add: --source and --id belong together");
    job->end = text_from(ends[input->end]);
    /* Store the absolute path, because `advise` searches for absolute paths. */
    if (job->workdir.len && realpath(job->workdir.at, path))
        job->workdir = text_from(path);
    enum status st = history_open(input->history, true, &jobdb, err);
    if (st == STATUS_OK)
        st = jobdb_add(jobdb, job, NULL, err);
    jobdb_close(jobdb);
    return st;
}

static const struct arg args[] = {
    TAKE_TEXT(struct add_input, history, "history", "FILE", HISTORY_HELP),
    TAKE_SPAN(struct add_input, job.duration, "duration", "SECONDS",
              "running time", .hi = INFINITY, .is_required = true),
    TAKE_VIEW(struct add_input, job.user, "user", "NAME",
              "user who submitted the job"),
    TAKE_VIEW(struct add_input, job.workdir, "workdir", "DIR",
              "working directory"),
    TAKE_VIEW(struct add_input, job.command, "command", "TEXT",
              "launch command"),
    TAKE_VIEW(struct add_input, job.branch, "branch", "NAME", "git branch"),
    TAKE_VIEW(struct add_input, job.name, "name", "TEXT", "name of the job"),
    TAKE_VIEW(struct add_input, job.vc, "vc", "NAME", "virtual cluster"),
    TAKE_VIEW(struct add_input, job.metadata, "metadata", "TEXT",
              "what the job trains, as 'key=value ...' (advise prints it)"),
    TAKE_TIME(
        struct add_input, job.submitted, "submitted", "TIME",
        "when the job was submitted: a date in UTC, or seconds since 1970"),
    TAKE_CHOICE(struct add_input, end, "end", "HOW", ends,
                "completed (default), failed, cancelled or unknown"),
    TAKE_VIEW(struct add_input, job.state, "state", "STATE",
              "the scheduler's word for the end, such as TIMEOUT"),
    TAKE_VIEW(struct add_input, job.exit_code, "exit-code", "CODE",
              "exit status and signal"),
    TAKE_VIEW(struct add_input, job.hosts, "hosts", "NAMES",
              "nodes that the job ran on"),
    TAKE_VIEW(struct add_input, job.failure, "failure", "TEXT",
              "why it failed, as 'diagnose' judged"),
    TAKE_U32(struct add_input, job.gpus, "gpus", "N",
             "GPUs that the job ran on"),
    TAKE_VIEW(struct add_input, job.gpu_type, "gpu-type", "NAME",
              "type of the GPUs"),
    TAKE_DOUBLE(struct add_input, job.gpu_util, "gpu-util", "PERCENT",
                "mean utilisation of a GPU", .hi = 100),
    TAKE_DOUBLE(struct add_input, job.mem_mib, "mem-mib", "MIB",
                "memory used on a GPU", .hi = INFINITY),
    TAKE_VIEW(
        struct add_input, job.source, "source", "TEXT",
        "system that gave the job its --id, e.g. slurm; a job is added once"),
    TAKE_VIEW(struct add_input, job.source_id, "id", "TEXT",
              "id of the job in that system"),
    {0},
};

static const struct add_input defaults = {
    .job = {.gpu_util = -1, .mem_mib = -1}};

const struct command history_command_add = {
    .name = "add",
    .summary = "add one job that has ended",
    .about = "Adds one job that has ended.",
    .parts = {{.rows = args}},
    .input_size = sizeof(struct add_input),
    .defaults = &defaults,
    .run = run,
    .examples = "history add --duration 5400 --user ann --command \"python "
                "train.py\" --gpus 4",
};
