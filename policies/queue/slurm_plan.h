/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of Slurm (_attempt_backfill in sched/backfill, _will_run_test in
 * select/cons_tres; release 22.05). It differs from conservative backfilling in
 * what decides who may start:
 *
 *  - The first jobs in the queue start at each event, as long as they fit. The
 *    others are looked at in plans: at an event, but not sooner than
 * bf_interval after the last plan, whether or not a job waited then
 * (_more_work).
 *  - A reservation takes whole nodes, and begins and ends at multiples of
 *    bf_resolution. A job can use a node only if the node is not reserved from
 *    the time from which the job is tried to its end.
 *  - To find when a job can start, running jobs are removed in the order in
 *    which they end, in batches; the job starts with the end of the last job of
 *    the batch after which it fits. The spans of batches double, so far away
 *    the time is late. Jobs on nodes that the job cannot use are passed over.
 *  - A job that would start after a reservation ends is tried again from
 *    there. */
#ifndef POLICIES_QUEUE_SLURM_PLAN_H
#define POLICIES_QUEUE_SLURM_PLAN_H

#include "policies/queue/conservative.h"

struct slurm_plan_config {
    uint32_t depth;   /* jobs after the first that are looked at */
    uint32_t reserve; /* jobs that get a reservation; 0: all */
    sim_span resolution, interval;
    sim_span window; /* nothing is reserved later than this from now */
};

struct slurm_cycle {
    sim_time due;  /* no plan before this time */
    bool has_news; /* there is a plan at `due` */
};

/* The memory is freed by fini. `reserved` and `barred` describe the virtual
 * cluster in hand. */
struct slurm_plan {
    const struct slurm_plan_config *config;
    struct slurm_cycle *cycles; /* by virtual cluster */
    bool *barred;               /* by node: the job in hand cannot use it */
    struct reservation *reserved;
    size_t n_reserved, cap_reserved;
};

void slurm_plan_init(struct slurm_plan *self,
                     const struct slurm_plan_config *config,
                     const struct cluster *cluster);
void slurm_plan_fini(struct slurm_plan *self);
/* Starts jobs of one virtual cluster. `all`: those that run there. */
void slurm_plan_decide(struct slurm_plan *self, struct plan *plan, uint16_t vc,
                       struct waiting_jobs waiters, struct runners *all);
/* Starts the jobs, or reserves nodes for them. */
void slurm_plan_make(struct slurm_plan *self, struct plan *plan,
                     struct waiting_jobs waiters, struct runners *all);

#endif
