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

/* The goodputs of a job, kept until its learner learns, and the GPUs that it
 * was given last, by node as Pollux sees them. Owns its arrays; all zeroes is
 * empty. */
struct pollux_job {
    double *goodput; /* by GPUs, then nodes; below 0: not computed yet */
    uint32_t most_gpus, most_nodes, version;
    uint16_t *row;
};

/* Frees the arrays and zeroes the rest. */
void pollux_job_fini(struct pollux_job *job);

/* The fair share of all jobs at one round. */
struct pollux_fair {
    uint32_t gpus;      /* per job, if all have equally many */
    uint32_t node_gpus; /* width of a node as Pollux sees it */
    uint32_t least;     /* GPUs of the type that has fewest */
    uint32_t n_nodes;
};

/* GPUs that the job may ask for: twice as many as it has run on. */
uint32_t pollux_gpus_most(const struct learner *learner,
                          const struct pollux_fair *fair);
/* Goodput over that with a fair share. For a job without a model the GPUs count
 * instead. */
double pollux_speedup(struct pollux_job *job, const struct learner *learner,
                      const struct pollux_fair *fair, uint32_t nodes,
                      uint32_t gpus);

/* A node as Pollux sees it: `gpus` GPUs of a real node, after `before` others
 * of that node. */
struct pollux_part {
    node_id node;
    uint16_t gpus, before;
};

struct pollux {
    const struct pollux_config *config;
    gsl_rng *rng;
    struct rounds rounds;
    uint32_t n_jobs, n_vcs;
    struct pollux_job *jobs;   /* by id */
    struct genetic **searches; /* by virtual cluster */
    struct pollux_part *parts; /* by virtual cluster */
    uint32_t *first;           /* index of its first part */
};

/* One virtual cluster at one round. */
struct pollux_round {
    const struct pollux *pollux;
    const struct view *view;
    struct plan *plan;
    uint16_t vc;
    const struct pollux_part *parts;
    uint32_t n_parts;
    const struct job **jobs; /* jobs that scale, by id */
    uint32_t n_jobs;
    struct pollux_fair fair;
};

/* Cuts the nodes of all virtual clusters into parts. */
void pollux_split_nodes(struct pollux *pollux, const struct cluster *c);
/* GPUs of a part, if a job holds `gpus` GPUs on the whole node. */
uint16_t pollux_in_part(const struct pollux_part *part, uint32_t gpus);
/* The GPUs that a job holds, by part: as the last round put them, if that still
 * holds. `row` is zeroed by the caller. */
void pollux_held(const struct pollux_round *round, const struct job *job,
                 uint16_t *row);
/* Starts the jobs, which were stopped before, as the rows say: each on GPUs of
 * one type. A job whose nodes stay the same keeps its GPUs, if it can. */
void pollux_carry_out(const struct pollux_round *round, uint16_t *rows);

#endif
