/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What profiling cost and gained: figures of a run with profiler nodes,
 * computed from the ledger. The code is in sharing.c. */
#ifndef SIM_PROFILING_H
#define SIM_PROFILING_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct profiling {
    bool any;      /* true if the run has profiler nodes or nodes were lent */
    uint32_t gpus; /* number of GPUs of profiler nodes */
    uint64_t profiled, finished, cut_short;
    /* number of profiled jobs that count (sim/run/counted.h); wait_sum,
     * delay_sum and delay_most are of these jobs */
    uint64_t counted;
    gpu_time time; /* GPU time of profiling attempts */
    /* GPU time of the nodes that the profiler borrowed, while it had them */
    gpu_time lent;
    gpu_time wait_sum;   /* sum of the times from submission to the start of
                            profiling, us */
    gpu_time delay_sum;  /* sum of the times from submission to the end of
                            profiling, us */
    sim_span delay_most; /* longest time from submission to the end of
                            profiling, us */
    sim_span makespan;
};

/* ends with a NULL name */
extern const struct scalar profiling_scalars[];

void profiling_measure(struct profiling *p, const struct results *results);

#endif
