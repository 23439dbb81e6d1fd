/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `drive`: lets a policy decide when the jobs of a real Slurm start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "commands/cli.h"
#include "commands/cmd_run.h"
#include "commands/run_options.h"
#include "commands/terminal.h"
#include "sim/drive/drive.h"

struct drive_input {
    struct cli_call call;
    struct run_options options;
    struct drive_options drive;
    struct arg_list partitions, users;
    const char *replay;
    bool slurm, undo, trusts;
    uint32_t cycles; /* UINT32_MAX: not given */
};

static void drive_print(const char *line, bool note)
{
    if (note) {
        fprintf(stderr, "schedsim: %s\n", line);
        return;
    }
    puts(line);
    fflush(stdout);
}

/* Returns the options of the run as the user gave them; the caller owns it. */
static json_t *drive_settings(const struct drive_input *input)
{
    json_t *settings = json_object();
    for (size_t i = 0; run_args[i].kind != ARG_END; i++) {
        if (run_args[i].name && input->options.given[i])
            json_put(settings, run_args[i].name,
                     json_text(input->options.given[i]));
    }
    return settings;
}

/* Sets the folder of the files, unless the user named one: drive in
 * $STATE_DIRECTORY, which systemd sets, else schedsim/drive in $XDG_STATE_HOME,
 * else in ~/.local/state. */
static enum status drive_find_dir(struct drive_input *input, struct error *err)
{
    const char *systemd = getenv("STATE_DIRECTORY"),
               *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char path[4096];
    int len = -1;
    if (input->drive.dir)
        return STATUS_OK;
    if (systemd && *systemd == '/')
        len = snprintf(path, sizeof path, "%s/drive", systemd);
    else if (state && *state == '/')
        len = snprintf(path, sizeof path, "%s/schedsim/drive", state);
    else if (home && *home == '/')
        len =
            snprintf(path, sizeof path, "%s/.local/state/schedsim/drive", home);
    if (len < 0 || len > 3900)
        return error_set(err, STATUS_USAGE,
                         "drive: there is no folder for the book and the log; "
                         "name one with --state-dir DIR");
    input->drive.dir = arena_copy(&input->call.arena, path, (size_t)len);
    return STATUS_OK;
}

/* Refuses options that contradict each other or need another one. */
static enum status drive_check(const struct drive_input *input,
                               struct error *err)
{
    const struct drive_options *o = &input->drive;
    const int n = input->slurm + !!o->files.squeue + !!input->replay;
    if (n != 1)
        return error_set(err, STATUS_USAGE,
                         "drive: give --slurm, or --squeue and --sinfo, or "
                         "--replay LOG");
    if (o->files.reservations && !o->files.squeue)
        return error_set(err, STATUS_USAGE,
                         "--reservations: needs --squeue and --sinfo");
    if (!o->files.squeue != !o->files.nodes)
        return error_set(err, STATUS_USAGE,
                         "drive: --squeue and --sinfo belong together");
    if (!input->slurm && (o->execute || input->undo))
        return error_set(err, STATUS_USAGE,
                         "drive: --execute and --undo need --slurm");
    return STATUS_OK;
}

/* Checks what a driver needs, in place of --undo and --replay. */
static enum status drive_check_scope(const struct drive_input *input,
                                     struct error *err)
{
    const struct drive_options *o = &input->drive;
    if (input->undo || input->replay)
        return o->execute ? error_set(err, STATUS_USAGE,
                                      "drive: --execute does not go with "
                                      "--undo or --replay")
                          : STATUS_OK;
    if (input->partitions.n == 0)
        return error_set(err, STATUS_USAGE,
                         "drive: name the partitions whose jobs it may touch "
                         "(--partition)");
    if (!input->options.config.policy)
        return error_set(err, STATUS_USAGE,
                         "drive: name the policy (--policy)");
    if (strchr(o->scope.mark, ' ') || !*o->scope.mark)
        return error_set(err, STATUS_USAGE, "--mark: '%.60s' is not one word",
                         o->scope.mark);
    if (input->options.config.state || input->options.config.trace)
        return error_set(err, STATUS_USAGE,
                         "drive: the state is that of Slurm; leave out --state "
                         "and the trace");
    return STATUS_OK;
}

struct drive_from_log {
    struct run_options options;
    struct trust trust;
    struct arena *arena;
    struct backend *model;
};

/* Makes the configuration from the options in a log, which may act only if the
 * user trusts the log. */
