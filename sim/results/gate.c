/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "sim/results/report.h"

const char *const gate_better_words[] = {[GATE_LOWER] = "lower",
                                         [GATE_HIGHER] = "higher",
                                         [GATE_EITHER] = "either",
                                         NULL};

/* Scalars, and whether less or more of each is better. For scalars that are not
 * listed, neither is better. For other metrics find_metric and find_extra
 * decide. */
static const struct {
    const char *name;
    enum gate_better better;
} directions[] = {
    {"makespan_s", GATE_LOWER},     {"fragmentation", GATE_LOWER},
    {"preemptions", GATE_LOWER},    {"overhead_gpu_hours", GATE_LOWER},
    {"lost_gpu_hours", GATE_LOWER}, {"allocation", GATE_HIGHER},
    {"utilisation", GATE_HIGHER},   {"goodput", GATE_HIGHER},
};

static enum gate_better better_of(const char *name)
{
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        if (strcmp(directions[i].name, name) == 0)
            return directions[i].better;
    }
    return GATE_EITHER;
}

static const struct column *find_scalar(struct text name)
{
    const struct scalar *const tables[] = {run_scalars, scalars};
    for (size_t t = 0; t < 2; t++) {
        for (const struct scalar *row = tables[t]; row->of; row++) {
            if (text_is(name, row->column.name))
                return &row->column;
        }
    }
    return NULL;
}

/* Returns the name of a column of a distribution; NULL if there is no such
 * column. An empty name stands for the mean. */
static const char *find_column(struct text name)
{
    if (!name.len)
        return "mean";
    for (size_t c = 0; distribution_columns[c].name; c++) {
        if (text_is(name, distribution_columns[c].name))
            return distribution_columns[c].name;
    }
    return NULL;
}

/* Finds a metric that has a distribution, by a name such as "jct_s" or
 * "jct_s.p99". Returns false if there is none of this name. */
static bool find_metric(struct text name, struct gate *gate)
{
    struct text column, metric = text_split(name, '.', &column);
    size_t m = 0;
    while (metrics[m].column.name && !text_is(metric, metrics[m].column.name))
        m++;
    const char *known = find_column(column);
    if (!metrics[m].column.name || !known)
        return false;
    bool count = strcmp(known, "count") == 0;
    gate->better = count ? GATE_EITHER : GATE_LOWER;
    gate->unit = count ? "jobs" : metrics[m].column.unit;
    snprintf(gate->name, sizeof gate->name, "%s.%s", metrics[m].column.name,
             known);
    return true;
}

/* Finds a metric that a run has on request: --wait-over or --by. Returns false
 * if there is none of this name. */
static bool find_extra(struct text name, struct gate *gate)
{
    bool share = text_starts(name, "share_waiting_over_"), jain = false;
    for (size_t i = 0; jain_columns[i].name; i++)
        jain |= text_is(name, jain_columns[i].name);
    if ((!share && !jain) || name.len >= sizeof gate->name)
        return false;
    *gate = (struct gate){.better = share ? GATE_LOWER : GATE_HIGHER,
                          .unit = "",
                          .is_path = true};
    snprintf(gate->name, sizeof gate->name, "%.*s", (int)name.len, name.at);
    return true;
}

/* Finds a path whose first key is an object of summary.json; false if it is
 * not. The last known part of the path decides the unit and which direction is
 * better. */
static bool find_path(struct text name, struct gate *gate)
{
    static const char *const objects[] = {
        "advice",   "by_gpus",  "by_outcome", "by_type", "by_user",
        "by_vc",    "counts",   "deadlines",  "elastic", "evictions",
        "failures", "gpu_time", "outcomes",   "packing", "profiling"};
    struct text rest, head = text_split(name, '.', &rest);
    size_t i = 0, n = sizeof objects / sizeof *objects;
    while (i < n && !text_is(head, objects[i]))
        i++;
    if (i == n || !rest.len || name.len >= sizeof gate->name)
        return false;
    *gate = (struct gate){.better = GATE_EITHER, .unit = ""};
    snprintf(gate->name, sizeof gate->name, "%.*s", (int)name.len, name.at);
    for (struct text tail = rest; tail.len; text_split(tail, '.', &tail)) {
        const struct column *scalar = find_scalar(tail);
        struct gate inner;
        if (find_metric(tail, &inner)) {
            /* inner.name has the column, the mean if none was named */
            size_t at = name.len - tail.len;
            gate->better = inner.better;
            gate->unit = inner.unit;
            snprintf(gate->name + at, sizeof gate->name - at, "%s", inner.name);
            break;
        }
        if (scalar) {
            gate->better = better_of(scalar->name);
            gate->unit = scalar->unit;
        }
    }
    gate->is_path = true;
    return true;
}

static enum status unknown(struct text name, struct error *err)
{
    const char *names[64];
    struct text column;
    size_t n = 0;
    for (size_t i = 0; metrics[i].column.name && n < 64; i++)
        names[n++] = metrics[i].column.name;
    for (size_t i = 0; run_scalars[i].of && n < 64; i++)
        names[n++] = run_scalars[i].column.name;
    for (size_t i = 0; scalars[i].of && n < 64; i++)
        names[n++] = scalars[i].column.name;
    const char *near = text_nearest(text_split(name, '.', &column), names, n);
    return error_set(err, STATUS_USAGE, "no metric '%.*s'; %s%s%s",
                     TEXT_ARGS(name), near ? "did you mean '" : "",
                     near ? near : "'schedsim list columns' names them",
                     near ? "'?" : "");
}

