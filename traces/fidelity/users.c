/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures what the jobs of one user have in common, and how users share a
 * cluster. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "traces/fidelity/demand.h"
#include "traces/fidelity/measures.h"
#include "traces/fidelity/series.h"

static const double burst_gap_s = 60, session_gap_s = 1800;
enum { BURST_MIN = 10, SESSION_MIN = 20, USERS_TENTHS = 10 };
/* Smallest share of the GPU time with which a user is heavy (peak_by_mean). */
static const double heavy = 0.01;

/* The jobs of one user, in order of submission, and sums over them. n_ended:
 * number of jobs whose end is known. */
struct user {
    struct fidelity_job *jobs;
    size_t n, n_completed, n_ended;
    double gpu_time; /* GPU seconds */
};

struct fidelity_users {
    struct fidelity_job *jobs; /* copies, sorted by user and submission */
    struct user *at;
    size_t n, n_jobs;
    double gpu_time;
};

static int users_by_user(const void *a, const void *b)
{
    const struct fidelity_job *x = a, *y = b;
    if (x->user != y->user)
        return x->user < y->user ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void users_count(struct fidelity_users *users, struct fidelity_job *job)
{
    double gpu_time = job->gpus * job->run;
    if (users->n == 0 || users->at[users->n - 1].jobs->user != job->user)
        users->at[users->n++] = (struct user){.jobs = job};
    struct user *user = &users->at[users->n - 1];
    user->n++;
    user->n_ended += job->end != TRACE_END_UNKNOWN;
    user->n_completed += job->end == TRACE_END_COMPLETED;
    user->gpu_time += gpu_time;
    users->gpu_time += gpu_time;
}

static struct fidelity_users group(const struct fidelity_job *jobs, size_t n)
{
    struct fidelity_users users = {.jobs =
                                       mem_alloc((n + 1) * sizeof *users.jobs),
                                   .at = mem_alloc((n + 1) * sizeof *users.at)};
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].user)
            users.jobs[users.n_jobs++] = jobs[i];
    }
    qsort(users.jobs, users.n_jobs, sizeof *users.jobs, users_by_user);
    for (size_t i = 0; i < users.n_jobs; i++)
        users_count(&users, &users.jobs[i]);
    return users;
}

static double users_log_run(const struct fidelity_job *job)
{
    return log(fmax(job->run, 1));
}

static double users_log_gpus(const struct fidelity_job *job)
{
    return log(job->gpus);
}

/* Returns the share of the variance of a figure of jobs that lies between
 * users; NaN if the figure does not vary. */
static double users_between(const struct fidelity_users *users,
                            double (*of)(const struct fidelity_job *))
{
    double mean = 0, total = 0, within = 0;
    for (size_t i = 0; i < users->n_jobs; i++)
        mean += of(&users->jobs[i]) / (double)users->n_jobs;
    for (size_t u = 0; u < users->n; u++) {
        const struct user *user = &users->at[u];
        double own = 0;
        for (size_t i = 0; i < user->n; i++)
            own += of(&user->jobs[i]) / (double)user->n;
        for (size_t i = 0; i < user->n; i++) {
            double value = of(&user->jobs[i]);
            total += (value - mean) * (value - mean);
            within += (value - own) * (value - own);
        }
    }
    return total > 0 ? 1 - within / total : NAN;
}

/* Returns the share of the GPU time that belongs to the users with the most GPU
 * time: to the share `share` of all users, but at least one. If this is not a
 * whole number of users, a part of the next user counts. NaN if there is no GPU
 * time. */
static double top_share(const struct fidelity_users *users, double share)
{
    double *times = mem_alloc((users->n + 1) * sizeof *times), sum = 0;
    double top = fmax(1, share * (double)users->n);
    for (size_t u = 0; u < users->n; u++)
        times[u] = users->at[u].gpu_time;
    gsl_sort(times, 1, users->n);
    for (size_t i = 0; i < users->n && (double)i < top; i++)
        sum += times[users->n - 1 - i] * fmin(1, top - (double)i);
    free(times);
    return users->gpu_time > 0 ? sum / users->gpu_time : NAN;
}

/* Returns the share of jobs that belong to a run of jobs: at least `least` jobs
 * of one user with gaps of at most `gap` seconds and, if `equal`, with equal
 * GPUs. NaN if there are no jobs. */
static double in_runs(const struct fidelity_users *users, double gap,
                      bool equal, size_t least)
{
    size_t inside = 0, run = 0;
    for (size_t i = 0; i <= users->n_jobs; i++) {
        const struct fidelity_job *job = &users->jobs[i];
        bool goes_on = i > 0 && i < users->n_jobs &&
                       job->user == job[-1].user &&
                       job->at - job[-1].at <= gap &&
                       (!equal || job->gpus == job[-1].gpus);
        if (!goes_on) {
            inside += run >= least ? run : 0;
            run = 0;
        }
        run++;
    }
    return users->n_jobs ? (double)inside / (double)users->n_jobs : NAN;
}

