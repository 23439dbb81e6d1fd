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
#include "commands/compare_internal.h"
#include "commands/compare_runs.h"
#include "commands/policy_list.h"
#include "commands/run_options.h"
#include "commands/summary_table.h"
#include "commands/terminal.h"
#include "sim/results/report.h"

enum { LABEL_MAX = 512 };

static enum status compare_run(void *self, struct error *err);

/* Names a setting by the columns that vary: "policy=srtf cluster=16x8", only
 * the value if one column varies, "all runs" if none does. */
static const char *label_of(const struct runs_file *f, size_t setting,
                            char buf[LABEL_MAX])
{
    size_t n = 0, n_varies = 0;
    for (size_t k = 0; k < f->n_names; k++)
        n_varies += f->varies[k];
    buf[0] = '\0';
    for (size_t k = 0; k < f->n_names && n < LABEL_MAX - 1; k++) {
        if (!f->varies[k])
            continue;
        n += (size_t)snprintf(buf + n, LABEL_MAX - n, "%s%s%s%s", n ? " " : "",
                              n_varies > 1 ? f->names[k] : "",
                              n_varies > 1 ? "=" : "",
                              f->settings[setting].cells[k]);
    }
    if (!n_varies)
        n = (size_t)snprintf(buf, LABEL_MAX, "all runs");
    if (*f->settings[setting].mark && n < LABEL_MAX - 1)
        snprintf(buf + n, LABEL_MAX - n, " (%s)", f->settings[setting].mark);
    return buf;
}

/* Prints what the policies knew, one line for each different text. */
static void runs_print_knowledge(const struct runs_file *f)
{
    struct row_words *rows = mem_zalloc(f->n_settings + 1, sizeof *rows);
    struct arena arena;
    char label[LABEL_MAX];
    arena_init(&arena);
    for (size_t s = 0; s < f->n_settings; s++) {
        const char *words = f->settings[s].knowledge;
        label_of(f, s, label);
        rows[s] = (struct row_words){arena_copy(&arena, label, strlen(label)),
                                     *words ? words : NULL};
    }
    row_words_print(rows, f->n_settings, stdout);
    arena_fini(&arena);
    free(rows);
}

/* Returns the unit that the name of a metric shows: "s" or "". */
static const char *compare_unit_of(const char *metric)
{
    size_t n = strlen(metric);
    return strstr(metric, "_s_") || (n > 2 && strcmp(metric + n - 2, "_s") == 0)
               ? "s"
               : "";
}

static void print_means(const struct runs_file *f)
{
    struct table table;
    char label[LABEL_MAX], buf[ESTIMATE_TEXT_MAX];
    const bool any = f->n_unfinished > 0;
    table_init(&table, (unsigned)(2 + f->n_metrics + any), 1);
    table_add(&table, "setting");
    table_add(&table, "runs");
    for (size_t m = 0; m < f->n_metrics; m++)
        table_add(&table, "%s [95 %%]", f->metrics[m]);
    if (any)
        table_add(&table, "done");
    for (size_t s = 0; s < f->n_settings; s++) {
        table_add(&table, "%s", label_of(f, s, label));
        table_add(&table, "%zu", f->settings[s].n);
        for (size_t m = 0; m < f->n_metrics; m++) {
            struct estimate e = runs_estimate(f, s, m);
            table_add(&table, "%s",
                      estimate_text(&e, compare_unit_of(f->metrics[m]), buf));
        }
        if (any) {
            const struct jobs_done done = runs_done(f, s);
            summary_done_cell(&table, &done);
        }
    }
    table_print(&table, stdout);
    table_fini(&table);
}

static void runs_print_differences(const struct runs_file *f)
{
    struct differences differences;
    char label[LABEL_MAX];
    differences_init(&differences, "setting", "runs");
    for (size_t s = 0; s < f->n_settings; s++) {
        for (size_t m = 0; m < f->n_metrics; m++) {
            if (f->settings[s].reference == s)
                continue;
            struct difference d = runs_difference(f, s, m);
            differences_add(&differences, label_of(f, s, label), f->metrics[m],
                            compare_unit_of(f->metrics[m]), &d);
        }
    }
    differences_finish(&differences, stdout);
}

