/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gauge: a ledger reader that keeps what can only be known while the moves
 * go by, because it is an integral over time: how long GPUs were up, busy or
 * stranded, how long jobs were held back, and how contended a virtual cluster
 * was during each job's life. It has its own count of who holds what, taken
 * from the moves alone; of the cluster it reads the description only. */
#ifndef SIM_GAUGE_H
#define SIM_GAUGE_H

#include "sim/ledger.h"

/* GPU-microseconds; 64 bits would do for most clusters, not for the largest
 * over years. */
__extension__ typedef __int128 gpu_time;

struct gauge_integrals {
    gpu_time up;       /* GPUs of nodes that are up                      */
    gpu_time busy;     /* GPUs held by at least one job                  */
    gpu_time stranded; /* free GPUs of nodes of which others are in use  */
};

struct gauge {
    const struct cluster *cluster;
    uint8_t *holders; /* by GPU */
    uint8_t *n_free;  /* by node */
    bool *up;         /* by node */
    sim_time now, last_end;
    struct gauge_integrals sum, total; /* until now; until the last end */
    uint32_t gpus_up, gpus_busy, gpus_stranded;
    uint32_t n_jobs;
    uint8_t *state; /* by job: enum job_state so far */
    uint32_t jobs_in[JOB_N_STATES];
    uint64_t gpus_in[JOB_N_STATES]; /* asked for by those jobs */
    uint64_t *vc_gpus;              /* by vc: as described, up or not */
    uint64_t *vc_demand, *vc_integral;
    sim_time *vc_since;
    /* By job: GPU-microseconds demanded in its virtual cluster during its
     * life (until its end: the integral at its submission). Differences are
     * exact even if the integral wraps. */
    uint64_t *demand;
    sim_span *held;  /* by job: time held by rulings; NULL if none ever was */
    bool unit_rates; /* no job ever ran at another rate than 1 */
};

/* The cluster must outlive the gauge; all its nodes are up. */
void gauge_init(struct gauge *gauge, const struct cluster *cluster,
                uint32_t n_jobs);
void gauge_fini(struct gauge *gauge);
struct ledger_reader gauge_reader(struct gauge *gauge);
/* The run is over; attempts still running are counted until `end`. */
void gauge_close(struct gauge *gauge, sim_time end);

#endif
