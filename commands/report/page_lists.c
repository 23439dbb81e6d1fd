/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes lists of the page: jobs that waited longest, failures that cost most,
 * and the paired differences of two runs. */
#include "commands/report/report_internal.h"

#include <math.h>
#include <stdlib.h>

#include "sim/results/difference.h"

static json_t *seconds(sim_span span)
{
    return json_number(span_seconds(span));
}

static json_t *waiter_json(const struct verify_data *d, const struct waiter *w)
{
    const struct verify_job *job = w->job;
    const struct waiting *l = &w->longest;
    json_t *json = json_object();
    json_put(json, "job", json_text(job->id));
    json_put(json, "user", json_text(w->user));
    json_put(json, "name", json_text(w->name));
    json_put(json, "vc", json_text(interner_string(&d->vcs, job->vc)));
    json_put(json, "gpus", json_integer(job->gpus));
    json_put(json, "submitted_s", seconds(job->submitted));
    json_put(json, "duration_s", seconds(job->duration));
    json_put(json, "queue_delay_s", seconds(job->queue_delay));
    json_put(json, "outcome", json_text(verify_outcomes[job->outcome]));
    json_put(json, "waits", json_integer(w->n_waits));
    json_put(json, "longest_s", seconds(l->to - l->from));
    json_put(json, "to_profile", json_boolean(l->to_profile));
    json_put(json, "after_failure", json_boolean(l->after_failure));
    json_put(json, "started", json_boolean(l->started));
    explain_reasons_put(json, l->why);
    json_put(json, "free_gpus", json_integer(l->free_gpus));
    json_put(json, "ahead", json_integer(l->ahead));
    json_put(json, "later_starts", json_integer((json_int_t)l->later_starts));
    json_put(json, "later_gpu_h",
             json_number((double)l->later_time / (double)SPAN_HOUR));
    return json;
}

enum status page_waiters(const struct report_run *run, size_t n_max,
                         json_t **out, struct error *err)
{
    struct waiters waiters;
    json_t *all = json_array();
    enum status st = waiters_of(run, n_max, &waiters, err);
    for (size_t i = 0; i < waiters.n; i++)
        json_array_append_new(all, waiter_json(&run->data, &waiters.at[i]));
    waiters_fini(&waiters);
    *out = all;
    return st;
}

static int costliest_first(const void *a, const void *b, void *rows)
{
    const struct verify_failure *all = rows;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (all[x].lost_gpu != all[y].lost_gpu)
        return all[x].lost_gpu > all[y].lost_gpu ? -1 : 1;
    return (x > y) - (x < y);
}

static json_t *failure_json(const struct verify_failures *failures,
                            const struct verify_failure *f)
{
    const struct interner *words = &failures->words;
    json_t *json = json_object();
    json_put(json, "at_s", seconds(f->at));
    json_put(json, "job", json_text(failures->data->jobs[f->job].id));
    json_put(json, "node",
             f->node == VERIFY_NO_NODE ? json_null() : json_integer(f->node));
    json_put(json, "cause", json_text(interner_string(words, f->cause)));
    json_put(json, "kind", json_text(interner_string(words, f->kind)));
    json_put(json, "verdict", json_text(interner_string(words, f->verdict)));
    json_put(json, "by", json_text(interner_string(words, f->by)));
    json_put(json, "lost_gpu_s", seconds(f->lost_gpu));
    json_put(json, "detected_s", seconds(f->detected));
    json_put(json, "restarted_s",
             f->restarted < 0 ? json_null() : seconds(f->restarted - f->at));
    return json;
}

json_t *page_failures(const struct report_run *run, size_t n_max)
{
    const struct verify_failures *failures = &run->failures;
    uint32_t *order = mem_alloc((failures->n_rows + 1) * sizeof *order);
    json_t *all = json_array();
    size_t n = 0;
    for (uint32_t i = 0; i < failures->n_rows; i++) {
        if (failures->rows[i].job != VERIFY_NO_JOB)
            order[n++] = i;
    }
    qsort_r(order, n, sizeof *order, costliest_first, failures->rows);
    for (size_t i = 0; i < n && i < n_max; i++)
        json_array_append_new(
            all, failure_json(failures, &failures->rows[order[i]]));
    free(order);
    return all;
}

static json_t *difference_json(const struct difference *d)
{
    json_t *json = json_object();
    json_put(json, "jobs", json_integer((json_int_t)d->estimate.n));
    json_put(json, "mean", json_number(d->estimate.mean));
    json_put(json, "lo", json_number(d->estimate.interval.lo));
    json_put(json, "hi", json_number(d->estimate.interval.hi));
    json_put(json, "change", json_number(d->change));
    json_put(json, "less", json_number(d->less));
    json_put(json, "more", json_number(d->more));
    json_put(json, "cohen_d", json_number(d->cohen_d));
    json_put(json, "verdict", json_text(difference_words[d->verdict]));
    json_put(json, "by_parts", json_boolean(d->by_parts));
    return json;
}

static double jct(const struct verify_data *d, const struct verify_job *job)
{
    (void)d;
    return span_seconds(report_metric_of(job, REPORT_JCT));
}

static double queue_delay(const struct verify_data *d,
                          const struct verify_job *job)
{
    (void)d;
    return span_seconds(report_metric_of(job, REPORT_QUEUE_DELAY));
}

static double slowdown(const struct verify_data *d,
                       const struct verify_job *job)
{
    return d->told[job - d->jobs].slowdown;
}

/* The metrics that are compared job by job. */
static const struct {
    const char *name;
    double (*of)(const struct verify_data *d, const struct verify_job *job);
} paired[] = {
    {"jct_s", jct}, {"queue_delay_s", queue_delay}, {"slowdown", slowdown}};

/* Returns the metric of each job; NaN for jobs that do not count or have no
 * such figure. The caller frees the array. */
static double *lists_values_of(const struct report_run *run,
                               double (*of)(const struct verify_data *d,
                                            const struct verify_job *job))
{
    const struct verify_data *d = &run->data;
    double *values = mem_alloc((d->n_jobs + 1) * sizeof *values);
    for (size_t i = 0; i < d->n_jobs; i++)
        values[i] =
            report_run_counts(run, &d->jobs[i]) ? of(d, &d->jobs[i]) : NAN;
    return values;
}

json_t *page_differences(const struct report_run *first,
                         const struct report_run *run)
{
    json_t *json = json_object();
    for (size_t m = 0; m < sizeof paired / sizeof *paired; m++) {
        double *before = lists_values_of(first, paired[m].of);
        double *own = lists_values_of(run, paired[m].of);
        struct difference d = difference_of_jobs(before, own, run->data.n_jobs);
        json_put(json, paired[m].name, difference_json(&d));
        free(before);
        free(own);
    }
    return json;
}
