/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `compare DIR DIR...`: finished results in one table, without a simulation. */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/out.h"
#include "commands/commands_internal.h"
#include "commands/latex.h"
#include "commands/study/compare_internal.h"
#include "commands/summary_table.h"
#include "sim/results/report.h"

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

struct compare_finished_sentence {
    char words[2048];
    size_t len;
};

static void compare_add_part(void *self, const struct physics_difference *d)
{
    struct compare_finished_sentence *s = self;
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

static void finished_print_differences(const struct results_read *all,
                                       const size_t *order)
{
    struct differences differences;
    differences_init(&differences, "result", all->at[0].dir);
    for (size_t k = 0; k < all->n; k++) {
        const size_t i = order[k];
        if (i == 0)
            continue;
        for (size_t m = 0; m < PAIRED_N; m++) {
            const struct column *column =
                &metrics[paired_metrics[m].metric].column;
            differences_add(&differences, all->at[i].dir, column->name,
                            column->unit, &all->minus_first[i][m]);
        }
        const struct difference makespan = difference_of_two(
            finished_line(&all->at[0]).makespan_s,
            finished_line(&all->at[i]).makespan_s,
            all->minus_first[i][0].verdict != DIFFERENCE_INCOMPARABLE);
        differences_add(&differences, all->at[i].dir, "makespan_s", "s",
                        &makespan);
    }
    differences_finish(&differences, stdout);
}

static void print_below(const struct results_read *all, bool all_remarks)
{
    struct row_remarks rows;
    row_remarks_init(&rows);
    for (size_t i = 0; i < all->n; i++) {
        struct compare_finished_sentence sentence = {.len = 0};
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
    struct summary_line *lines = mem_zalloc(all->n + 1, sizeof *lines);
    for (size_t i = 0; i < all->n; i++)
        lines[i] = finished_line(&all->at[i]);
    const struct summary_units units = summary_units_of(lines, all->n);
    table_add(&table, "result");
    table_add(&table, "policy");
    summary_cells_heads(&table, &units);
    if (any_restarts)
        table_add(&table, SUMMARY_RESTART_HEAD);
    size_t *order = mem_zalloc(all->n + 1, sizeof *order);
    double *jct = mem_zalloc(all->n + 1, sizeof *jct);
    for (size_t i = 0; i < all->n; i++)
        jct[i] = summary_rank(&lines[i]);
    rows_by_jct(jct, all->n, order);
    free(jct);
    for (size_t k = 0; k < all->n; k++) {
        const size_t i = order[k];
        any_lacks |= lines[i].jct.lack == INTERVAL_FEW_STRETCHES;
        bool differs = finished_differs(all->rows, i, NULL, NULL) > 0;
        table_add(&table, "%s%s", all->at[i].dir, differs ? " *" : "");
        table_add(&table, "%s",
                  knowledge_name(all->at[i].policy, all->at[i].mark,
                                 &all->at[i].arena));
        summary_cells(&table, &lines[i], &units);
        if (any_restarts)
            summary_restart_cell(&table, &lines[i]);
    }
    free(lines);
    table_print(&table, stdout);
    table_fini(&table);
    for (size_t i = 0; i < all->n; i++) {
        const struct finished *f = &all->at[i];
        if (f->n_unfinished)
            say_prose(stdout, "incomplete: %s: %u jobs did not finish: %s",
                      f->dir, f->n_unfinished, why_unfinished(f));
    }
    finished_print_knowledge(all);
    finished_print_differences(all, order);
    free(order);
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
                                          bool latex, struct error *err)
{
    struct out *out;
    enum status st = answer_open(latex, &out, err);
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
    return answer_close(latex, out, err);
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

enum status compare_finished(const char *const *dirs, size_t n,
                             enum compare_form form, struct error *err)
{
    struct results_read all = {
        .at = mem_zalloc(n, sizeof *all.at),
        .rows = mem_zalloc(n, sizeof *all.rows),
        .minus_first = mem_zalloc(n, sizeof *all.minus_first),
    };
    enum status st = compare_read_all(&all, dirs, n, err);
    if (st == STATUS_OK) {
        finished_pair(&all);
        if (form > COMPARE_REMARKS)
            st = compare_print_json_one(&all, form == COMPARE_LATEX, err);
        else
            compare_print_table_one(&all, form == COMPARE_REMARKS);
    }
    if (st == STATUS_OK)
        st = finished_judge(&all, form > COMPARE_REMARKS, err);
    for (size_t i = 0; i < all.n; i++)
        finished_close(&all.at[i]);
    free(all.at);
    free(all.rows);
    free(all.minus_first);
    return st;
}
