/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conservative backfilling (Mu'alem and Feitelson 2001). The waiting jobs are
 * looked at in the order in which they began to wait. Each gets the earliest
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

/* Returns how many waiting jobs, from `job` (NULL: none) on and at most `depth`
 * after it, must be looked at: none after them has as few GPUs as are free. */
uint32_t waiting_reach(const struct plan *plan, const struct job *job,
                       uint32_t depth);
/* Starts jobs of one virtual cluster. `all`: those that run there. */
void conservative_decide(struct conservative *self, struct plan *plan,
                         uint16_t vc, struct runners *all);
/* Starts jobs, or reserves GPUs for them: `n` jobs of one virtual cluster that
 * wait, from `job` on. Returns true if one started after an earlier job got a
 * reservation. */
bool conservative_plan(struct conservative *self, struct plan *plan,
                       struct runners *all, const struct job *job, uint32_t n);
void conservative_fini(struct conservative *self);

#endif
