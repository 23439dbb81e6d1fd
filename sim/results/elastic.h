/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that the papers on elastic jobs (Pollux, Sia) report, computed from
 * the ledger. Only for a run whose model of throughput works in phases. */
#ifndef SIM_ELASTIC_H
#define SIM_ELASTIC_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct elastic {
    bool any;      /* true if the model of throughput works in phases */
    uint64_t jobs; /* number of jobs submitted */
    /* starts other than a job's first and other than moves */
    uint64_t restarts;
    uint64_t moves;      /* free moves to other GPUs in an equal shape */
    gpu_time held, idle; /* GPU time of attempts; the part spent on start-up */
    double active_mean;  /* jobs waiting or running, mean over the makespan */
    uint32_t active_max;
    sim_span jct_p99; /* element floor(0.99 n), from 0, of the sorted JCTs */
};

struct elastic_scalar {
    struct column column;
    double (*of)(const struct elastic *e);
};
extern const struct elastic_scalar elastic_scalars[]; /* ends with NULL */

void elastic_measure(struct elastic *e, const struct results *results);

#endif
