/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of the values of a metric and the statistics of a sample. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/check.h"
#include "sim/results/interval.h"
#include "sim/results/statistics.h"
#include "sim/results/summary.h"

enum { STATISTICS_SAMPLE = 256 };

static double statistics_median(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Moves the values below the pivot to the front, and with `equal` also the
 * values equal to it. Returns a pointer to the first other value. Swaps each
 * value, because a branch per value would be mispredicted. */
static double *part(double *from, const double *end, double pivot, bool equal)
{
    for (double *at = from; at < end; at++) {
        double value = *at;
        *at = *from;
        *from = value;
        from += equal ? value <= pivot : value < pivot;
    }
    return from;
}

static double select_rank(double *from, double *end, const double *k);

/* Returns a pivot near rank k of n values. The pivot is a value of a sample at
 * even distances, because neighbours in the order of submission are alike. It
 * lies a little beyond k on the side of the larger part, so that this part is
 * very likely cut away. The margin is at least two standard deviations of the
 * rank. */
static double sampled_pivot(const double *values, size_t n, size_t k)
{
    enum { MARGIN = 16 };
    double sample[STATISTICS_SAMPLE];
    for (size_t i = 0; i < STATISTICS_SAMPLE; i++)
        sample[i] = values[i * n / STATISTICS_SAMPLE];
    size_t rank = k * STATISTICS_SAMPLE / n;
    if (k < n / 2)
        rank = rank + MARGIN < STATISTICS_SAMPLE ? rank + MARGIN
                                                 : STATISTICS_SAMPLE - 1;
    else
        rank = rank > MARGIN ? rank - MARGIN : 0;
    return select_rank(sample, sample + STATISTICS_SAMPLE, sample + rank);
}

/* Quickselect (Hoare): moves the values so that *k is the value that would be
 * there if from..end-1 were sorted, with no larger value before it and no
 * smaller one after it. Returns *k. */
static double select_rank(double *from, double *end, const double *k)
{
    while (end - from > 1) {
        size_t n = (size_t)(end - from);
        double pivot = n > 8 * STATISTICS_SAMPLE
                           ? sampled_pivot(from, n, (size_t)(k - from))
                           : statistics_median(from[0], from[n / 2], end[-1]);
        double *same = part(from, end, pivot, false);
        if (k < same) {
            end = same;
        } else if (same > from) {
            from = same;
        } else { /* the pivot is the smallest value */
            from = part(from, end, pivot, true);
            if (k < from)
                return pivot;
        }
    }
    return *k;
}

static size_t statistics_rank_of(size_t n, double percent)
{
    size_t rank = (size_t)ceil(percent / 100 * (double)n - 1e-9);
    return rank > 0 ? rank - 1 : 0;
}

void stats_percentiles(double *values, size_t n, const double *percents,
                       size_t n_percents, double *out)
{
    size_t from = 0;
    CHECK(n > 0);
    for (size_t p = 0; p < n_percents; p++) {
        size_t rank = statistics_rank_of(n, percents[p]);
        out[p] = select_rank(values + from, values + n, values + rank);
        from = rank;
    }
}

double stats_rank(double *values, size_t n, size_t rank)
{
    CHECK(rank < n);
    return select_rank(values, values + n, values + rank);
}

struct statistics_work {
    struct summary *summary;
    struct values *values;
    double *sample; /* room for the values of one metric, of all jobs or of one
                       group */
    job_id *order;  /* the jobs by group, within a group by submission */
};

/* Returns the distribution of a sample; all zeroes if the sample is empty.
 * Reorders the values of the sample. */
static struct distribution distribution_of(const struct metric_sample *sample)
{
    enum { N_PERCENTS = 5 };
    static const double percents[N_PERCENTS] = {50, 90, 95, 99, 100};
    double at[N_PERCENTS];
    if (sample->n == 0)
        return (struct distribution){0};
    const struct job_interval in =
        interval_of_jobs(sample->values, sample->n, false);
    stats_percentiles(sample->values, sample->n, percents, N_PERCENTS, at);
    return (struct distribution){
        .count = sample->n,
        .mean = sample->sum / (double)sample->n,
        .mean_lo = in.interval.lo,
        .mean_hi = in.interval.hi,
        .lack = in.lack,
        .p50 = at[0],
        .p90 = at[1],
        .p95 = at[2],
        .p99 = at[3],
        .max = at[4],
    };
}

/* Returns the group that has all jobs, such as the only virtual cluster; NULL
 * if there is none. */
static struct group *whole_group(const struct summary *summary, unsigned by)
{
    for (size_t g = 0; g < summary->n_groups[by]; g++) {
        struct group *group = &summary->groups[by][g];
        if (group->totals.jobs == summary->totals.jobs)
            return group;
    }
    return NULL;
}

/* Describes a metric for all jobs. `room` takes its values; it may be the array
 * of the metric itself. */
static void describe_metric(struct statistics_work *w, unsigned m, double *room)
{
    struct metric_sample sample =
        values_sample(w->values, m, NULL, w->values->jobset->n_jobs, room);
    w->summary->of[m] = distribution_of(&sample);
}

static void describe_all(struct statistics_work *w)
{
    struct summary *summary = w->summary;
    struct values *values = w->values;
    /* Metrics that are described in place come first, so that their memory is
     * free for the copies of the others. */
    for (unsigned m = 0; m < METRICS; m++) {
        if (metrics[m].grouped || !values->of[m])
            continue;
        describe_metric(w, m, values->of[m]);
        free(values->of[m]);
        values->of[m] = NULL;
    }
    w->sample = mem_alloc(values->jobset->n_jobs * sizeof *w->sample);
    for (unsigned m = 0; m < METRICS; m++) {
        if (metrics[m].grouped || metrics[m].follows)
            describe_metric(w, m, w->sample);
    }
    if (!values->has_waits)
        summary->of[METRIC_WAIT] = summary->of[METRIC_QUEUE_DELAY];
    for (unsigned by = 0; by < GROUPINGS; by++) {
        struct group *whole = whole_group(summary, by);
        for (unsigned m = 0; whole && m < METRICS; m++) {
            if (metrics[m].grouped)
                whole->of[m] = summary->of[m];
        }
    }
}

/* Fills w->order by a counting sort, and ends[g] with the index there at which
 * group g ends. */
static void sort_by_group(struct statistics_work *w, unsigned by, size_t *ends)
{
    const struct summary *summary = w->summary;
    const struct values *values = w->values;
    const struct jobset *jobset = values->jobset;
    size_t start = 0;
    for (size_t g = 0; g < summary->n_groups[by]; g++) {
        ends[g] = start;
        start += summary->groups[by][g].totals.jobs;
    }
    for (job_id id = 0; id < jobset->n_jobs; id++) {
        size_t g =
            grouping_of(summary, &jobset->jobs[id], values->outcome[id],
                        values->type ? values->type[id] : 0, (enum grouping)by);
        w->order[ends[g]++] = id;
    }
}

static void describe_group(struct statistics_work *w, struct group *group,
                           const job_id *jobs)
{
    for (unsigned m = 0; m < METRICS; m++) {
        if (!metrics[m].grouped)
            continue;
        struct metric_sample sample =
            values_sample(w->values, m, jobs, group->totals.jobs, w->sample);
        group->of[m] = distribution_of(&sample);
    }
}

static void describe_groups(struct statistics_work *w, unsigned by)
{
    const struct summary *summary = w->summary;
    if (!summary->n_groups[by] || whole_group(summary, by))
        return;
    size_t *ends = mem_alloc(summary->n_groups[by] * sizeof *ends);
    sort_by_group(w, by, ends);
    for (size_t g = 0; g < summary->n_groups[by]; g++) {
        struct group *group = &summary->groups[by][g];
        describe_group(w, group, w->order + ends[g] - group->totals.jobs);
    }
    free(ends);
}

void distribution_describe(struct summary *summary, struct values *values)
{
    struct statistics_work w = {.summary = summary, .values = values};
    describe_all(&w);
    w.order = mem_alloc(values->jobset->n_jobs * sizeof *w.order);
    for (unsigned by = 0; by < GROUPINGS; by++)
        describe_groups(&w, by);
    free(w.sample);
    free(w.order);
}
