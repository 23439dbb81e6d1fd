/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Company: a ledger reader that measures packing. It keeps its own account of
 * which jobs hold which GPU, taken from the moves alone. A job is *in company*
 * while any of its GPUs has another holder; its *pace* is its rate / the rate
 * that it would have alone. GPU time of a job counts each GPU that it holds, so
 * a shared GPU counts once for each holder, as in held_gpu_hours. */
#ifndef SIM_COMPANY_H
#define SIM_COMPANY_H

#include "sim/results/gauge.h"

/* Classes of pace. Lucid's sharing scores 0 (tiny), 1 (medium) and 2 (jumbo)
 * end at 0.95 and 0.85 of the speed alone. Below 0.65 SchedMate separates a
 * pair. */
#define PACE_CLASSES(X) \
    X(TINY, 0.95) \
    X(MEDIUM, 0.85) \
    X(JUMBO, 0.65) \
    X(WORSE, 0)
enum pace_class {
#define PACE_ENUM(name, least) PACE_##name,
    PACE_CLASSES(PACE_ENUM)
#undef PACE_ENUM
        PACE_N
};

/* One workload co-located with another. The numbers are profiles
 * (models/workloads/workloads.h). */
struct company_pair {
    uint16_t profile, beside;
    gpu_time time; /* GPU-microseconds spent in that pairing */
    double work;   /* GPU-microseconds in that pairing times pace */
};

struct company {
    const struct cluster *cluster;
    struct stay *stays; /* by job */
    job_id *holders;    /* by GPU, share_limit each */
    uint8_t *n_holders; /* by GPU */
    uint32_t gpus_crowded;
    sim_time now;
    gpu_time crowded;           /* GPU time of GPUs with two holders or more */
    gpu_time of_pace[PACE_N];   /* GPU time of jobs in company, by their pace */
    double work;                /* GPU-microseconds in company times pace */
    struct company_pair *pairs; /* sorted by profile, then by beside */
    size_t n_pairs, cap_pairs;
};

/* The cluster must outlive the company. */
void company_init(struct company *company, const struct cluster *cluster,
                  uint32_t n_jobs);
void company_fini(struct company *company); /* accepts all zeroes */
struct ledger_reader company_reader(struct company *company);
/* Call when the run is over. Attempts that still run are counted until `end`.
 */
void company_close(struct company *company, const struct ledger *ledger,
                   sim_time end);
/* Returns the GPU-microseconds of jobs in company. */
gpu_time company_time(const struct company *company);

#endif
