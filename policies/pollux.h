/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pollux (OSDI 2021; specs/sia.md 12.1) in its parts: pollux.c runs the rounds,
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

#endif
