/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `compare`: runs the policies, judges what differs, and prints tables with
 * remarks, or JSON. */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/out.h"
#include "commands/cli.h"
#include "commands/cmd_run.h"
#include "commands/commands_internal.h"
#include "commands/compare_runs.h"
#include "commands/compared.h"
#include "commands/latex.h"
#include "commands/policy_list.h"
#include "commands/run_options.h"
#include "commands/study/compare_internal.h"
#include "commands/study/sweep_internal.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"
#include "sim/results/report.h"

static enum status compare_run(void *self, struct error *err);

static void compare_print_remarks(const struct outcome_of_policy *all, size_t n,
                                  bool is_full)
{
    struct row_remarks rows;
    row_remarks_init(&rows);
    for (size_t i = 0; i < n; i++)
        row_remarks_add_run(&rows, all[i].spec, &all[i].remarks);
    row_remarks_print(&rows, n, is_full, stdout);
    row_remarks_fini(&rows);
}

/* Prints what the policies knew, before anything that is made of their
 * numbers. */
static void compare_print_knowledge(const struct outcome_of_policy *all,
                                    size_t n)
{
    struct row_words rows[ARG_LIST_MAX];
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct row_words){all[i].spec, all[i].knowledge.words};
    row_words_print(rows, n, stdout);
}

/* Collects pointers to the physics of all policies; returns `n`. */
static size_t physics_of(const struct outcome_of_policy *all, size_t n,
                         const struct physics *rows[ARG_LIST_MAX])
{
    for (size_t i = 0; i < n; i++)
        rows[i] = &all[i].physics;
    return n;
}

static void compare_print_differences(const struct outcome_of_policy *all,
                                      size_t n, const size_t *order)
{
    struct differences differences;
    differences_init(&differences, "policy", all[0].spec);
    for (size_t k = 0; k < n; k++) {
        const size_t i = order[k];
        if (i == 0)
            continue;
        for (size_t m = 0; m < PAIRED_N; m++) {
            const struct column *column =
                &metrics[paired_metrics[m].metric].column;
            differences_add(&differences, all[i].spec, column->name,
                            column->unit, &all[i].minus_first[m]);
        }
        const struct difference makespan = difference_of_two(
            span_seconds(all[0].summary.makespan),
            span_seconds(all[i].summary.makespan),
            all[i].minus_first[0].verdict != DIFFERENCE_INCOMPARABLE);
        differences_add(&differences, all[i].spec, "makespan_s", "s",
                        &makespan);
    }
    differences_finish(&differences, stdout);
}

void failed_policies_add(struct failed_policies *failed, const char *spec,
                         const struct error *why)
{
    const size_t room = strlen(why->message) + 1;
    failed->at[failed->n].spec = spec;
    failed->at[failed->n].status = why->status;
    failed->at[failed->n++].message =
        memcpy(mem_alloc(room), why->message, room);
}

void failed_policies_fini(struct failed_policies *failed)
{
    for (size_t i = 0; i < failed->n; i++)
        free(failed->at[i].message);
}

void failed_policies_rows(const struct failed_policies *failed,
                          struct table *table, unsigned done)
{
    for (size_t i = 0; i < failed->n; i++) {
        table_add(table, "%s", failed->at[i].spec);
        for (unsigned k = 1; k < table->n_columns; k++) {
            table_add(table, "%s", k == done ? "failed" : "-");
            if (k == done)
                table_tone(table, TONE_ERROR);
        }
    }
}

void failed_policies_say(const struct failed_policies *failed, FILE *to)
{
    for (size_t i = 0; i < failed->n; i++)
        say(to, "failed: %s: %s", failed->at[i].spec, failed->at[i].message);
}

/* Sets order[] to the rows, that with the smallest mean JCT first. */
static void compare_order(const struct summary_line *lines, size_t n,
                          size_t *order)
{
    double jct[ARG_LIST_MAX];
    for (size_t i = 0; i < n; i++)
        jct[i] = summary_rank(&lines[i]);
    rows_by_jct(jct, n, order);
}

/* Print a row for each policy, by mean JCT, or an object for each, in the order
 * in which they stand in `all`; those that failed come last. `all_remarks`:
 * print all remarks, not only the gravest. */
