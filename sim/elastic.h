/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the papers on elastic jobs report (Pollux, Sia), of a
 * run whose jobs may know how they scale. From the ledger. */
#ifndef SIM_ELASTIC_H
#define SIM_ELASTIC_H

#include "sim/columns.h"
#include "sim/facts.h"

struct elastic {
    bool any;            /* false: the model of throughput knows no phases */
    uint64_t jobs;       /* submitted */
    uint64_t restarts;   /* starts but a job's first, and but moves */
    uint64_t moves;      /* to other GPUs, at no cost */
    gpu_time held, idle; /* by attempts; of it while they start up */
    double active_mean;  /* jobs waiting or running, over the makespan */
    uint32_t active_max;
    sim_span jct_p99; /* element floor(0.99 n) of the sorted, from 0 */
};

struct elastic_scalar {
    struct column column;
    double (*of)(const struct elastic *e);
};
extern const struct elastic_scalar elastic_scalars[]; /* ends with NULL */

void elastic_measure(struct elastic *e, const struct results *results);

#endif
