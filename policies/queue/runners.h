/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The running jobs of a virtual cluster by their believed ends, kept from one
 * decision to the next, because asking and sorting all of them each time would
 * take most of a run. For policies that reserve GPUs for waiting jobs. */
#ifndef POLICIES_QUEUE_RUNNERS_H
#define POLICIES_QUEUE_RUNNERS_H

#include "policies/policy.h"

/* A running job, or one that the plan starts. */
struct runner {
    sim_time end;          /* believed end; TIME_NEVER: no estimator answers */
    sim_time steady_until; /* `end` holds until this time */
    job_id job;
};

struct runners {
    struct runner *at; /* by believed end after runners_renew; freed by owner */
    size_t n, cap;
    sim_time steady; /* lower bound on steady_until of all of them */
};

/* The plan starts a job; a job ended, failed or was stopped; what is believed
 * about a job has changed. */
void runners_add(struct runners *all, job_id job);
void runners_drop(struct runners *all, job_id job);
void runners_doubt(struct runners *all, job_id job);
/* Brings the believed ends up to date. */
void runners_renew(struct runners *all, const struct view *view);

/* A job that runs longer than believed is believed to end now. */
sim_time runner_end(const struct view *view, const struct runner *runner);
/* Returns when a waiting job would end if it started now; TIME_NEVER if no
 * estimator answers. */
sim_time runner_would_end(const struct view *view, const struct job *job);

#endif
