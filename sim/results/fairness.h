/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finish-time fairness: how long a job would take on an equal share of its
 * virtual cluster. Themis (NSDI 2020, section 3): rho = T_sh / T_id. T_sh is
 * the JCT in the shared cluster; T_id is the time on 1/N of the cluster, and N
 * is the number of jobs that contend. Sia (SOSP 2023, section 5.5): N is the
 * mean number of active jobs over the job's life. T_id is the mean over GPU
 * types, weighted by their numbers of GPUs, of the time alone on G/N GPUs of
 * the type; G is the number of GPUs of the virtual cluster. For an elastic job
 * that time is interpolated between whole numbers of GPUs; below one GPU, it is
 * the time on one GPU divided by the share. */
#ifndef SIM_FAIRNESS_H
#define SIM_FAIRNESS_H

#include "sim/results/meter.h"
#include "sim/run/run.h"

/* Returns the number of GPUs of each virtual cluster and type, without those of
 * profiler nodes, at index vc * n_types + type. The caller frees the array. */
uint32_t *fairness_gpus(const struct cluster *cluster);

/* Returns the time in microseconds that a job would take on its share; 0: the
 * job can run on no GPU of its virtual cluster. `gpus`: number of GPUs of the
 * virtual cluster, by type. `work`: recorded running time of the job,
 * microseconds. `active`: mean number of jobs that were waiting, running or
 * held back in the virtual cluster over the life of the job, itself included. A
 * rigid job on fewer GPUs than it asks for takes turns with others: its time is
 * multiplied by GPUs asked for / GPUs of the share. On more GPUs it is not
 * faster. An elastic job runs on the whole share, with the batch size it asks
 * for and at the speed of its first epoch. (In Sia's simulator the job chooses
 * its batch size.) */
double fairness_time(const struct run_result *run, const uint32_t *gpus,
                     const struct job *job, sim_span work, double active);

/* A ledger reader that computes in two ways how much time sharing cost. Neither
 * way uses the other. Both leave out start-up, lag and the writing of
 * checkpoints.
 *
 * `slowed` is the integral of (1 - relative speed) x GPUs over the time in
 * which attempts work, from the speeds in the moves.
 *
 * `rest` is (time in which an attempt works - time that its work would take on
 * its GPUs without other jobs) x GPUs. For an attempt that shared no GPU,
 * `rest` is 0 except for rounding.
 *
 * Not valid for elastic jobs, whose speed changes with their batch size. */

struct alone_segment;

struct alone {
    const struct ledger *ledger;
    uint32_t n_jobs;
    /* by job: its current segment of constant speed; NULL if no job has been
     * slowed by sharing */
    struct alone_segment *segments;
    /* by job: `rest` in GPU-microseconds, summed over its attempts; NULL: 0 for
     * all jobs */
    double *rest;
    double slowed; /* integral over all attempts, GPU-microseconds */
};

/* Starts both sums at 0. The ledger must outlive `alone`. */
void alone_init(struct alone *alone, const struct ledger *ledger,
                uint32_t n_jobs);

void alone_fini(struct alone *alone); /* accepts all zeroes */

struct ledger_reader alone_reader(struct alone *alone);

#endif
