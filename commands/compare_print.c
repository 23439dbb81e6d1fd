/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the runs of `compare`: as tables with remarks, or as JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/json_stream.h"
#include "commands/compare_internal.h"
#include "commands/differences.h"
#include "commands/row_remarks.h"
#include "sim/results/report.h"

static void print_remarks(const struct outcome_of_policy *all, size_t n,
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
static void print_knowledge(const struct outcome_of_policy *all, size_t n)
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

static void print_differences(const struct outcome_of_policy *all, size_t n)
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

void compare_print_table(const struct outcome_of_policy *all, size_t n,
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
    print_knowledge(all, n);
    for (size_t i = 0; i < n; i++) {
        if (all[i].n_unfinished)
            say_prose(stdout, "incomplete: %s: %u jobs did not finish: %s",
                      all[i].spec, all[i].n_unfinished, all[i].unfinished);
    }
    print_differences(all, n);
    summary_note_lack(any_lacks, stdout);
    physics_print(rows, n, stdout);
    print_remarks(all, n, all_remarks);
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

enum status compare_print_json(const struct outcome_of_policy *all, size_t n,
                               const struct failed_policies *failed,
                               const struct gates *gates, struct error *err)
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
