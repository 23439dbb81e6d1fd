/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses targets, which are bounds on numbers of a summary, and compares values
 * with them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands/study/size.h"
#include "commands/terminal.h"

/* The columns of a distribution that a target may name, and their offsets in
 * struct distribution. */
static const struct {
    const char *name;
    size_t offset;
} size_target_columns[] = {
    {"mean", offsetof(struct distribution, mean)},
    {"p50", offsetof(struct distribution, p50)},
    {"p90", offsetof(struct distribution, p90)},
    {"p95", offsetof(struct distribution, p95)},
    {"p99", offsetof(struct distribution, p99)},
    {"max", offsetof(struct distribution, max)},
};
enum {
    SIZE_TARGET_N_COLUMNS =
        sizeof size_target_columns / sizeof *size_target_columns
};

/* True if the user means this metric: its name, with or without the unit "_s".
 */
static bool target_is_named(struct text name, const char *metric)
{
    size_t n = strlen(metric);
    if (text_is(name, metric))
        return true;
    return n > 2 && strcmp(metric + n - 2, "_s") == 0 && name.len == n - 2 &&
           memcmp(name.at, metric, name.len) == 0;
}

static bool is_seconds(const struct column *column)
{
    return strcmp(column->unit, "s") == 0;
}

static enum status target_unknown(const char *text, struct text name,
                                  struct error *err)
{
    const char *names[64];
    char short_names[METRICS][32];
    size_t n = 0;
    for (size_t i = 0; metrics[i].column.name && n < 60; i++) {
        const char *full = metrics[i].column.name;
        size_t len = strlen(full) - (is_seconds(&metrics[i].column) ? 2 : 0);
        snprintf(short_names[i], sizeof *short_names, "%.*s", (int)len, full);
        names[n++] = short_names[i];
    }
    for (size_t i = 0; scalars[i].column.name && n < 60; i++)
        names[n++] = scalars[i].column.name;
    for (size_t i = 0; run_scalars[i].column.name && n < 60; i++)
        names[n++] = run_scalars[i].column.name;
    const char *near = text_nearest(name, names, n);
    return error_set(
        err, STATUS_USAGE, "--target: '%.200s': no metric '%.*s'%s", text,
        TEXT_ARGS(name),
        near ? text_suggest(near).words : "; 'schedsim list columns' has them");
}

static enum status target_find_column(struct text column,
                                      struct size_target *out,
                                      struct error *err)
{
    for (out->column = 0; out->column < SIZE_TARGET_N_COLUMNS; out->column++) {
        if (text_is(column, size_target_columns[out->column].name))
            return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "--target: '%.200s': no column '%.*s': expected mean, "
                     "p50, p90, p95, p99 or max",
                     out->text, TEXT_ARGS(column));
}

/* Reads the name of a share, which ends with a length of time. */
static enum status find_share(struct text name, struct size_target *out,
                              struct error *err)
{
    struct text time = text_skip(name, strlen("share_waiting_over_"));
    char key[EXTRAS_NAME_MAX];
    if (!text_to_duration(time, &out->over) || out->over < 0)
        return error_set(err, STATUS_USAGE,
                         "--target: '%.200s': '%.*s' is not a length of time, "
                         "such as 600s or 10min",
                         out->text, TEXT_ARGS(time));
    out->is_over = true;
    snprintf(out->name, sizeof out->name, "%.60s",
             extras_over_name(out->over, key));
    return STATUS_OK;
}

static enum status target_find_metric(struct text path, struct size_target *out,
                                      struct error *err)
{
    struct text column, name = text_split(path, '.', &column);
    bool has_column = name.len < path.len;
    for (unsigned m = 0; m < METRICS; m++) {
        if (!target_is_named(name, metrics[m].column.name))
            continue;
        out->metric = m;
        out->is_time = is_seconds(&metrics[m].column);
        out->by_run = !metrics[m].grouped;
        enum status st =
            has_column ? target_find_column(column, out, err) : STATUS_OK;
        if (st == STATUS_OK)
            snprintf(out->name, sizeof out->name, "%s.%s",
                     metrics[m].column.name,
                     size_target_columns[out->column].name);
        return st;
    }
    for (int k = 0; k < 2 && !has_column; k++) {
        const struct scalar *s = k ? run_scalars : scalars;
        for (; s->column.name; s++) {
            if (!target_is_named(name, s->column.name))
                continue;
            out->scalar = s;
            out->is_time = is_seconds(&s->column);
            out->by_run = k;
            snprintf(out->name, sizeof out->name, "%s", s->column.name);
            return STATUS_OK;
        }
    }
    if (text_starts(name, "share_waiting_over_") && !has_column)
        return find_share(name, out, err);
    return target_unknown(out->text, name, err);
}

static bool read_bound(struct text text, bool is_time, double *out)
{
    sim_span span;
    if (is_time) {
        if (!text_to_duration(text, &span))
            return false;
        *out = span_seconds(span);
        return true;
    }
    bool percent = text.len && text.at[text.len - 1] == '%';
    text.len -= percent ? 1 : 0;
    if (!text_to_double(text_trim(text), out))
        return false;
    *out /= percent ? 100 : 1;
    return true;
}

enum status size_target_parse(const char *text, struct size_target *out,
                              struct error *err)
{
    size_t n = strcspn(text, "<>");
    *out = (struct size_target){.text = text};
    struct text name = text_trim((struct text){text, n});
    out->is_least = text[n] == '>';
    out->is_strict = text[n] && text[n + 1] != '=';
    if (!text[n] || name.len == 0)
        return error_set(err, STATUS_USAGE,
                         "--target: '%.200s': expected METRIC[.COLUMN] < "
                         "VALUE, such as 'queue_delay.p95 < 10min'",
                         text);
    enum status st = target_find_metric(name, out, err);
    struct text value =
        text_trim(text_from(text + n + (out->is_strict ? 1 : 2)));
    if (st == STATUS_OK && !read_bound(value, out->is_time, &out->bound))
        st =
            error_set(err, STATUS_USAGE, "--target: '%.200s': '%.*s' is not %s",
                      text, TEXT_ARGS(value),
                      out->is_time ? "a length of time, such as 600, 10min, "
                                     "2h or 1.5d"
                                   : "a number or a percentage");
    return st;
}

double size_target_value(const struct size_target *target,
                         const struct summary *summary,
                         const struct group *group)
{
    const struct totals *totals = group ? &group->totals : &summary->totals;
    for (size_t i = 0; i < summary->extras.n_over && target->is_over; i++) {
        if (summary->extras.over[i] == target->over)
            return (double)totals->over[i] / (double)totals->counted;
    }
    if (target->scalar)
        return scalar_value(target->scalar,
                            target->by_run ? (const void *)summary : totals);
    const struct distribution *d =
        group ? &group->of[target->metric] : &summary->of[target->metric];
    if (d->count == 0)
        return NAN;
    double value;
    memcpy(&value, (const char *)d + size_target_columns[target->column].offset,
           sizeof value);
    return value;
}

bool size_target_holds(const struct size_target *target, double value)
{
    if (isnan(value))
        return false;
    if (value == target->bound)
        return !target->is_strict;
    return target->is_least ? value > target->bound : value < target->bound;
}

const char *size_target_words(const struct size_target *target, double value,
                              char buf[SIZE_VALUE_MAX])
{
    char words[TABLE_SPAN_MAX];
    if (isnan(value))
        snprintf(buf, SIZE_VALUE_MAX, "-");
    else
        snprintf(buf, SIZE_VALUE_MAX, "%s",
                 target->is_time ? table_span(value, words)
                                 : table_figure(value, words));
    return buf;
}