static void compare_print_table(const struct outcome_of_policy *all, size_t n,
                                const struct failed_policies *failed,
                                const struct gates *gates, bool all_remarks)
{
    struct table table;
    bool any_lacks = false, any_restarts = false;
    struct summary_line lines[ARG_LIST_MAX];
    const struct physics *rows[ARG_LIST_MAX];
    n = physics_of(all, n, rows);
    for (size_t i = 0; i < n; i++)
        any_restarts |= all[i].summary.failures.restarts > 0;
    table_init(
        &table,
        (unsigned)(SUMMARY_CELLS + 1 + any_restarts + gates_columns(gates)), 1);
    for (size_t i = 0; i < n; i++)
        lines[i] = summary_line_of(&all[i].summary);
    const struct summary_units units = summary_units_of(lines, n);
    table_add(&table, "policy");
    summary_cells_heads(&table, &units);
    if (any_restarts)
        table_add(&table, SUMMARY_RESTART_HEAD);
    gates_heads(gates, &table);
    size_t order[ARG_LIST_MAX];
    compare_order(lines, n, order);
    for (size_t k = 0; k < n; k++) {
        const size_t i = order[k];
        table_add(&table, "%s%s", all[i].title,
                  physics_compare(rows, i, NULL, NULL) ? " *" : "");
        any_lacks |= lines[i].jct.lack == INTERVAL_FEW_STRETCHES;
        summary_cells(&table, &lines[i], &units);
        if (any_restarts)
            summary_restart_cell(&table, &lines[i]);
        gates_cells(gates, &all[i].gates, i == 0, &table);
    }
    failed_policies_rows(failed, &table, SUMMARY_CELLS);
    table_print(&table, stdout);
    table_fini(&table);
    failed_policies_say(failed, stdout);
    compare_print_knowledge(all, n);
    for (size_t i = 0; i < n; i++) {
        if (all[i].n_unfinished)
            say_prose(stdout, "incomplete: %s: %u jobs did not finish: %s",
                      all[i].spec, all[i].n_unfinished, all[i].unfinished);
    }
    compare_print_differences(all, n, order);
    summary_note_lack(any_lacks, stdout);
    physics_print(rows, n, stdout);
    compare_print_remarks(all, n, all_remarks);
}

void failed_policies_write(const struct failed_policies *failed,
                           struct json_stream *js)
{
    for (size_t i = 0; i < failed->n; i++) {
        json_stream_object(js, NULL);
        json_stream_text(js, "policy", failed->at[i].spec);
        json_stream_text(js, "error", failed->at[i].message);
        json_stream_whole(js, "exit_status", status_exit(failed->at[i].status));
        json_stream_object_end(js);
    }
}

static enum status compare_print_json(const struct outcome_of_policy *all,
                                      size_t n,
                                      const struct failed_policies *failed,
                                      const struct gates *gates, bool latex,
                                      struct error *err)
{
    struct out *out;
    enum status st = answer_open(latex, &out, err);
    if (st != STATUS_OK)
        return st;
    const struct physics *rows[ARG_LIST_MAX];
    struct json_stream stream = json_stream_to(out), *js = &stream;
    n = physics_of(all, n, rows);
    json_stream_array(js, NULL);
    for (size_t i = 0; i < n; i++) {
        const struct outcome_of_policy *o = &all[i];
        json_stream_object(js, NULL);
        json_stream_text(js, "policy", o->spec);
        json_stream_whole(js, "unfinished", o->n_unfinished);
        if (o->n_unfinished) {
            json_stream_text(js, "unfinished_why", o->unfinished);
            json_stream_number(js, "finished_share",
                               summary_finished_share(&o->summary.totals));
        }
        report_knowledge(js, &o->knowledge);
        report_remarks(js, &o->remarks);
        physics_write(js, "differs", rows, i);
        gates_write(gates, &all[i].gates, js);
        report_metrics(js, &o->summary);
        if (o->summary.failures.any)
            report_failure_summary(js, &o->summary.failures);
        if (o->summary.evictions.any)
            report_evictions(js, &o->summary.evictions);
        if (o->summary.deadlines.jobs)
            report_deadlines(js, &o->summary.deadlines);
        if (o->summary.advice.any)
            report_advice_summary(js, &o->summary.advice);
        for (size_t m = 0; m < PAIRED_N; m++)
            difference_write(js, paired_metrics[m].key, "count",
                             &o->minus_first[m]);
        json_stream_object_end(js);
    }
    failed_policies_write(failed, js);
    json_stream_array_end(js);
    json_stream_end(js);
    return answer_close(latex, out, err);
}

