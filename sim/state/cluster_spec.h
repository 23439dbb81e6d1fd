/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a cluster, from which cluster_init builds it: GPU types,
 * virtual clusters, groups of equal nodes, planned changes of capacity. */
#ifndef SIM_CLUSTER_SPEC_H
#define SIM_CLUSTER_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/error.h"
#include "sim/base/units.h"

#define NODE_GPUS_MAX 64
#define CLUSTER_NODES_MAX 65535
#define CLUSTER_VCS_MAX 4096
#define CLUSTER_TYPES_MAX 64
#define TYPE_SPEED_MIN 1e-6
#define TYPE_SPEED_MAX 1e6

struct gpu_type_spec {
    const char *name; /* "A800" */
    double mem_mib;   /* per GPU; 0: not limited */
    double speed;     /* work per time of a rigid job, reference type = 1 */
    bool speed_known; /* the description states it; otherwise it is 1 */
};

struct node_group {
    uint32_t count; /* nodes */
    uint32_t gpus;  /* per node, 1..64 */
    uint16_t type;  /* index into types */
    uint16_t vc;    /* index into vcs */
    uint32_t rack;  /* nodes of one rack share a switch */
    bool profiler;  /* set aside for profiling: only plan_profile uses it */
};

/* Planned changes of capacity: a node leaves (its jobs stop, work kept) or
 * returns. */
struct capacity_change {
    sim_time at; /* on the run's clock */
    /* numbering of cluster_init */
    node_id node;
    bool up;
};

struct cluster_spec {
    const char *name;
    const char *source; /* where the numbers come from; NULL: from the user */
    const struct gpu_type_spec *types;
    const char *const *vcs;
    const struct node_group *groups;
    const struct capacity_change *changes; /* by time */
    size_t n_types, n_vcs, n_groups, n_changes;
};

/* Checks the numbers of types, virtual clusters, nodes and GPUs.
 * STATUS_BAD_INPUT names what is wrong. */
enum status cluster_spec_check(const struct cluster_spec *spec,
                               struct error *err) MUST_USE;

#endif
