/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that the papers on elastic jobs (Pollux, Sia) report, computed from
 * the ledger. Only for a run whose model of throughput works in phases. */
#ifndef SIM_ELASTIC_H
#define SIM_ELASTIC_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct elastic {
    bool any; /* true if the model of throughput works in phases */
    /* number of jobs that count (sim/run/counted.h); figures per job are means
     * over these jobs */
    uint64_t jobs;
    /* number of starts, without first starts and moves */
    uint64_t restarts;
    uint64_t counted_restarts; /* restarts of jobs that count */
    /* number of moves to other GPUs of equal shape, at no cost */
    uint64_t moves;
    /* `held`: GPU time of the attempts of jobs that count. `idle`: their
     * overhead (struct attempt_cost) x GPUs held. */
    gpu_time held, idle;
    /* number of jobs that are submitted and not ended, mean over the
     * makespan */
    double active_mean;
    uint32_t active_max;
    /* element number floor(0.99 n), counted from 0, of the sorted JCTs of the n
     * finished jobs that count, us; 0 if there is none */
    sim_span jct_p99;
};

/* ends with a NULL name */
extern const struct scalar elastic_scalars[];

void elastic_measure(struct elastic *e, const struct results *results);

#endif