enum status gate_find(struct text name, struct gate *out, struct error *err)
{
    *out = (struct gate){.tolerance = NAN, .unit = ""};
    if (find_metric(name, out))
        return STATUS_OK;
    if (find_extra(name, out) || find_path(name, out)) {
        out->tolerance = NAN;
        return STATUS_OK;
    }
    const struct column *scalar = find_scalar(name);
    if (!scalar)
        return unknown(name, err);
    snprintf(out->name, sizeof out->name, "%s", scalar->name);
    out->better = better_of(scalar->name);
    out->unit = scalar->unit;
    return STATUS_OK;
}

enum status gate_parse(const char *spec, struct gate *out, struct error *err)
{
    struct text tolerance, name = text_split(text_from(spec), ':', &tolerance);
    double percent = NAN;
    if (tolerance.len && (!text_to_double(tolerance, &percent) || percent < 0))
        return error_set(err, STATUS_USAGE,
                         "--metric: '%.*s' is not a percentage",
                         TEXT_ARGS(tolerance));
    enum status st = gate_find(name, out, err);
    if (st != STATUS_OK)
        return error_prefix(err, "--metric: ");
    out->tolerance = percent;
    out->own = tolerance.len > 0;
    return STATUS_OK;
}

/* Follows a path of keys, joined by dots; NULL if it leads nowhere. A key may
 * itself contain dots, as a name of a virtual cluster may. */
static const json_t *follow(const json_t *at, const char *path)
{
    char key[GATE_NAME_MAX];
    const json_t *found = json_object_get(at, path);
    for (const char *dot = strchr(path, '.'); dot && !found;
         dot = strchr(dot + 1, '.')) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        const json_t *inner = json_object_get(at, key);
        if (inner)
            found = follow(inner, dot + 1);
    }
    return found;
}

double gate_value(const struct gate *gate, const json_t *summary)
{
    const json_t *at = follow(json_object_get(summary, "metrics"), gate->name);
    if (!at)
        at = follow(summary, gate->name);
    return json_is_number(at) ? json_number_value(at) : NAN;
}

json_t *gate_summary(struct results results, const struct summary *summary)
{
    struct out *out = out_to_memory();
    report_summary(out, results, summary);
    struct text text = out_memory(out);
    json_t *root = json_loadb(text.at, text.len, 0, NULL);
    out_abandon(out);
    return root;
}

/* Returns value - expected, or 0 if the two differ by no more than the rounding
 * of a value that was written with 15 digits. */
static double minus(double value, double expected)
{
    const double rounding = 1e-14;
    double difference = value - expected;
    return fabs(difference) <= rounding * fabs(expected) ? 0 : difference;
}

double gate_difference(double value, double expected)
{
    double difference = minus(value, expected);
    return difference != 0 ? 100 * difference / fabs(expected) : 0;
}

bool gate_holds(const struct gate *gate, double difference)
{
    if (isnan(gate->tolerance))
        return true;
    if (gate->better == GATE_LOWER)
        return difference <= gate->tolerance;
    if (gate->better == GATE_HIGHER)
        return difference >= -gate->tolerance;
    return fabs(difference) <= gate->tolerance;
}

/* Returns the verdict on a difference, in the unit of the tolerance, that is
 * not 0. With GATE_INTERVAL it is 0 if the interval lets it pass. */
static enum gate_verdict verdict_on(const struct gate *gate, double difference)
{
    struct gate in = *gate;
    if (gate->scale == GATE_INTERVAL)
        in.tolerance = 0;
    if (!gate_holds(&in, difference))
        return GATE_OUTSIDE;
    in.better = GATE_EITHER;
    return gate_holds(&in, difference) ? GATE_WITHIN : GATE_IMPROVED;
}

enum gate_verdict gate_judge(const struct gate *gate, double value,
                             const struct gate_expected *expected)
{
    double difference = minus(value, expected->mean);
    if (isnan(value) || isnan(expected->mean))
        return isnan(value) && isnan(expected->mean) ? GATE_EQUAL
                                                     : GATE_UNKNOWN;
    if (difference == 0)
        return GATE_EQUAL;
    if (gate->scale == GATE_PERCENT)
        difference = gate_difference(value, expected->mean);
    if (gate->scale == GATE_INTERVAL && value >= expected->lo &&
        value <= expected->hi)
        difference = 0;
    return verdict_on(gate, difference);
}

enum gate_verdict gate_judge_pairs(const struct gate *gate,
                                   const double *values, const double *expected,
                                   size_t n, struct estimate *difference)
{
    /* differences without the rounding of values that were written */
    double *differences = mem_alloc((n + 1) * sizeof *differences), sum = 0;
    bool is_unknown = false, moved = false;
    for (size_t i = 0; i < n; i++) {
        differences[i] = minus(values[i], expected[i]);
        is_unknown |= isnan(values[i]) != isnan(expected[i]);
        moved |= fabs(differences[i]) > 0;
        sum += isnan(differences[i]) ? 0 : expected[i];
    }
    *difference = estimate_of(differences, NULL, n);
    free(differences);
    if (is_unknown)
        return GATE_UNKNOWN;
    if (!moved)
        return GATE_EQUAL;
    const struct interval *in = &difference->interval;
    double change = difference->mean;
    if (gate->scale == GATE_PERCENT && change != 0)
        change = 100 * change / fabs(sum / (double)difference->n);
    if (gate->scale == GATE_INTERVAL && in->lo <= 0 && in->hi >= 0)
        change = 0;
    return verdict_on(gate, change);
}
