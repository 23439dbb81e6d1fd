/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by what_if_cluster.c, which changes the description of a cluster, and
 * what_if_find.c, which finds the nodes that a clause means. */
#ifndef SIM_WHAT_IF_INTERNAL_H
#define SIM_WHAT_IF_INTERNAL_H

#include "sim/run/what_if.h"

#define WHAT_IF_ANY UINT16_MAX

/* The description while it is changed. */
struct what_if_change {
    const struct what_if_clause *clause;
    uint16_t label; /* number of the clause, from 1 */
    bool as_one;
    struct arena *arena;
    struct cluster_spec *spec;
    struct node_group *groups;
    /* By group: the number that its first node has without --what-if;
     * WHAT_IF_NO_ORIGIN: it has none. */
    uint32_t *origins;
    size_t n, cap, cap_origins;
    /* virtual cluster, GPU type and GPUs per node of the nodes that the clause
     * means. vc or type WHAT_IF_ANY: all of them; gpus 0: any number */
    uint16_t vc, type;
    uint32_t gpus;
    /* the only rack whose nodes are meant; WHAT_IF_NO_RACK: any rack */
    uint32_t rack;
    uint64_t count; /* number of nodes that come or go */
    struct error *err;
};

#define WHAT_IF_NO_ORIGIN UINT32_MAX

/* Sets `vc`, `type` and `gpus` to what the clause names or to the only values
 * that it can mean. Adds the type of nodes that come to the description if the
 * type is new. Returns STATUS_USAGE if the clause is ambiguous, names what the
 * cluster lacks, contradicts the speed of a type, or adds one type too many. */
enum status what_if_find(struct what_if_change *change) MUST_USE;
/* True if the clause means the nodes of the group. False for profiler nodes and
 * for a group without nodes. */
bool what_if_means(const struct what_if_change *change,
                   const struct node_group *group);
/* Returns the product of the factors of the load that are in force at a time of
 * the trace. */
double what_if_factor_at(const struct what_if *what_if, sim_time at);
/* Makes the error "--what-if: 'CLAUSE': WHY". */
enum status what_if_refuse(const struct what_if_change *change,
                           const char *why) MUST_USE;

#endif
