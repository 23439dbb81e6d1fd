/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of Pollux (OSDI 2021): pollux.c runs the rounds, pollux_belief.c
 * says how fast a job is on a number of GPUs, genetic.c searches for an
 * allocation, and pollux_rows.c translates between the search and the
 * cluster. */
#ifndef POLICIES_POLLUX_POLLUX_INTERNAL_H
#define POLICIES_POLLUX_POLLUX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "models/elastic/learner.h"
#include "policies/policy.h"
#include "policies/rounds.h"

/* == genetic.c: Pollux' search for an allocation (OSDI 2021, section 4.2):
 * NSGA-II (Deb et al. 2002) over matrices of numbers of GPUs, by job and node.
 * A child takes the first jobs of one parent and the other jobs of a second, is
 * changed at random, and is then repaired, so that it is a possible allocation.
 * A callback of the caller computes the speed-up of a job. As in the simulators
 * of Pollux and Sia, a change gives GPUs that nobody has, and the repair
 * prefers the jobs that come first in the caller's order.
 *
 * There are two objectives, so that the search does not converge too early:
 * the power mean of the speed-ups, by which the answer is chosen, and the
 * sum of the speed-ups divided by the number of GPUs of the nodes in use
 * (Pollux, section 4.3). */

/* Smallest value that a speed-up counts as in the power mean: that of a job
 * that gets no GPUs or makes no progress on its GPUs. */
#define GENETIC_NOTHING 1e-4

struct genetic_options {
    uint32_t population, generations;
    /* the search ends after this number of generations without a better
     * allocation, > 0 */
    uint32_t patience;
    double power; /* exponent of the mean; 0: geometric mean */
    /* probability that a mutation gives a job the GPUs that it holds now */
    double reset;
    double change; /* probability that a mutation takes a job off nodes */
    /* for each node of such a job: probability that the job leaves it */
    double drop;
};

struct genetic_problem {
    uint32_t n_jobs, n_nodes;
    /* by job, ascending: identifies the job in later searches */
    const uint64_t *key;
    /* a permutation of the jobs: where two cannot both keep GPUs, the earlier
     * one does */
    const uint32_t *order;
    /* by node: number of GPUs to share out, at most NODE_GPUS_MAX */
    const uint16_t *capacity;
    const uint16_t *held;      /* by job, then by node: number of GPUs held */
    const uint32_t *gpus_most; /* by job: largest number of GPUs allowed */
    /* By job: factor on the speed-up if the job does not keep the GPUs that it
     * holds, 0..1. */
    const double *moved;
    /* Returns the speed-up, >= 0, of a job on `gpus` GPUs of `nodes` nodes,
     * both > 0. The result must depend on the arguments only. */
    double (*speedup)(void *context, uint32_t job, uint32_t nodes,
                      uint32_t gpus);
    void *context;
};

/* A genetic search that keeps its last population; the next search begins from
 * it. `options` is borrowed until genetic_free, which accepts NULL. */
struct genetic;
struct genetic *genetic_new(const struct genetic_options *options);
void genetic_free(struct genetic *genetic);

/* Writes the best allocation found to `out`, by job, then by node. The
 * allocation keeps these rules: no node gives more GPUs than it has, no job
 * gets more than gpus_most, and no two jobs that span several nodes share a
 * node. Its power mean is never less than that of the current allocation, if
 * that keeps the rules. Random numbers come only from `rng`. */
void genetic_search(struct genetic *genetic,
                    const struct genetic_problem *problem,
                    struct rng_inline *rng, uint16_t *out);

/* Shared by the files of the genetic search
 * (policies/pollux/pollux_internal.h).
 *
 * Inside the search an allocation has a row for each job, and a row has
 * `stride` numbers, the number of nodes rounded up to a multiple of eight:
 * those beyond the last node are always 0. So rows are handled eight nodes at a
 * time, without a rest. */

/* Numbers of GPUs on eight nodes. None is above NODE_GPUS_MAX, so they are
 * compared as signed numbers, which all processors with SSE2 can do. */
typedef int16_t genetic_eight
    __attribute__((vector_size(16), aligned(2), may_alias));
enum { GENETIC_LANES = 8 };

/* A member of the population: an allocation with its two objectives, both
 * maximised, and its rank. */
struct genetic_member {
    uint16_t *gpus; /* by job, then by node: number of GPUs */
    double value;   /* objective: power mean of the speed-ups */
    /* objective: sum of the speed-ups divided by the number of GPUs of the
     * nodes in use */
    double use;
    /* digest of `gpus`, computed only if other members have the same value */
    uint64_t digest;
    bool has_digest;
    /* crowding distance: distance to its neighbours on its front */
    double room;
    uint32_t front; /* index of its front; 0: no member dominates it */
};

/* A problem, and the scratch memory of the search. */
struct genetic_work {
    const struct genetic_options *options;
    const struct genetic_problem *problem;
    struct rng_inline *rng;
    uint32_t stride, blocks; /* length of a row; eighths of it */
    /* problem->capacity and problem->held, in rows of this length */
    uint16_t *capacity, *held;
    uint16_t *left; /* by node: number of GPUs free after the last repair */
    uint32_t *free; /* room for a list of nodes */
    /* by node: all bits set if a job that spans several nodes uses it */
    uint16_t *taken;
    /* by job, after the last repair: where its speed-up is in the table */
    uint32_t *cell;
    /* By job, from at[job]: 0, then by number of GPUs, 1 and up, and of nodes,
     * 1 to width[job]: the speed-up if no GPUs move; NAN: not asked yet. */
    double *table;
    size_t *at;
    uint32_t *width;
    /* A draw below this number means that the event happens: options->reset and
     * change, of 2^16; options->drop, of 2^32. */
    uint64_t reset, change, drop;
};

