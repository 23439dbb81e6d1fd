/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many jobs of each virtual cluster ask for each number of GPUs. */
#ifndef TRACES_SIZES_H
#define TRACES_SIZES_H

#include "traces/generate/calibration.h"

struct sizes {
    /* length of `gpus`; number of virtual clusters, at least 1 */
    size_t n, n_vcs;
    uint32_t *gpus; /* the numbers of GPUs that jobs ask for, ascending */
    /* [i * n_vcs + v]: number of jobs of virtual cluster v with gpus[i] GPUs */
    uint32_t *jobs;
    uint32_t *of_vc;  /* number of jobs of each virtual cluster */
    double *gpu_time; /* by virtual cluster: its share of the GPU time */
};

/* Shares n jobs among the virtual clusters and the numbers of GPUs that are at
 * most `gpus`. The jobs of a virtual cluster get only numbers of GPUs that its
 * published jobs ask for. The arena owns what *out holds. STATUS_USAGE if no
 * published job is small enough. */
enum status sizes_make(const struct calibration *calibration, uint32_t gpus,
                       uint32_t n, struct arena *arena, struct sizes *out,
                       struct error *err) MUST_USE;

#endif
