/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/fidelity_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_stream.h"
#include "commands/table.h"

static const char *const verdicts[] = {[VERDICT_NONE] = "-",
                                       [VERDICT_PASS] = "pass",
                                       [VERDICT_FAIL] = "FAIL",
                                       [VERDICT_UNKNOWN] = "not known"};

enum { FIGURE_MAX = TABLE_SPAN_MAX, BAR_TEXT_MAX = 80 };

static const char *figure(double value, char buf[FIGURE_MAX])
{
    if (isnan(value))
        return "?";
    snprintf(buf, FIGURE_MAX, fabs(value) >= 100 ? "%.0f" : "%.3g", value);
    return buf;
}

/* Returns the limits that a measure must keep, such as "272 .. 1090"; "-" if it
 * has none. */
static const char *limits(const struct bar *bar, char buf[BAR_TEXT_MAX])
{
    char lo_text[FIGURE_MAX], hi_text[FIGURE_MAX];
    double lo, hi;
    bar_limits(bar, &lo, &hi);
    if (bar->kind == BAR_NONE)
        return "-";
    if (bar->over == BAR_SPREAD) {
        snprintf(buf, BAR_TEXT_MAX, "max/min <= %s", figure(hi, hi_text));
        return buf;
    }
    snprintf(buf, BAR_TEXT_MAX, "%s .. %s%s", figure(lo, lo_text),
             figure(hi, hi_text), bar->over == BAR_EACH ? " each" : "");
    return buf;
}

static struct judged judge(const struct fidelity_report *report,
                           const struct bar *bar, double *values)
{
    for (size_t i = 0; i < report->n; i++)
        values[i] = measures_find(&report->measured[i], bar->measure);
    return bar_judge(bar, values, report->n);
}

/* True if the group of a measure, which is its name up to the first '.', was
 * measured on the first trace. */
static bool was_measured(const struct fidelity_report *report, const char *name)
{
    const struct measures *first = &report->measured[0];
    size_t len = strcspn(name, ".") + 1;
    for (size_t i = 0; i < first->n; i++) {
        if (strncmp(first->at[i].name, name, len) == 0)
            return true;
    }
    return false;
}

static bool has_bar(const struct bars *bars, const char *name)
{
    for (size_t i = 0; i < bars->n; i++) {
        if (strcmp(bars->at[i].measure, name) == 0)
            return true;
    }
    return false;
}

/* Receives one measure after another: those with bars or real values first,
 * then the others. */
typedef void take_row(void *self, const struct bar *bar,
                      const struct judged *judged);

static size_t each_row(const struct fidelity_report *report, take_row *take,
                       void *self)
{
    double *values = mem_alloc((report->n + 1) * sizeof *values);
    const struct measures *first = &report->measured[0];
    size_t failed = 0;
    for (size_t i = 0; i < report->bars->n; i++) {
        const struct bar *bar = &report->bars->at[i];
        if (!was_measured(report, bar->measure))
            continue;
        struct judged judged = judge(report, bar, values);
        failed += judged.verdict == VERDICT_FAIL;
        take(self, bar, &judged);
    }
    for (size_t i = 0; i < first->n; i++) {
        const struct bar bar = {
            .measure = first->at[i].name, .real = NAN, .status = ""};
        if (has_bar(report->bars, bar.measure))
            continue;
        struct judged judged = judge(report, &bar, values);
        take(self, &bar, &judged);
    }
    free(values);
    return failed;
}

struct printer {
    struct table *table;
    size_t counts[VERDICT_UNKNOWN + 1];
    bool several, all;
};

static void print_row(void *self, const struct bar *bar,
                      const struct judged *judged)
{
    struct printer *p = self;
    char real[FIGURE_MAX], median[FIGURE_MAX], least[FIGURE_MAX],
        most[FIGURE_MAX], text[BAR_TEXT_MAX];
    bool plain = isnan(bar->real) && bar->kind == BAR_NONE;
    p->counts[judged->verdict]++;
    if (plain && !p->all)
        return;
    table_add(p->table, "%s", bar->measure);
    table_add(p->table, "%s", figure(bar->real, real));
    table_add(p->table, "%s", figure(judged->median, median));
    if (p->several)
        table_add(p->table, "%s .. %s", figure(judged->least, least),
                  figure(judged->most, most));
    table_add(p->table, "%s", limits(bar, text));
    table_add(p->table, "%s", verdicts[judged->verdict]);
    table_add(p->table, "%s", bar->status);
}

size_t fidelity_print(const struct fidelity_report *report)
{
    struct table table;
    struct printer p = {.table = &table,
                        .several = report->n > 1,
                        .all = report->all || !report->against};
    table_init(&table, p.several ? 7 : 6, p.several ? 0x71 : 0x39);
    table_add(&table, "measure");
    table_add(&table, "real");
    table_add(&table, p.several ? "median" : "measured");
    if (p.several)
        table_add(&table, "least .. most");
    table_add(&table, "bar");
    table_add(&table, "verdict");
    table_add(&table, "real from");
    size_t failed = each_row(report, print_row, &p);
    table_print(&table, stdout);
    table_fini(&table);
    say(stdout,
        "%zu bars pass, %zu fail, %zu not known; %zu figures have none%s",
        p.counts[VERDICT_PASS], failed, p.counts[VERDICT_UNKNOWN],
        p.counts[VERDICT_NONE], p.all ? "" : " (--all)");
    return failed;
}

static void write_row(void *self, const struct bar *bar,
                      const struct judged *judged)
{
    static const char *const words[] = {[VERDICT_NONE] = "none",
                                        [VERDICT_PASS] = "pass",
                                        [VERDICT_FAIL] = "fail",
                                        [VERDICT_UNKNOWN] = "not known"};
    struct json_stream *js = self;
    char text[BAR_TEXT_MAX];
    json_stream_object(js, NULL);
    json_stream_text(js, "measure", bar->measure);
    json_stream_number(js, "real", bar->real);
    json_stream_number(js, "median", judged->median);
    json_stream_number(js, "least", judged->least);
    json_stream_number(js, "most", judged->most);
    json_stream_text(js, "bar", limits(bar, text));
    json_stream_text(js, "verdict", words[judged->verdict]);
    json_stream_text(js, "status", bar->status);
    json_stream_text(js, "source", bar->source);
    json_stream_object_end(js);
}

enum status fidelity_write(const struct fidelity_report *report, size_t *failed,
                           struct error *err)
{
    struct out *out;
    enum status st = out_open("-", &out, err);
    if (st != STATUS_OK)
        return st;
    struct json_stream stream = json_stream_to(out), *js = &stream;
    json_stream_object(js, NULL);
    json_stream_text(js, "against", report->against);
    json_stream_array(js, "traces");
    for (size_t i = 0; i < report->n; i++)
        json_stream_text(js, NULL, report->paths[i]);
    json_stream_array_end(js);
    json_stream_array(js, "measures");
    *failed = each_row(report, write_row, js);
    json_stream_array_end(js);
    json_stream_whole(js, "failed", (int64_t)*failed);
    json_stream_object_end(js);
    json_stream_end(js);
    return out_close(out, err);
}