/* Prepares a search for a problem. All arguments but `work` are borrowed until
 * genetic_work_fini. */
void genetic_work_init(struct genetic_work *work,
                       const struct genetic_options *options,
                       const struct genetic_problem *problem,
                       struct rng_inline *rng);
void genetic_work_fini(struct genetic_work *work);

/* Crosses two allocations at a random job: `first` gets the jobs of `a` before
 * that job and the jobs of `b` from it on, `second` the reverse. */
void genetic_cross(const struct genetic_work *work, const uint16_t *a,
                   const uint16_t *b, uint16_t *first, uint16_t *second);
/* Changes an allocation at random. The result may break rules. */
void genetic_mutate(const struct genetic_work *work, uint16_t *gpus);
/* Takes GPUs away until the allocation keeps all rules of genetic_search. Sets
 * work->left and work->cell. */
void genetic_repair(struct genetic_work *work, uint16_t *gpus);

/* Sorts members by front, and within a front by falling room, so that the
 * members to keep come first and the very first has the largest value. Members
 * with the same allocation as an earlier member go last. Returns the number of
 * members without these duplicates. n > 0. Ties are
 * decided by the allocations of the members alone. */
uint32_t genetic_rank(const struct genetic_work *work,
                      struct genetic_member *members, uint32_t n);

struct pollux_config {
    sim_span round, penalty;
    uint32_t node_gpus;
    struct genetic_options search;
};

/* The state of a job that is kept between rounds: its goodputs, and the GPUs
 * that it got last. Owns its arrays; all zeroes means empty. */
struct pollux_job {
    /* Goodput by number of GPUs, then by number of nodes; below 0: not computed
     * yet. Valid while the version of the learner is `version`. */
    double *goodput;
    uint32_t most_gpus, most_nodes, version;
    /* by part of a node of the virtual cluster: number of GPUs that the job got
     * last; NULL: it has got none yet */
    uint16_t *row;
};

/* Frees the arrays and zeroes the rest. */
void pollux_job_fini(struct pollux_job *job);

/* The numbers that define the fair share of a job in a round. */
struct pollux_fair {
    /* number of GPUs of each job if all get equally many, rounded up, >= 1 */
    uint32_t gpus;
    /* largest number of GPUs of a part of a node (option node_gpus) */
    uint32_t node_gpus;
    /* number of GPUs of the smallest pool that jobs may use */
    uint32_t least;
    uint32_t n_nodes; /* number of parts of nodes */
};

/* Returns the largest number of GPUs that the job may get, >= 1: twice the
 * largest number on which it has run so far (1 if it has no model yet), but no
 * more than fair->least and no more than its largest batch can feed. */
uint32_t pollux_gpus_most(const struct learner *learner,
                          const struct pollux_fair *fair);
/* Returns the goodput of the job divided by its goodput with a fair share. For
 * a job without a model, numbers of GPUs take the place of goodputs. 0 if the
 * goodput with a fair share is 0. */
double pollux_speedup(struct pollux_job *job, const struct learner *learner,
                      const struct pollux_fair *fair, uint32_t nodes,
                      uint32_t gpus);

/* A part of a node, which Pollux treats as a node of its own. */
struct pollux_part {
    node_id node;
    uint16_t gpus;   /* number of GPUs of the part, <= node_gpus */
    uint16_t before; /* number of GPUs of the node in earlier parts */
};

struct pollux {
    const struct pollux_config *config;
    struct rng_inline *rng;
    struct rounds rounds;
    uint32_t n_jobs, n_vcs;
    struct pollux_job *jobs;   /* state by job id */
    struct genetic **searches; /* searches by virtual cluster */
    /* parts of all nodes but profiler nodes, ordered by virtual cluster */
    struct pollux_part *parts;
    /* by virtual cluster: index of its first part; one more element: the number
     * of parts */
    uint32_t *first;
};

/* The problem of one virtual cluster in one round. */
struct pollux_round {
    const struct pollux *pollux;
    const struct view *view;
    struct plan *plan;
    uint16_t vc;
    const struct pollux_part *parts;
    uint32_t n_parts;
    const struct job **jobs; /* jobs that scale, ordered by id */
    uint32_t n_jobs;
    struct pollux_fair fair;
};

/* Cuts the nodes of all virtual clusters into parts; profiler nodes have
 * none. */
void pollux_split_nodes(struct pollux *pollux, const struct cluster *c);
/* Returns the number of GPUs that a job holds in the part, if it holds `gpus`
 * GPUs of the whole node. */
uint16_t pollux_in_part(const struct pollux_part *part, uint32_t gpus);
/* Fills in the numbers of GPUs that a job holds, by part; leaves the row as it
 * is if the job does not run. The GPUs are divided among parts as in the last
 * round if the job still holds as many on each node as then. The caller zeroes
 * `row`. */
void pollux_held(const struct pollux_round *round, const struct job *job,
                 uint16_t *row);
/* Reduces each row to GPUs of one type, keeps it for the next round, and starts
 * its job on as many GPUs of each node as the row has. The plan must have
 * stopped the running ones of these jobs before. A job that held as many
 * GPUs of each node as its row has keeps its GPUs if possible. */
void pollux_carry_out(const struct pollux_round *round, uint16_t *rows);

#endif
