/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the papers on elastic jobs (Pollux, Sia) report, computed from the
 * ledger for a run whose jobs may know how they scale. */
#ifndef SIM_ELASTIC_H
#define SIM_ELASTIC_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct elastic {
    bool any;            /* false: the model of throughput knows no phases */
    uint64_t jobs;       /* submitted */
    uint64_t restarts;   /* starts except each job's first and except moves */
    uint64_t moves;      /* moves to other GPUs in an equal shape, at no cost */
    gpu_time held, idle; /* by attempts; the part of it while they start up */
    double active_mean;  /* jobs waiting or running, mean over the makespan */
    uint32_t active_max;
    sim_span jct_p99; /* element floor(0.99 n) of the sorted JCTs, from 0 */
};

struct elastic_scalar {
    struct column column;
    double (*of)(const struct elastic *e);
};
extern const struct elastic_scalar elastic_scalars[]; /* ends with NULL */

void elastic_measure(struct elastic *e, const struct results *results);

#endif
