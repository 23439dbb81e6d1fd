/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command shares with its own further files; a section for each
 * command. */
#ifndef COMMANDS_COMMANDS_INTERNAL_H
#define COMMANDS_COMMANDS_INTERNAL_H

#include <jansson.h>
#include <stdio.h>

#include "base/json.h"
#include "base/option.h"
#include "base/out.h"
#include "commands/cli.h"
#include "commands/run_options.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"
#include "schedmate/jobs/jobdb.h"
#include "schedmate/live/action_gate.h"
#include "schedmate/live/backend.h"
#include "schedmate/live/job_logs.h"
#include "schedmate/live/log_file.h"
#include "schedmate/llm/embed_llm.h"
#include "schedmate/logs/log_classifier.h"
#include "sim/results/difference.h"
#include "sim/run/run.h"
#include "traces/generate/synthetic.h"
#include "traces/resample/resample.h"
#include "traces/trace.h"

/* What the commands that read logs (`track`, `diagnose`) share: the log, the
 * classifier, the model, and parts of the output. */

struct logs_input {
    struct cli_call call;
    const char *path, *weights;
    unsigned method; /* a value of enum log_method */
    unsigned embed;  /* index into embed_words */
    struct backend_settings llm;
    bool json, quiet;

    struct arena scratch; /* owns the texts of one answer */
    struct embed_llm embedding;
    struct log_file *file;
    struct log_classifier *classifier;
    struct backend *backend;
};

/* Rows for a struct logs_input: the log and the options that all these commands
 * have. */
extern const struct arg logs_args[];
/* The words of --embed: the first means hashed n-grams, the second the
 * embeddings of a server. Ends with NULL. */
extern const char *const embed_words[];

/* Opens log (unless its path is NULL), classifier and model. logs_close may be
 * called after a failure too. */
enum status logs_open(struct logs_input *input, struct error *err) MUST_USE;
void logs_close(struct logs_input *input);
/* Writes to standard error what asking the model cost. Writes nothing if `st`
 * is not STATUS_OK, if there is no model, or with --quiet. */
void logs_account(const struct logs_input *input, enum status st);
/* Writes how the log was read: as lines of text that begin with `head`, or as
 * an array that the caller owns. */
void logs_write_read_as(const struct log_file *file, const char *head,
                        struct out *out);
json_t *logs_read_as_json(const struct log_file *file);

/* True if a model or a recording answers, not only rules. */
bool logs_has_model(const struct logs_input *input);

/* Rounds to two decimal places, because a confidence is no more precise than
 * that. */
double logs_confidence(double x);
/* Writes an object on one line, without blanks. Takes over `row` and frees
 * it. */
void logs_write_row(struct out *out, json_t *row);

/* The input and the answer of `diagnose`, which its files share. */

struct diagnose_input {
    struct logs_input logs;
    struct arg_words paths; /* logs and directories, as the user gave them */
    bool folders, rank_order, tells;
    struct job_logs job; /* the logs that they name, and how to judge them */
    /* what the scheduler reported, as the user gave it; NULL: not given */
    const char *state, *exit_code, *signal, *reason;
    struct arg_list signatures; /* files of signatures that the site has
                                 * added */
    bool classes;
    const char *actions; /* file of the operator's commands; NULL: none */
    struct action_gate gate;
    struct action_names names;
    /* a person's verdict on the answer, words to keep with it, and the folder
     * of cases; NULL: not given */
    struct {
        const char *words, *note, *folder;
    } feedback;
};

struct answer {
    struct job_finding found;
    struct action_answer act;
    const char *kept; /* path of the kept case; NULL: no case was kept */
};

/* Prints an answer as text or JSON. `err` may be NULL. */
enum status diagnose_print(const struct diagnose_input *input,
                           const struct answer *a, struct error *err);

/* The subcommands of `history`, and what all commands that use a job history
 * share: how it is found and opened. */

extern const struct command history_command_add, history_command_import,
    history_command_list;

/* Help text of the option --history. */
#define HISTORY_HELP \
    "the job history; default $SCHEDSIM_HISTORY, else schedsim/history.db in " \
    "$XDG_DATA_HOME or ~/.local/share"