/* `compare`: runs several policies on one trace and prints one row for each, or
 * compares finished results. A second table shows how much JCT and queueing
 * delay of a job differ from those under the first policy, as a mean over jobs.
 * The mean of such paired differences has a narrower interval than the
 * difference of two means, because both policies ran the same jobs. */

struct compare_input {
    struct cli_call call;
    struct run_options options;
    struct arg_list policies;
    const char *file, *against, *out;
    struct arg_words words; /* the trace, or finished results, or a sweep */
    struct gates gates;
    uint32_t replications; /* number of replications; 0: the trace itself is
                            * run */
    uint32_t threads;      /* 0: study_processors() */
    bool json, latex, quiet, dump, remarks;
};

static bool is_directory(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

/* True if options are given that finished results do not take. */
static bool has_options(const struct compare_input *input)
{
    const struct gates *gates = &input->gates;
    bool any = input->policies.n || input->file || input->dump || input->out ||
               input->replications || input->threads || gates->paths.n ||
               !isnan(gates->tolerance) || gates->two_sided ||
               gates->any_baseline;
    for (size_t i = 0; i < RUN_ARGS_MAX; i++)
        any |= input->options.given[i] != NULL;
    return any;
}

/* Adds the words after the trace to the policies. */
static enum status compare_add_policies(struct compare_input *input,
                                        struct error *err)
{
    const struct arg_words *words = &input->words;
    struct arg_list *policies = &input->policies;
    for (size_t i = 1; i < words->n; i++) {
        if (access(words->at[i], F_OK) == 0 || policies->n == ARG_LIST_MAX)
            return error_set(err, STATUS_USAGE,
                             "compare: expected one trace, or several "
                             "directories of finished results; '%.100s' is "
                             "not a directory",
                             words->at[0]);
        policies->at[policies->n++] = words->at[i];
    }
    return STATUS_OK;
}

/* Finds out whether finished results are compared, and refuses words and
 * options that contradict each other. If the first word is not a result, it is
 * the trace; words after it are policies. */
static enum status compare_read_words(struct compare_input *input,
                                      bool *are_results, struct error *err)
{
    struct arg_words *words = &input->words;
    if (input->json && input->latex)
        return error_set(err, STATUS_USAGE,
                         "compare: --json and --latex exclude each other");
    enum status st = compared_expand(words, &input->call.arena, err);
    if (st != STATUS_OK)
        return st;
    *are_results =
        words->n && (is_directory(words->at[0]) || runs_file_is(words->at[0]));
    if (!*are_results) {
        if (input->against)
            return error_set(err, STATUS_USAGE,
                             "--against: is only for a sweep (its directory "
                             "or its runs.csv)");
        input->options.config.trace = words->n ? words->at[0] : NULL;
        return compare_add_policies(input, err);
    }
    if (has_options(input))
        return error_set(
            err, STATUS_USAGE,
            "compare: finished results take no options of a "
            "simulation, only --json, --latex and, for a sweep, --metric "
            "and --against");
    return STATUS_OK;
}

/* Refuses what replications do not take. */
static enum status compare_check_replications(const struct compare_input *input,
                                              struct error *err)
{
    const struct gates *gates = &input->gates;
    if (input->replications && input->out)
        return error_set(err, STATUS_USAGE,
                         "compare: --replications writes no results (--out); "
                         "`sweep --keep` does");
    if (input->replications &&
        (gates->paths.n || gates->metrics.n || !isnan(gates->tolerance)))
        return error_set(err, STATUS_USAGE,
                         "compare: --replications cannot be combined with "
                         "--baseline, --metric and --tolerance");
    return STATUS_OK;
}

/* Adds the options in the file of --config to those of the command line,
 * refuses options that are missing or contradict each other, and opens the
 * gates. */
static enum status compare_read_config(struct compare_input *input,
                                       struct error *err)
{
    struct arg_list *policies = &input->policies;
    const struct run_config *config = &input->options.config;
    enum status st = STATUS_OK;
    if (input->file)
        st = run_options_file(&input->options, input->file, policies,
                              &input->call.arena, err);
    if (st != STATUS_OK)
        return st;
    if (policies->n == 0 && config->policy)
        policies->at[policies->n++] = config->policy;
    if (!config->trace)
        return error_set(err, STATUS_USAGE,
                         "compare: a trace is missing; see --help");
    if (policies->n == 0) {
        say(stderr, "note: no policy is named: fifo, backfill and srtf are "
                    "compared (--policy names others)");
        policies->at[policies->n++] = "fifo,backfill,srtf";
    }
    st = policy_list_expand(policies, &input->call.arena, err);
    if (st != STATUS_OK)
        return st;
    if (strcmp(config->trace, "-") == 0 && policies->n > 1)
        return error_set(err, STATUS_USAGE,
                         "compare: standard input can be read only once");
    st = compare_check_replications(input, err);
    return st == STATUS_OK ? gates_open(&input->gates, err) : st;
}

/* Keeps the paired metrics of each job, NaN for a job that is not counted. */
static void compare_keep_values(struct outcome_of_policy *o,
                                struct results results)
{
    struct facts_reader reader;
    struct facts facts;
    facts_reader_init(&reader, results);
    for (size_t m = 0; m < PAIRED_N; m++)
        o->values[m] = mem_zalloc(o->n_jobs + 1, sizeof *o->values[m]);
    for (job_id id = 0; id < o->n_jobs; id++) {
        facts_read(&reader, id, &facts);
        for (size_t m = 0; m < PAIRED_N; m++)
            o->values[m][id] = counted_has(&results.run->counted, facts.job)
                                   ? facts.metric[paired_metrics[m].metric]
                                   : NAN;
    }
    facts_reader_fini(&reader);
}

static void compare_keep(struct outcome_of_policy *o, struct results results)
{
    arena_init(&o->arena);
    o->remarks.arena = &o->arena;
    remarks_add_all(&o->remarks, &results.run->remarks);
    o->knowledge = knowledge_copy(&results.run->knowledge, &o->arena);
    o->title = knowledge_name(o->spec, o->knowledge.mark, &o->arena);
    physics_read(results.run, o->spec, &o->arena, &o->physics);
    o->n_jobs = results.run->jobset.n_jobs;
    o->n_unfinished = results.run->n_unfinished;
    const char *why = results.run->unfinished ? results.run->unfinished : "";
    o->unfinished = arena_copy(&o->arena, why, strlen(why));
    o->seed = results.run->seed;
    compare_keep_values(o, results);
    job_pass(NULL, NULL, results, &o->summary);
    struct failure_summary *failures = &o->summary.failures;
    for (size_t i = 0; i < failures->n_causes; i++) {
        const char *cause = failures->causes[i].cause;
        failures->causes[i].cause = arena_copy(&o->arena, cause, strlen(cause));
    }
}

/* The runs of all policies, which several threads make. */
struct compare_study {
    const struct compare_input *input;
    const struct study *study; /* for the progress line */
    /* by policy, in the order of the options: its outcome, and the message and
     * status of its run */
    struct outcome_of_policy *all;
    struct error *errors;
    struct compare_keeper *keeper; /* NULL: no --out */
};

/* Keeps the outcome of a run. The summary outlives the run, but the names of
 * its groups belong to the run and must not be used afterwards. */
static void compare_take(void *self, const struct study_run *run)
{
    const struct compare_study *c = self;
    struct outcome_of_policy *o = &c->all[run->index];
    struct error *err = &c->errors[run->index];
    *err = *run->err;
    err->status = run->status;
    o->spec = c->input->policies.at[run->index];
    struct error unfit;
    if (c->keeper && compare_keeper_take(c->keeper, run, &unfit) != STATUS_OK) {
        *err = unfit;
        return;
    }
    if (!run->replay)
        return;
    compare_keep(o, run->replay->results);
    if (gates_fill(&c->input->gates, run->replay->results, &o->summary,
                   &o->remarks, &o->gates, &unfit) != STATUS_OK)
        *err = unfit;
}

static enum status compare_begin(void *self, size_t index,
                                 struct run_config *config,
                                 struct replay_options *observe,
                                 struct error *err)
{
    const struct compare_study *c = self;
    enum status st =
        compare_keeper_begin(c->keeper, index, config, observe, err);
    if (st != STATUS_OK) { /* then compare_take is not called */
        c->all[index].spec = c->input->policies.at[index];
        c->errors[index] = *err;
        c->errors[index].status = st;
    }
    return st;
}

static bool compare_note(void *self, const struct study_run *run)
{
    const struct compare_study *c = self;
    (void)run;
    study_progress(c->study);
    return true;
}

/* If a signal ended the study, makes of the whole results what `report` and
 * `plot` read, says so, and ends the program. */
static void compare_stop(struct compare_study *c)
{
    struct error err;
    char kept[ERROR_MAX] = "without --out DIR nothing is kept";
    if (c->study->signal && c->keeper) {
        const size_t n = compare_keeper_count(c->keeper);
        const char *dir = c->input->out;
        if (n == 0)
            snprintf(kept, sizeof kept,
                     "none is whole in %s, the same command begins again", dir);
        else if (compare_keeper_end(c->keeper, &err) == STATUS_OK)
            snprintf(kept, sizeof kept,
                     "%zu whole in %s (schedsim report %s); the same command "
                     "makes all again",
                     n, dir, dir);
        else
            snprintf(kept, sizeof kept, "%s", err.message);
        compare_keeper_free(c->keeper);
    }
    study_end(c->study, "compare", kept);
}

/* Makes the runs. One thread makes those that ask a language model, because
 * what a run records answers the next one. */
static enum status compare_execute(struct compare_study *c, struct error *err)
{
    const struct compare_input *input = c->input;
    const struct run_config *config = &input->options.config;
    const bool asks = config->llm || config->llm_recording;
    const bool progress = !input->quiet && cli_is_terminal();
    struct study_task tasks[ARG_LIST_MAX] = {0};
    struct study study = {.tasks = tasks,
                          .n = input->policies.n,
                          .n_threads = asks ? 1 : input->threads,
                          .self = c,
                          .begin = c->keeper ? compare_begin : NULL,
                          .take = compare_take,
                          .note = progress ? compare_note : NULL};
    for (size_t i = 0; i < study.n; i++) {
        tasks[i].config = *config;
        run_options_of_policy(&input->policies, input->policies.at[i],
                              &tasks[i].config);
    }
    c->study = &study;
    enum status st = study_execute(&study, err);
    if (progress)
        study_progress_end();
    compare_stop(c);
    return st;
}

static void compare_pair(const struct outcome_of_policy *first,
                         struct outcome_of_policy *o)
{
    for (size_t m = 0; m < PAIRED_N; m++)
        o->minus_first[m] = difference_of_jobs(
            first->values[m], o->values[m],
            o->n_jobs < first->n_jobs ? o->n_jobs : first->n_jobs);
}

static void outcome_free(struct outcome_of_policy *o)
{
    summary_fini(&o->summary);
    for (size_t m = 0; m < PAIRED_N; m++)
        free(o->values[m]);
    remarks_fini(&o->remarks);
    physics_fini(&o->physics);
    arena_fini(&o->arena);
    *o = (struct outcome_of_policy){0};
}

/* Moves the outcomes of the runs that finished to the beginning of c->all,
 * compares each with the first, and adds the others to `failed`. Sets *n to the
 * number of outcomes. Returns STATUS_INCOMPLETE if a run is incomplete. */
static enum status compare_gather(const struct compare_study *c, size_t *n,
                                  struct failed_policies *failed,
                                  struct error *err)
{
    enum status incomplete = STATUS_OK;
    struct outcome_of_policy *all = c->all;
    *n = 0;
    for (size_t i = 0; i < c->input->policies.n; i++) {
        const struct error *why = &c->errors[i];
        if (why->status != STATUS_OK && why->status != STATUS_INCOMPLETE) {
            failed_policies_add(failed, all[i].spec, why);
            outcome_free(&all[i]);
            continue;
        }
        if (why->status == STATUS_INCOMPLETE) {
            incomplete = STATUS_INCOMPLETE;
            *err = *why;
        }
        if (*n != i) {
            all[*n] = all[i];
            all[*n].remarks.arena = &all[*n].arena;
            all[i] = (struct outcome_of_policy){0};
        }
        struct outcome_of_policy *o = &all[(*n)++];
        gates_pair(&c->input->gates, &all[0].gates, &o->gates);
        compare_pair(&all[0], o);
    }
    return incomplete;
}

/* Runs all policies. Those that finish fill `all` from its beginning; the
 * others are added to `failed`. Sets *n to the number of outcomes. Returns
 * STATUS_INCOMPLETE if a run is incomplete, STATUS_FAILED if the runs cannot
 * be made, which leaves both empty. */
static enum status compare_run_all(const struct compare_input *input,
                                   struct outcome_of_policy *all, size_t *n,
                                   struct failed_policies *failed,
                                   struct error *err)
{
    struct compare_study c = {.input = input,
                              .all = all,
                              .errors =
                                  mem_zalloc(ARG_LIST_MAX, sizeof *c.errors)};
    *n = 0;
    if (input->out)
        c.keeper =
            compare_keeper_new(input->out, &input->options, &input->policies,
                               (struct arena *)(uintptr_t)&input->call.arena);
    enum status st = compare_execute(&c, err);
    if (st == STATUS_OK && c.keeper)
        st = compare_keeper_end(c.keeper, err);
    compare_keeper_free(c.keeper);
    if (st == STATUS_OK)
        st = compare_gather(&c, n, failed, err);
    free(c.errors);
    return st;
}

static enum status compare_judge(const struct compare_input *input,
                                 const struct outcome_of_policy *all, size_t n,
                                 struct error *err)
{
    size_t failed = 0;
    enum status st = STATUS_OK;
    for (size_t i = 0; i < n; i++)
        st = gates_judge(&input->gates, &all[i].gates, all[i].spec, &failed,
                         err);
    if (failed > 1) {
        size_t len = strlen(err->message);
        snprintf(err->message + len, sizeof err->message - len,
                 "; %zu more fail%s", failed - 1, failed == 2 ? "s" : "");
    }
    return st;
}

static enum compare_form compare_form(const struct compare_input *input)
{
    return input->latex     ? COMPARE_LATEX
           : input->json    ? COMPARE_JSON
           : input->remarks ? COMPARE_REMARKS
                            : COMPARE_TABLE;
}

/* Prints the outcomes and judges them. The status is that of the first run that
 * failed, if one did. */
static enum status compare_report(const struct compare_input *input,
                                  const struct outcome_of_policy *all, size_t n,
                                  const struct failed_policies *failed,
                                  enum status incomplete, struct error *err)
{
    enum status st = STATUS_OK;
    const enum compare_form form = compare_form(input);
    const bool is_table = form <= COMPARE_REMARKS;
    if (is_table)
        compare_print_table(all, n, failed, &input->gates,
                            form == COMPARE_REMARKS);
    else
        st = compare_print_json(all, n, failed, &input->gates,
                                form == COMPARE_LATEX, err);
    if (st != STATUS_OK)
        return st;
    if (incomplete != STATUS_OK && is_table)
        err->message[0] = '\0'; /* the table has reported the unfinished jobs */
    st = compare_judge(input, all, n, err);
    if (!failed->n)
        return st == STATUS_OK ? incomplete : st;
    error_set(err, failed->at[0].status, "%s: %s", failed->at[0].spec,
              failed->at[0].message);
    if (is_table)
        err->message[0] = '\0'; /* the table has reported it */
    return err->status;
}

static enum status compare_all(const struct compare_input *input,
                               struct outcome_of_policy *all, struct error *err)
{
    struct failed_policies failed = {.n = 0};
    size_t n;
    enum status st = compare_run_all(input, all, &n, &failed, err);
    if (n)
        st = compare_report(input, all, n, &failed, st, err);
    else if (failed.n)
        st = error_set(err, failed.at[0].status, "%s",
                       failed.at[0].message ? failed.at[0].message : "");
    failed_policies_fini(&failed);
    return st;
}

/* Compares the runs of one sweep, or several results. */
static enum status compare_results(const struct compare_input *input,
                                   struct error *err)
{
    const struct arg_words *words = &input->words;
    const struct arg_list *names = &input->gates.metrics;
    const struct runs_wishes wishes = {names->at, names->n, input->against};
    if (runs_file_is(words->at[0]) && words->n == 1)
        return compare_runs(words->at[0], &wishes, compare_form(input), err);
    if (names->n || input->against)
        return error_set(err, STATUS_USAGE,
                         "compare: --metric and --against are for one sweep");
    if (words->n == 1)
        return error_set(err, STATUS_USAGE,
                         "compare: '%.100s' is one result; name at least two",
                         words->at[0]);
    return compare_finished(words->at, words->n, compare_form(input), err);
}

static enum status compare_run(void *self, struct error *err)
{
    struct compare_input *input = self;
    bool are_results;
    enum status st = compare_read_words(input, &are_results, err);
    if (st != STATUS_OK)
        return st;
    if (are_results)
        return compare_results(input, err);
    struct outcome_of_policy *all = mem_zalloc(ARG_LIST_MAX, sizeof *all);
    st = compare_read_config(input, err);
    if (st == STATUS_OK && input->dump)
        st = dump_config_compare(&input->options, &input->policies, err);
    else if (st == STATUS_OK && input->replications)
        st = replications_compare(&input->options.config, &input->policies,
                                  input->replications, input->threads,
                                  compare_form(input), err);
    else if (st == STATUS_OK)
        st = compare_all(input, all, err);
    for (size_t i = 0; i < ARG_LIST_MAX; i++)
        outcome_free(&all[i]);
    free(all);
    gates_fini(&input->gates);
    return st;
}

static const struct arg compare_args[] = {
    TAKE_OPTIONAL_WORDS(struct compare_input, words, "TRACE|DIR", "trace"),
    TAKE_LIST(struct compare_input, policies, "policy", "SPEC",
              "which job runs next: NAME[:KEY=VALUE,...], one row each; a,b or "
              "all names several; default fifo,backfill,srtf",
              .letter = 'p', .group = RUN_OF_SCHEDULER, .often = true),
    TAKE_U32(
        struct compare_input, replications, "replications", "N",
        "run each policy on N traces that `trace resample` makes of TRACE, "
        "and show intervals over them; default: on TRACE itself",
        .lo = 2, .hi = 10000, .often = true),
    TAKE_THREADS(struct compare_input, threads),
    TAKE_TEXT(
        struct compare_input, out, "out", "DIR",
        "write the result of each policy to a directory in DIR; `report`, "
        "`plot` and `compare` take DIR for all of them",
        .letter = 'o', .often = true),
    TAKE_TEXT(struct compare_input, against, "against", "KEY=VALUE",
              "for a sweep: compare each setting with the one that differs "
              "from it only in this, such as policy=fifo; default: with the "
              "first setting of its trace"),
    TAKE_FLAG(struct compare_input, json, "json", "print JSON", .often = true,
              .letter = 'j'),
    TAKE_FLAG(struct compare_input, latex, "latex",
              "print all of it as LaTeX, for the package booktabs",
              .often = true),
    TAKE_FLAG(struct compare_input, remarks, "remarks", ROW_REMARKS_HELP,
              .often = true),
    TAKE_TEXT(struct compare_input, file, "config", "FILE", CONFIG_HELP),
    TAKE_FLAG(struct compare_input, options.trusts, "trust", TRUST_HELP),
    TAKE_FLAG(struct compare_input, dump, "dump-config", DUMP_CONFIG_HELP),
    TAKE_FLAG(struct compare_input, quiet, "quiet", "draw no progress line",
              .letter = 'q', .often = true),
    {0},
};

static const struct compare_input compare_defaults = {
    .gates = {.tolerance = NAN}};

const struct command command_compare = {
    .name = "compare",
    .summary = "replay a trace through several policies, one row each",
    .about = "Replays a trace through several policies and shows one row each, "
             "or compares finished results (DIR DIR...) or the runs of a sweep "
             "(DIR, or its runs.csv) without a simulation.",
    .notes = "Words after TRACE are policies, too. A second table has the "
             "differences to the first row, paired job by job "
             "(docs/statistics.md). Results must be of the same jobs of one "
             "trace.",
    .parts = {{.rows = compare_args, .group = RUN_OF_COMMAND},
              {.rows = gates_args,
               .offset = offsetof(struct compare_input, gates),
               .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct compare_input, options)},
    .input_size = sizeof(struct compare_input),
    .defaults = &compare_defaults,
    .run = compare_run,
    .examples = "compare traces/samples/venus.csv --policy fifo,srtf\n"
                "compare traces/samples/venus.csv --policy fifo,srtf --out "
                "results\n"
                "compare results/fifo results/srtf\n"
                "compare sweep/runs.csv --against policy=fifo",
    .ends = CLI_ENDS(INCOMPLETE) | CLI_ENDS(BAD_PLAN) | CLI_ENDS(TOLERANCE),
};