/* Notes how many settings have no intervals because all their replications are
 * equal. */
static void compare_note_one_runs(const struct runs_file *f,
                                  struct row_remarks *notes)
{
    size_t n = 0;
    for (size_t s = 0; s < f->n_settings; s++) {
        bool is_one = true;
        for (size_t m = 0; m < f->n_metrics; m++) {
            struct estimate e = runs_estimate(f, s, m);
            is_one &= estimate_is_of_one(&e);
        }
        n += is_one;
    }
    if (n)
        row_remarks_say(
            notes, REMARK_CONCLUSION,
            "in %zu of %zu settings all seeds give one result: their "
            "runs count as one run, without an interval",
            n, f->n_settings);
}

/* How many settings have spreads, and whether one has that of permuted blocks.
 */
struct spreads {
    size_t n;
    bool any_permuted;
};

static struct spreads count_spreads(const struct runs_file *f)
{
    struct spreads all = {0};
    for (size_t s = 0; s < f->n_settings; s++) {
        if (!f->n_metrics || !runs_estimate(f, s, 0).is_spread)
            continue;
        all.n++;
        for (size_t k = 0; k < f->n_names; k++)
            all.any_permuted |= strcmp(f->names[k], "made") == 0 &&
                                !strstr(f->settings[s].cells[k], "draw") &&
                                !strstr(f->settings[s].cells[k], "weekdays");
    }
    return all;
}

static void note_spreads(const struct spreads *spreads,
                         struct row_remarks *notes)
{
    if (spreads->n)
        row_remarks_say(
            notes, REMARK_NUMBERS,
            "of resamples of the same rows, intervals are the spread, "
            "which more resamples do not narrow%s",
            spreads->any_permuted
                ? "; permuted blocks keep all jobs, so that it is "
                  "that of their order only (\"order\": \"weekdays\", "
                  "\"block-days\": 1 draws jobs too)"
                : "");
}

/* Prints which runs are incomplete, and notes: what each setting is compared
 * with, how the intervals were computed, which runs are left out. */
static void print_notes(const struct runs_file *f,
                        const struct runs_wishes *wishes, bool all_remarks)
{
    struct row_remarks notes;
    row_remarks_init(&notes);
    size_t most = 0, least = SIZE_MAX;
    if (f->n_failed)
        say_prose(stdout, "incomplete: %zu runs failed and are left out",
                  f->n_failed);
    if (f->n_unfinished)
        say_prose(stdout,
                  "incomplete: in %zu runs some jobs did not finish (column "
                  "unfinished)",
                  f->n_unfinished);
    for (size_t s = 0; s < f->n_settings; s++) {
        size_t n = f->settings[s].n;
        most = n > most ? n : most;
        least = n < least ? n : least;
    }
    const struct spreads spreads = count_spreads(f);
    if (wishes->against)
        row_remarks_say(
            &notes, REMARK_DETAIL,
            "each setting is compared with the one that differs from it "
            "in %s",
            wishes->against);
    else
        row_remarks_say(&notes, REMARK_DETAIL,
                        "each setting is compared with the first one of its "
                        "trace (--against KEY=VALUE names another)");
    row_remarks_say(
        &notes, REMARK_DETAIL,
        "means are over replications, paired by replication and seed; "
        "intervals: %s",
        most < 2                       ? "none, because there is one "
                                         "replication"
        : spreads.n == f->n_settings   ? "their spread"
        : most < DIFFERENCE_BCA_FROM   ? "Student's t"
        : least >= DIFFERENCE_BCA_FROM ? "BCa bootstrap"
                                       : "Student's t below 30 replications, "
                                         "BCa bootstrap from 30 on");
    note_spreads(&spreads, &notes);
    compare_note_one_runs(f, &notes);
    if (f->n_settings && least < most)
        row_remarks_say(
            &notes, REMARK_NUMBERS,
            "settings have %zu to %zu replications; differences are over "
            "those that both have",
            least, most);
    if (f->n_twins)
        row_remarks_say(&notes, REMARK_NUMBERS,
                        "%zu rows repeat the setting, seed and replication of "
                        "another row and are left out",
                        f->n_twins);
    row_remarks_print(&notes, 0, all_remarks, stdout);
    row_remarks_fini(&notes);
}

