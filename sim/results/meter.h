/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The usage meter: a ledger reader that computes integrals over time from the
 * moves as they happen: how long GPUs were up, busy or stranded, how long jobs
 * were held back, and how contended a virtual cluster was during the life of
 * each job. It keeps its own account of how many jobs hold each GPU, taken from
 * the moves alone. Of the cluster it reads only the description. The code is in
 * gpu_time.c. */
#ifndef SIM_METER_H
#define SIM_METER_H

#include "base/state/ledger.h"

/* GPU-microseconds. 64 bits would be too few for the largest clusters over
 * years. */
__extension__ typedef __int128 gpu_time;

struct meter_integrals {
    gpu_time up;   /* GPU time of nodes that are up */
    gpu_time busy; /* GPU time held by at least one job */
    /* GPU time of free GPUs on nodes whose other GPUs are busy */
    gpu_time stranded;
    /* GPU time of shared GPUs, times (number of holders minus one) */
    gpu_time again;
};

struct meter_node {
    uint64_t held;    /* mask of GPUs that have a holder */
    uint64_t crowded; /* mask of GPUs that have several holders */
    gpu_id first_gpu;
    uint8_t gpus, n_free;
    bool up;
};

/* Integrals over time in a virtual cluster: GPU-microseconds asked for by
 * active jobs (waiting, running or held back), and job-microseconds of active
 * jobs. */
struct meter_life {
    uint64_t demand, active;
};

struct meter_vc {
    /* number of GPUs that the cluster file describes, up or not, without those
     * of profiler nodes */
    uint64_t gpus;
    /* number of GPUs asked for by active jobs; number of active jobs */
    uint64_t demand, active;
    struct meter_life integral;
    sim_time since;
};

struct meter {
    struct meter_node *nodes;
    uint8_t *others; /* by GPU: number of holders minus one */
    struct meter_vc *vcs;
    sim_time now;      /* time of the last move */
    sim_time last_end; /* time of the last end of an attempt, or the end of the
                          run if attempts still run then */
    struct meter_integrals sum;   /* integrals up to `now` */
    struct meter_integrals total; /* integrals up to last_end */
    uint32_t gpus_up, gpus_busy, gpus_stranded;
    /* sum over GPUs in use of the number of holders minus one */
    uint32_t gpus_again;
    uint32_t n_jobs;
    uint8_t *state; /* by job: enum job_state at `now` */
    uint32_t jobs_in[JOB_N_STATES];
    uint64_t gpus_pending; /* number of GPUs that the pending jobs ask for */
    /* By job, set when it is submitted: until its end the integrals of its
     * virtual cluster at its submission, then the integrals over its life.
     * Differences are exact even if an integral wraps. */
    struct meter_life *lives;
    /* by job: time held back by recovery rules, us; NULL: no job was held back.
     * If a job is held back still, the end of this last hold must be added. */
    sim_span *held;
    bool unit_rates; /* true as long as all jobs have run at rate 1 */
};

/* Starts the meter with all nodes of the cluster up. */
void meter_init(struct meter *meter, const struct cluster *cluster,
                uint32_t n_jobs);
void meter_fini(struct meter *meter);
struct ledger_reader meter_reader(struct meter *meter);
/* Returns the state that a move of this kind gives its job. */
enum job_state meter_state_after(enum ledger_kind kind);
/* Call it when the run is over. Attempts that still run are counted until
 * `end`. */
void meter_close(struct meter *meter, sim_time end);

#endif
