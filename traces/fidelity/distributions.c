/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of a real cluster, and how far the jobs of a trace are from
 * them. */
#include "traces/fidelity/bars.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CLASS_JOBS_MIN: smallest number of jobs in a size class that gets a
 * distribution of run times. POINTS: number of points by which distributions_of
 * describes run times. */
enum {
    CLASS_JOBS_MIN = 500,
    POINTS = 400,
    HOURS = 24,
    DAYS = 7,
    DISTRIBUTIONS_TENTHS = 10
};

/* Names of size classes by their largest number of GPUs: 1, 2, 3 to 4, 5 to 8,
 * ..., 33 to 64, and more. */
enum { SIZES = 8 };
static const char *const size_names[SIZES] = {"1",  "2",  "4",  "8",
                                              "16", "32", "64", "more"};

static unsigned size_class(uint32_t gpus)
{
    unsigned size = 0;
    while (size < SIZES - 1 && gpus > UINT32_C(1) << size)
        size++;
    return size;
}

void measure_margins(const struct fidelity_job *jobs, size_t n,
                     struct measures *out)
{
    static const char *const states[] = {"completed", "failed", "cancelled"};
    double jobs_of[SIZES] = {0}, time_of[SIZES] = {0};
    double jobs_in[TRACE_END_UNKNOWN + 1] = {0};
    double time_in[TRACE_END_UNKNOWN + 1] = {0}, all = (double)n, time = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned size = size_class(jobs[i].gpus);
        double own = jobs[i].gpus * jobs[i].run;
        jobs_of[size]++;
        time_of[size] += own;
        jobs_in[jobs[i].end]++;
        time_in[jobs[i].end] += own;
        time += own;
    }
    bool knows = jobs_in[TRACE_END_UNKNOWN] < all;
    measures_add(out, time / all, "margins.gpu_s_a_job");
    for (size_t s = 0; s < SIZES; s++) {
        const char *name = size_names[s];
        measures_add(out, jobs_of[s] / all, "margins.size_%s.jobs", name);
        measures_add(out, time_of[s] / time, "margins.size_%s.gpu_time", name);
    }
    for (size_t s = 0; s < 3; s++) {
        measures_add(out, knows ? jobs_in[s] / all : NAN, "margins.%s.jobs",
                     states[s]);
        measures_add(out, knows ? time_in[s] / time : NAN,
                     "margins.%s.gpu_time", states[s]);
    }
}

/* Returns the size class in the name of a distribution of run times, such as
 * "run.8"; SIZES if the name has none, which means all jobs. */
static unsigned distributions_size_of(const char *name)
{
    const char *dot = strchr(name, '.');
    for (unsigned s = 0; dot && s < SIZES; s++) {
        if (strcmp(dot + 1, size_names[s]) == 0)
            return s;
    }
    return SIZES;
}

/* Returns the run times of a size class in rising order, or of all jobs if
 * `size` is SIZES. Sets *count to their number. The caller frees them. */
static double *runs_of(const struct fidelity_job *jobs, size_t n, unsigned size,
                       size_t *count)
{
    double *runs = mem_alloc((n + 1) * sizeof *runs);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (size == SIZES || size_class(jobs[i].gpus) == size)
            runs[(*count)++] = jobs[i].run;
    }
    gsl_sort(runs, 1, *count);
    return runs;
}

/* Returns the largest difference between the share of run times up to a point
 * and the share that the distribution has there. NaN if the size class has too
 * few jobs or the distribution has no points. */
static double kolmogorov(const struct fidelity_job *jobs, size_t n,
                         const struct real_curve *d)
{
    unsigned size = distributions_size_of(d->name);
    if (size == SIZES && strchr(d->name, '.'))
        return NAN;
    size_t count, below = 0;
    double *runs = runs_of(jobs, n, size, &count), most = 0;
    for (size_t i = 0; i < d->n; i++) {
        while (below < count && runs[below] <= d->at[i])
            below++;
        most = fmax(most, fabs((double)below / (double)count - d->share[i]));
    }
    free(runs);
    size_t least = size == SIZES ? 1 : CLASS_JOBS_MIN;
    return count >= least && d->n ? most : NAN;
}

/* Sets the shares of the submissions by hour, or by day of the week. `unit`:
 * length of an hour or a day, seconds; `offset`: number of the hour or day in
 * which 1970 began. */
static void calendar(const struct fidelity_job *jobs, size_t n, double unit,
                     size_t n_units, double offset, double *shares)
{
    for (size_t i = 0; i < n_units; i++)
        shares[i] = 0;
    for (size_t i = 0; i < n; i++) {
        double place = floor(jobs[i].at / unit) + offset;
        place -= floor(place / (double)n_units) * (double)n_units;
        shares[(size_t)place] += 1 / (double)n;
    }
}

static void hours_of(const struct fidelity_job *jobs, size_t n, double *shares)
{
    calendar(jobs, n, 3600, HOURS, 0, shares);
}

