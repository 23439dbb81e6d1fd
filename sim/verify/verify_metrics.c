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
    json_t *object;
};

struct verify_metrics_maker {
    const struct verify_data *data;
    /* by job: its value of the metric at hand, NaN: it has none; and the values
     * of a group */
    double *of_job, *values;
    double *useful; /* by job: GPU time of work which was kept, GPU-us */
    struct verify_metrics_group *groups; /* all jobs come first */
    size_t n_groups, cap_groups;
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

/* Returns a value of a job that finished; NaN: it has none. */
static double metrics_value_of(const struct verify_job *job,
                               const struct verify_job_more *more,
                               enum verify_metrics_value value)
{
    double life = span_seconds(verify_life(job));
    double duration = span_seconds(job->duration);
    switch (value) {
    case V_JCT:
        return life;
    case V_QUEUE:
        return span_seconds(job->queue_delay);
    case V_WAIT:
        return span_seconds(more->start - job->submitted);
    case V_SLOWDOWN:
        return duration > 0 ? life / duration : NAN;
    case V_BOUNDED:
        return fmax(1, life / fmax(duration, 10));
    case V_BY_LOAD:
        return more->has_by_load ? more->by_load : NAN;
    case V_RHO:
    case V_N:
        break;
    }
    return more->has_rho ? more->rho : NAN;
}

/* Describes the values of a metric in each group; of some metrics only in all
 * jobs, which are the first group. */
static void metrics_values(struct verify_metrics_maker *m,
                           enum verify_metrics_value value)
{
    const struct verify_data *d = m->data;
    bool grouped = value == V_JCT || value == V_QUEUE || value == V_RHO;
    for (size_t i = 0; i < d->n_jobs; i++)
        m->of_job[i] =
            d->jobs[i].finished && verify_counts(d, &d->jobs[i])
                ? metrics_value_of(&d->jobs[i], &d->job_more[i], value)
                : NAN;
    for (size_t g = 0; g < (grouped ? m->n_groups : 1); g++) {
        const struct verify_member_list *list = &m->groups[g].list;
        size_t n = 0;
        for (size_t i = 0; i < list->n; i++) {
            m->values[n] = m->of_job[list->at[i]];
            if (!isnan(m->values[n]))
                n++;
        }
        json_object_set_new(m->groups[g].object, value_names[value],
                            metrics_distribution(m, n));
    }
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
        const struct verify_attempt_more *m = verify_more_of_attempt(data, a);
        time += (double)(a->end - a->start - m->idle) * a->gpus;
        done += (double)m->work;
        undone += (double)(m->lost + m->resume);
    }
    if (strcmp(outcome, "given-up") == 0 || strcmp(outcome, "rejected") == 0)
        return 0;
    return done > undone ? floor(time * ((done - undone) / done)) : 0;
}

/* Writes the sums over the jobs of a group and, for all jobs, the metrics of
 * the whole run. */
