/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named figures of one trace, and functions that add the figures of a group. A
 * name is "GROUP.FIGURE", or "GROUP.PART.FIGURE" for a size class, a final
 * state or a virtual cluster. */
#ifndef TRACES_FIDELITY_MEASURES_H
#define TRACES_FIDELITY_MEASURES_H

#include "traces/fidelity/jobs.h"

enum { MEASURE_NAME_MAX = 80 };

struct measure {
    char name[MEASURE_NAME_MAX];
    double value; /* NaN: the trace lacks the data */
};

struct measures {
    struct measure *at;
    size_t n, cap;
};

void measures_add(struct measures *measures, double value, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns the value of the measure with this name; NaN if there is none. */
double measures_find(const struct measures *measures, const char *name);
void measures_fini(struct measures *measures);

/* Each function below measures n > 0 jobs, which must be sorted by submission.
 */

/* Adds measures of how bursty submissions are: index of dispersion (variance /
 * mean) of the number of submissions in a minute, 10 minutes, an hour and a
 * day; coefficient of variation of the number in a calendar day; number in the
 * busiest hour, divided by that in the mean and in the median hour; coefficient
 * of variation of the gaps between submissions, and autocorrelation of the
 * logarithms of the gaps. */
void measure_arrivals(const struct fidelity_job *jobs, size_t n,
                      struct measures *out);
/* Adds measures of how far a job resembles earlier ones: autocorrelation of log
 * run times and of log GPUs, and how much the mix of jobs changes from week to
 * week. */
void measure_order(const struct fidelity_job *jobs, size_t n,
                   struct measures *out);
/* Adds measures of how users share the cluster over months: number of users,
 * shares of the GPU time that the top 5 % and 10 % of the users have, and
 * shares of the users by tenths of their completion rate. measure_people,
 * measure_users and measure_chains leave out jobs without a user. */
void measure_people(const struct fidelity_job *jobs, size_t n,
                    struct measures *out);
/* Adds measures of users: shares of the variance of GPUs and of run times (both
 * as logarithms) that lie between users; mean number of active users a day;
 * shares of the jobs in bursts and in long sessions; share of the pairs of
 * successive jobs of a user that have equal GPUs; and the median ratio of peak
 * to mean demand over users with at least 1 % of the GPU time. These figures
 * depend on the length of the trace, so only windows of about equal length can
 * be compared. */
void measure_users(const struct fidelity_job *jobs, size_t n,
                   struct measures *out);
/* Adds, for each final state, the shares of jobs after which their user submits
 * a job with the same number of GPUs within 5 minutes and within an hour of
 * their end, and the median gap of the latter; then the difference between
 * failed and completed jobs. Jobs that end after the last submission count too,
 * so only traces of about equal length can be compared. */
void measure_chains(const struct fidelity_job *jobs, size_t n,
                    struct measures *out);

/* A virtual cluster. `symbol`: of its name in fidelity_jobs.names; UINT32_MAX
 * if no job names it. */
struct fidelity_vc {
    const char *name;
    uint32_t symbol;
    double gpus;
};

/* Adds figures of the demand of all jobs if none of them waited. `gpus`: GPUs
 * of the cluster, > 0, with which the demand is compared. */
void measure_demand(const struct fidelity_job *jobs, size_t n, double gpus,
                    struct measures *out);
/* Adds figures of each virtual cluster: its share of the jobs and of the GPU
 * time, the size of its jobs, and two figures of its demand compared with its
 * GPUs; then the largest value of each of the two. The first n_standing jobs
 * are already running when the trace begins and count only for the demand. */
void measure_vcs(const struct fidelity_job *jobs, size_t n, size_t n_standing,
                 const struct fidelity_vc *vcs, size_t n_vcs,
                 struct measures *out);

#endif
