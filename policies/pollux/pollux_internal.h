/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of Pollux (OSDI 2021): pollux.c runs the rounds, pollux_belief.c
 * says how fast a job is on a number of GPUs, genetic.c searches for an
 * allocation. */
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

/* The goodputs of a job, and the GPUs that it was given last. Owns its arrays;
 * all zeroes is empty. */
struct pollux_job {
    /* By GPUs, then nodes; below 0: not computed yet. Valid while the learner
     * has this version. */
    double *goodput;
    uint32_t most_gpus, most_nodes, version;
    uint16_t *row; /* GPUs by part of the virtual cluster; NULL: none yet */
};

/* Frees the arrays and zeroes the rest. */
void pollux_job_fini(struct pollux_job *job);

/* The fair share of one job in a round. */
struct pollux_fair {
    uint32_t gpus;      /* of each job, if all have equally many, >= 1 */
    uint32_t node_gpus; /* the option of this name */
    uint32_t least;     /* GPUs of the pool that has fewest */
    uint32_t n_nodes;   /* number of parts */
};

/* Returns how many GPUs the job may get: at most twice as many as it has run
 * on. */
uint32_t pollux_gpus_most(const struct learner *learner,
                          const struct pollux_fair *fair);
/* Returns the goodput over that of a fair share. For a job without a model,
 * GPUs count instead of goodput. */
double pollux_speedup(struct pollux_job *job, const struct learner *learner,
                      const struct pollux_fair *fair, uint32_t nodes,
                      uint32_t gpus);

/* A part of a node, which Pollux takes for a whole node. */
struct pollux_part {
    node_id node;
    uint16_t gpus;   /* of the part, <= node_gpus */
    uint16_t before; /* GPUs of the node in earlier parts */
};

struct pollux {
    const struct pollux_config *config;
    gsl_rng *rng;
    struct rounds rounds;
    uint32_t n_jobs, n_vcs;
    struct pollux_job *jobs;   /* by id */
    struct genetic **searches; /* by virtual cluster */
    struct pollux_part *parts; /* ordered by virtual cluster */
    uint32_t *first; /* by virtual cluster: its first part; then the end */
};

/* One virtual cluster at one round. */
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

/* Cuts the nodes of all virtual clusters into parts. */
void pollux_split_nodes(struct pollux *pollux, const struct cluster *c);
/* Returns how many GPUs of a part a job holds if it holds `gpus` of the node.
 */
uint16_t pollux_in_part(const struct pollux_part *part, uint32_t gpus);
/* Fills in the GPUs that a job holds, by part, divided as in the last round if
 * it still holds those. The caller zeroes `row`. */
void pollux_held(const struct pollux_round *round, const struct job *job,
                 uint16_t *row);
/* Starts the jobs, which were stopped before, as the rows say, each on GPUs of
 * one type. A job whose nodes do not change keeps its GPUs if it can. */
void pollux_carry_out(const struct pollux_round *round, uint16_t *rows);

#endif
