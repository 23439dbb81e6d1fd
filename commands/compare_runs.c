/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/compare_runs.h"

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
#include "commands/summary_table.h"

enum { COMPARE_RUNS_LABEL_MAX = 512 };

/* Names a setting by the columns that vary: "policy=srtf cluster=16x8", only
 * the value if one column varies, "all runs" if none does. */
static const char *label_of(const struct runs_file *f, size_t setting,
                            char buf[COMPARE_RUNS_LABEL_MAX])
{
    size_t n = 0, n_varies = 0;
    for (size_t k = 0; k < f->n_names; k++)
        n_varies += f->varies[k];
    buf[0] = '\0';
    for (size_t k = 0; k < f->n_names && n < COMPARE_RUNS_LABEL_MAX - 1; k++) {
        if (!f->varies[k])
            continue;
        n += (size_t)snprintf(buf + n, COMPARE_RUNS_LABEL_MAX - n, "%s%s%s%s",
                              n ? " " : "", n_varies > 1 ? f->names[k] : "",
                              n_varies > 1 ? "=" : "",
                              f->settings[setting].cells[k]);
    }
    if (!n_varies)
        n = (size_t)snprintf(buf, COMPARE_RUNS_LABEL_MAX, "all runs");
    if (*f->settings[setting].mark && n < COMPARE_RUNS_LABEL_MAX - 1)
        snprintf(buf + n, COMPARE_RUNS_LABEL_MAX - n, " (%s)",
                 f->settings[setting].mark);
    return buf;
}

/* Prints what the policies knew, one line for each different text. */
static void runs_print_knowledge(const struct runs_file *f)
{
    struct row_words *rows = mem_zalloc(f->n_settings + 1, sizeof *rows);
    struct arena arena;
    char label[COMPARE_RUNS_LABEL_MAX];
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
    char label[COMPARE_RUNS_LABEL_MAX], buf[ESTIMATE_TEXT_MAX];
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
    char label[COMPARE_RUNS_LABEL_MAX];
    differences_init(&differences, "setting", NULL);
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
    } else if (st == STATUS_OK && (st = answer_open(form == COMPARE_LATEX, &out,
                                                    err)) == STATUS_OK) {
        if (form != COMPARE_CSV)
            compare_write_json(&file, out);
        else
            write_csv(&file, out);
        st = answer_close(form == COMPARE_LATEX, out, err);
    }
    runs_file_close(&file);
    return st;
}