/* Opens the job history. `path` NULL or "": the default that HISTORY_HELP
 * names. If `create` is true, makes the file, and for the default its folders
 * too. */
enum status history_open(const char *path, bool create, struct jobdb **out,
                         struct error *err) MUST_USE;

/* The kinds of things that `list` can name, and how it shows one thing. The
 * files of `list` share this header. */

/* A thing of any kind: a policy, an estimator, a cluster. */
struct list_item {
    const char *name, *summary;
    const char *source;           /* source of its figures; NULL: none */
    const struct option *options; /* its settings; NULL: none */
    size_t config_size;           /* bytes that the settings fill */
    const char *reach; /* what naming it does outside the simulation, as in
                        * struct option; NULL: nothing */
    /* true if the thing can write what it learned from a trace */
    bool explains;
};

/* What --explain shows of an item besides its settings. */
enum list_more {
    MORE_NOTHING,
    MORE_COLUMNS,  /* the columns of a trace format */
    MORE_SAMPLING, /* the sampling settings, which all language models have */
    /* of these it is not said that they have no settings */
    MORE_ROWS,   /* the keys or columns of another format */
    MORE_OPTION, /* nothing: its settings are those of an option */
};

/* Fills *out with item `i` of a kind, from 0. Returns false after the last
 * item. */
typedef bool list_item_at(size_t i, struct list_item *out);

struct list_kind {
    const char *name; /* plural, as in `list policies`; NULL: the last kind */
    bool is_model;    /* true if the kind is also part of `list models` */
    list_item_at *at;
    enum list_more more;
};
extern const struct list_kind list_kinds[];

struct out;

/* Input of `verify`. */
struct verify_input {
    struct cli_call call;
    const char *dir;
    bool all, json, quiet;
    bool again;      /* repeat the run; the next two are for it */
    const char *out; /* keeps the new result here; NULL: it is temporary */
    bool trusts;
};
/* Repeats the run of a result and compares the bytes. STATUS_TOLERANCE if they
 * differ, STATUS_BAD_INPUT if an input is missing or has changed. */
enum status rerun_result(const struct verify_input *input,
                         struct error *err) MUST_USE;

/* What the subcommands of `trace` share. Each subcommand has its own file. */

extern const struct command command_trace;

extern const struct command trace_command_info, trace_command_guess,
    trace_command_validate, trace_command_convert, trace_command_fidelity,
    trace_command_generate, trace_command_resample;

/* Input of `trace resample`. */
struct resample_input {
    struct cli_call call;
    struct resample_options options;
    const char *path, *from_format, *to_format, *out_path, *zone;
    double block_days;
    bool lossy, without_evidence, quiet;
};
/* Completes input->options from the other fields. STATUS_USAGE for an unknown
 * zone, and for a trace with evidence, which cannot be resampled; with
 * input->without_evidence, leaves the evidence out and says so on stderr unless
 * input->quiet is true. */
enum status trace_resample_check(struct resample_input *input,
                                 struct error *err) MUST_USE;
/* Adds all rows of the trace to `resample`. Sets *wide to whether the rows may
 * have facts that only the wide variant of a format holds, and *cluster,
 * unless it is NULL, to the cluster of the trace (traces/footprint.h), which
 * lives in `arena`. */
enum status trace_resample_read(const struct resample_input *input,
                                struct resample *resample, bool *wide,
                                const char **cluster, struct arena *arena,
                                struct error *err) MUST_USE;

/* Returns the cluster that the jobs are generated for, as --cluster takes it:
 * the preset `like` if it has the same nodes. The text lives in `arena`. */
const char *trace_generated_cluster(const struct synthetic *synthetic,
                                    const char *like, struct arena *arena);

/* Input of `trace generate`. */
struct generate_input {
    struct cli_call call;
    struct synthetic_options options;
    const char *format, *path, *repositories;
};

struct trace_ops;
/* Finds a format by name. STATUS_USAGE if there is none, or traces cannot be
 * written in it. */
enum status trace_find_target(const char *name, const struct trace_ops **out,
                              struct error *err) MUST_USE;

