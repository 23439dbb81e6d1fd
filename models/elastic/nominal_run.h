/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much work a job of a known application is: the time that it would take on
 * the GPUs and with the batch size that it asks for, on the first GPU type of
 * the cluster on which that is possible. If no type allows it, the time on a
 * single GPU (a pipeline: on as many as it has stages). The progress of an
 * epoch is the same amount of work on all GPUs; nominal_runs translate between
 * the two. */
#ifndef MODELS_NOMINAL_RUN_H
#define MODELS_NOMINAL_RUN_H

#include "models/elastic/applications.h"
#include "sim/state/cluster.h"

/* Defines rate 1: the work up to the end of each epoch, microseconds. */
struct nominal_run {
    const struct application *app;
    uint32_t gpus, batch;
    int64_t *ends; /* app->epochs + 1 of them, the first 0 */
};

/* GPUs of one type that jobs may have; node_gpus 0: there are none. */
struct type_size {
    uint32_t node_gpus; /* GPUs of the widest node */
    uint32_t gpus;
};

struct nominal_runs {
    struct type_size *sizes; /* by GPU type */
    uint32_t n_types;
    struct nominal_run **at;
    size_t n, cap;
};

void nominal_runs_init(struct nominal_runs *s, const struct cluster *cluster);
void nominal_runs_fini(struct nominal_runs *s); /* accepts all zeroes */

/* Owned by `s`; equal arguments give the same nominal_run. NULL: no GPU of this
 * cluster can run the application. */
const struct nominal_run *nominal_run_of(struct nominal_runs *s,
                                         const struct application *app,
                                         uint32_t gpus, uint32_t batch);
/* The epoch in which `done` work lies; the last one if all work is done. */
uint32_t nominal_run_epoch(const struct nominal_run *y, int64_t done);

/* `gpus` GPUs on as few nodes as the type allows; per_node has room for
 * PLACEMENT_NODES_MAX. */
struct placement placement_densest(struct type_size size, uint32_t gpus,
                                   uint32_t per_node[]);
/* The batch size that the GPUs can take that is nearest to a fixed total. */
struct batch nominal_batch(const struct application *app, uint8_t type,
                           struct placement p, double total);

#endif
