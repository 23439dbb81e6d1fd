/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part `evictions` of summary.json: how often the monitor of a run evicted
 * a job from shared GPUs, and what that cost. The code is in sharing.c. */
#ifndef SIM_EVICTIONS_H
#define SIM_EVICTIONS_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct evictions {
    bool any; /* true if the run has a monitor */
    uint64_t evictions, jobs;
    /* number of residents beside which a newcomer was evicted; largest number
     * of evictions beside one resident */
    uint64_t hosts, host_most;
    gpu_time lost; /* work lost x GPUs asked for, GPU-microseconds */
    gpu_time held; /* GPU time of the attempts that were evicted */
};

/* ends with a NULL name */
extern const struct scalar eviction_scalars[];

void evictions_measure(struct evictions *evictions,
                       const struct results *results);

struct json_stream;
/* Writes the part `evictions` of summary.json. */
void report_evictions(struct json_stream *js,
                      const struct evictions *evictions);

#endif
