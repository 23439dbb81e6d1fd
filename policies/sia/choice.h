/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The multiple-choice problem of Sia (SOSP'23, section 3.4): each job takes one
 * configuration, some GPUs of one type, or none. The sum of the costs is
 * minimised, and no type gives more GPUs than it has.
 *
 *     minimise    sum of cost[job][chosen], none_cost for a job without one
 *     subject to  GPUs chosen of type t <= capacity[t]
 *                 forced jobs keep their current configuration
 *
 * The answer is always a proven optimum, and always the same one: of all optima
 * the first in the order of jobs, where a job prefers its current
 * configuration, then the lowest index, and none last. That order is defined on
 * answers, so neither the way of solving nor its limits can change the result.
 */
#ifndef POLICIES_CHOICE_H
#define POLICIES_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/error.h"

/* The cost of an option that is not on offer. Other costs are at most
 * CHOICE_COST_MAX in size, so that all sums are exact. */
#define CHOICE_NEVER INT32_MAX
#define CHOICE_COST_MAX 10000000
/* Stands for no configuration. */
#define CHOICE_NONE UINT32_MAX
/* Limit of labels if the caller gives none; a label takes 24 bytes. */
#define CHOICE_LABELS 2000000

struct choice_config {
    uint32_t type, gpus; /* gpus > 0 */
};

/* Costs are whole numbers: Sia's are hundredths. */
struct choice_problem {
    uint32_t n_jobs, n_configs, n_types;
    const struct choice_config *configs;
    const uint32_t *capacity; /* by type, GPUs */
    const int32_t *cost;      /* by job, then configuration */
    const uint32_t *current;  /* by job, or CHOICE_NONE; NULL: no job has one */
    /* by job; a forced job has a current one; may be NULL */
    const bool *forced;
    int32_t none_cost; /* CHOICE_NEVER: every job must get GPUs */
    /* limit of the search, then GLPK is asked; 0: CHOICE_LABELS */
    uint32_t max_labels;
};

struct choice_answer {
    /* by job, or CHOICE_NONE: owned by the caller, filled in */
    uint32_t *chosen;
    int64_t cost;
    double bound;      /* bound of the linear relaxation, by the prices found */
    uint64_t labels;   /* labels of the searches */
    uint32_t ascents;  /* steps taken to find the prices */
    uint32_t searches; /* searches, each with a higher limit on the cost */
    bool glpk;         /* GLPK was asked */
};

/* STATUS_BAD_INPUT says why there is no answer: forced jobs do not fit
 * together, there is no room for all jobs although all must get GPUs, or a cost
 * is out of range. STATUS_FAILED: GLPK was needed and is not installed, or gave
 * up. */
enum status choice_solve(const struct choice_problem *problem,
                         struct choice_answer *answer,
                         struct error *err) MUST_USE;

#endif
