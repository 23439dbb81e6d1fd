/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Box plots: percentiles of a metric by classes of jobs. */
#include "commands/report/report_internal.h"

#include <stdlib.h>
#include <string.h>

#include "sim/results/statistics.h"

const char *const boxes_by_names[BOXES_BYS] = {[BOXES_BY_GPUS] = "gpus",
                                               [BOXES_BY_DURATION] = "duration",
                                               [BOXES_BY_STATE] = "state"};

/* A class holds the values below its limit that no class before it holds. */
struct class
{
    const char *words;
    double below;
};
static const struct class by_gpus[] = {
    {"1 GPU", 2},      {"2-4 GPUs", 5},    {"5-8 GPUs", 9},
    {"9-16 GPUs", 17}, {"17-64 GPUs", 65}, {"over 64 GPUs", 1e300},
    {NULL, 0}};
static const struct class by_duration[] = {{"under 1 min", 60},
                                           {"1-10 min", 600},
                                           {"10-60 min", 3600},
                                           {"1-6 h", 21600},
                                           {"6-24 h", 86400},
                                           {"over 1 d", 1e300},
                                           {NULL, 0}};

const char *boxes_class(enum boxes_by by, unsigned class)
{
    if (by == BOXES_BY_STATE)
        return class < 4 ? verify_outcomes[class] : NULL;
    const struct class *classes = by == BOXES_BY_GPUS ? by_gpus : by_duration;
    return class < BOXES_CLASSES_MAX ? classes[class].words : NULL;
}

static unsigned boxes_class_of(const struct verify_job *job, enum boxes_by by)
{
    if (by == BOXES_BY_STATE)
        return job->outcome;
    const struct class *classes = by == BOXES_BY_GPUS ? by_gpus : by_duration;
    double value =
        by == BOXES_BY_GPUS ? (double)job->gpus : span_seconds(job->duration);
    unsigned c = 0;
    while (value >= classes[c].below && classes[c + 1].words)
        c++;
    return c;
}

/* Computes a box. Changes the order of the values. */
static struct box box_of(double *values, size_t n)
{
    static const double percents[] = {5, 25, 50, 75, 95, 100};
    double at[6], sum = 0;
    if (n == 0)
        return (struct box){0};
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    stats_percentiles(values, n, percents, 6, at);
    return (struct box){n,     at[0], at[1], at[2],
                        at[3], at[4], at[5], sum / (double)n};
}

void boxes_of(const struct report_run *run, enum report_metric metric,
              enum boxes_by by, struct box out[BOXES_CLASSES_MAX])
{
    const struct verify_data *d = &run->data;
    double *values = mem_alloc((d->n_jobs + 1) * sizeof *values);
    /* where the next value of each class goes; the values of a class lie
     * together */
    size_t next[BOXES_CLASSES_MAX + 1] = {0};
    for (size_t i = 0; i < d->n_jobs; i++) {
        if (report_metric_is_of(run, &d->jobs[i], metric))
            next[boxes_class_of(&d->jobs[i], by) + 1]++;
    }
    for (unsigned c = 0; c < BOXES_CLASSES_MAX; c++)
        next[c + 1] += next[c];
    for (size_t i = 0; i < d->n_jobs; i++) {
        if (report_metric_is_of(run, &d->jobs[i], metric))
            values[next[boxes_class_of(&d->jobs[i], by)]++] =
                span_seconds(report_metric_of(&d->jobs[i], metric));
    }
    for (unsigned c = 0; c < BOXES_CLASSES_MAX; c++) {
        size_t first = c ? next[c - 1] : 0;
        out[c] = box_of(values + first, next[c] - first);
    }
    free(values);
}
