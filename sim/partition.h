/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of a described cluster that are set aside for profiling. Whole nodes
 * are taken, the last ones of a virtual cluster and GPU type first, so that no
 * node changes its number. */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "sim/base/text.h"
#include "sim/cluster.h"

/* N[:VC[+VC...]]: nodes, and the virtual clusters that give one each in turn;
 * none named: whoever has most. */
struct partition {
    uint32_t nodes;
    struct text vcs;
};

/* STATUS_USAGE if the text is none. */
enum status partition_parse(struct text text, struct partition *out,
                            struct error *err) MUST_USE;

bool partition_has_profilers(const struct cluster_spec *spec);

/* Takes the nodes from the named virtual clusters. STATUS_USAGE if one is
 * unknown, has no node left or if the cluster has profiler nodes already. */
enum status partition_take_named(const struct partition *p,
                                 struct cluster_spec *spec, struct arena *arena,
                                 struct error *err) MUST_USE;

/* Takes up to `nodes` nodes, each from the virtual cluster and type that has
 * most nodes then (the first of them as described), but never the last one.
 * Returns how many were taken. What the jobs are does not matter: the same
 * cluster for every part of a trace. */
uint32_t partition_take_any(uint32_t nodes, struct cluster_spec *spec,
                            struct arena *arena);

#endif
