/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of Pollux (OSDI 2021): pollux.c runs the rounds, pollux_belief.c
 * says how fast a job is on a number of GPUs, genetic.c searches for an
 * allocation, and pollux_rows.c translates between the search and the
 * cluster. */
#ifndef POLICIES_POLLUX_INTERNAL_H
#define POLICIES_POLLUX_INTERNAL_H

#include "models/elastic/learner.h"
#include "policies/policy.h"
#include "policies/pollux/genetic.h"
#include "policies/rounds.h"

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