static void sums(const struct verify_metrics_maker *m,
                 const struct verify_metrics_group *group)
{
    json_t *object = group->object;
    const double hour = 3600e6;
    double jobs = 0, attempts = 0, preemptions = 0, held = 0, work = 0;
    double overhead = 0, lost = 0, profiling = 0, useful = 0;
    for (size_t i = 0; i < group->list.n; i++) {
        uint32_t j = group->list.at[i];
        const struct verify_job *job = &m->data->jobs[j];
        const struct verify_job_more *more = &m->data->job_more[j];
        jobs++;
        attempts += job->attempts;
        preemptions += more->preemptions;
        work += (double)more->work * job->gpus;
        overhead += (double)more->overhead * job->gpus;
        lost += (double)more->lost * job->gpus;
        useful += m->useful[j];
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
    verify_waits(m->data, &group->list, object);
    if (group == m->groups) {
        double up = m->data->up, busy = m->data->busy;
        metrics_set(object, "makespan_s", span_seconds(m->data->last_end));
        metrics_set(object, "allocation", up > 0 ? busy / up : NAN);
        metrics_set(object, "goodput", held > 0 ? useful / held : NAN);
        metrics_set(object, "utilisation",
                    up > 0 && held > 0 ? busy / up * (useful / held) : NAN);
        metrics_set(object, "fragmentation",
                    up > busy ? m->data->stranded / (up - busy) : NAN);
    }
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

/* Adds a group; returns its object, which the caller owns. */
static json_t *add_group(struct verify_metrics_maker *m, const uint32_t *at,
                         size_t n)
{
    m->groups =
        mem_grow(m->groups, &m->cap_groups, m->n_groups + 1, sizeof *m->groups);
    struct verify_metrics_group *group = &m->groups[m->n_groups++];
    *group = (struct verify_metrics_group){{at, n}, json_object()};
    return group->object;
}

/* Adds the groups of a kind; returns their objects by name. *order becomes the
 * jobs in the order of the groups, which the caller frees. */
static json_t *verify_metrics_groups(struct verify_metrics_maker *m,
                                     enum group_kind by, uint32_t **order)
{
    const struct verify_data *d = m->data;
    uint32_t *keys = mem_alloc((d->n_jobs + 1) * sizeof *keys), *all;
    json_t *object = json_object();
    for (size_t i = 0; i < d->n_jobs; i++)
        keys[i] = metrics_key_of(d, &d->jobs[i], by);
    *order = all = verify_order(d, keys);
    for (size_t i = 0, n; i < d->n_jobs; i += n) {
        for (n = 1; i + n < d->n_jobs && keys[all[i + n]] == keys[all[i]];)
            n++;
        json_object_set_new_nocheck(object,
                                    metrics_name_of(d, keys[all[i]], by),
                                    add_group(m, all + i, n));
    }
    free(keys);
    return object;
}

/* Fills the objects of all groups. */
static void fill_groups(struct verify_metrics_maker *m)
{
    const struct verify_data *d = m->data;
    m->of_job = mem_alloc((d->n_jobs + 1) * sizeof *m->of_job);
    m->values = mem_alloc((d->n_jobs + 1) * sizeof *m->values);
    m->useful = mem_alloc((d->n_jobs + 1) * sizeof *m->useful);
    for (size_t i = 0; i < d->n_jobs; i++)
        m->useful[i] = useful_time(d, &d->jobs[i]);
    for (size_t g = 0; g < m->n_groups; g++)
        sums(m, &m->groups[g]);
    for (unsigned v = 0; v < V_N; v++)
        metrics_values(m, (enum verify_metrics_value)v);
    free(m->of_job);
    free(m->values);
    free(m->useful);
}

static json_t *metrics_expected(const struct verify_data *d)
{
    static const struct {
        const char *part, *asked; /* asked: NULL: without being asked for */
        enum group_kind by;
    } kinds[] = {{"by_vc", NULL, BY_VC},
                 {"by_gpus", NULL, BY_SIZE},
                 {"by_outcome", NULL, BY_OUTCOME},
                 {"by_type", "type", BY_TYPE},
                 {"by_user", "user", BY_USER}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    struct verify_metrics_maker m = {.data = d};
    uint32_t *all = mem_alloc((d->n_jobs + 1) * sizeof *all), *orders[KINDS];
    json_t *root = json_object(), *counts = json_object(), *group;
    const char *name;
    for (uint32_t i = 0; i < d->n_jobs; i++)
        all[i] = i;
    json_t *metrics = add_group(&m, all, d->n_jobs);
    json_object_set_new(root, "outcomes", counts);
    json_object_set_new(root, "metrics", metrics);
    for (size_t k = 0; k < KINDS; k++) {
        orders[k] = NULL;
        if (!kinds[k].asked || verify_groups_by(d, kinds[k].asked))
            json_object_set_new(
                root, kinds[k].part,
                verify_metrics_groups(&m, kinds[k].by, &orders[k]));
    }
    fill_groups(&m);
    if (verify_groups_by(d, "user"))
        verify_jain(d, metrics);
    json_object_foreach(json_object_get(root, "by_outcome"), name, group)
        json_object_set(counts, name, json_object_get(group, "jobs"));
    for (size_t k = 0; k < KINDS; k++)
        free(orders[k]);
    free(all);
    free(m.groups);
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

void verify_metrics(const struct verify_data *data,
                    struct verify_report *report)
{
    static const char *const parts[] = {"outcomes", "metrics",    "by_vc",
                                        "by_gpus",  "by_outcome", "by_type",
                                        "by_user"};
    json_t *want = metrics_expected(data);
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
    json_decref(want);
}
