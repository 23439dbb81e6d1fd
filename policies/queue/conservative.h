/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conservative backfilling (Mu'alem and Feitelson 2001). The waiting jobs are
 * looked at in the order of the queue. Each gets the earliest
 * GPUs that it can have for the time that it is believed to run, if running
 * jobs end at their believed times and the jobs before it keep the GPUs that
 * are reserved for them. If it can have them now, it starts. All reservations
 * are made anew at each decision, so a job that ends early brings all others
 * forward. */
#ifndef POLICIES_QUEUE_CONSERVATIVE_H
#define POLICIES_QUEUE_CONSERVATIVE_H

#include "policies/queue/runners.h"

/* GPUs that nobody else may hold between two times. */
struct reservation {
    /* believed start; TIME_NEVER: not known, as when no estimator answers for
     * the running jobs */
    sim_time at;
    sim_time until; /* believed end */
    const struct job *job;
    struct gpu_set where;
};

/* The number of GPUs of the virtual cluster that are free from `at` to the next
 * step. */
struct step {
    sim_time at;
    int64_t free;
};

/* All but `depth` describes the virtual cluster in hand. fini frees it. */
struct conservative {
    uint32_t depth; /* jobs after the first that may start or get GPUs */
    struct reservation *reserved;
    size_t n_reserved, cap_reserved;
    struct step *steps; /* by time; the first is now */
    size_t n_steps, cap_steps;
};

/* The first waiting jobs of a virtual cluster, in the order of the queue. */
struct waiting_jobs {
    const struct job *const *at;
    uint32_t n;
};

/* Returns the first of them that must be looked at, with the first job and at
 * most `depth` others that the plan has not started: none after them has as few
 * GPUs as are free. */
struct waiting_jobs waiters_in_reach(const struct plan *plan,
                                     struct waiting_jobs waiters,
                                     uint32_t depth);
/* Starts jobs of one virtual cluster. `all`: those that run there. */
void conservative_decide(struct conservative *self, struct plan *plan,
                         struct waiting_jobs waiters, struct runners *all);
/* Starts the jobs, or reserves GPUs for them. Returns true if one started after
 * an earlier job got a reservation. */
bool conservative_plan(struct conservative *self, struct plan *plan,
                       struct waiting_jobs waiters, struct runners *all);
void conservative_fini(struct conservative *self);

#endif
