/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of `compare` share: rows, replications, gates. */
#ifndef STUDY_COMPARE_INTERNAL_H
#define STUDY_COMPARE_INTERNAL_H

#include "commands/args.h"
#include "commands/commands_internal.h"
#include "commands/compare_runs.h"
#include "commands/terminal.h"
#include "sim/results/difference.h"
#include "sim/run/run.h"

/* == gates.c: The gates of `compare`: its options, and for each policy a row of
 * differences to a baseline or, without one, to the first policy. */

struct gates {
    /* Filled from the command line by the rows gates_args. */
    struct arg_list paths, metrics;
    /* percent, for metrics without their own tolerance; NAN: not given */
    double tolerance;
    bool two_sided, any_baseline;
    /* Filled by gates_open. */
    struct gate all[ARG_LIST_MAX];
    struct baseline baselines[ARG_LIST_MAX];
    /* number of elements of `all`; number of open elements of `baselines` */
    size_t n, n_open;
};

struct gate_row {
    /* path of the baseline; NULL: the first policy */
    const char *against;
    /* differences are NaN if is_incomparable */
    double value[ARG_LIST_MAX], expected[ARG_LIST_MAX],
        difference[ARG_LIST_MAX];
    struct jobs_done done;
    /* true: the two did not finish the same jobs */
    bool is_incomparable;
};

extern const struct arg gates_args[];

void gates_fini(struct gates *gates);
/* Reads the metrics and the baselines. Call it after the command line is
 * parsed. Without --metric, mean JCT and makespan are compared. Call gates_fini
 * in any case. */
enum status gates_open(struct gates *gates, struct error *err) MUST_USE;

/* Fills *out with the values of a run and their differences to the nearest
 * baseline; to the run itself if there is none. Returns STATUS_BAD_INPUT if no
 * baseline belongs to the run. With --any-baseline a baseline of another run is
 * accepted, and `remarks` says how that run differs. Several threads may call
 * it at once. */
enum status gates_fill(const struct gates *gates, struct results results,
                       const struct summary *summary, struct remarks *remarks,
                       struct gate_row *out, struct error *err) MUST_USE;
/* Without a baseline, makes the differences of `row` those to the first
 * policy. */
void gates_pair(const struct gates *gates, const struct gate_row *first,
                struct gate_row *row);

/* Returns the number of columns that the gates add to the table, 0 if neither
 * --baseline, --metric nor --tolerance is given. */
size_t gates_columns(const struct gates *gates);
void gates_heads(const struct gates *gates, struct table *table);
void gates_cells(const struct gates *gates, const struct gate_row *row,
                 bool first, struct table *table);
/* Writes "baseline" and "gates", an array with one object for each metric;
 * nothing if gates_columns returns 0. */
void gates_write(const struct gates *gates, const struct gate_row *row,
                 struct json_stream *js);

/* Adds the number of gates that failed in the row to *failed. Returns
 * STATUS_TOLERANCE if *failed is then above 0; *err describes the first failed
 * gate of all rows. */
enum status gates_judge(const struct gates *gates, const struct gate_row *row,
                        const char *policy, size_t *failed, struct error *err);

/* What the files of `compare` share. */

/* What is kept of the run of one policy after the run was freed. */
struct outcome_of_policy {
    const char *spec;
    const char *title; /* `spec`, with the mark of what the policy knew */
    struct summary summary;
    struct arena arena; /* owns the texts of remarks, physics and knowledge,
                         * which outlive the run */
    struct knowledge knowledge;
    struct remarks remarks;
    struct physics physics;
    struct gate_row gates;
    /* by paired metric, then by job: its value; NaN if it is not defined or the
     * job is not counted; owned */
    double *values[PAIRED_N];
    uint32_t n_jobs, n_unfinished;
    const char *unfinished; /* why; in the arena */
    uint64_t seed;
    struct difference minus_first[PAIRED_N];
};

/* The policies whose run failed, and why. */
struct failed_policies {
    struct {
        const char *spec;
        char *message; /* owned */
        enum status status;
    } at[ARG_LIST_MAX];
    size_t n;
};
void failed_policies_add(struct failed_policies *failed, const char *spec,
                         const struct error *why);
void failed_policies_fini(struct failed_policies *failed);
/* Adds a row for each policy that failed, with this word in column `done` and
 * no number in the others. */
void failed_policies_rows(const struct failed_policies *failed,
                          struct table *table, unsigned done);
/* Prints a line for each policy that failed. */
void failed_policies_say(const struct failed_policies *failed, FILE *to);
void failed_policies_write(const struct failed_policies *failed,
                           struct json_stream *js);

/* == compare_finished.c */

/* Prints the results and their differences to the first one, job by job, as
 * tables, JSON or LaTeX. Returns STATUS_BAD_INPUT if one is not a whole result
 * or they are not of the same jobs, STATUS_INCOMPLETE if some job of a result
 * did not finish. */
enum status compare_finished(const char *const *dirs, size_t n,
                             enum compare_form form,
                             struct error *err) MUST_USE;

/* == replications.c: `compare --replications`: runs each policy on several
 * traces that are made of the rows of one (traces/resample/resample.h). The
 * intervals are taken over the replications by the rule of
 * sim/results/difference.h; differences to the first policy are paired by
 * replication. */

/* Prints one row for each policy, as a table, JSON or LaTeX. Replication i,
 * from 1, has the seed i. `threads`: runs at a time; 0: study_processors().
 * Returns STATUS_INCOMPLETE if a run was not complete, STATUS_USAGE if the
 * trace is standard input or has evidence beside it that the run would use. */
enum status replications_compare(const struct run_config *config,
                                 const struct arg_list *policies, uint32_t n,
                                 unsigned threads, enum compare_form form,
                                 struct error *err) MUST_USE;

/* compare_keep.c: the result directories of --out. `arena` owns the names. */
struct compare_keeper;
struct study_run;
struct replay_options;
struct compare_keeper *compare_keeper_new(const char *dir,
                                          const struct run_options *options,
                                          const struct arg_list *policies,
                                          struct arena *arena);
void compare_keeper_free(struct compare_keeper *keeper); /* accepts NULL */
/* Opens the directory of the run of policy `at`, and its series.csv. */
enum status compare_keeper_begin(struct compare_keeper *keeper, size_t at,
                                 const struct run_config *config,
                                 struct replay_options *observe,
                                 struct error *err) MUST_USE;
/* Writes the results of a run, or abandons the directory of one that failed. */
enum status compare_keeper_take(struct compare_keeper *keeper,
                                const struct study_run *run,
                                struct error *err) MUST_USE;
/* Writes compare.json with the names of the results that were written; nothing
 * if there are none. */
/* Returns how many results are whole. */
size_t compare_keeper_count(const struct compare_keeper *keeper);
enum status compare_keeper_end(struct compare_keeper *keeper,
                               struct error *err) MUST_USE;

#endif
