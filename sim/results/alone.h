/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much time sharing cost: a ledger reader that compares the time of an
 * attempt, without start-up, writing of checkpoints and lag, with the time that
 * its work would take on the same GPUs without other jobs. The difference is
 * the cost of sharing; for an attempt that shared no GPU it is 0 but for
 * rounding. Not valid for elastic jobs, whose speed changes with their batch
 * size. */
#ifndef SIM_ALONE_H
#define SIM_ALONE_H

#include "sim/results/meter.h"

struct alone {
    const struct ledger *ledger;
    uint32_t n_jobs;
    /* by job: rate that its last attempt would have alone; NULL: 1 for all */
    double *speed;
    /* by job: cost of sharing, GPU-microseconds, summed over attempts; NULL: 0
     * for all */
    double *rest;
    double slowed; /* sum of `rest` over attempts that shared a GPU */
};

/* The ledger must outlive `alone`. */
void alone_init(struct alone *alone, const struct ledger *ledger,
                uint32_t n_jobs);
void alone_fini(struct alone *alone); /* accepts all zeroes */
struct ledger_reader alone_reader(struct alone *alone);

#endif
