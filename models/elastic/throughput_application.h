/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nominal run of a job of a known application defines the work of the job:
 * the time that the job would take on the GPUs and with the batch size that it
 * asks for, on the first GPU type of the cluster on which that is possible. If
 * it is possible on no type, the nominal run is on a single GPU (for a
 * pipeline, on one GPU per stage) with the initial batch size. Wherever the job
 * runs, the work of an epoch is that of the nominal run, which thus translates
 * between progress and work. */
#ifndef SIM_THROUGHPUT_APPLICATION_H
#define SIM_THROUGHPUT_APPLICATION_H

#include "base/state/cluster.h"
#include "models/elastic/applications.h"

/* A nominal run, which by definition has rate 1. */
struct nominal_run {
    const struct application *app;
    /* GPUs and total batch size that the job asks for; batch 0: it asks for
     * none, and the nominal run has local_min samples on each GPU */
    uint32_t gpus, batch;
    /* Work up to the end of each epoch, us: app->epochs + 1 elements, the first
     * is 0. */
    int64_t *ends;
};

/* What the cluster has of one GPU type, without profiler nodes. */
struct type_size {
    /* number of GPUs of the widest node; 0: there is no node */
    uint32_t node_gpus;
    uint32_t gpus; /* number of GPUs on all nodes */
};

struct nominal_runs {
    struct type_size *sizes; /* sizes by GPU type */
    uint32_t n_types;
    /* nominal runs that were asked for so far, owned */
    struct nominal_run **at;
    size_t n, cap;
};

/* Returns a placement of `gpus` GPUs on as few nodes as possible if all nodes
 * were as wide as the widest, size.node_gpus > 0. The result points to
 * `per_node`, which must have PLACEMENT_NODES_MAX elements. If more nodes are
 * needed, `nodes` says how many, and no model may be asked about it. */
struct placement placement_densest(struct type_size size, uint32_t gpus,
                                   uint32_t per_node[]);

#endif