/* == dump_config.c: --dump-config: writes the configuration in force as JSON
 * that --config reads. It has every option of a run and, after the name of a
 * part, the settings of the part that --config can read. An option is null if
 * it keeps its default, because its presence is itself a choice of the user
 * that the results mention (such as which interference is assumed), or because
 * the policies that are compared have different defaults. A run with the
 * written configuration gives the same bytes as the run that it describes. */

/* Help text of --dump-config. */
#define DUMP_CONFIG_HELP \
    "run nothing; print the configuration in force as JSON that --config " \
    "reads"

/* Prints the configuration of one run to stdout. `interval`: time between rows
 * of series.csv, us. Reads the trace, because defaults depend on it. */
enum status dump_config_run(const struct run_options *options,
                            sim_span interval, struct error *err) MUST_USE;
/* Prints the configuration of the runs of several policies, which stay as the
 * user gave them. */
enum status dump_config_compare(const struct run_options *options,
                                const struct arg_list *policies,
                                struct error *err) MUST_USE;

/* == inputs.c: Formats for `list --explain` and docs/input.md. Those of traces,
 * the cluster file, the file of --config and the side-car of a trace are
 * printed from the tables that their readers use. The clauses of --what-if and
 * decisions.log, which other programs read, have tables of their own in
 * inputs.c. */

/* A format other than that of a trace. The last one has a NULL name. */
struct input_format {
    const char *name, *summary;
};
extern const struct input_format input_formats[];

/* A column or key of a format. */
struct input_row {
    const char *name, *unit, *help; /* "" if there is no unit or no help */
    bool required;
};

/* Fill *out with row `i` of a trace format, or of the format in input_formats
 * with this name. Return false if `i` is after the last row. *out is valid
 * until the next call. */
bool input_trace_row(const struct trace_ops *format, size_t i,
                     struct input_row *out);
bool input_format_row(const char *name, size_t i, struct input_row *out);

/* Print the columns or keys of a format for people. */
void inputs_explain_trace(FILE *to, const struct trace_ops *format);
void inputs_explain(FILE *to, const char *name);
/* Prints docs/input.md. */
void inputs_print(struct out *out);

/* == physics.c: The conditions of a run that do not depend on the policy, such
 * as speeds, interference, restarts, failures, recovery, what the jobs train,
 * which nodes are set aside, and the estimators. Comparing two policies is fair
 * only if these are equal. They are read from the settings that a run records
 * (run_result.settings), except those that count as the policy's own, such as
 * settings of the placer and of SchedMate.
 *
 * A setting counts only for runs that use it: interference, real and believed,
 * if GPUs may be shared; a forecast and beliefs about run times or demand if
 * the policy asks for them. */

#define PHYSICS_KINDS_MAX 16

struct physics_fact {
    unsigned kind;
    const char *key; /* NULL: `value` lists the names of the models, separated
                      * by commas */
    const char *value;
};

struct physics {
    /* name of the run in the table, such as "srtf"; borrowed */
    const char *row;
    struct physics_fact *facts;
    size_t n, cap;
    bool counts[PHYSICS_KINDS_MAX]; /* by kind: true if the run uses it */
};

/* Reads the conditions of a run. Texts are copied to the arena. Everything else
 * is freed by physics_fini, which accepts all zeroes. */
void physics_read(const struct run_result *run, const char *row,
                  struct arena *arena, struct physics *out);

void physics_fini(struct physics *physics);

/* A difference of two runs in one kind. `what`: the kind, such as "speeds".
 * `here`: model or settings of this run, such as "application". `there`: those
 * of run `row`, such as "rigid". Borrowed for the call. */
struct physics_difference {
    const char *what, *here, *there, *row;
};

/* Calls `found` for each kind in which run `at` differs from the first run
 * before it that uses the kind. Kinds that run `at` does not use are left out.
 * Returns the number of such kinds. `found` may be NULL. */
size_t physics_compare(const struct physics *const *runs, size_t at,
                       void (*found)(void *self,
                                     const struct physics_difference *d),
                       void *self);

/* Prints one sentence for each run that physics_compare finds to differ. */
void physics_print(const struct physics *const *runs, size_t n, FILE *to);

void physics_write_difference(struct json_stream *js,
                              const struct physics_difference *d);

/* Writes the differences of one run as JSON: [{"what", "here", "there",
 * "row"}], empty if nothing differs. */