/* Returns the share of pairs of successive jobs of a user that have equal GPUs;
 * NaN if there is no pair. */
static double equal_gpus(const struct fidelity_users *users)
{
    size_t pairs = 0, equal = 0;
    for (size_t i = 1; i < users->n_jobs; i++) {
        const struct fidelity_job *job = &users->jobs[i];
        pairs += job->user == job[-1].user;
        equal += job->user == job[-1].user && job->gpus == job[-1].gpus;
    }
    return pairs ? (double)equal / (double)pairs : NAN;
}

static int users_by_day(const void *a, const void *b)
{
    double x = floor(*(const double *)a / 86400);
    double y = floor(*(const double *)b / 86400);
    return (x > y) - (x < y);
}

/* Returns the mean number of users who submit on a day, over the days on which
 * any user submits; NaN if there is no such day. */
static double active_a_day(const struct fidelity_users *users)
{
    double *days = mem_alloc((users->n_jobs + 1) * sizeof *days);
    size_t n = 0, different = 0;
    for (size_t u = 0; u < users->n; u++) {
        const struct user *user = &users->at[u];
        for (size_t i = 0; i < user->n; i++) {
            days[n] = user->jobs[i].at;
            n += i == 0 || users_by_day(&days[n], &days[n - 1]) != 0;
        }
    }
    qsort(days, n, sizeof *days, users_by_day);
    for (size_t i = 0; i < n; i++)
        different += i == 0 || users_by_day(&days[i], &days[i - 1]) != 0;
    free(days);
    return different ? (double)n / (double)different : NAN;
}

/* Returns the median, over heavy users, of the largest demand divided by the
 * mean demand. `span`: length of the trace, seconds. NaN if it is 0 or no user
 * is heavy. */
static double peak_by_mean(const struct fidelity_users *users, double span)
{
    double *ratios = mem_alloc((users->n + 1) * sizeof *ratios);
    size_t n = 0;
    for (size_t u = 0; u < users->n; u++) {
        const struct user *user = &users->at[u];
        if (user->gpu_time < heavy * users->gpu_time || !(span > 0))
            continue;
        struct gpu_demand demand = demand_of(user->jobs, user->n, INFINITY);
        ratios[n++] = demand.peak / (user->gpu_time / span);
    }
    double median = series_median(ratios, n);
    free(ratios);
    return median;
}

static void add_completion(const struct fidelity_users *users,
                           struct measures *out)
{
    double tenths[USERS_TENTHS] = {0}, n = 0;
    for (size_t u = 0; u < users->n; u++) {
        const struct user *user = &users->at[u];
        if (!user->n_ended)
            continue;
        double rate = (double)user->n_completed / (double)user->n_ended;
        size_t tenth = (size_t)(rate * USERS_TENTHS);
        tenths[tenth < USERS_TENTHS ? tenth : USERS_TENTHS - 1]++;
        n++;
    }
    for (size_t t = 0; t < USERS_TENTHS; t++)
        measures_add(out, n > 0 ? tenths[t] / n : NAN,
                     "people.completion_tenth_%zu", t);
}

void measure_people(const struct fidelity_job *jobs, size_t n,
                    struct measures *out)
{
    struct fidelity_users users = group(jobs, n);
    measures_add(out, users.n ? (double)users.n : NAN, "people.number");
    measures_add(out, top_share(&users, 0.05), "people.gpu_time_top_5");
    measures_add(out, top_share(&users, 0.10), "people.gpu_time_top_10");
    add_completion(&users, out);
    free(users.jobs);
    free(users.at);
}

void measure_users(const struct fidelity_job *jobs, size_t n,
                   struct measures *out)
{
    struct fidelity_users users = group(jobs, n);
    double first = jobs[0].at, last = jobs[n - 1].at;
    measures_add(out, users_between(&users, users_log_gpus),
                 "users.r2_log_gpus");
    measures_add(out, users_between(&users, users_log_run), "users.r2_log_run");
    measures_add(out, active_a_day(&users), "users.active_a_day");
    measures_add(out, in_runs(&users, burst_gap_s, true, BURST_MIN),
                 "users.jobs_in_bursts");
    measures_add(out, in_runs(&users, session_gap_s, false, SESSION_MIN),
                 "users.jobs_in_long_sessions");
    measures_add(out, equal_gpus(&users), "users.next_has_equal_gpus");
    measures_add(out, peak_by_mean(&users, last - first),
                 "users.peak_by_mean_gpus");
    free(users.jobs);
    free(users.at);
}
