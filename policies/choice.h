/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The multiple-choice problem of Sia (SOSP'23, section 3.4): each job takes one
 * configuration, some GPUs of one type, or none; the sum of the costs is to be
 * least and no type gives more GPUs than it has.
 *
 *     minimise    sum of cost[job][chosen], none_cost where none is chosen
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

/* A cost that says: not on offer. Others are at most CHOICE_COST_MAX in size,
 * so that all sums are exact. */
#define CHOICE_NEVER INT32_MAX
#define CHOICE_COST_MAX 10000000
/* No configuration. */
#define CHOICE_NONE UINT32_MAX
/* Where no limit is given: 24 bytes each. */
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
    const uint32_t *current;  /* by job, or CHOICE_NONE; NULL: none has one */
    const bool *forced;  /* by job; such a job has a current one; or NULL */
    int32_t none_cost;   /* CHOICE_NEVER: every job must get GPUs */
    uint32_t max_labels; /* of the search before GLPK is asked;
                            0: CHOICE_LABELS */
};

struct choice_answer {
    uint32_t *chosen; /* by job, or CHOICE_NONE: the caller's, filled in */
    int64_t cost;
    double bound;      /* of the linear relaxation, by the prices found */
    uint64_t labels;   /* nodes of the search */
    uint32_t ascents;  /* steps of the prices */
    uint32_t searches; /* with a growing limit on the cost */
    bool glpk;         /* it was asked */
};

/* STATUS_BAD_INPUT says why there is no answer: forced jobs that do not fit
 * together, no room for all where all must get GPUs, a cost out of range.
 * STATUS_FAILED: GLPK was needed and is not there, or gave up. */
enum status choice_solve(const struct choice_problem *problem,
                         struct choice_answer *answer,
                         struct error *err) MUST_USE;

#endif
