/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `watch`: follows the logs of running jobs and writes each change as one line
 * of JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/cli.h"
#include "schedmate/watch/watch.h"

struct watch_input {
    struct cli_call call;
    struct watch_settings settings;
    struct arg_list signatures, clues;
};

/* Makes the missing folders above the file of the state, for their owner
 * only. */
static enum status watch_make_folder(const char *path, struct error *err)
{
    char part[4096];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return error_set(err, STATUS_FAILED, "%s: cannot be made: %s", part,
                             strerror(errno));
        *slash = '/';
    }
    return STATUS_OK;
}

/* Sets the state, unless the user named one, to watch.db in $STATE_DIRECTORY,
 * which systemd sets, else in $XDG_STATE_HOME/schedsim, else in
 * ~/.local/state/schedsim. Makes the folder. */
static enum status find_state(struct watch_input *input, struct error *err)
{
    const char *systemd = getenv("STATE_DIRECTORY"),
               *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char path[4096];
    int len = -1;
    if (input->settings.state)
        return STATUS_OK;
    if (systemd && *systemd == '/')
        len = snprintf(path, sizeof path, "%s/watch.db", systemd);
    else if (state && *state == '/')
        len = snprintf(path, sizeof path, "%s/schedsim/watch.db", state);
    else if (home && *home)
        len = snprintf(path, sizeof path, "%s/.local/state/schedsim/watch.db",
                       home);
    if (len < 0 || (size_t)len >= sizeof path)
        return error_set(err, STATUS_USAGE,
                         "there is no directory to keep the state in; name a "
                         "file with --set state-file=FILE");
    input->settings.state = arena_copy(&input->call.arena, path, (size_t)len);
    return watch_make_folder(path, err);
}

/* Refuses options that contradict each other or need another one. */
static enum status watch_check(const struct watch_settings *s,
                               struct error *err)
{
    if (!s->folders.dir && !s->slurm && !s->jobs)
        return error_set(
            err, STATUS_USAGE,
            "mate watch: needs a directory, --slurm or --job-list FILE");
    if (s->stepped && s->jobs && strcmp(s->jobs, "-") == 0)
        return error_set(err, STATUS_USAGE,
                         "--set stepped and --job-list -: only one can read "
                         "standard input");
    if (s->describe && !s->history)
        return error_set(err, STATUS_USAGE, "--describe: is for --history");
    if (s->n_clues && !s->describe)
        return error_set(err, STATUS_USAGE, "--clues: is for --describe");
    if (s->metrics_open && !s->metrics)
        return error_set(err, STATUS_USAGE,
                         "--set metrics-open: is for --metrics ADDRESS:PORT");
    return STATUS_OK;
}

static enum status cmd_watch_run(void *self, struct error *err)
{
    struct watch_input *input = self;
    struct watch_settings *s = &input->settings;
    s->signatures = input->signatures.at;
    s->n_signatures = input->signatures.n;
    s->clues = input->clues.at;
    s->n_clues = input->clues.n;
    if (s->output && strcmp(s->output, "-") == 0)
        s->output = NULL;
    enum status st = watch_check(s, err);
    if (st == STATUS_OK)
        st = find_state(input, err);
    return st == STATUS_OK ? watch_run(s, err) : st;
}

static const struct arg_table watch_settings[] = {
    {watch_options, offsetof(struct watch_input, settings.config)}, {0}};

enum { WATCH_LOGS = 1, WATCH_JOBS, WATCH_TOLD, WATCH_MODEL, WATCH_TESTS };