static void compare_write_json(const struct runs_file *f, struct out *out)
{
    struct json_stream stream = json_stream_to(out), *js = &stream;
    char key[160];
    json_stream_array(js, NULL);
    for (size_t s = 0; s < f->n_settings; s++) {
        json_stream_object(js, NULL);
        json_stream_object(js, "setting");
        for (size_t k = 0; k < f->n_names; k++)
            json_stream_text(js, f->names[k], f->settings[s].cells[k]);
        json_stream_object_end(js);
        json_stream_whole(js, "runs", (int64_t)f->settings[s].n);
        const struct jobs_done done = runs_done(f, s);
        if (done.unfinished > 0)
            json_stream_number(js, "finished_share", done.share);
        if (*f->settings[s].knowledge)
            json_stream_text(js, "knowledge", f->settings[s].knowledge);
        for (size_t m = 0; m < f->n_metrics; m++) {
            struct estimate e = runs_estimate(f, s, m);
            json_stream_object(js, f->metrics[m]);
            json_stream_whole(js, "replications", (int64_t)e.n);
            json_stream_number(js, "mean", e.mean);
            json_stream_number(js, "mean_lo", e.interval.lo);
            json_stream_number(js, "mean_hi", e.interval.hi);
            json_stream_text(js, "interval_of",
                             e.is_spread ? "resamples" : "samples");
            json_stream_object_end(js);
            if (f->settings[s].reference == s)
                continue;
            struct difference d = runs_difference(f, s, m);
            snprintf(key, sizeof key, "%.120s_minus_first", f->metrics[m]);
            difference_write(js, key, "replications", &d);
        }
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
    json_stream_end(js);
}

/* Writes a comma and a number for each value; only the comma for NaN and
 * infinities. */
static void put_numbers(struct out *out, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i]) || isinf(values[i]))
            out_text(out, ",");
        else
            out_printf(out, ",%.6g", values[i]);
    }
}

static void put_difference(struct out *out, const struct difference *d)
{
    const double numbers[] = {d->estimate.mean,
                              d->estimate.interval.lo,
                              d->estimate.interval.hi,
                              d->change,
                              d->less,
                              d->more,
                              d->cohen_d};
    put_numbers(out, numbers, sizeof numbers / sizeof *numbers);
    out_printf(out, ",%s", difference_words[d->verdict]);
    put_numbers(out, &d->needed, 1);
}

static void write_csv(const struct runs_file *f, struct out *out)
{
    for (size_t k = 0; k < f->n_names; k++)
        out_printf(out, "%s,", f->names[k]);
    out_text(out, "metric,replications,mean,mean_lo,mean_hi,minus_first,"
                  "minus_first_lo,minus_first_hi,change,less,more,cohen_d,"
                  "verdict,replications_needed\n");
    for (size_t s = 0; s < f->n_settings; s++) {
        for (size_t m = 0; m < f->n_metrics; m++) {
            const char *name = f->metrics[m];
            struct estimate e = runs_estimate(f, s, m);
            const double numbers[] = {e.mean, e.interval.lo, e.interval.hi};
            size_t n = strlen(name);
            n -= n > 5 && strcmp(name + n - 5, "_mean") == 0 ? 5 : 0;
            for (size_t k = 0; k < f->n_names; k++) {
                out_csv(out, text_from(f->settings[s].cells[k]));
                out_char(out, ',');
            }
            out_printf(out, "%.*s,%zu", (int)n, name, e.n);
            put_numbers(out, numbers, 3);
            if (f->settings[s].reference == s) {
                out_text(out, ",,,,,,,,,\n");
                continue;
            }
            struct difference d = runs_difference(f, s, m);
            put_difference(out, &d);
            out_char(out, '\n');
        }
    }
}

