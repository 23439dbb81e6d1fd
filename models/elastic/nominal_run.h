/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nominal run of a job of a known application defines the work of the job:
 * the time that the job would take on the GPUs and with the batch size that it
 * asks for, on the first GPU type of the cluster on which that is possible. If
 * it is possible on no type, the nominal run is on a single GPU (for a
 * pipeline, on one GPU per stage). The work of an epoch does not depend on the
 * GPUs, so the nominal run translates between progress and work. */
#ifndef MODELS_NOMINAL_RUN_H
#define MODELS_NOMINAL_RUN_H

#include "models/elastic/applications.h"
#include "sim/state/cluster.h"

/* A nominal run, which by definition has rate 1. */
struct nominal_run {
    const struct application *app;
    /* GPUs and total batch size that the job asks for; batch 0: initial size */
    uint32_t gpus, batch;
    /* Work up to the end of each epoch, us: app->epochs + 1 elements, the first
     * is 0. */
    int64_t *ends;
};

/* Sizes of the cluster on one GPU type, which limit placements. */
struct type_size {
    /* number of GPUs of the widest node; 0: the cluster has no node of this
     * type */
    uint32_t node_gpus;
    uint32_t gpus; /* number of GPUs in the cluster */
};

struct nominal_runs {
    struct type_size *sizes; /* sizes by GPU type */
    uint32_t n_types;
    struct nominal_run **at; /* all nominal runs asked for so far, owned */
    size_t n, cap;
};

void nominal_runs_init(struct nominal_runs *s, const struct cluster *cluster);
void nominal_runs_fini(struct nominal_runs *s); /* accepts all zeroes */

/* Returns the nominal run of a job, or NULL if no GPU of the cluster can run
 * the application. `s` owns the result and returns the same one for equal
 * arguments. */
const struct nominal_run *nominal_run_of(struct nominal_runs *s,
                                         const struct application *app,
                                         uint32_t gpus, uint32_t batch);
/* Returns the number of the epoch that is reached after `done` work; the last
 * one if all work is done. */
uint32_t nominal_run_epoch(const struct nominal_run *y, int64_t done);

/* Returns a placement of `gpus` GPUs on as few nodes as possible. The result
 * points to `per_node`, which must have PLACEMENT_NODES_MAX elements. */
struct placement placement_densest(struct type_size size, uint32_t gpus,
                                   uint32_t per_node[]);
/* Returns the batch whose total is nearest to `total` among those that fit on
 * the GPUs. */
struct batch nominal_batch(const struct application *app, uint8_t type,
                           struct placement p, double total);

#endif
