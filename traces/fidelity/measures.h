/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named figures of one trace, and the functions that fill them in, one for each
 * group. A name is "GROUP.FIGURE", or "GROUP.PART.FIGURE" for a size class, a
 * final state or a virtual cluster. */
#ifndef TRACES_FIDELITY_MEASURES_H
#define TRACES_FIDELITY_MEASURES_H

#include "traces/fidelity/jobs.h"

enum { MEASURE_NAME_MAX = 80 };

struct measure {
    char name[MEASURE_NAME_MAX];
    double value; /* NaN: the trace cannot tell */
};

struct measures {
    struct measure *at;
    size_t n, cap;
};

void measures_add(struct measures *measures, double value, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns the value of a name; NaN if it is not there. */
double measures_find(const struct measures *measures, const char *name);
void measures_fini(struct measures *measures);

/* Each function measures n > 0 jobs that are sorted by submission. */

/* Bursts: index of dispersion (variance / mean) of the number of submissions in
 * a minute, 10 minutes, an hour, a day; coefficient of variation of the jobs of
 * a whole day; busiest hour over the mean and over the median hour; gaps. */
void measure_arrivals(const struct fidelity_job *jobs, size_t n,
                      struct measures *out);
/* Memory of the order: autocorrelation of log run times and log GPUs, and how
 * far the mix of jobs changes from week to week. */
void measure_order(const struct fidelity_job *jobs, size_t n,
                   struct measures *out);
/* Who uses the cluster over months: how concentrated GPU time is, and users by
 * the tenth of their completion rate. Jobs without a user do not count, here
 * and in the next functions. */
void measure_people(const struct fidelity_job *jobs, size_t n,
                    struct measures *out);
/* What the jobs of a user have in common: variance between users, bursts,
 * sessions, days, peaks. Depends on the length of the trace, so only windows of
 * about equal length compare. */
void measure_users(const struct fidelity_job *jobs, size_t n,
                   struct measures *out);
/* Resubmissions: how often the same user submits a job with the same number of
 * GPUs within an hour after a job ended, and how soon, by how it ended. Jobs
 * that end after the last submission count too, so only traces of about equal
 * length compare. */
void measure_chains(const struct fidelity_job *jobs, size_t n,
                    struct measures *out);

/* A virtual cluster, and the symbol of its name in fidelity_jobs.names;
 * UINT32_MAX: no job names it. */
struct fidelity_vc {
    const char *name;
    uint32_t symbol;
    double gpus;
};

/* Demand of all jobs if nobody waited, against the GPUs of the cluster, > 0. */
void measure_demand(const struct fidelity_job *jobs, size_t n, double gpus,
                    struct measures *out);
/* Each virtual cluster: its part of the jobs and of the GPU time, the size of
 * its jobs, and its demand against its GPUs. The first n_standing jobs ran
 * before the trace began: they count only for the demand. */
void measure_vcs(const struct fidelity_job *jobs, size_t n, size_t n_standing,
                 const struct fidelity_vc *vcs, size_t n_vcs,
                 struct measures *out);

#endif