static const struct arg watch_args[] = {
    TAKE_OPTIONAL_WORD(struct watch_input, settings.folders.dir, "DIR",
                       "directory"),
    TAKE_HEAD(WATCH_LOGS, "Logs:"),
    TAKE_TEXT(struct watch_input, settings.folders.pattern, "pattern", "LIST",
              "names of logs in DIR, separated by commas",
              .initial = "*.log,*.out,*.err,*.txt", .group = WATCH_LOGS,
              .of = "set"),
    TAKE_U32(struct watch_input, settings.folders.depth, "depth", "N",
             "levels of folders below DIR", .hi = 64, .initial = "4",
             .group = WATCH_LOGS, .of = "set"),
    TAKE_CHOICE(struct watch_input, settings.folders.notify, "notify", "HOW",
                folders_notify_names,
                "how new lines in DIR are noticed: auto (default: inotify, but "
                "poll on network file systems), inotify or poll",
                .group = WATCH_LOGS, .often = true),
    TAKE_SPAN(struct watch_input, settings.config.every, "every", "SECONDS",
              "time between two looks", .lo = 0.01, .hi = 3600, .initial = "5",
              .group = WATCH_LOGS, .often = true),
    TAKE_SETTING(watch_settings, "files", "N",
                 "logs that are followed, at most; default 10000", .of = "set"),
    TAKE_SETTINGS(watch_settings, "set", "any setting of 'schedsim list logs'"),
    TAKE_HEAD(WATCH_JOBS, "Jobs:"),
    TAKE_FLAG(struct watch_input, settings.slurm, "slurm",
              "ask Slurm (squeue, scontrol, sacct) for jobs and their logs",
              .group = WATCH_JOBS, .often = true),
    TAKE_TEXT(struct watch_input, settings.jobs, "job-list", "FILE",
              "JSON Lines about the jobs of another scheduler; - is standard "
              "input",
              .group = WATCH_JOBS, .often = true),
    TAKE_TEXT(struct watch_input, settings.gpu_metrics, "gpu-metrics", "PATH",
              "file or directory with text of dcgm-exporter, dcgmi dmon or "
              "nvidia-smi",
              .group = WATCH_JOBS, .of = "set"),
    TAKE_TEXT(
        struct watch_input, settings.kernel_log, "kernel-log", "FILE",
        "output of dmesg -T or journalctl -k, or a directory with that of "
        "each node: its strongest report while a failed job ran counts, "
        "as for 'diagnose'",
        .group = WATCH_JOBS),
    TAKE_TEXT(struct watch_input, settings.history, "history", "FILE",
              "job history that ended jobs are added to", .group = WATCH_JOBS,
              .often = true),
    TAKE_FLAG(struct watch_input, settings.describe, "describe",
              "with --history: describe each ended job by the rules of "
              "'advise', which read its working directory",
              .group = WATCH_JOBS, .often = true),
    TAKE_HEAD(WATCH_TOLD, "Output and state:"),
    TAKE_TEXT(struct watch_input, settings.state, "state-file", "FILE",
              "file that keeps the state of the watch; default watch.db in "
              "$STATE_DIRECTORY, $XDG_STATE_HOME/schedsim or "
              "~/.local/state/schedsim",
              .group = WATCH_TOLD, .of = "set"),
    TAKE_TEXT(struct watch_input, settings.output, "out", "FILE",
              "append the lines to this file, each exactly once",
              .group = WATCH_TOLD, .often = true, .letter = 'o'),
    TAKE_TEXT(struct watch_input, settings.metrics, "metrics", "WHERE",
              "serve figures for Prometheus at unix:PATH (mode 0660), or at "
              "127.0.0.1:PORT, where each user of this machine can read them",
              .group = WATCH_TOLD, .often = true),
    TAKE_FLAG(struct watch_input, settings.metrics_open, "metrics-open",
              "allow --metrics at an address that is not loopback",
              .group = WATCH_TOLD, .of = "set"),
    TAKE_FLAG(struct watch_input, settings.quiet, "quiet",
              "print no remarks on standard error", .group = WATCH_TOLD,
              .letter = 'q', .often = true),
    TAKE_LIST(struct watch_input, signatures, "signatures", "FILE",
              "JSON: signatures and causes of a site, as for 'diagnose'",
              .group = WATCH_JOBS, .often = true),
    TAKE_LIST(struct watch_input, clues, "clues", "FILE",
              "JSON: clues of a site for --describe, as for 'advise'",
              .group = WATCH_JOBS),
    TAKE_HEAD(WATCH_MODEL, "Language model:"),
    TAKE_TEXT(struct watch_input, settings.llm.llm, "llm", "SPEC",
              "rules (default), http[:key=value,...] or replay",
              .group = WATCH_MODEL, .often = true),
    TAKE_TEXT(struct watch_input, settings.llm.recording, "llm-recording",
              "FILE", "a recording of the model's answers",
              .group = WATCH_MODEL),
    TAKE_TEXT(struct watch_input, settings.llm.recording_mode,
              "llm-recording-mode", "MODE",
              "off, auto, record, replay or strict", .group = WATCH_MODEL),
    TAKE_TEXT(struct watch_input, settings.llm.trust, "llm-trust", "FILE",
              "how far the model is trusted, as 'mate trust' measured it",
              .group = WATCH_MODEL),
    TAKE_HEAD(WATCH_TESTS, "For tests:"),
    TAKE_FLAG(struct watch_input, settings.once, "once",
              "look at the logs "
              "once, then end",
              .group = WATCH_TESTS, .of = "set"),
    TAKE_FLAG(struct watch_input, settings.stepped, "stepped",
              "look once for each line of standard input, which gives the "
              "time of the look",
              .group = WATCH_TESTS, .of = "set"),
    {0},
};

const struct command command_watch = {
    .name = "watch",
    .summary = "follow running jobs and report stalls and failures",
    .about = "Follows the logs of running jobs and reports each change as a "
             "line of JSON: a job was seen, its step time, that it stalled, "
             "recovered, failed (and why), ended. docs/watch.md describes the "
             "lines. It runs until SIGTERM; SIGHUP reads the signatures and "
             "clues and opens the output again.",
    .parts = {{.rows = watch_args, .group = WATCH_LOGS}},
    .input_size = sizeof(struct watch_input),
    .run = cmd_watch_run,
    .examples =
        "mate watch /scratch/logs --out changes.jsonl\n"
        "mate watch --slurm --metrics unix:watch.sock --history history.db",
};
