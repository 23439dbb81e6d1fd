/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of a described cluster that are set aside for profiling. Whole nodes
 * are taken, the last ones of a virtual cluster and GPU type first, so that no
 * node changes its number. */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "sim/base/text.h"
#include "sim/cluster.h"

/* N[:NAME[+NAME...]] or P%[:NAME...]: nodes, as a number or as a share of the
 * cluster's, and the virtual clusters or GPU types that give one each in turn;
 * none named: whoever has most. */
struct partition {
    uint32_t nodes;
    double percent; /* of the cluster's nodes, 0..100, in place of `nodes` */
    struct text names;
};

/* STATUS_USAGE if the text is none. */
enum status partition_parse(struct text text, struct partition *out,
                            struct error *err) MUST_USE;

bool partition_has_profilers(const struct cluster_spec *spec);

/* How many nodes are asked for: a share is rounded up, and is at least one node
 * unless it is 0. */
uint32_t partition_nodes(const struct partition *p,
                         const struct cluster_spec *spec);

/* Takes the nodes from the named virtual clusters and GPU types; of a type,
 * from the virtual cluster that has most nodes of it. STATUS_USAGE if one is
 * unknown or has no node left. */
enum status partition_take_named(const struct partition *p,
                                 struct cluster_spec *spec, struct arena *arena,
                                 struct error *err) MUST_USE;

/* Takes up to `nodes` nodes, each from the virtual cluster and type that has
 * most nodes then (the first of them as described), but never the last one. A
 * node has at least `gpus` GPUs, or as many as any that can be spared; 0: it
 * does not matter. Returns how many were taken. What the jobs are does not
 * matter: the same cluster for every part of a trace. */
uint32_t partition_take_any(uint32_t nodes, uint32_t gpus,
                            struct cluster_spec *spec, struct arena *arena);

#endif
