/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which virtual cluster large jobs come to. Counted in jobs, virtual clusters
 * have their published shares; their users also see what is free, and a job
 * that takes much is submitted where there is room for it. */
#ifndef TRACES_DEMAND_H
#define TRACES_DEMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "traces/calibration.h"

struct demand_end {
    double at;
    uint32_t node, gpus;
};

/* A virtual cluster in which jobs start one after the other as they came. */
struct demand_vc {
    double jobs;    /* share */
    double ready;   /* when the last one starts that came */
    uint32_t *free; /* by node */
    uint32_t n_nodes;
    struct demand_end *ends; /* heap, earliest first */
    size_t n, room;
};

struct demand {
    struct demand_vc *vcs;
    size_t n_vcs;
    uint32_t node;                /* GPUs */
    double mean_gpus, mean_gpu_s; /* of a job */
    double now;
};

/* `mean_gpu_s` parts the jobs that weigh much from those that do not. */
void demand_init(struct demand *out, const struct calibration *calibration,
                 double mean_gpus, double mean_gpu_s, struct arena *arena);
void demand_fini(struct demand *demand); /* accepts all zeroes */

/* Another share of the jobs comes to `vc`. */
void demand_share(struct demand *demand, size_t vc, double share);

/* Whether a job of so many GPUs could start in `vc`; true without virtual
 * clusters. */
bool demand_has_room(const struct demand *demand, size_t vc, uint32_t gpus);
void demand_advance(struct demand *demand, double seconds);
void demand_add(struct demand *demand, size_t vc, uint32_t gpus,
                double seconds);

/* How much likelier a job of so many GPUs, and of so much GPU time, comes to
 * `vc` now than the share of jobs says; 1 without virtual clusters. */
double demand_of_size(const struct demand *demand, size_t vc, uint32_t gpus);
double demand_of_time(const struct demand *demand, size_t vc, uint32_t gpus,
                      double seconds);

#endif
