/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bookings: nodes that are kept, for a time, for the jobs that have the
 * booking. An advance reservation of Slurm is one, such as for maintenance. No
 * other job starts there that would reach into the time by the run time that
 * its user declared; a job that declared none never ends. A job that has the
 * booking starts on its nodes alone, from `from` until `until`, and may run
 * longer. Jobs that run on the nodes already run on. (Slurm 22.05,
 * slurmctld/reservation.c.) */
#ifndef POLICIES_BOOKINGS_H
#define POLICIES_BOOKINGS_H

#include "base/state/cluster.h"
#include "base/state/job.h"

struct booking {
    sim_time from, until; /* on the clock of the run; until > from */
    const node_id *nodes;
    uint32_t n_nodes;
};

struct bookings {
    const struct booking *at;
    uint32_t n;
    const uint32_t *own; /* by job: its booking plus 1; 0: it has none */
    /* by job: the booking plus 1 that last kept it from GPUs that were free; 0:
     * none has; written by the plan */
    uint32_t *kept;
    struct gpu_slice *barred; /* scratch, a slice per node */
    uint32_t n_barred;
};

/* Takes the free GPUs of all nodes of the pool that the job may not use if it
 * started at `at` and ran for `length`, us; 0: for ever. Returns the booking,
 * plus 1, that keeps free GPUs from it, the one that ends first; 0: none does.
 * bookings_unbar gives them back. */
uint32_t bookings_bar(struct bookings *bookings, struct cluster *c,
                      const struct pool *pool, const struct job *job,
                      sim_time at, sim_span length);
void bookings_unbar(struct bookings *bookings, struct cluster *c,
                    const struct job *job);
/* Returns the booking plus 1 because of which the job may not use the GPUs from
 * `at` on; 0: it may. */
uint32_t bookings_refuse(const struct bookings *bookings, const struct job *job,
                         struct gpu_set where, sim_time at, sim_span length);
/* Returns the first time after `at` at which a booking ends; TIME_NEVER if none
 * does. `bookings` may be NULL. */
sim_time bookings_end(const struct bookings *bookings, sim_time at);

#endif
