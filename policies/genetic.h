/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pollux's search for an allocation (OSDI 2021, section 4.2):
 * NSGA-II (Deb et al. 2002) over matrices of GPUs by job
 * and node. Children of two parents have the first jobs of one and the others
 * of the other, are changed at random and then repaired, so that each is a
 * possible allocation. What speed-up a job has of an allocation is the caller's
 * to say.
 *
 * Two objectives are kept apart, so that the search does not end too early: the
 * power mean of the speed-ups, by which the answer is chosen, and how much of
 * the GPUs of the nodes in use the speed-ups are worth (Pollux, section 4.3).
 */
#ifndef POLICIES_GENETIC_H
#define POLICIES_GENETIC_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdint.h>

/* What a job that gets no GPUs, or nothing out of them, counts as. */
#define GENETIC_NOTHING 1e-4

struct genetic_options {
    uint32_t population, generations;
    double power;  /* of the mean; 0: the geometric */
    double reset;  /* probability that a job goes back to what it holds */
    double change; /* probability that a job's GPUs are changed */
    double drop;   /* ... and, of such a job, that it leaves a node */
};

struct genetic_problem {
    uint32_t n_jobs, n_nodes;
    const uint64_t *key;       /* by job, rising: what it is known by later */
    const uint16_t *capacity;  /* by node: GPUs */
    const uint16_t *held;      /* by job, then node: GPUs that it holds now */
    const uint32_t *gpus_most; /* by job */
    const double *moved;       /* by job: factor on the speed-up if not as held,
                                  0 to 1 */
    /* Of a job on that many nodes and GPUs, both > 0: >= 0, pure. */
    double (*speedup)(void *context, uint32_t job, uint32_t nodes,
                      uint32_t gpus);
    void *context;
};

/* Keeps the last population, where the next search begins. Free with
 * genetic_free, which accepts NULL. */
struct genetic;
struct genetic *genetic_new(const struct genetic_options *options);
void genetic_free(struct genetic *genetic);

/* The best allocation found goes to `out`, by job, then node. In it no node
 * gives more than it has, no job gets more than it may, and no two jobs of
 * several nodes each share a node. It is never worse than what is held, if that
 * keeps these rules. Draws from `rng` only. */
void genetic_search(struct genetic *genetic,
                    const struct genetic_problem *problem, gsl_rng *rng,
                    uint16_t *out);

/* The power mean of the last answer. */
double genetic_value(const struct genetic *genetic);

#endif
