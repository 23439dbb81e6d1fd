/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the work of each attempt would have taken alone: a ledger reader
 * that compares the time of an attempt, without start-up, writing of
 * checkpoints and lag, with the time that its work takes on the same GPUs
 * without other jobs on them. The rest is what sharing took; an attempt that
 * shared no GPU has no rest but rounding. Of no use for elastic jobs, whose
 * speed changes with their batch size. */
#ifndef SIM_ALONE_H
#define SIM_ALONE_H

#include "sim/results/meter.h"

struct alone {
    const struct ledger *ledger;
    uint32_t n_jobs;
    double *speed; /* by job: work per time alone in its last attempt; NULL: 1
                      for all */
    double *rest;  /* by job: GPU-microseconds of its attempts without start-up,
                      writing and lag - those that their work takes alone; NULL:
                      0 for all */
    double slowed; /* the part of all rests that is of attempts that shared */
};

/* The ledger must outlive `alone`. */
void alone_init(struct alone *alone, const struct ledger *ledger,
                uint32_t n_jobs);
void alone_fini(struct alone *alone); /* accepts all zeroes */
struct ledger_reader alone_reader(struct alone *alone);

#endif
