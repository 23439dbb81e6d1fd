/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to the cluster and to the load that a user asks about: --what-if. The
 * text has clauses, separated by ';':
 *
 *   +25 nodes of A800 in vc3 from day 10    nodes that come on day 10
 *   -10 nodes in vc3 from day 5 until day 9 nodes that are away for four days
 *   +4 nodes of 8xH100@2.5 in vc3           a type that the cluster lacks
 *   x1.5 load from 2017-10-09               submissions come 1.5 times as fast
 *
 *   -10% nodes in vc3 from day 5            a tenth of them, at least one
 *   -1 rack from day 10                     the last rack
 *   lose rack 1 on day 10                   the nodes of rack 1
 *
 *   drain 4 nodes for 8h                    they take no more jobs
 *   -node gpu07,gpu08 until hour 6          these nodes
 *
 *   (+|-)(N|P%) nodes [of [GPUSx]TYPE[@SPEED]] [in VC] [TIMES]
 *   (-N racks | lose rack R) [in VC] [TIMES]
 *   -node NAME[,NAME...] [TIMES]
 *   xF load [TIMES]
 *   TIMES: [from WHEN] [until WHEN | for DURATION]
 *   WHEN: now, day D, hour H, a duration such as 36h, or a date (UTC)
 *
 * `lose` stands for '-', and `drain` too: jobs on a node that is lost stop when
 * it goes, and keep their work; on a node that drains they run to their end,
 * and no other job starts there. N GPUs are as many nodes as have them.
 *
 * Times count from now: the present in a run that begins from a state, else the
 * first submission, so that `day 0` is its instant. A clause without `from`
 * begins now. What `of` and `in` leave open must be unambiguous in the cluster.
 */
#ifndef SIM_WHAT_IF_H
#define SIM_WHAT_IF_H

#include "base/remarks.h"
#include "base/state/cluster_spec.h"
#include "base/text.h"
#include "traces/load.h"

#define WHAT_IF_NO_RACK UINT32_MAX

struct what_if_clause {
    struct text text; /* the clause as written */
    double percent;   /* share of the nodes meant that come or go; 0: `nodes` */
    uint32_t racks;   /* number of racks that go, the last ones; 0: none */
    /* the rack that goes, by its number; WHAT_IF_NO_RACK: none */
    uint32_t rack;
    /* nodes that come (> 0) or go (< 0); 0: a load clause. With `percent`,
     * `racks` or `rack` only the sign counts */
    int64_t nodes;
    double load;      /* factor of a load clause */
    uint32_t gpus;    /* number of GPUs of a node; 0: not stated */
    double speed;     /* speed of the GPU type; 0: not stated */
    bool counts_gpus; /* `nodes` counts GPUs */
    bool drains;      /* jobs of nodes that go run to their end */
    /* names of the nodes that go, separated by ','; empty: none are named */
    struct text names;
    struct text type, vc; /* names in the clause; empty: not named */
    sim_time from, until; /* on the clock of the run; TIME_NEVER: no end */
};

struct what_if {
    struct what_if_clause *clauses; /* in the arena */
    size_t n;
    sim_time now;     /* from which times count, on the clock of the run */
    bool has_present; /* `now` is the present of a state */
};

/* How times are read. */
struct what_if_clock {
    sim_time zero;   /* first submission, us since 1970 */
    sim_time now;    /* on the clock of the run */
    bool is_present; /* `now` is the present of a state */
};

/* Names of the nodes, in the order of the description of the cluster. n 0:
 * nodes have the numbers of results. */
struct node_names {
    const char *const *at;
    size_t n;
};

/* Parses the text. Returns STATUS_USAGE if a word is wrong, with its column
 * in the clause and the word that was expected, if `until` is not after `from`,
 * if loads that overlap multiply to less than 0.001, or if there are too many
 * clauses. */
enum status what_if_parse(const char *text, const struct what_if_clock *clock,
                          struct arena *arena, struct what_if *out,
                          struct error *err) MUST_USE;

/* Returns the product of the factors of the load that are in force at a time of
 * the trace. */
double what_if_factor_at(const struct what_if *what_if, sim_time at);

/* Changes the groups of nodes, and the numbers of the nodes in the planned
 * changes. `as_one`: the run ignores virtual clusters, so that no clause needs
 * to name one. Adds a remark on each clause, in a run that begins from a state
 * only on those by which nodes come. Returns STATUS_USAGE if a clause
 * is ambiguous, names what the cluster lacks (the message lists the names that
 * it has), takes more nodes than there are, contradicts the speed of a GPU
 * type, or adds a GPU type to a cluster that has 64. */
enum status what_if_nodes(const struct what_if *what_if, bool as_one,
                          struct node_names names, struct cluster_spec *spec,
                          struct arena *arena, struct remarks *remarks,
                          struct error *err) MUST_USE;
/* Adds the changes of capacity of nodes that come later or go for a time.
 * Called when the description has its last form. */
void what_if_changes(const struct what_if *what_if, struct cluster_spec *spec,
                     struct arena *arena);
/* Moves the submissions of the jobs. While submissions come F times as fast, F
 * seconds of the trace pass in one second, and all later submissions come
 * earlier by the time saved. */
void what_if_load(const struct what_if *what_if, struct jobset *jobset,
                  struct remarks *remarks);

struct state;

/* Every remark on a clause begins so. */
#define WHAT_IF_REMARK "what if: "

/* Adds a remark on each clause by which nodes of the state go: which nodes, and
 * what becomes of the jobs that run there. `spec` is what what_if_nodes made of
 * the cluster of the state. */
void what_if_tell(const struct what_if *what_if,
                  const struct cluster_spec *spec, const struct state *state,
                  struct remarks *remarks);

#endif
