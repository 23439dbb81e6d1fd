/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets nodes of a described cluster aside for profiling, and takes GPUs away
 * for a language model. For profiling whole nodes are taken, the last ones of a
 * virtual cluster and GPU type first, so that no node changes its number. */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "base/state/cluster.h"
#include "base/text.h"

/* What the user asked for, as N[:NAME[+NAME...]] or P%[:NAME...]. N is a number
 * of nodes, P a share of the nodes of the cluster. The named virtual clusters
 * or GPU types give one node each in turn. If none is named, each node comes
 * from the virtual cluster and GPU type that then has the most nodes. */
struct partition {
    uint32_t nodes;
    double percent; /* share of all nodes, 0..100, used if nodes is 0 */
    struct text names;
};

/* Returns STATUS_USAGE if the text is not a partition. out->names is a view
 * into the text, empty if it names none. */
enum status partition_parse(struct text text, struct partition *out,
                            struct error *err) MUST_USE;

bool partition_has_profilers(const struct cluster_spec *spec);

/* Returns the number of nodes asked for. A share above 0 is rounded up, to at
 * least one node. */
uint32_t partition_nodes(const struct partition *p,
                         const struct cluster_spec *spec);

/* Takes the nodes from the named virtual clusters and GPU types. For a GPU
 * type, the node comes from the virtual cluster that has the most nodes of that
 * type. Returns STATUS_USAGE if a name is unknown or has no node left. */
enum status partition_take_named(const struct partition *p,
                                 struct cluster_spec *spec, struct arena *arena,
                                 struct error *err) MUST_USE;

/* Takes up to `nodes` nodes. Each comes from the virtual cluster and GPU type
 * that then has the most nodes (the first in the description if equal), but a
 * virtual cluster keeps at least one node of each type. A node must have at
 * least `gpus` GPUs or, if no node that can be spared has that many, as many as
 * the widest of them; 0: any number. Returns the number of nodes taken. The
 * choice does not depend on the jobs, so that the parts of a trace run on the
 * same cluster. */
uint32_t partition_take_any(uint32_t nodes, uint32_t gpus,
                            struct cluster_spec *spec, struct arena *arena);

/* What partition_take_gpus has taken. */
struct partition_gpus {
    uint32_t gpus;  /* number of GPUs taken */
    uint32_t nodes; /* number of nodes that gave all their GPUs */
    uint32_t parts; /* number of nodes that gave some and kept others */
};
/* Takes GPUs away from nodes for jobs, for a language model that the cluster
 * serves. Goes node by node: each time to the last node of the virtual cluster
 * and GPU type that then has the most GPUs (the last in the description if
 * equal). `name`: the only virtual cluster or GPU type to take from; empty:
 * any. A node that keeps a GPU keeps its number; a node that keeps none leaves
 * the description, so that each node after it has a number lower by one. A
 * virtual cluster keeps at least one GPU of each type. Returns STATUS_USAGE if
 * the name is unknown, if not enough GPUs can be spared, or if a node that
 * would be taken whole is to leave or return in a planned change; the caller
 * puts the name of its option before the message. After an error the
 * description is changed in part. */
enum status partition_take_gpus(uint32_t gpus, struct text name,
                                struct cluster_spec *spec, struct arena *arena,
                                struct partition_gpus *out,
                                struct error *err) MUST_USE;

#endif