void physics_write(struct json_stream *js, const char *key,
                   const struct physics *const *runs, size_t at);

/* Prints the reference page of results (docs/results.md) from the tables beside
 * the code that writes the results. */

void reference_print(struct out *out);

/* == finished.c: Finished result directories, and the paired differences that
 * `compare` prints.
 *
 * A finished result directory, read for `compare DIR DIR...`: what its run was,
 * its metrics, and the values of each job that are compared job by job. */

/* Prints how each setting (a policy, a result, a row of a sweep) differs from
 * the one that it is compared with: as a table with one row for each setting
 * and metric, or as JSON. `compare` and `sweep` share it. */

struct differences {
    struct table table;
    size_t n_rows;
    bool any_noise, any_unknown, any_needed, any_by_parts, any_incomparable;
};

/* Starts a table. `what`: head of the column of settings, such as "policy".
 * `first`: name of the row that the others are compared with; NULL: each row
 * says it. */
void differences_init(struct differences *all, const char *what,
                      const char *first);

/* Adds a row. `metric`: a name in docs/results.md; `unit`: "s" for times. */
void differences_add(struct differences *all, const char *setting,
                     const char *metric, const char *unit,
                     const struct difference *d);

/* Prints the table, unless it has no rows, and the meaning of "noise" and
 * "unknown" if a row has this word; then frees the table. */
void differences_finish(struct differences *all, FILE *to);

/* Writes a difference as an object. `count`: key under which it holds the
 * number of pairs. */
void difference_write(struct json_stream *js, const char *key,
                      const char *count, const struct difference *d);

/* Formats a mean with its interval, if it has one, such as "8.30 h [7.91,
 * 8.72]", or as plain numbers if `unit` is not "s"; "-" if there is no mean.
 * Returns `buf`. */
#define ESTIMATE_TEXT_MAX 128

const char *estimate_text(const struct estimate *e, const char *unit,
                          char buf[ESTIMATE_TEXT_MAX]);

/* The metrics that `compare` pairs job by job. */
enum { PAIRED_N = 2 };

struct paired_metric {
    enum metric_number metric;
    const char *key; /* key under which JSON output has the difference */
};

extern const struct paired_metric paired_metrics[PAIRED_N];

struct finished {
    const char *dir; /* as given; borrowed */
    const char *policy;
    /* of `knowledge` of summary.json; NULL: the policy asked for no belief, or
     * none came from the truth */
    const char *words, *mark;
    json_t *manifest, *summary;
    struct arena arena; /* owns the texts of remarks and physics */
    struct remarks remarks;
    struct physics physics;
    uint64_t seed;
    uint32_t n_unfinished;
    /* Rows of jobs.csv: a hash of identifier and submission, and by paired
     * metric the value in seconds, NaN if the job did not finish or does not
     * count (sim/run/counted.h). */
    size_t n_jobs, cap_jobs;
    uint64_t *jobs;
    double *values[PAIRED_N];
    sim_time count_from, count_to;
};

/* Reads a result. STATUS_BAD_INPUT, with the file, if it is not a whole result
 * or its summary.json or jobs.csv was changed since. Call finished_close in any
 * case. */
enum status finished_open(const char *dir, struct finished *out,
                          struct error *err) MUST_USE;

void finished_close(struct finished *finished);

/* Returns the numbers that the row of a result shows in the table of
 * `compare`. */
struct summary_line finished_line(const struct finished *finished);

/* Returns STATUS_BAD_INPUT, with what differs, if two results cannot be paired
 * job by job: another trace, other jobs of it, or other jobs that count. */
enum status finished_pairs(const struct finished *first,
                           const struct finished *own,
                           struct error *err) MUST_USE;

/* Calls `found` for each condition besides the policy in which result `at`
 * differs: from the first result in program, seed, cluster, conventions, files,
 * and settings of the policy, the placer, the monitor, SchedMate and its
 * language model that both results have; for the conditions of
 * commands_internal.h, from the first result that uses the condition. Returns
 * their number. `found` may be NULL. */
size_t finished_differs(const struct finished *const *all, size_t at,
                        void (*found)(void *self,
                                      const struct physics_difference *d),
                        void *self);

#endif
