/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the multiple-choice solver (policies/sia/choice.h):
 * the problem without the options that the answer cannot contain, and prices.
 *
 * Once the GPUs of each type have a price, jobs no longer depend on each other:
 * each takes its cheapest option, price included. The sum of these costs, less
 * the price of all GPUs, is a lower bound on the cost (Lagrange). With the best
 * prices it equals the bound of the linear relaxation, because the choice of
 * one job is integral. */
#ifndef POLICIES_CHOICE_INTERNAL_H
#define POLICIES_CHOICE_INTERNAL_H

#include "policies/sia/choice.h"

/* Prices and bounds are whole multiples of 1/CHOICE_SCALE of a unit of cost, so
 * that bounds are exact. */
#define CHOICE_SCALE ((int64_t)1 << 20)

struct choice_option {
    uint32_t config;     /* index of the configuration, or CHOICE_NONE */
    uint32_t type, gpus; /* both 0 for CHOICE_NONE */
    int64_t cost;
};

/* The problem. The options of job j are option[start[j]] .. option[start[j + 1]
 * - 1], in the order in which the job prefers them. */
struct choice_core {
    uint32_t n_jobs, n_types;
    const uint32_t *capacity;
    uint32_t *start;
    struct choice_option *option;
};

struct choice_prices {
    int64_t *price; /* price of a GPU by type, scaled, >= 0 */
    int64_t bound;  /* lower bound on the cost of any answer, scaled */
    uint32_t steps; /* number of steps taken, the first basis included */
};

/* Returns the cost of an option including the price of its GPUs, scaled. */
static inline int64_t choice_value(const struct choice_prices *prices,
                                   const struct choice_option *option)
{
    return option->cost * CHOICE_SCALE +
           prices->price[option->type] * option->gpus;
}

/* Finds prices by column generation. The caller owns prices->price, which has
 * n_types elements. */
void choice_ascend(const struct choice_core *core,
                   struct choice_prices *prices);

enum choice_outcome { CHOICE_FOUND, CHOICE_NOTHING, CHOICE_TOO_LARGE };

struct choice_search {
    const struct choice_core *core;
    const struct choice_prices *prices;
    int64_t limit;       /* highest cost of an answer that is searched for */
    uint32_t max_labels; /* number of labels at which the search gives up */
    /* Results. picked and cost are set if an answer is found. picked: by job,
     * the index of its option; the caller provides the array. labels: number
     * of labels that all calls so far made. */
    uint32_t *picked;
    int64_t cost;
    uint64_t labels;
};

/* Finds the first of the cheapest answers by dynamic programming over the
 * numbers of GPUs in use. Returns CHOICE_NOTHING if no answer costs `limit` or
 * less, and CHOICE_TOO_LARGE if the search reaches max_labels or the numbers of
 * GPUs do not fit into 64 bits. */
enum choice_outcome choice_search(struct choice_search *search);

/* Finds any one of the cheapest answers by GLPK's branch and bound with cuts.
 * `only`: by job, the one option that the job may take; UINT32_MAX: any; NULL:
 * any for all jobs. If there is no answer, *cost is INT64_MAX and `picked` is
 * unchanged. Returns STATUS_FAILED if GLPK is not installed or gives up. */
enum status choice_branch(const struct choice_core *core, const uint32_t *only,
                          uint32_t *picked, int64_t *cost,
                          struct error *err) MUST_USE;

#endif
