/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pollux (OSDI 2021) in its parts: pollux.c runs the rounds,
 * pollux_belief.c says what a job makes of so many GPUs, genetic.c looks for an
 * allocation. */
#ifndef POLICIES_POLLUX_H
#define POLICIES_POLLUX_H

#include "models/agent.h"
#include "policies/genetic.h"
#include "policies/policy.h"

struct pollux_config {
    sim_span round, penalty;
    uint32_t node_gpus;
    struct genetic_options search;
};

/* What is known of a job, kept until its agent learns; and the GPUs that it was
 * given last, by node as Pollux sees them. Owned; all zeroes is empty. */
struct pollux_job {
    double *goodput; /* by GPUs, then nodes; below 0: not asked yet */
    uint32_t most_gpus, most_nodes, version;
    uint16_t *row;
};

/* Forgets all. */
void pollux_job_fini(struct pollux_job *job);

/* Of all jobs at one round. */
struct pollux_fair {
    uint32_t gpus;      /* of each, if all had as many */
    uint32_t node_gpus; /* of a node as Pollux sees it */
    uint32_t least;     /* GPUs of the type that has fewest */
    uint32_t n_nodes;
};

/* GPUs that the job may ask for: twice as many as it has run on. */
uint32_t pollux_gpus_most(const struct agent *agent,
                          const struct pollux_fair *fair);
/* Goodput over that with a fair share. Without a model all GPUs are taken to
 * count. */
double pollux_speedup(struct pollux_job *job, const struct agent *agent,
                      const struct pollux_fair *fair, uint32_t nodes,
                      uint32_t gpus);

/* A node as Pollux sees it: `gpus` of a real one, behind `before` others. */
struct pollux_part {
    node_id node;
    uint16_t gpus, before;
};

struct pollux {
    const struct pollux_config *config;
    gsl_rng *rng;
    sim_time last; /* round */
    uint32_t n_jobs, n_vcs;
    struct pollux_job *jobs;   /* by id */
    struct genetic **searches; /* by virtual cluster */
    struct pollux_part *parts; /* by virtual cluster */
    uint32_t *first;           /* of its parts */
};

/* One virtual cluster at one round. */
struct pollux_round {
    const struct pollux *pollux;
    const struct view *view;
    struct plan *plan;
    uint16_t vc;
    const struct pollux_part *parts;
    uint32_t n_parts;
    const struct job **jobs; /* that scale, by id */
    uint32_t n_jobs;
    struct pollux_fair fair;
};

/* Cuts the nodes of all virtual clusters into parts. */
void pollux_split_nodes(struct pollux *pollux, const struct cluster *c);
/* GPUs of a part, of so many on the whole node. */
uint16_t pollux_in_part(const struct pollux_part *part, uint32_t gpus);
/* What a job holds by part, as the last round has put it if that is still so.
 * `row` is zeroed. */
void pollux_held(const struct pollux_round *round, const struct job *job,
                 uint16_t *row);
/* Starts the jobs, which were stopped, as the rows say: all on one type each.
 * Whose nodes stay the same keeps its GPUs, if it can. */
void pollux_carry_out(const struct pollux_round *round, uint16_t *rows);

#endif
