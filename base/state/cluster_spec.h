/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a cluster, from which cluster_init builds it: GPU types,
 * virtual clusters, groups of equal nodes, planned changes of capacity. The
 * code is in cluster.c. */
#ifndef SIM_CLUSTER_SPEC_H
#define SIM_CLUSTER_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state/accounts.h"
#include "base/units.h"

struct quota_tree; /* policies/quota/quota.h */

#define NODE_GPUS_MAX 64
#define CLUSTER_NODES_MAX 65535
#define CLUSTER_VCS_MAX 4096
#define CLUSTER_TYPES_MAX 64
#define TYPE_SPEED_MIN 1e-6
#define TYPE_SPEED_MAX 1e6

struct gpu_type_spec {
    const char *name; /* name of the type, such as "A800" */
    double mem_mib;   /* memory of one GPU, MiB; 0: not limited */
    double speed;     /* work per time of a rigid job, TYPE_SPEED_MIN ..
                         TYPE_SPEED_MAX; 1 for the reference type */
    bool speed_known; /* true if the description states `speed`; otherwise
                         `speed` is 1 */
};

/* Nodes with an equal number of GPUs, GPU type, virtual cluster and rack. */
struct node_group {
    uint32_t count; /* number of nodes, 0 or more */
    uint32_t gpus;  /* number of GPUs of each node, 1..NODE_GPUS_MAX */
    uint16_t type;  /* index of cluster_spec.types */
    uint16_t vc;    /* index of cluster_spec.vcs */
    /* if cluster_spec.merged: the virtual cluster that the description names;
     * UINT16_MAX: none */
    uint16_t home;
    uint32_t row; /* if cluster_spec.merged: place in the description, from 0 */
    uint32_t rack;   /* number of the rack; nodes of one rack share a switch */
    uint32_t cpus;   /* CPUs of each node; 0: not limited */
    double mem_mib;  /* main memory of each node, MiB; 0: not limited */
    bool profiler;   /* true: set aside for profiling (plan_profile) */
    bool lends;      /* true: nodes for jobs, at first lent to the profiler */
    uint16_t clause; /* number, from 1, of the clause of --what-if by which the
                        nodes come and go; 0: none */
};

/* A planned change of capacity: a node leaves or returns. The jobs of a node
 * that leaves stop and keep their work; if it drains, they run to their end and
 * it leaves after the last of them. Each plan has a state of its own for
 * each node, in or out: a change to the state that the node has is without
 * effect, and a node that returns stays down while it is out by the other plan
 * or in repair. */
struct capacity_change {
    sim_time at;  /* time of the change, on the run's clock */
    node_id node; /* number that cluster_init gives the node */
    bool up;      /* true: the node returns */
    /* the plan that the change belongs to: the cluster file, --what-if, or the
     * state from which the run begins */
    enum capacity_plan { PLAN_OF_CLUSTER, PLAN_OF_WHAT_IF, PLAN_OF_STATE } plan;
    bool drains;
};

struct cluster_spec {
    const char *name;
    const char *source; /* where the numbers come from; NULL: from the user */
    const struct gpu_type_spec *types;
    const char *const *vcs;
    const struct node_group *groups;
    const struct capacity_change *changes; /* sorted by time */
    size_t n_types, n_vcs, n_groups, n_changes;
    struct accounts accounts;
    /* quotas of the virtual clusters; NULL: the description states none */
    const struct quota_tree *quotas;
    /* true: jobs of all virtual clusters run on all nodes; the groups then name
     * virtual cluster 0 */
    bool merged;
};

/* Returns the number that cluster_init will give the first node of a group:
 * nodes are numbered by virtual cluster, type, use, and place in the
 * description. */
node_id cluster_spec_number(const struct cluster_spec *spec, size_t group);

/* Return the CPUs, and the main memory in MiB, of all nodes; 0 if the
 * description does not limit those of some node. */
double cluster_spec_cpus(const struct cluster_spec *spec);
double cluster_spec_memory(const struct cluster_spec *spec);

#endif
