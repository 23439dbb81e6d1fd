/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pollux' search for an allocation (OSDI 2021, section 4.2): NSGA-II (Deb et
 * al. 2002) over matrices of numbers of GPUs, by job and node. A child takes
 * the first jobs of one parent and the other jobs of a second, is changed at
 * random, and is then repaired, so that it is a possible allocation. A callback
 * of the caller computes the speed-up of a job.
 *
 * There are two objectives, so that the search does not converge too early:
 * the power mean of the speed-ups, by which the answer is chosen, and the
 * sum of the speed-ups divided by the number of GPUs of the nodes in use
 * (Pollux, section 4.3). */
#ifndef POLICIES_GENETIC_H
#define POLICIES_GENETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

/* Smallest value that a speed-up counts as in the power mean: that of a job
 * that gets no GPUs or makes no progress on its GPUs. */
#define GENETIC_NOTHING 1e-4

struct genetic_options {
    uint32_t population, generations;
    double power; /* exponent of the mean; 0: geometric mean */
    /* probability that a mutation gives a job the GPUs that it holds now */
    double reset;
    double change; /* probability that a mutation changes the GPUs of a job */
    /* for each node of a changed job: probability that the job leaves it */
    double drop;
};

struct genetic_problem {
    uint32_t n_jobs, n_nodes;
    /* by job, ascending: identifies the job in later searches */
    const uint64_t *key;
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

#endif
