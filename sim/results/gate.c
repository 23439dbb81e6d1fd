/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/results/gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const gate_better_words[] = {
    [GATE_LOWER] = "lower", [GATE_HIGHER] = "higher", [GATE_EITHER] = "either"};

/* Metrics of a whole run, and whether less or more of each is better. For
 * metrics that are not listed, neither is better. For all distributions, less
 * is better. */
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

static const struct scalar *find_scalar(const struct scalar *rows,
                                        struct text name)
{
    while (rows->of && !text_is(name, rows->column.name))
        rows++;
    return rows->of ? rows : NULL;
}

/* Finds a metric by its name, such as "jct_s" or "jct_s.p99". */
static bool find_metric(struct text name, struct gate *gate)
{
    struct text column, metric = text_split(name, '.', &column);
    size_t m = 0, c = 0;
    while (metrics[m].column.name && !text_is(metric, metrics[m].column.name))
        m++;
    if (!column.len)
        column = text_from("mean");
    while (distribution_columns[c].name &&
           !text_is(column, distribution_columns[c].name))
        c++;
    if (!metrics[m].column.name || !distribution_columns[c].name)
        return false;
    bool count = strcmp(distribution_columns[c].name, "count") == 0;
    gate->metric = m;
    gate->column = c;
    gate->better = count ? GATE_EITHER : GATE_LOWER;
    snprintf(gate->name, sizeof gate->name, "%s.%s", metrics[m].column.name,
             distribution_columns[c].name);
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
    return error_set(err, STATUS_USAGE, "--metric: no metric '%.*s'; %s%s%s",
                     TEXT_ARGS(name), near ? "did you mean '" : "",
                     near ? near : "'schedsim list columns' names them",
                     near ? "'?" : "");
}

enum status gate_parse(const char *spec, struct gate *out, struct error *err)
{
    struct text tolerance, name = text_split(text_from(spec), ':', &tolerance);
    *out = (struct gate){.tolerance = NAN};
    if (tolerance.len) {
        out->own = true;
        if (!text_to_double(tolerance, &out->tolerance) || out->tolerance < 0)
            return error_set(err, STATUS_USAGE,
                             "--metric: '%.*s' is not a percentage",
                             TEXT_ARGS(tolerance));
    }
    if (find_metric(name, out))
        return STATUS_OK;
    out->scalar = find_scalar(run_scalars, name);
    if (!out->scalar)
        out->scalar = find_scalar(scalars, name);
    if (!out->scalar)
        return unknown(name, err);
    snprintf(out->name, sizeof out->name, "%s", out->scalar->column.name);
    out->better = better_of(out->name);
    return STATUS_OK;
}

double gate_value(const struct gate *gate, const struct summary *summary)
{
    if (gate->scalar)
        return gate->scalar->of(&summary->totals, summary);
    const struct distribution *d = &summary->of[gate->metric];
    const double values[] = {(double)d->count, d->mean, d->mean_lo,
                             d->mean_hi,       d->p50,  d->p90,
                             d->p95,           d->p99,  d->max};
    return d->count || gate->column == 0 ? values[gate->column] : NAN;
}

double gate_difference(double value, double expected)
{
    /* Largest relative error of a value that was written with 15 digits. */
    const double rounding = 1e-14;
    double difference = value - expected;
    if (isnan(difference) || fabs(difference) <= rounding * fabs(expected))
        return isnan(difference) ? NAN : 0;
    return 100 * difference / fabs(expected);
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
