/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nominal run of a job of a known application defines how much work the job
 * is: the time that it would take on the GPUs and with the batch size that it
 * asks for, on the first GPU type of the cluster on which that is possible. If
 * it is possible on none, the time on a single GPU (for a pipeline, on as many
 * as it has stages). An epoch is as much work on all GPUs, so a nominal run
 * translates between progress and work. */
#ifndef MODELS_NOMINAL_RUN_H
#define MODELS_NOMINAL_RUN_H

#include "models/elastic/applications.h"
#include "sim/state/cluster.h"

/* A run at rate 1. */
struct nominal_run {
    const struct application *app;
    uint32_t gpus, batch; /* asked for; batch 0: the initial batch size */
    /* Work up to the end of each epoch, microseconds: app->epochs + 1 of them,
     * the first 0. */
    int64_t *ends;
};

/* The GPUs of one type that jobs may have. */
struct type_size {
    uint32_t node_gpus; /* on the widest node; 0: there are none */
    uint32_t gpus;      /* in the cluster */
};

struct nominal_runs {
    struct type_size *sizes; /* by GPU type */
    uint32_t n_types;
    struct nominal_run **at; /* those that were asked for, owned */
    size_t n, cap;
};

void nominal_runs_init(struct nominal_runs *s, const struct cluster *cluster);
void nominal_runs_fini(struct nominal_runs *s); /* accepts all zeroes */

/* Returns the nominal run of a job, which `s` owns: one for equal arguments.
 * NULL if no GPU of the cluster can run the application. */
const struct nominal_run *nominal_run_of(struct nominal_runs *s,
                                         const struct application *app,
                                         uint32_t gpus, uint32_t batch);
/* Returns the epoch in which `done` work lies; the last one if all is done. */
uint32_t nominal_run_epoch(const struct nominal_run *y, int64_t done);

/* Returns a placement of `gpus` GPUs on as few nodes as possible. `per_node`,
 * of PLACEMENT_NODES_MAX elements, becomes part of it. */
struct placement placement_densest(struct type_size size, uint32_t gpus,
                                   uint32_t per_node[]);
/* Returns the batch nearest to a total that the GPUs can take. */
struct batch nominal_batch(const struct application *app, uint8_t type,
                           struct placement p, double total);

#endif
