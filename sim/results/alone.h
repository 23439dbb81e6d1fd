/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#ifndef SIM_ALONE_H
#define SIM_ALONE_H

#include "sim/results/meter.h"

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