static enum status drive_from_log(void *self, const json_t *settings,
                                  struct run_config *out, struct error *err)
{
    struct drive_from_log *from = self;
    const char *key;
    json_t *value;
    enum status st = STATUS_OK;
    run_options_init(&from->options);
    json_object_foreach((json_t *)(uintptr_t)settings, key, value)
    {
        const char *text = json_string_value(value);
        if (!text)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s: options: expected a text at \"%.60s\"",
                             from->trust.file, key);
        trust_see(&from->trust, key, text);
        if (st == STATUS_OK)
            st = run_options_set(&from->options, key, text, from->arena, err);
    }
    if (st == STATUS_OK)
        st = trust_ask(&from->trust, err);
    backend_free(from->model);
    from->model = NULL;
    from->options.config.asks_once = true;
    if (st == STATUS_OK)
        st = run_model_open(&from->options.config, &from->model, err);
    *out = from->options.config;
    return st;
}

static enum status drive_replay_log(struct drive_input *input,
                                    struct error *err)
{
    struct drive_from_log from = {
        .trust = {.file = input->replay, .given = input->trusts},
        .arena = &input->call.arena};
    const struct drive_configure make = {drive_from_log, &from};
    uint64_t n;
    enum status st = drive_replay(input->replay, &make, &n, err);
    backend_free(from.model);
    if (st == STATUS_OK)
        printf("%s: %llu plan%s made again, all equal\n", input->replay,
               (unsigned long long)n, say_plural(n));
    return st;
}

static enum status drive_command_run(void *self, struct error *err)
{
    struct drive_input *input = self;
    struct drive_options *o = &input->drive;
    enum status st = drive_check(input, err);
    if (st == STATUS_OK)
        st = drive_check_scope(input, err);
    if (st == STATUS_OK && input->replay)
        return drive_replay_log(input, err);
    if (st == STATUS_OK && (o->execute || input->undo))
        st = drive_find_dir(input, err);
    if (st != STATUS_OK)
        return st;
    o->config = input->options.config;
    o->scope.partitions =
        (struct drive_names){input->partitions.at, input->partitions.n};
    o->scope.users = (struct drive_names){input->users.at, input->users.n};
    o->say = drive_print;
    o->cycles = input->cycles != UINT32_MAX ? input->cycles : !o->execute;
    if (input->undo)
        return drive_undo(o, err);
    json_t *settings = drive_settings(input);
    struct backend *model;
    o->settings = settings;
    o->config.asks_once = true;
    st = run_model_open(&o->config, &model, err);
    if (st == STATUS_OK)
        st = drive_run(o, err);
    backend_free(model);
    json_decref(settings);
    return st;
}

