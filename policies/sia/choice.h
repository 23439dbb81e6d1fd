/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The multiple-choice problem of Sia (SOSP'23, section 3.4). Each job takes one
 * configuration, which is a number of GPUs of one type, or none. The sum of the
 * costs is minimised, and no type gives more GPUs than it has.
 *
 *     minimise    sum of cost[job][chosen], none_cost for a job without one
 *     subject to  GPUs chosen of type t <= capacity[t]
 *                 forced jobs keep their current configuration
 *
 * The answer is always a proven optimum, and among several optima always the
 * same one: the first, if answers are compared job by job. A job prefers its
 * current configuration, then the configuration with the lowest index, and
 * having none last. Since the order is defined on answers, neither the way of
 * solving nor its limits change the result. */
#ifndef POLICIES_CHOICE_H
#define POLICIES_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* CHOICE_NEVER is the cost of a configuration that a job cannot have. All other
 * costs are within +-CHOICE_COST_MAX, so that sums are exact. */
#define CHOICE_NEVER INT32_MAX
#define CHOICE_COST_MAX 10000000
/* Stands for "no configuration". */
#define CHOICE_NONE UINT32_MAX
/* Default of max_labels. A label takes 24 bytes. */
#define CHOICE_LABELS 2000000

struct choice_config {
    uint32_t type, gpus; /* GPU type; number of GPUs, > 0 */
};

struct choice_problem {
    uint32_t n_jobs, n_configs, n_types;
    const struct choice_config *configs;
    const uint32_t *capacity; /* by type: number of GPUs */
    /* by job, then by configuration; may be CHOICE_NEVER */
    const int32_t *cost;
    /* By job: its current configuration or CHOICE_NONE. NULL: no job has
     * one. */
    const uint32_t *current;
    /* By job: true if the job must keep its current configuration. NULL: no job
     * must. */
    const bool *forced;
    int32_t none_cost; /* cost of a job without GPUs; may be CHOICE_NEVER */
    /* Number of labels at which the search gives up and GLPK solves the
     * problem; 0: CHOICE_LABELS. */
    uint32_t max_labels;
};

struct choice_answer {
    /* By job: its configuration or CHOICE_NONE. The caller owns and provides
     * the array. */
    uint32_t *chosen;
    int64_t cost;     /* sum of the costs */
    double bound;     /* lower bound on the cost, from the prices */
    uint64_t labels;  /* number of labels that all searches made */
    uint32_t ascents; /* number of steps taken to find the prices */
    /* number of searches, each with a higher limit on the cost */
    uint32_t searches;
    bool glpk; /* true if GLPK solved the problem */
};

/* Solves the problem. answer->chosen must be set before the call. Returns
 * STATUS_BAD_INPUT if no answer keeps the rules (forced jobs do not fit
 * together or may not have their configurations, or all jobs must get GPUs and
 * cannot) or if a cost is out of range. Returns STATUS_FAILED if GLPK is needed
 * but is not installed or gives up. */
enum status choice_solve(const struct choice_problem *problem,
                         struct choice_answer *answer,
                         struct error *err) MUST_USE;

#endif
