/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Co-location: a ledger reader that measures packing. It keeps its own account
 * of which jobs hold which GPU, taken from the moves alone. A job is co-located
 * while any of its GPUs has another holder; its *relative speed* is its rate /
 * the rate that it would have alone. GPU time of a job counts each GPU that it
 * holds, so a shared GPU counts once for each holder, as in held_gpu_hours. The
 * code is in sharing.c. */
#ifndef SIM_COLOC_H
#define SIM_COLOC_H

#include "sim/results/meter.h"

/* Classes of relative speed, each with its lowest speed. The first three are
 * Lucid's sharing scores: 0 (tiny), 1 (medium) and 2 (jumbo). Below 0.65
 * SchedMate separates a pair. */
#define SPEED_CLASSES(X) \
    X(TINY, 0.95) \
    X(MEDIUM, 0.85) \
    X(JUMBO, 0.65) \
    X(WORSE, 0)
enum speed_class {
#define SPEED_ENUM(name, least) SPEED_##name,
    SPEED_CLASSES(SPEED_ENUM)
#undef SPEED_ENUM
        SPEED_N
};

/* The GPU time for which jobs of one model were co-located with jobs of another
 * model or of the same one. `usage` and `beside` are the rows of usage of the
 * two models (models/usage/usage.h). */
struct coloc_pair {
    uint16_t usage, beside;
    gpu_time time; /* GPU-microseconds that `usage` ran beside `beside` */
    double work;   /* `time` weighted by the relative speed of `usage` */
};

struct coloc {
    const struct cluster *cluster;
    struct coloc_job *jobs; /* by job: its state for the sums */
    job_id *holders;        /* by GPU: its holders, in share_limit entries */
    uint8_t *n_holders;     /* by GPU: number of holders */
    uint32_t gpus_crowded;
    sim_time now;
    gpu_time crowded;           /* GPU time of GPUs with two holders or more */
    gpu_time of_speed[SPEED_N]; /* GPU time of co-located jobs, by class of
                                   relative speed */
    /* GPU time of co-located jobs weighted by relative speed */
    double work;
    struct coloc_pair *pairs; /* sorted by usage, then by beside */
    size_t n_pairs, cap_pairs;
};

/* Starts with no job on any GPU. The cluster must outlive `coloc`. */
void coloc_init(struct coloc *coloc, const struct cluster *cluster,
                uint32_t n_jobs);
void coloc_fini(struct coloc *coloc); /* accepts all zeroes */
struct ledger_reader coloc_reader(struct coloc *coloc);
/* Call it when the run is over. Attempts that still run are counted until
 * `end`. */
void coloc_close(struct coloc *coloc, const struct ledger *ledger,
                 sim_time end);
/* Returns the GPU-microseconds of co-located jobs. */
gpu_time coloc_time(const struct coloc *coloc);

#endif
