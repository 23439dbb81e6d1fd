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

struct gauge_node {
    uint64_t held;    /* GPUs that have a holder */
    uint64_t crowded; /* of these, that have several */
    gpu_id first_gpu;
    uint8_t gpus, n_free;
    bool up;
};

/* Integrals over time in a virtual cluster: GPU-microseconds asked for by
 * active jobs (waiting, running or held back), and job-microseconds of these.
 */
struct gauge_life {
    uint64_t demand, active;
};

struct gauge_vc {
    uint64_t gpus;           /* as described, up or not */
    uint64_t demand, active; /* GPUs asked for by active jobs, and those */
    struct gauge_life integral;
    sim_time since;
};

struct gauge {
    struct gauge_node *nodes;
    uint8_t *others; /* by GPU: holders but the first */
    struct gauge_vc *vcs;
    sim_time now, last_end;
    struct gauge_integrals sum, total; /* until now; until the last end, known
                                          when it is over or closed */
    uint32_t gpus_up, gpus_busy, gpus_stranded;
    uint32_t n_jobs;
    uint8_t *state; /* by job: enum job_state so far */
    uint32_t jobs_in[JOB_N_STATES];
    /* Asked for by those jobs; of the future ones it means nothing. */
    uint64_t gpus_in[JOB_N_STATES];
    /* By job: the integrals of its virtual cluster over its life (until its
     * end: up to its submission). Differences are exact even if an integral
     * wraps. */
    struct gauge_life *lives;
    sim_span *held;  /* by job: time held by rulings; NULL if none ever was */
    bool unit_rates; /* no job ever ran at another rate than 1 */
};

/* All nodes of the cluster are up. */
void gauge_init(struct gauge *gauge, const struct cluster *cluster,
                uint32_t n_jobs);
void gauge_fini(struct gauge *gauge);
struct ledger_reader gauge_reader(struct gauge *gauge);
/* The run is over; attempts still running are counted until `end`. */
void gauge_close(struct gauge *gauge, sim_time end);

#endif