static void weekdays_of(const struct fidelity_job *jobs, size_t n,
                        double *shares)
{
    /* 1 January 1970 was a Thursday, the day with number 3. */
    calendar(jobs, n, 86400, DAYS, 3, shares);
}

/* Sets the shares of users by tenths of their completion rate. */
static void completion_of(const struct fidelity_job *jobs, size_t n,
                          double *shares)
{
    struct measures people = {0};
    char name[MEASURE_NAME_MAX];
    measure_people(jobs, n, &people);
    for (size_t t = 0; t < DISTRIBUTIONS_TENTHS; t++) {
        snprintf(name, sizeof name, "people.completion_tenth_%zu", t);
        shares[t] = measures_find(&people, name);
    }
    measures_fini(&people);
}

static const struct distributions_shares {
    const char *name, *measure;
    void (*of)(const struct fidelity_job *, size_t, double *);
    size_t n;
} shares_by[] = {
    {.name = "hour",
     .measure = "margins.hour_distance",
     .of = hours_of,
     .n = HOURS},
    {.name = "weekday",
     .measure = "margins.weekday_distance",
     .of = weekdays_of,
     .n = DAYS},
    {.name = "completion",
     .measure = "people.completion_distance",
     .of = completion_of,
     .n = DISTRIBUTIONS_TENTHS},
};
enum { N_SHARES = sizeof shares_by / sizeof *shares_by };

static double variation(const struct fidelity_job *jobs, size_t n,
                        const struct distributions_shares *by,
                        const struct real_curve *d)
{
    double own[HOURS], sum = 0;
    if (d->n != by->n)
        return NAN;
    by->of(jobs, n, own);
    for (size_t i = 0; i < d->n; i++)
        sum += fabs(own[i] - d->share[i]) / 2;
    return sum;
}

/* Returns the distance to a distribution and sets `name` to the name of its
 * measure. NaN also if the name of the distribution is unknown. */
static double distributions_distance(const struct fidelity_job *jobs, size_t n,
                                     const struct real_curve *d,
                                     char name[MEASURE_NAME_MAX])
{
    snprintf(name, MEASURE_NAME_MAX, "margins.%s_distance", d->name);
    if (strncmp(d->name, "run", 3) == 0)
        return kolmogorov(jobs, n, d);
    for (size_t s = 0; s < N_SHARES; s++) {
        if (strcmp(d->name, shares_by[s].name) != 0)
            continue;
        snprintf(name, MEASURE_NAME_MAX, "%s", shares_by[s].measure);
        return variation(jobs, n, &shares_by[s], d);
    }
    return NAN;
}

void measure_distances(const struct fidelity_job *jobs, size_t n,
                       const struct real_curve *distributions,
                       size_t n_distributions, const char *group,
                       struct measures *out)
{
    char name[MEASURE_NAME_MAX];
    for (size_t i = 0; i < n_distributions; i++) {
        double value = distributions_distance(jobs, n, &distributions[i], name);
        if (strncmp(name, group, strlen(group)) == 0)
            measures_add(out, value, "%s", name);
    }
}

static struct real_curve distributions_empty(const char *name, size_t n,
                                             struct arena *arena)
{
    return (struct real_curve){.name = name,
                               .at = ARENA_ARRAY(arena, double, n),
                               .share = ARENA_ARRAY(arena, double, n),
                               .n = n};
}

/* Describes sorted run times by points at equal shares. A point at a run time
 * that several jobs have gets the share up to the last of these jobs. */
static struct real_curve distributions_describe(const double *runs,
                                                size_t count, const char *name,
                                                struct arena *arena)
{
    struct real_curve d = distributions_empty(name, POINTS, arena);
    for (size_t i = 0; i < POINTS; i++) {
        size_t at = (i + 1) * count / POINTS;
        at = at ? at - 1 : 0;
        while (at + 1 < count && runs[at + 1] <= runs[at])
            at++;
        d.at[i] = runs[at];
        d.share[i] = (double)(at + 1) / (double)count;
    }
    return d;
}

struct real_curve *distributions_of(const struct fidelity_job *jobs,
                                    size_t n_jobs, struct arena *arena,
                                    size_t *n)
{
    struct real_curve *out =
        ARENA_ARRAY(arena, struct real_curve, SIZES + 1 + N_SHARES);
    *n = 0;
    for (unsigned size = 0; size <= SIZES; size++) {
        size_t count;
        double *runs = runs_of(jobs, n_jobs, size, &count);
        char name[16] = "run";
        if (size < SIZES)
            snprintf(name, sizeof name, "run.%s", size_names[size]);
        if (count >= CLASS_JOBS_MIN || size == SIZES)
            out[(*n)++] = distributions_describe(
                runs, count, arena_copy(arena, name, strlen(name)), arena);
        free(runs);
    }
    for (size_t s = 0; s < N_SHARES; s++) {
        out[*n] = distributions_empty(shares_by[s].name, shares_by[s].n, arena);
        shares_by[s].of(jobs, n_jobs, out[*n].share);
        *n += isnan(out[*n].share[0]) ? 0 : 1;
    }
    return out;
}
