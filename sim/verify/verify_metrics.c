/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes summary.json again from the files with other code: sorted lists
 * instead of selection, sums in floating point, groups found by sorting. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/interval.h"
#include "sim/verify/verify_internal.h"

/* The jobs of a group, or all jobs, and the object that gets their numbers. */
struct verify_metrics_group {
    struct verify_member_list list;
    const struct verify_sums *sums;
    json_t *object;
};

struct verify_metrics_maker {
    const struct verify_data *data;
    double *values; /* of the metric at hand, of the jobs of a group */
};

static void metrics_set(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key,
                        isnan(value) ? json_null() : json_real(value));
}

static json_t *metrics_distribution(const struct verify_metrics_maker *m,
                                    size_t n)
{
    static const struct {
        const char *name;
        unsigned percent;
    } ranks[] = {
        {"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"max", 100}};
    json_t *object = json_object();
    metrics_set(object, "count", (double)n);
    if (n == 0)
        return object;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += m->values[i];
    const struct job_interval in = interval_of_jobs(m->values, n, false);
    metrics_set(object, "mean", sum / (double)n);
    metrics_set(object, "mean_lo", in.interval.lo);
    metrics_set(object, "mean_hi", in.interval.hi);
    verify_sort(m->values, n);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        uint64_t rank = ((uint64_t)n * ranks[i].percent + 99) / 100;
        metrics_set(object, ranks[i].name, m->values[rank - 1]);
    }
    if (in.lack)
        json_object_set_new(object, "no_interval",
                            json_string(interval_lack_words[in.lack]));
    return object;
}

enum verify_metrics_value {
    V_JCT,
    V_QUEUE,
    V_WAIT,
    V_SLOWDOWN,
    V_BOUNDED,
    V_BY_LOAD,
    V_RHO,
    V_N
};
static const char *const value_names[V_N] = {
    "jct_s",    "queue_delay_s",    "wait_s",
    "slowdown", "bounded_slowdown", "slowdown_by_load",
    "rho"};

/* Returns a value of a job that finished; NaN: it has none. */
static double metrics_value_of(const struct verify_data *d,
                               const struct verify_job *job,
                               enum verify_metrics_value value)
{
    const struct verify_job_more *more = verify_more_of_job(d, job);
    double life = span_seconds(verify_life(job));
    double duration = span_seconds(job->duration);
    switch ((int)value) {
    case V_JCT:
        return life;
    case V_QUEUE:
        return span_seconds(job->queue_delay);
    case V_WAIT:
        return job->n_attempts
                   ? span_seconds(d->attempts[job->first_attempt].start -
                                  job->submitted)
                   : NAN;
    case V_SLOWDOWN:
        return duration > 0 ? life / duration : NAN;
    case V_BOUNDED:
        return fmax(1, life / fmax(duration, 10));
    case V_BY_LOAD:
        return more->has_by_load ? more->by_load : NAN;
    default: /* V_RHO */
        return more->has_rho ? more->rho : NAN;
    }
}

/* Describes the values of a metric of the jobs of a group that count. */
static void metrics_values(const struct verify_metrics_maker *m,
                           const struct verify_metrics_group *group,
                           enum verify_metrics_value value)
{
    const struct verify_data *d = m->data;
    size_t n = 0;
    for (size_t i = 0; i < group->list.n; i++) {
        const struct verify_job *job = verify_member(d, &group->list, i);
        if (!job->finished || !verify_counts(d, job))
            continue;
        m->values[n] = metrics_value_of(d, job, value);
        if (!isnan(m->values[n]))
            n++;
    }
    json_object_set_new(group->object, value_names[value],
                        metrics_distribution(m, n));
}

/* Writes the sums over the jobs of a group. */
static void metrics_sums(const struct verify_metrics_maker *m,
                         const struct verify_metrics_group *group)
{
    json_t *object = group->object;
    const struct verify_sums *s = group->sums;
    const double hour = 3600e6;
    metrics_set(object, "jobs", s->jobs);
    metrics_set(object, "attempts", s->attempts);
    metrics_set(object, "preemptions", s->preemptions);
    metrics_set(object, "held_gpu_hours", s->held / hour);
    metrics_set(object, "useful_gpu_hours", s->useful / hour);
    metrics_set(object, "work_gpu_hours", s->work / hour);
    metrics_set(object, "overhead_gpu_hours", s->overhead / hour);
    metrics_set(object, "lost_gpu_hours", s->lost / hour);
    metrics_set(object, "profiling_gpu_hours", s->profiling / hour);
    verify_waits(m->data, &group->list, object);
}

/* Writes the metrics of the whole run. */
static void metrics_whole(const struct verify_data *d,
                          const struct verify_sums *s, json_t *object)
{
    metrics_set(object, "makespan_s", span_seconds(d->last_end));
    metrics_set(object, "allocation", d->up > 0 ? d->busy / d->up : NAN);
    metrics_set(object, "goodput", s->held > 0 ? s->useful / s->held : NAN);
    metrics_set(object, "utilisation",
                d->up > 0 && s->held > 0
                    ? d->busy / d->up * (s->useful / s->held)
                    : NAN);
    metrics_set(object, "fragmentation",
                d->up > d->busy ? d->stranded / (d->up - d->busy) : NAN);
}

static const char *metrics_name_of(const struct verify_data *data, uint32_t key,
                                   enum verify_group by)
{
    switch ((int)by) {
    case VERIFY_BY_VC:
        return interner_string(&data->vcs, key);
    case VERIFY_BY_SIZE:
        return verify_sizes[key];
    case VERIFY_BY_OUTCOME:
        return verify_outcomes[key];
    case VERIFY_BY_TYPE:
        return key == UINT32_MAX ? "(never ran)"
                                 : interner_string(&data->types, key);
    default: /* VERIFY_BY_USER */
        return key ? interner_string(&data->users, key) : "(no user)";
    }
}

/* Returns an object with the numbers of a group; of some metrics only for all
 * jobs. */
static json_t *metrics_group(const struct verify_metrics_maker *m,
                             enum verify_group by, uint32_t key,
                             struct verify_member_list list)
{
    const struct verify_metrics_group group = {
        list, verify_sums_of(m->data, by, key), json_object()};
    metrics_sums(m, &group);
    for (unsigned v = 0; v < V_N; v++) {
        if (by == VERIFY_ALL_JOBS || v == V_JCT || v == V_QUEUE || v == V_RHO)
            metrics_values(m, &group, (enum verify_metrics_value)v);
    }
    if (by == VERIFY_ALL_JOBS)
        metrics_whole(m->data, group.sums, group.object);
    return group.object;
}

/* Returns the objects of the groups of a kind by name. */
static json_t *metrics_groups(const struct verify_metrics_maker *m,
                              enum verify_group by)
{
    const struct verify_data *d = m->data;
    uint32_t *keys = mem_alloc((d->n_jobs + 1) * sizeof *keys);
    json_t *object = json_object();
    for (size_t i = 0; i < d->n_jobs; i++)
        keys[i] = verify_key_of(d, &d->jobs[i], by);
    uint32_t *all = verify_order(d, keys);
    free(keys);
    for (size_t i = 0, n; i < d->n_jobs; i += n) {
        const uint32_t key = verify_key_of(d, &d->jobs[all[i]], by);
        for (n = 1; i + n < d->n_jobs &&
                    verify_key_of(d, &d->jobs[all[i + n]], by) == key;)
            n++;
        json_object_set_new_nocheck(
            object, metrics_name_of(d, key, by),
            metrics_group(m, by, key, (struct verify_member_list){all + i, n}));
    }
    free(all);
    return object;
}

static json_t *metrics_expected(const struct verify_data *d)
{
    static const struct {
        const char *part, *asked; /* asked: NULL: without being asked for */
        enum verify_group by;
    } kinds[] = {{"by_vc", NULL, VERIFY_BY_VC},
                 {"by_gpus", NULL, VERIFY_BY_SIZE},
                 {"by_outcome", NULL, VERIFY_BY_OUTCOME},
                 {"by_type", "type", VERIFY_BY_TYPE},
                 {"by_user", "user", VERIFY_BY_USER}};
    const struct verify_metrics_maker m = {
        d, mem_alloc((d->n_jobs + 1) * sizeof *m.values)};
    json_t *root = json_object(), *counts = json_object(), *group;
    const char *name;
    json_t *metrics = metrics_group(
        &m, VERIFY_ALL_JOBS, 0, (struct verify_member_list){.n = d->n_jobs});
    json_object_set_new(root, "outcomes", counts);
    json_object_set_new(root, "metrics", metrics);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!kinds[k].asked || verify_groups_by(d, kinds[k].asked))
            json_object_set_new(root, kinds[k].part,
                                metrics_groups(&m, kinds[k].by));
    }
    if (verify_groups_by(d, "user"))
        verify_jain(d, metrics);
    json_object_foreach(json_object_get(root, "by_outcome"), name, group)
        json_object_set(counts, name, json_object_get(group, "jobs"));
    free(m.values);
    return root;
}

void verify_metrics(const struct verify_data *data)
{
    json_t *want = metrics_expected(data);
    json_object_update(data->want_summary, want);
    json_decref(want);
}
