/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What profiling cost and gained: figures of a run with profiler nodes,
 * computed from the ledger. */
#ifndef SIM_PROFILING_H
#define SIM_PROFILING_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct profiling {
    uint32_t gpus; /* GPUs of profiler nodes; 0: the run has none */
    uint64_t profiled, finished, cut_short;
    /* number of profiled jobs that count (sim/run/counted.h); the waits and
     * delays below are of these jobs */
    uint64_t counted;
    gpu_time time; /* GPU time of profiling attempts */
    /* GPU time of nodes for jobs while they were lent to the profiler */
    gpu_time lent;
    gpu_time wait_sum;   /* sum of the waits of profiled jobs, us */
    gpu_time delay_sum;  /* sum of the delays of profiled jobs, us */
    sim_span delay_most; /* longest delay of a profiled job, us */
    sim_span makespan;
};

struct profiling_scalar {
    struct column column;
    double (*of)(const struct profiling *p);
};
extern const struct profiling_scalar profiling_scalars[]; /* ends with NULL */

void profiling_measure(struct profiling *p, const struct results *results);

#endif
