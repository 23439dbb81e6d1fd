/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sweep`: makes the runs of a grid that are not done yet, on several threads
 * or on Slurm, and writes one row for each run of the grid (docs/sweeps.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands/cli.h"
#include "commands/compare_runs.h"
#include "commands/study/sweep_internal.h"
#include "commands/summary_table.h"

struct sweep_input {
    struct cli_call call;
    struct sweep_options options;
    const char *shard;
    bool json, intervals, slurm;
    struct slurm_options to_slurm;
    struct arg_words words; /* options for sbatch */
    struct arg_list metrics;
    const char *against;
};

/* Reads the value "I/N" of --shard. */
static enum status read_shard(struct sweep_input *input, struct error *err)
{
    struct sweep_options *o = &input->options;
    const char *slash = input->shard ? strchr(input->shard, '/') : NULL;
    if (!input->shard)
        return STATUS_OK;
    struct text i = {input->shard, slash ? (size_t)(slash - input->shard) : 0};
    if (!slash || !text_to_u32(i, &o->shard) ||
        !text_to_u32(text_from(slash + 1), &o->n_shards) || !o->shard ||
        o->shard > o->n_shards)
        return error_set(err, STATUS_USAGE,
                         "--shard: '%.100s' is not I/N with 1 <= I <= N, such "
                         "as 3/8",
                         input->shard);
    return STATUS_OK;
}

static enum status check_slurm(struct sweep_input *input, struct error *err)
{
    const struct sweep_options *o = &input->options;
    struct slurm_options *slurm = &input->to_slurm;
    slurm->sbatch = input->words.at;
    slurm->n_sbatch = input->words.n;
    if (slurm->n_sbatch && !input->slurm)
        return error_set(err, STATUS_USAGE,
                         "sweep: '%.100s': words after GRID are options of "
                         "sbatch, for --slurm",
                         slurm->sbatch[0]);
    if (!input->slurm)
        return STATUS_OK;
    if (o->n_shards || o->collect || input->intervals)
        return error_set(err, STATUS_USAGE,
                         "--slurm takes neither --shard nor --collect nor "
                         "--intervals");
    return slurm_check(slurm, err);
}

static enum status check_intervals(const struct sweep_input *input,
                                   struct error *err)
{
    const struct sweep_options *o = &input->options;
    if ((input->metrics.n || input->against) && !input->intervals)
        return error_set(err, STATUS_USAGE, "--%s is for --intervals",
                         input->against ? "against" : "intervals-of");
    if (input->intervals && (o->n_shards || o->dry_run || input->json))
        return error_set(err, STATUS_USAGE,
                         "--intervals takes neither --shard nor --dry-run nor "
                         "--json ('compare DIR --json' has the numbers)");
    return STATUS_OK;
}

/* Checks --slurm, --intervals and the options that belong to them. */
static enum status check_more(struct sweep_input *input, struct error *err)
{
    if (!input->options.out && (input->slurm || input->intervals))
        return error_set(err, STATUS_USAGE, "--%s: needs --out DIR",
                         input->slurm ? "slurm" : "intervals");
    enum status st = check_slurm(input, err);
    return st == STATUS_OK ? check_intervals(input, err) : st;
}

static enum status sweep_check(struct sweep_input *input, struct error *err)
{
    const struct sweep_options *o = &input->options;
    enum status st = read_shard(input, err);
    if (st != STATUS_OK)
        return st;
    if (!o->out && (o->n_shards || o->collect || o->keep))
        return error_set(err, STATUS_USAGE, "--%s: needs --out DIR",
                         o->n_shards  ? "shard"
                         : o->collect ? "collect"
                                      : "keep");
    if (o->collect && (o->n_shards || o->dry_run))
        return error_set(err, STATUS_USAGE,
                         "--collect makes no runs: it "
                         "takes neither --shard nor "
                         "--dry-run");
    return check_more(input, err);
}

/* Merges the logs of the journal into one. A log that another process writes to
 * stays as it is. Called when all runs are done. */
static enum status compact(struct sweep *s, struct error *err)
{
    bool busy = false;
    enum status st = journal_compact(s->journal, &busy, err);
    if (st == STATUS_OK && busy && !s->options->quiet)
        fputs("note: another process writes to the journal of this sweep, so "
              "its logs were not merged into one; a later --collect does so\n",
              stderr);
    return st;
}

/* Prints the means in the form that the user wants, and what must be known to
 * read them. */
static enum status sweep_show(struct sweep *s, const struct sweep_input *input,
                              struct error *err)
{
    struct row_remarks notes;
    enum status st = STATUS_OK;
    row_remarks_init(&notes);
    if (input->json)
        st = sweep_print_json(s, err);
    else if (input->intervals)
        st = compare_runs(input->options.out,
                          &(struct runs_wishes){input->metrics.at,
                                                input->metrics.n,
                                                input->against},
                          COMPARE_CSV, err);
    else if (!input->options.quiet)
        sweep_print_table(s, &notes);
    if (st == STATUS_OK && !input->options.quiet)
        sweep_say_runs(s, &notes,
                       input->json || input->intervals ? stderr : stdout);
    row_remarks_fini(&notes);
    return st;
}

/* Writes and prints the result of all shards. If no run is missing, merges the
 * logs of the journal. Returns an error, or the status of sweep_judge. */
static enum status sweep_conclude(struct sweep *s,
                                  const struct sweep_input *input,
                                  struct error *err)
{
    size_t n_lack = 0;
    enum status st = sweep_write(s, &n_lack, err);
    if (st == STATUS_OK && n_lack == 0)
        st = compact(s, err);
    if (st == STATUS_OK)
        st = sweep_show(s, input, err);
    if (st != STATUS_OK)
        return st;
    if (input->options.out && !input->options.quiet)
        fprintf(stderr, "%zu run%s in %s/runs.csv, %zu of them made now\n",
                s->grid.n_runs - n_lack, say_plural(s->grid.n_runs - n_lack),
                input->options.out, s->n_made);
    return sweep_judge(s, n_lack, err);
}

/* Reports the end of a shard. Other processes make the other shards. */
static enum status conclude_shard(struct sweep *s, struct error *err)
{
    const struct sweep_options *o = &s->options[0];
    if (!o->quiet)
        fprintf(stderr,
                "shard %u/%u: %zu runs done, %zu of them made now; 'sweep %s "
                "--out %s --collect' writes runs.csv\n",
                o->shard, o->n_shards, s->n_before + s->n_made - s->n_failed,
                s->n_made, o->grid, o->out);
    return sweep_judge(s, 0, err);
}

static enum status cmd_sweep_make(struct sweep *s,
                                  const struct sweep_input *input,
                                  struct error *err)
{
    if (!input->options.quiet)
        sweep_say_found(s, stderr);
    if (input->slurm && s->n_todo)
        return slurm_submit(s, &input->to_slurm, err);
    if (input->slurm && !input->options.quiet)
        fputs("all runs are done: nothing is submitted\n", stderr);
    if (input->options.dry_run) {
        sweep_say_plan(s);
        return STATUS_OK;
    }
    enum status st = sweep_make(s, err);
    if (s->signal)
        fprintf(stderr, "sweep: stopped, %zu of %zu runs are done; %s\n",
                s->n_before + s->n_made, s->n_mine,
                input->options.out ? "the same command carries on"
                                   : "without --out DIR nothing is kept");
    if (st != STATUS_OK)
        return st;
    return input->options.n_shards ? conclude_shard(s, err)
                                   : sweep_conclude(s, input, err);
}

/* If no run has been timed, makes one run here, so that the time of a task can
 * be estimated, and plans again. Does nothing for a dry run, if no run is left,
 * or if --slurm=tasks= says how many tasks there are. */
static enum status time_one(struct sweep *s, struct sweep_input *input,
                            struct error *err)
{
    struct sweep_options *o = &input->options;
    double seconds;
    slurm_shards(s, &input->to_slurm, &seconds);
    if (!isnan(seconds) || s->n_todo == 0 || o->dry_run ||
        input->to_slurm.n_tasks)
        return STATUS_OK;
    if (!o->quiet)
        fputs("no run has been timed yet: one is made here, to find out how "
              "many runs make a task\n",
              stderr);
    s->n_todo = 1;
    enum status st = sweep_make(s, err);
    if (st != STATUS_OK || s->signal)
        return st;
    o->trusts = s->grid.trust.given; /* do not ask twice */
    sweep_fini(s);
    return sweep_plan(s, o, err);
}

static enum status sweep_run(void *self, struct error *err)
{
    struct sweep_input *input = self;
    struct sweep sweep;
    enum status st = sweep_check(input, err);
    if (st != STATUS_OK)
        return st;
    input->options.submits = input->slurm;
    st = sweep_plan(&sweep, &input->options, err);
    if (st == STATUS_OK && input->slurm)
        st = time_one(&sweep, input, err);
    if (st == STATUS_OK)
        st = cmd_sweep_make(&sweep, input, err);
    int signal = sweep.signal;
    sweep_fini(&sweep);
    study_die(signal);
    return st;
}

static const char *const versions[] = {"refuse", "redo", "keep", NULL};

static const struct arg sweep_args[] = {
    TAKE_WORD(struct sweep_input, options.grid, "GRID", "grid"),
    TAKE_OPTIONAL_WORDS(struct sweep_input, words, "-- SBATCH OPTION",
                        "option of sbatch"),
    TAKE_TEXT(struct sweep_input, options.out, "out", "DIR",
              "write runs.csv and what is needed to carry on to this "
              "directory; without it nothing is kept",
              .letter = 'o', .often = true),
    TAKE_THREADS(struct sweep_input, options.threads),
    TAKE_TEXT(struct sweep_input, shard, "shard", "I/N",
              "make only part I of N, I from 1; all parts write to one DIR",
              .often = true),
    TAKE_FLAG(struct sweep_input, options.collect, "collect",
              "make no runs: write runs.csv from what all shards have done",
              .often = true),
    TAKE_FLAG(struct sweep_input, options.trusts, "trust", TRUST_HELP),
    TAKE_FLAG(struct sweep_input, options.dry_run, "dry-run",
              "print the runs, how many are done and how long the others "
              "take, and do nothing",
              .often = true),
    TAKE_FLAG(struct sweep_input, options.keep, "keep",
              "also write the result directory of each run, DIR/runs/KEY",
              .often = true),
    TAKE_CHOICE(struct sweep_input, options.other_version, "other-version",
                "WHAT", versions,
                "what to do with runs in DIR that another version of schedsim "
                "made: refuse to go on, redo them, or keep them",
                .initial = "refuse"),
    TAKE_VALUE(ARG_FLAG, bool, struct sweep_input, intervals, "intervals",
               "of=COLUMN,...",
               "print means over replications, with intervals and paired "
               "differences, as CSV",
               .often = true),
    TAKE_LIST(struct sweep_input, metrics, "intervals-of", "NAME",
              "for --intervals: a column of runs.csv, such as jct_s.p99; "
              "default jct_s, queue_delay_s and slowdown",
              .of = "intervals"),
    TAKE_TEXT(struct sweep_input, against, "against", "KEY=VALUE",
              "for --intervals: compare each setting with the one that differs "
              "from it only in this; default: with the first setting of its "
              "trace",
              .often = true),
    TAKE_VALUE(
        ARG_FLAG, bool, struct sweep_input, slurm, "slurm", "KEY=VALUE,...",
        "submit what is not done to Slurm, as arrays of shards and a job "
        "that collects; words after -- are options of sbatch; with "
        "--dry-run print what would be submitted",
        .often = true),
    TAKE_DOUBLE(struct sweep_input, to_slurm.task_minutes, "task-minutes", "N",
                "for --slurm: runs are put together so that a task lasts about "
                "N minutes",
                .above_lo = true, .hi = 100000, .initial = "10", .of = "slurm"),
    TAKE_U32(struct sweep_input, to_slurm.n_tasks, "tasks", "N",
             "for --slurm: number of tasks; default: by --slurm=task-minutes",
             .lo = 1, .hi = 1000000, .of = "slurm"),
    TAKE_FLAG(struct sweep_input, to_slurm.only_ok, "after-ok",
              "for --slurm: collect only if no task failed (afterok); default: "
              "in any case (afterany)",
              .of = "slurm"),
    TAKE_FLAG(struct sweep_input, json, "json",
              "print the means as JSON instead of a table", .often = true,
              .letter = 'j'),
    TAKE_FLAG(struct sweep_input, options.all_remarks, "remarks",
              ROW_REMARKS_HELP, .often = true),
    TAKE_FLAG(struct sweep_input, options.quiet, "quiet",
              "print no table, notes and progress", .letter = 'q',
              .often = true),
    {0},
};

const struct command command_sweep = {
    .name = "sweep",
    .summary = "make all runs of a grid, on all processors, resumable",
    .about = "Makes the runs of a grid of traces, policies, clusters, seeds "
             "and any other option of 'run'.",
    .notes = "GRID is a JSON object of lists, whose product is run; "
             "docs/sweeps.md describes it. Each trace is parsed once. The "
             "same command carries on with a sweep that was stopped, and an "
             "extended grid makes only the new runs; the bytes of runs.csv do "
             "not depend on either, nor on --threads and --shard.",
    .parts = {{.rows = sweep_args}},
    .input_size = sizeof(struct sweep_input),
    .run = sweep_run,
    .is_simulation = true,
    .examples = "sweep grid.json --out results --dry-run\n"
                "sweep grid.json --out results\n"
                "sweep grid.json --out results --shard 3/8\n"
                "sweep grid.json --out results --collect\n"
                "sweep grid.json --out results --intervals\n"
                "sweep grid.json --out results --slurm -- --partition=cpu",
    .ends = CLI_ENDS(INCOMPLETE) | CLI_ENDS(BAD_PLAN),
};
