/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes summary.json again from the files with other code: sorted lists
 * instead of selection, sums in floating point, groups found by sorting. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/results/interval.h"
#include "sim/verify/verify_internal.h"

struct verify_metrics_maker {
    const struct verify_data *data;
    double *values;
    struct verify_member_list list; /* the jobs of the group, or all jobs */
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
        metrics_set(object, ranks[i].name, m->values[rank ? rank - 1 : 0]);
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

static bool metrics_value_of(const struct verify_job *job,
                             enum verify_metrics_value value, double *out)
{
    double life = span_seconds(verify_life(job));
    double duration = span_seconds(job->duration);
    switch (value) {
    case V_JCT:
        *out = life;
        break;
    case V_QUEUE:
        *out = span_seconds(job->queue_delay);
        break;
    case V_WAIT:
        *out = span_seconds(job->start - job->submitted);
        break;
    case V_SLOWDOWN:
        *out = duration > 0 ? life / duration : 0;
        return job->finished && duration > 0;
    case V_BOUNDED:
        *out = fmax(1, life / fmax(duration, 10));
        break;
    case V_BY_LOAD:
        *out = job->by_load;
        return job->has_by_load;
    case V_RHO:
    case V_N:
        *out = job->rho;
        return job->has_rho;
    }
    return job->finished;
}

static json_t *metrics_values(const struct verify_metrics_maker *m,
                              enum verify_metrics_value value)
{
    size_t n = 0;
    for (size_t i = 0; i < m->list.n; i++) {
        const struct verify_job *job = &m->data->jobs[m->list.at[i]];
        if (verify_counts(m->data, job) &&
            metrics_value_of(job, value, &m->values[n]))
            n++;
    }
    return metrics_distribution(m, n);
}

/* Returns the GPU time that produced work which was kept, in whole
 * GPU-microseconds; 0 for a job that was given up or rejected. */
static double useful_time(const struct verify_data *data,
                          const struct verify_job *job)
{
    const char *outcome = verify_outcomes[job->outcome];
    double time = 0, done = 0, undone = 0;
    for (uint32_t k = 0; k < job->n_attempts; k++) {
        const struct verify_attempt *a =
            &data->attempts[job->first_attempt + k];
        time += (double)(a->end - a->start - a->idle) * a->gpus;
        done += (double)a->work;
        undone += (double)(a->lost + a->resume);
    }
    if (strcmp(outcome, "given-up") == 0 || strcmp(outcome, "rejected") == 0)
        return 0;
    return done > undone ? floor(time * ((done - undone) / done)) : 0;
}

/* Writes the sums over the listed jobs to `object` and, unless they are a
 * group, the metrics of the whole run. Returns the number of jobs. */
static size_t sums(const struct verify_metrics_maker *m, json_t *object,
                   bool is_group)
{
    const double hour = 3600e6;
    double jobs = 0, attempts = 0, preemptions = 0, held = 0, work = 0;
    double overhead = 0, lost = 0, profiling = 0, useful = 0;
    for (size_t i = 0; i < m->list.n; i++) {
        const struct verify_job *job = &m->data->jobs[m->list.at[i]];
        jobs++;
        attempts += job->attempts;
        preemptions += job->preemptions;
        work += (double)job->work * job->gpus;
        overhead += (double)job->overhead * job->gpus;
        lost += (double)job->lost * job->gpus;
        useful += useful_time(m->data, job);
        for (uint32_t k = 0; k < job->n_attempts; k++) {
            const struct verify_attempt *a =
                &m->data->attempts[job->first_attempt + k];
            double time = (double)(a->end - a->start) * a->gpus;
            held += time;
            profiling += a->profiling ? time : 0;
        }
    }
    metrics_set(object, "jobs", jobs);
    metrics_set(object, "attempts", attempts);
    metrics_set(object, "preemptions", preemptions);
    metrics_set(object, "held_gpu_hours", held / hour);
    metrics_set(object, "useful_gpu_hours", useful / hour);
    metrics_set(object, "work_gpu_hours", work / hour);
    metrics_set(object, "overhead_gpu_hours", overhead / hour);
    metrics_set(object, "lost_gpu_hours", lost / hour);
    metrics_set(object, "profiling_gpu_hours", profiling / hour);
    verify_waits(m->data, &m->list, object);
    if (!is_group) {
        double up = m->data->up, busy = m->data->busy;
        metrics_set(object, "makespan_s", span_seconds(m->data->last_end));
        metrics_set(object, "allocation", up > 0 ? busy / up : NAN);
        metrics_set(object, "goodput", held > 0 ? useful / held : NAN);
        metrics_set(object, "utilisation",
                    up > 0 && held > 0 ? busy / up * (useful / held) : NAN);
        metrics_set(object, "fragmentation",
                    up > busy ? m->data->stranded / (up - busy) : NAN);
    }
    return (size_t)jobs;
}

static const struct {
    const char *name;
    uint32_t least, most;
} sizes[] = {{.name = "1", .most = 1},
             {.name = "2", .least = 2, .most = 2},
             {.name = "3-4", .least = 3, .most = 4},
             {.name = "5-8", .least = 5, .most = 8},
             {.name = "9-16", .least = 9, .most = 16},
             {.name = "17-32", .least = 17, .most = 32},
             {.name = "33-64", .least = 33, .most = 64},
             {.name = "65-128", .least = 65, .most = 128},
             {.name = "129+", .least = 129, .most = UINT32_MAX}};

static uint32_t metrics_size_of(const struct verify_job *job)
{
    uint32_t i = 0;
    while (job->gpus > sizes[i].most)
        i++;
    return i;
}

enum group_kind { BY_VC, BY_SIZE, BY_OUTCOME, BY_TYPE, BY_USER };

static uint32_t metrics_key_of(const struct verify_data *data,
                               const struct verify_job *job, enum group_kind by)
{
    switch (by) {
    case BY_VC:
        return job->vc;
    case BY_SIZE:
        return metrics_size_of(job);
    case BY_OUTCOME:
        return job->outcome;
    case BY_TYPE:
        return verify_type_of(data, job);
    case BY_USER:
        break;
    }
    return job->user;
}

static const char *metrics_name_of(const struct verify_data *data, uint32_t key,
                                   enum group_kind by)
{
    switch (by) {
    case BY_VC:
        return interner_string(&data->vcs, key);
    case BY_SIZE:
        return sizes[key].name;
    case BY_OUTCOME:
        return verify_outcomes[key];
    case BY_TYPE:
        return key == UINT32_MAX ? "(never ran)"
                                 : interner_string(&data->types, key);
    case BY_USER:
        break;
    }
    return key ? interner_string(&data->users, key) : "(no user)";
}

static json_t *verify_metrics_groups(struct verify_metrics_maker *m,
                                     enum group_kind by)
{
    static const enum verify_metrics_value grouped[] = {V_JCT, V_QUEUE, V_RHO};
    const struct verify_data *d = m->data;
    uint32_t *keys = mem_alloc((d->n_jobs + 1) * sizeof *keys);
    json_t *all = json_object();
    for (size_t i = 0; i < d->n_jobs; i++)
        keys[i] = metrics_key_of(d, &d->jobs[i], by);
    uint32_t *order = verify_order(d, keys);
    for (size_t i = 0, n; i < d->n_jobs; i += n) {
        json_t *object = json_object();
        for (n = 1; i + n < d->n_jobs && keys[order[i + n]] == keys[order[i]];)
            n++;
        m->list = (struct verify_member_list){order + i, n};
        sums(m, object, true);
        for (size_t v = 0; v < sizeof grouped / sizeof *grouped; v++)
            json_object_set_new(object, value_names[grouped[v]],
                                metrics_values(m, grouped[v]));
        json_object_set_new_nocheck(all, metrics_name_of(d, keys[order[i]], by),
                                    object);
    }
    free(order);
    free(keys);
    return all;
}

static json_t *metrics_expected(struct verify_metrics_maker *m)
{
    const struct verify_data *d = m->data;
    json_t *root = json_object(), *metrics = json_object();
    json_t *outcomes = verify_metrics_groups(m, BY_OUTCOME),
           *counts = json_object(), *group;
    uint32_t *all = mem_zalloc(d->n_jobs + 1, sizeof *all);
    const char *name;
    json_object_foreach(outcomes, name, group)
        json_object_set(counts, name, json_object_get(group, "jobs"));
    for (uint32_t i = 0; i < d->n_jobs; i++)
        all[i] = i;
    m->list = (struct verify_member_list){all, d->n_jobs};
    sums(m, metrics, false);
    for (unsigned v = 0; v < V_N; v++)
        json_object_set_new(metrics, value_names[v],
                            metrics_values(m, (enum verify_metrics_value)v));
    if (verify_groups_by(d, "user"))
        verify_jain(d, metrics);
    free(all);
    json_object_set_new(root, "outcomes", counts);
    json_object_set_new(root, "metrics", metrics);
    json_object_set_new(root, "by_vc", verify_metrics_groups(m, BY_VC));
    json_object_set_new(root, "by_gpus", verify_metrics_groups(m, BY_SIZE));
    json_object_set_new(root, "by_outcome", outcomes);
    if (verify_groups_by(d, "type"))
        json_object_set_new(root, "by_type", verify_metrics_groups(m, BY_TYPE));
    if (verify_groups_by(d, "user"))
        json_object_set_new(root, "by_user", verify_metrics_groups(m, BY_USER));
    return root;
}

/* True if two numbers are equal within rounding. For elastic jobs rho is known
 * to six decimals only. */
static bool close_enough(const char *path, double a, double b)
{
    double least = strstr(path, "rho") ? 1e-6 : 1e-12;
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + least;
}

/* Checks that `have` contains each number of `want`, equal within rounding, and
 * nothing else. */
static void metrics_compare(const char *path, const json_t *want,
                            const json_t *have, struct verify_report *report)
{
    char below[256];
    const char *key;
    json_t *value;
    if (json_is_object(want) && json_is_object(have)) {
        json_object_foreach((json_t *)(uintptr_t)want, key, value)
        {
            snprintf(below, sizeof below, "%s.%.80s", path, key);
            metrics_compare(below, value, json_object_get(have, key), report);
        }
        json_object_foreach((json_t *)(uintptr_t)have, key, value)
        {
            if (!json_object_get(want, key))
                verify_say(report, "%s.%.80s: should not be there", path, key);
        }
        return;
    }
    if (!have)
        verify_say(report, "%s: is missing", path);
    else if (json_is_number(want) && json_is_number(have)) {
        double a = json_number_value(want), b = json_number_value(have);
        if (!close_enough(path, a, b))
            verify_say(report, "%s: is %.15g, jobs.csv gives %.15g", path, b,
                       a);
    } else if (json_is_string(want) && json_is_string(have)) {
        if (strcmp(json_string_value(want), json_string_value(have)) != 0)
            verify_say(report, "%s: is '%.40s', jobs.csv gives '%.40s'", path,
                       json_string_value(have), json_string_value(want));
    } else if (json_typeof(want) != json_typeof(have)) {
        verify_say(report, "%s: is not what jobs.csv gives", path);
    }
}

static void check_complete(const struct verify_data *data, const json_t *counts,
                           struct verify_report *report)
{
    double unfinished =
        json_number_value(json_object_get(counts, "unfinished"));
    bool complete = json_is_true(json_object_get(data->summary, "complete"));
    if (complete && unfinished > 0)
        verify_say(report,
                   "summary.complete: is true, but %.0f jobs did not finish",
                   unfinished);
}

/* Checks the share of the GPU time asked for that the finished jobs hold, which
 * the summary of an incomplete run has. */
static void check_finished_share(const struct verify_data *data,
                                 struct verify_report *report)
{
    const json_t *have = json_object_get(data->summary, "finished_share");
    double asked = 0, finished = 0, share;
    for (size_t i = 0; i < data->n_jobs; i++) {
        const struct verify_job *job = &data->jobs[i];
        double time = (double)job->duration * job->gpus;
        asked += time;
        finished += job->finished ? time : 0;
    }
    share = asked > 0 ? finished / asked : NAN;
    if (json_is_number(have) &&
        !close_enough("finished_share", share, json_number_value(have)))
        verify_say(report,
                   "summary.finished_share: is %.15g, jobs.csv gives "
                   "%.15g",
                   json_number_value(have), share);
}

void verify_metrics(const struct verify_data *data,
                    struct verify_report *report)
{
    static const char *const parts[] = {"outcomes", "metrics",    "by_vc",
                                        "by_gpus",  "by_outcome", "by_type",
                                        "by_user"};
    struct verify_metrics_maker m = {
        .data = data, .values = mem_zalloc(data->n_jobs + 1, sizeof *m.values)};
    json_t *want = metrics_expected(&m);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[64];
        snprintf(path, sizeof path, "summary.%s", parts[i]);
        const json_t *have = json_object_get(data->summary, parts[i]);
        if (!json_object_get(want, parts[i])) {
            if (have)
                verify_say(report, "%s: should not be there", path);
            continue;
        }
        metrics_compare(path, json_object_get(want, parts[i]), have, report);
    }
    check_complete(data, json_object_get(want, "outcomes"), report);
    check_finished_share(data, report);
    json_decref(want);
    free(m.values);
}