static const struct arg drive_args[] = {
    TAKE_FLAG(struct drive_input, slurm, "slurm",
              "drive the Slurm of this machine", .often = true),
    TAKE_LIST(struct drive_input, partitions, "partition", "NAME",
              "touch only jobs of this partition; may be given more than once",
              .often = true),
    TAKE_LIST(struct drive_input, users, "user", "NAME",
              "touch only jobs of this user; may be given more than once; "
              "default: all users of the partitions",
              .often = true),
    TAKE_CHOICE(struct drive_input, drive.by, "form", "release|nice",
                drive_by_names,
                "how starts are ordered: release: jobs that their users "
                "submitted held and marked are released when the policy starts "
                "them; nice: nothing is held, and a bounded nice gives waiting "
                "jobs the order of the policy",
                .initial = "release", .often = true),
    TAKE_FLAG(struct drive_input, drive.execute, "execute",
              "act; without it, nothing is changed, and each line says what "
              "would be done and why",
              .often = true),
    TAKE_TEXT(struct drive_input, drive.scope.mark, "mark", "WORD",
              "jobs with this word in their comment may be released and put "
              "back (sbatch --hold --comment=WORD)",
              .initial = "schedsim"),
    TAKE_FLAG(struct drive_input, drive.requeue, "requeue",
              "let the policy stop marked jobs: they are put back into the "
              "queue, and lose their work"),
    TAKE_SPAN(struct drive_input, drive.every, "pause", "SPAN",
              "time between two cycles", .initial = "10s", .lo = 0.05,
              .hi = 86400),
    TAKE_U32(struct drive_input, cycles, "cycles", "N",
             "end after N cycles; 0: go on until SIGTERM or SIGINT; default 1, "
             "with --execute 0"),
    TAKE_SPAN(struct drive_input, drive.release_after, "release-after", "SPAN",
              "if the driver gives no sign of life for this long, or can do "
              "nothing though Slurm answers, all its jobs are released and all "
              "nices restored",
              .initial = "5min", .lo = 1, .hi = 86400),
    TAKE_SPAN(struct drive_input, drive.answer, "answer-within", "SPAN",
              "longest time for one command of Slurm", .initial = "30s",
              .lo = 0.1, .hi = 3600),
    TAKE_U32(struct drive_input, drive.per_hour, "max-actions-per-hour", "N",
             "change at most N jobs in an hour; undo is not counted",
             .initial = "1000", .lo = 1, .hi = 1e9),
    TAKE_U32(struct drive_input, drive.nice_max, "nice-max", "N",
             "with --form nice: add at most N to the nice of a job",
             .initial = "10000", .lo = 1, .hi = 1000000000),
    TAKE_TEXT(struct drive_input, drive.dir, "state-dir", "DIR",
              "folder of the driver's files; default drive in "
              "$STATE_DIRECTORY, else schedsim/drive in $XDG_STATE_HOME or "
              "~/.local/state"),
    TAKE_TEXT(struct drive_input, drive.log, "decision-log", "FILE",
              "append the decisions to this file; default with --execute: "
              "DIR/decisions.jsonl, otherwise none"),
    TAKE_FLAG(struct drive_input, undo, "undo",
              "release all jobs that the driver of DIR may release, and "
              "restore the nices that it changed; for administrators and "
              "systemd's ExecStopPost",
              .often = true),
    TAKE_TEXT(struct drive_input, replay, "replay", "LOG",
              "plan again from each state in a log of decisions; exit status 6 "
              "at the first plan that differs",
              .often = true),
    TAKE_FLAG(struct drive_input, trusts, "trust", TRUST_HELP),
    TAKE_TEXT(struct drive_input, drive.files.squeue, "squeue", "FILE",
              "a dry run on the saved output of squeue --json"),
    TAKE_TEXT(struct drive_input, drive.files.nodes, "sinfo", "FILE",
              "output of sinfo --json or scontrol show nodes --json"),
    TAKE_TEXT(struct drive_input, drive.files.conf, "slurm-conf", "FILE",
              "slurm.conf, or the output of scontrol show config; default with "
              "--slurm: scontrol is asked"),
    TAKE_TEXT(struct drive_input, drive.files.reservations, "reservations",
              "FILE", "output of scontrol -o show reservation, with TZ=UTC"),
    {0},
};

static const struct drive_input drive_defaults = {.cycles = UINT32_MAX};

const struct command command_drive = {
    .name = "drive",
    .summary = "let a policy decide when the jobs of a real Slurm start",
    .about =
        "Drives a real Slurm by a policy. Each cycle reads the present state "
        "of Slurm, asks the policy for its plan at this instant, and says, or "
        "with --execute does, what follows: jobs that users submitted held and "
        "marked (sbatch --hold --comment=schedsim) are released when the "
        "policy starts them. Any policy that starts whole jobs will do, also "
        "exec:COMMAND.",
    .notes =
        "Commands: squeue --all --json, scontrol show nodes --json or sinfo "
        "--all --json, scontrol show config, partition, reservation; with "
        "--execute also scontrol release IDS, scontrol requeuehold Incomplete "
        "IDS (--requeue), scontrol update jobid=IDS nice=N (--form nice). They "
        "are the first in $PATH and run without a shell; only numbers of jobs "
        "are passed.\n"
        "Rights: Operator, SlurmUser or root for jobs of others; none for own "
        "jobs.\n"
        "Never touched: jobs of other partitions or users; jobs held by an "
        "operator; jobs held again after they had been free; nodes, "
        "partitions, limits, priorities.\n"
        "Fail open: a guard process releases all if the driver is killed or "
        "hangs (--release-after); each end of the driver and --undo do so too. "
        "Under systemd use KillMode=process and ExecStopPost=schedsim drive "
        "--slurm --undo.\n"
        "Files in DIR: decisions.jsonl (each decision, with the state, before "
        "it is carried out), book.json, guard.log, lock.",
    .parts = {{.rows = drive_args, .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct drive_input, options)},
    .input_size = sizeof(struct drive_input),
    .defaults = &drive_defaults,
    .run = drive_command_run,
    .ends = CLI_ENDS(TOLERANCE),
    .is_simulation = true,
    .examples = "drive --slurm --partition gpu -p sjf\n"
                "drive --slurm --partition gpu -p backfill --execute\n"
                "drive --slurm --partition gpu -p fifo --form nice --execute\n"
                "drive --slurm --undo\n"
                "drive --replay ~/.local/state/schedsim/drive/decisions.jsonl",
};
