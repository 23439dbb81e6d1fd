/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the multiple-choice solver (policies/sia/choice.h) share:
 * the problem without options that no answer contains, and the prices that
 * bound it.
 *
 * With a price for a GPU of each type the jobs separate: each takes its
 * cheapest option, price included. The total cost of that, less the value of
 * all GPUs, is a lower bound (Lagrange). With the best prices it is the bound
 * of the linear relaxation, because the choice of one job is integral. */
#ifndef POLICIES_CHOICE_INTERNAL_H
#define POLICIES_CHOICE_INTERNAL_H

#include "policies/sia/choice.h"

/* Prices and bounds are whole numbers of 1/CHOICE_SCALE of a unit of cost, so
 * that what they prove is exact. */
#define CHOICE_SCALE ((int64_t)1 << 20)

struct choice_option {
    uint32_t config;     /* or CHOICE_NONE */
    uint32_t type, gpus; /* 0, 0 if config is CHOICE_NONE */
    int64_t cost;
};

/* Options of job j: option[start[j]] up to, not including, option[start[j +
 * 1]], in the job's order of preference. */
struct choice_core {
    uint32_t n_jobs, n_types;
    const uint32_t *capacity;
    uint32_t *start;
    struct choice_option *option;
};

struct choice_prices {
    int64_t *price; /* by type, scaled, >= 0 */
    int64_t bound;  /* scaled: no answer costs less */
    uint32_t steps;
};

/* Cost and price of an option, scaled. */
static inline int64_t choice_value(const struct choice_prices *prices,
                                   const struct choice_option *option)
{
    return option->cost * CHOICE_SCALE +
           prices->price[option->type] * option->gpus;
}

/* Finds prices by column generation. prices->price is owned by the caller,
 * n_types long. */
void choice_ascend(const struct choice_core *core,
                   struct choice_prices *prices);

enum choice_outcome { CHOICE_FOUND, CHOICE_NOTHING, CHOICE_TOO_LARGE };

struct choice_search {
    const struct choice_core *core;
    const struct choice_prices *prices;
    int64_t limit;       /* answers that cost more are not searched for */
    uint32_t max_labels; /* more labels: CHOICE_TOO_LARGE */
    uint32_t *picked;    /* by job: index into core->option, filled in */
    int64_t cost;        /* cost of the answer found */
    uint64_t labels;     /* sum over the jobs */
};

/* Finds the first of the cheapest answers, by dynamic programming over the GPUs
 * in use. CHOICE_NOTHING: no answer costs at most `limit`. */
enum choice_outcome choice_search(struct choice_search *search);

/* Finds any cheapest answer by GLPK's branch and bound with cuts. `only` is by
 * job: UINT32_MAX, or the one option that the job may take. */
enum status choice_branch(const struct choice_core *core, const uint32_t *only,
                          uint32_t *picked, int64_t *cost,
                          struct error *err) MUST_USE;

#endif