enum status compare_runs(const char *path, const struct runs_wishes *wishes,
                         enum compare_form form, struct error *err)
{
    struct runs_file file;
    struct out *out;
    enum status st = runs_file_open(path, wishes, &file, err);
    if (st == STATUS_OK && form <= COMPARE_REMARKS) {
        print_means(&file);
        runs_print_knowledge(&file);
        runs_print_differences(&file);
        print_notes(&file, wishes, form == COMPARE_REMARKS);
    } else if (st == STATUS_OK &&
               (st = out_open("-", &out, err)) == STATUS_OK) {
        if (form == COMPARE_JSON)
            compare_write_json(&file, out);
        else
            write_csv(&file, out);
        st = out_close(out, err);
    }
    runs_file_close(&file);
    return st;
}

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
                                      size_t n)
{
    struct differences differences;
    differences_init(&differences, "policy", "jobs");
    for (size_t i = 1; i < n; i++) {
        for (size_t m = 0; m < PAIRED_N; m++) {
            const struct column *column =
                &metrics[paired_metrics[m].metric].column;
            differences_add(&differences, all[i].spec, column->name,
                            column->unit, &all[i].minus_first[m]);
        }
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

/* Print a row or an object for each policy, in the order in which they stand in
 * `all`; those that failed come last. `all_remarks`: print all remarks,
 * not only the gravest. */
static void compare_print_table(const struct outcome_of_policy *all, size_t n,
                                const struct failed_policies *failed,
                                const struct gates *gates, bool all_remarks)
{
    struct table table;
    bool any_lacks = false, any_restarts = false;
    const struct physics *rows[ARG_LIST_MAX];
    n = physics_of(all, n, rows);
    for (size_t i = 0; i < n; i++)
        any_restarts |= all[i].summary.failures.restarts > 0;
    table_init(
        &table,
        (unsigned)(SUMMARY_CELLS + 1 + any_restarts + gates_columns(gates)), 1);
    table_add(&table, "policy");
    for (size_t i = 0; i < SUMMARY_CELLS; i++)
        table_add(&table, "%s", summary_cells_head[i]);
    if (any_restarts)
        table_add(&table, SUMMARY_RESTART_HEAD);
    gates_heads(gates, &table);
    for (size_t i = 0; i < n; i++) {
        table_add(&table, "%s%s", all[i].title,
                  physics_compare(rows, i, NULL, NULL) ? " *" : "");
        struct summary_line line = summary_line_of(&all[i].summary);
        any_lacks |= line.jct.lack == INTERVAL_FEW_STRETCHES;
        summary_cells(&table, &line);
        if (any_restarts)
            summary_restart_cell(&table, &line);
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
    compare_print_differences(all, n);
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
                                      const struct gates *gates,
                                      struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
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
    return out_close(out, err);
}

/* `compare DIR DIR...`: finished results in one table, without a simulation. */

struct results_read {
    struct finished *at;
    const struct finished **rows; /* pointers to the elements of `at` */
    struct difference (*minus_first)[PAIRED_N];
    size_t n;
};

static enum status compare_read_all(struct results_read *all,
                                    const char *const *dirs, size_t n,
                                    struct error *err)
{
    enum status st = STATUS_OK;
    for (; all->n < n && st == STATUS_OK; all->n++) {
        st = finished_open(dirs[all->n], &all->at[all->n], err);
        all->rows[all->n] = &all->at[all->n];
        if (st == STATUS_OK)
            st = finished_pairs(all->rows[0], all->rows[all->n], err);
    }
    return st;
}

static void finished_pair(struct results_read *all)
{
    for (size_t i = 0; i < all->n; i++) {
        for (size_t m = 0; m < PAIRED_N; m++)
            all->minus_first[i][m] = difference_of_jobs(
                all->at[0].values[m], all->at[i].values[m], all->at[i].n_jobs);
    }
}

struct sentence {
    char words[2048];
    size_t len;
};

static void compare_add_part(void *self, const struct physics_difference *d)
{
    struct sentence *s = self;
    const size_t room = sizeof s->words - s->len;
    int n = snprintf(s->words + s->len, room, "%s%s %s (%s: %s)",
                     s->len ? "; " : "", d->what, d->here, d->row, d->there);
    if (n > 0)
        s->len += (size_t)n < room ? (size_t)n : room - 1;
}

static void finished_print_knowledge(const struct results_read *all)
{
    struct row_words *rows = mem_zalloc(all->n, sizeof *rows);
    for (size_t i = 0; i < all->n; i++)
        rows[i] = (struct row_words){all->at[i].dir, all->at[i].words};
    row_words_print(rows, all->n, stdout);
    free(rows);
}

static void finished_print_differences(const struct results_read *all)
{
    struct differences differences;
    differences_init(&differences, "result", "jobs");
    for (size_t i = 1; i < all->n; i++) {
        for (size_t m = 0; m < PAIRED_N; m++) {
            const struct column *column =
                &metrics[paired_metrics[m].metric].column;
            differences_add(&differences, all->at[i].dir, column->name,
                            column->unit, &all->minus_first[i][m]);
        }
    }
    differences_finish(&differences, stdout);
}

static void print_below(const struct results_read *all, bool all_remarks)
{
    struct row_remarks rows;
    row_remarks_init(&rows);
    for (size_t i = 0; i < all->n; i++) {
        struct sentence sentence = {.len = 0};
        row_remarks_add_run(&rows, all->at[i].dir, &all->at[i].remarks);
        if (finished_differs(all->rows, i, compare_add_part, &sentence))
            say_prose(stdout, "* %s differs in more than the policy: %s",
                      all->at[i].dir, sentence.words);
    }
    row_remarks_print(&rows, all->n, all_remarks, stdout);
    row_remarks_fini(&rows);
}

static const char *why_unfinished(const struct finished *f)
{
    const char *why =
        json_string_value(json_object_get(f->summary, "unfinished_why"));
    return why ? why : "";
}

static void compare_print_table_one(const struct results_read *all,
                                    bool all_remarks)
{
    struct table table;
    bool any_lacks = false, any_restarts = false;
    for (size_t i = 0; i < all->n; i++)
        any_restarts |= !isnan(finished_line(&all->at[i]).restart_s);
    table_init(&table, SUMMARY_CELLS + 2 + any_restarts, 1 | 2);
    table_add(&table, "result");
    table_add(&table, "policy");
    for (size_t i = 0; i < SUMMARY_CELLS; i++)
        table_add(&table, "%s", summary_cells_head[i]);
    if (any_restarts)
        table_add(&table, SUMMARY_RESTART_HEAD);
    for (size_t i = 0; i < all->n; i++) {
        struct summary_line line = finished_line(&all->at[i]);
        any_lacks |= line.jct.lack == INTERVAL_FEW_STRETCHES;
        bool differs = finished_differs(all->rows, i, NULL, NULL) > 0;
        table_add(&table, "%s%s", all->at[i].dir, differs ? " *" : "");
        table_add(&table, "%s",
                  knowledge_name(all->at[i].policy, all->at[i].mark,
                                 &all->at[i].arena));
        summary_cells(&table, &line);
        if (any_restarts)
            summary_restart_cell(&table, &line);
    }
    table_print(&table, stdout);
    table_fini(&table);
    for (size_t i = 0; i < all->n; i++) {
        const struct finished *f = &all->at[i];
        if (f->n_unfinished)
            say_prose(stdout, "incomplete: %s: %u jobs did not finish: %s",
                      f->dir, f->n_unfinished, why_unfinished(f));
    }
    finished_print_knowledge(all);
    finished_print_differences(all);
    summary_note_lack(any_lacks, stdout);
    print_below(all, all_remarks);
}

static void write_difference(void *self, const struct physics_difference *d)
{
    physics_write_difference(self, d);
}

/* Copies a value of summary.json. The nesting of that format bounds the depth
 * of the recursion. */
static void compare_write_value(struct json_stream *js, const char *key,
                                const json_t *value)
{
    const char *name;
    json_t *member;
    if (json_is_string(value)) {
        json_stream_text(js, key, json_string_value(value));
    } else if (json_is_object(value)) {
        json_stream_object(js, key);
        json_object_foreach((json_t *)(uintptr_t)value, name, member)
            compare_write_value(js, name, member);
        json_stream_object_end(js);
    } else {
        json_stream_number(
            js, key, json_is_number(value) ? json_number_value(value) : NAN);
    }
}

static enum status compare_print_json_one(const struct results_read *all,
                                          struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    struct json_stream stream = json_stream_to(out), *js = &stream;
    json_stream_array(js, NULL);
    for (size_t i = 0; i < all->n; i++) {
        const struct finished *f = &all->at[i];
        json_stream_object(js, NULL);
        json_stream_text(js, "result", f->dir);
        json_stream_text(js, "policy", f->policy);
        json_stream_whole(js, "unfinished", f->n_unfinished);
        if (f->n_unfinished) {
            json_stream_text(js, "unfinished_why", why_unfinished(f));
            json_stream_number(js, "finished_share", finished_line(f).share);
        }
        if (f->words)
            compare_write_value(js, "knowledge",
                                json_object_get(f->summary, "knowledge"));
        report_remarks(js, &f->remarks);
        json_stream_array(js, "differs");
        finished_differs(all->rows, i, write_difference, js);
        json_stream_array_end(js);
        compare_write_value(js, "metrics",
                            json_object_get(f->summary, "metrics"));
        if (json_object_get(f->summary, "failures"))
            compare_write_value(js, "failures",
                                json_object_get(f->summary, "failures"));
        for (size_t m = 0; m < PAIRED_N; m++)
            difference_write(js, paired_metrics[m].key, "count",
                             &all->minus_first[i][m]);
        json_stream_object_end(js);
    }
    json_stream_array_end(js);
    json_stream_end(js);
    return out_close(out, err);
}

/* Returns STATUS_INCOMPLETE, with a message for JSON output, if some job of a
 * result did not finish. */
static enum status finished_judge(const struct results_read *all, bool json,
                                  struct error *err)
{
    for (size_t i = 0; i < all->n; i++) {
        if (all->at[i].n_unfinished == 0)
            continue;
        error_set(err, STATUS_INCOMPLETE, "%s: %u jobs did not finish",
                  all->at[i].dir, all->at[i].n_unfinished);
        if (!json)
            err->message[0] = '\0'; /* the table has reported the unfinished
                                     * jobs */
        return STATUS_INCOMPLETE;
    }
    return STATUS_OK;
}

/* Prints the results and their differences to the first one, job by job, as
 * tables or as JSON. Returns STATUS_BAD_INPUT if one is not a whole result or
 * they are not of the same jobs, STATUS_INCOMPLETE if some job of a result did
 * not finish. */
static enum status compare_finished(const char *const *dirs, size_t n,
                                    bool json, bool all_remarks,
                                    struct error *err)
{
    struct results_read all = {
        .at = mem_zalloc(n, sizeof *all.at),
        .rows = mem_zalloc(n, sizeof *all.rows),
        .minus_first = mem_zalloc(n, sizeof *all.minus_first),
    };
    enum status st = compare_read_all(&all, dirs, n, err);
    if (st == STATUS_OK) {
        finished_pair(&all);
        if (json)
            st = compare_print_json_one(&all, err);
        else
            compare_print_table_one(&all, all_remarks);
    }
    if (st == STATUS_OK)
        st = finished_judge(&all, json, err);
    for (size_t i = 0; i < all.n; i++)
        finished_close(&all.at[i]);
    free(all.at);
    free(all.rows);
    free(all.minus_first);
    return st;
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
    const char *file, *against;
    struct arg_words words; /* the trace, or finished results, or a sweep */
    struct gates gates;
    uint32_t replications; /* number of replications; 0: the trace itself is
                            * run */
    bool json, quiet, dump, remarks;
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
    bool any = input->policies.n || input->file || input->dump ||
               input->replications || gates->paths.n ||
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
    const struct arg_words *words = &input->words;
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
        return error_set(err, STATUS_USAGE,
                         "compare: finished results take no options of a "
                         "simulation, only --json and, for a sweep, --metric "
                         "and --against");
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
    const struct gates *gates = &input->gates;
    if (input->replications &&
        (gates->paths.n || gates->metrics.n || !isnan(gates->tolerance)))
        return error_set(err, STATUS_USAGE,
                         "compare: --replications cannot be combined with "
                         "--baseline, --metric and --tolerance");
    return gates_open(&input->gates, err);
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

/* Runs one policy. `first`: the outcome of the first policy; NULL: this is the
 * first. The summary outlives the run, but the names of its groups belong to
 * the run and must not be used afterwards. */
static enum status run_one(const struct compare_input *input, const char *spec,
                           const struct outcome_of_policy *first,
                           struct outcome_of_policy *out, struct error *err)
{
    struct replay replay;
    struct run_config config = input->options.config;
    struct replay_options options = {
        .progress = !input->quiet && cli_is_terminal(), .label = spec};
    run_options_of_policy(&input->policies, spec, &config);
    out->spec = spec;
    enum status st = replay_run(&config, &options, &replay, err);
    if (st != STATUS_OK && st != STATUS_INCOMPLETE)
        return st;
    compare_keep(out, replay.results);
    enum status fits = gates_fill(&input->gates, replay.results, &out->summary,
                                  first ? &first->gates : NULL, &out->remarks,
                                  &out->gates, err);
    replay_fini(&replay);
    return fits == STATUS_OK ? st : fits;
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

/* Runs all policies. Those that finish fill `all` from its beginning; the
 * others are added to `failed`. Sets *n to the number of outcomes. Returns
 * STATUS_INCOMPLETE if a run is incomplete. */
static enum status compare_run_all(const struct compare_input *input,
                                   struct outcome_of_policy *all, size_t *n,
                                   struct failed_policies *failed,
                                   struct error *err)
{
    enum status incomplete = STATUS_OK;
    *n = 0;
    for (size_t i = 0; i < input->policies.n; i++) {
        struct outcome_of_policy *o = &all[*n];
        const char *spec = input->policies.at[i];
        enum status st = run_one(input, spec, *n ? all : NULL, o, err);
        if (st != STATUS_OK && st != STATUS_INCOMPLETE) {
            failed_policies_add(failed, spec, err);
            outcome_free(o);
            continue;
        }
        incomplete = st == STATUS_INCOMPLETE ? st : incomplete;
        compare_pair(&all[0], o);
        ++*n;
    }
    return incomplete;
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

/* Prints the outcomes and judges them. The status is that of the first run that
 * failed, if one did. */
static enum status compare_report(const struct compare_input *input,
                                  const struct outcome_of_policy *all, size_t n,
                                  const struct failed_policies *failed,
                                  enum status incomplete, struct error *err)
{
    enum status st = STATUS_OK;
    if (input->json)
        st = compare_print_json(all, n, failed, &input->gates, err);
    else
        compare_print_table(all, n, failed, &input->gates, input->remarks);
    if (st != STATUS_OK)
        return st;
    if (incomplete != STATUS_OK && !input->json)
        err->message[0] = '\0'; /* the table has reported the unfinished jobs */
    st = compare_judge(input, all, n, err);
    if (!failed->n)
        return st == STATUS_OK ? incomplete : st;
    error_set(err, failed->at[0].status, "%s: %s", failed->at[0].spec,
              failed->at[0].message);
    if (!input->json)
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
    else
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
        return compare_runs(words->at[0], &wishes,
                            input->json      ? COMPARE_JSON
                            : input->remarks ? COMPARE_REMARKS
                                             : COMPARE_TABLE,
                            err);
    if (names->n || input->against)
        return error_set(err, STATUS_USAGE,
                         "compare: --metric and --against are for one sweep");
    if (words->n == 1)
        return error_set(err, STATUS_USAGE,
                         "compare: '%.100s' is one result; name at least two",
                         words->at[0]);
    return compare_finished(words->at, words->n, input->json, input->remarks,
                            err);
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
                                  input->replications, input->json,
                                  input->remarks, err);
    else if (st == STATUS_OK)
        st = compare_all(input, all, err);
    for (size_t i = 0; i < ARG_LIST_MAX; i++)
        outcome_free(&all[i]);
    free(all);
    gates_fini(&input->gates);
    return st;
}

static const struct arg args[] = {
    TAKE_OPTIONAL_WORDS(struct compare_input, words, "TRACE|DIR", "trace"),
    TAKE_LIST(struct compare_input, policies, "policy", "SPEC",
              "which job runs next: NAME[:KEY=VALUE,...], one row each; a,b or "
              "all names several; default fifo,backfill,srtf",
              .letter = 'p', .group = RUN_OF_SCHEDULER),
    TAKE_U32(
        struct compare_input, replications, "replications", "N",
        "run each policy on N traces that `trace resample` makes of TRACE, "
        "and show intervals over them; default: on TRACE itself",
        .lo = 2, .hi = 10000),
    TAKE_TEXT(struct compare_input, against, "against", "KEY=VALUE",
              "for a sweep: compare each setting with the one that differs "
              "from it only in this, such as policy=fifo; default: with the "
              "first setting of its trace"),
    TAKE_FLAG(struct compare_input, json, "json", "print JSON"),
    TAKE_FLAG(struct compare_input, remarks, "remarks", ROW_REMARKS_HELP),
    TAKE_TEXT(struct compare_input, file, "config", "FILE", CONFIG_HELP),
    TAKE_FLAG(struct compare_input, options.trusts, "trust", TRUST_HELP),
    TAKE_FLAG(struct compare_input, dump, "dump-config", DUMP_CONFIG_HELP),
    TAKE_FLAG(struct compare_input, quiet, "quiet", "draw no progress line",
              .letter = 'q'),
    {0},
};

static const struct compare_input defaults = {.gates = {.tolerance = NAN}};

const struct command command_compare = {
    .name = "compare",
    .summary = "replay a trace through several policies, one row each",
    .about = "Replays a trace through several policies and shows one row each, "
             "or compares finished results (DIR DIR...) or the runs of a sweep "
             "(DIR, or its runs.csv) without a simulation.",
    .notes = "Words after TRACE are policies, too. A second table has the "
             "differences to the first row, paired job by job; docs/"
             "statistics.md explains it. Results must be of the same jobs of "
             "one trace; what else differs is listed below the table.",
    .parts = {{.rows = args, .group = RUN_OF_COMMAND},
              {.rows = gates_args,
               .offset = offsetof(struct compare_input, gates),
               .group = RUN_OF_COMMAND},
              RUN_ARG_PART(struct compare_input, options)},
    .input_size = sizeof(struct compare_input),
    .defaults = &defaults,
    .run = compare_run,
    .examples = "compare traces/samples/venus.csv --policy fifo,srtf\n"
                "compare traces/samples/venus.csv --policy srtf --baseline "
                "results --metric jct_s.p99:2\n"
                "compare results/fifo results/srtf\n"
                "compare sweep/runs.csv --against policy=fifo",
    .ends = CLI_ENDS(INCOMPLETE) | CLI_ENDS(BAD_PLAN) | CLI_ENDS(TOLERANCE),
};
