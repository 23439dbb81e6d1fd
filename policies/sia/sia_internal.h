/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of Sia (SOSP 2023): sia.c runs the rounds, sia_costs.c computes the
 * cost of each configuration for each job, policies/gangs.h finds the GPUs. */
#ifndef POLICIES_SIA_SIA_INTERNAL_H
#define POLICIES_SIA_SIA_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "policies/gangs.h"
#include "policies/policy.h"

/* == choice.c: The multiple-choice problem of Sia (SOSP'23, section 3.4). Each
 * job takes one configuration, which is a number of GPUs of one type, or none.
 * The sum of the costs is minimised, and no type gives more GPUs than it has.
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

/* Shared by the files of the multiple-choice solver
 * (policies/sia/sia_internal.h): the problem without the options that the
 * answer cannot contain, and prices.
 *
 * Once the GPUs of each type have a price, jobs no longer depend on each other:
 * each takes its cheapest option, price included. The sum of these costs, less
 * the price of all GPUs, is a lower bound on the cost (Lagrange). With the best
 * prices it equals the bound of the linear relaxation, because the choice of
 * one job is integral. */

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

struct sia_config {
    /* The option rows in sia.c describe these fields. */
    sim_span round, profile, penalty;
    double power, lambda;
    uint32_t gpus_most, labels;
    bool project, occupies;
    unsigned first; /* SIA_FIRST_TIE or SIA_FIRST_PROFILED */
};
enum { SIA_FIRST_TIE, SIA_FIRST_PROFILED };

/* The state of a job that is kept between rounds: its goodputs and its
 * profiling. */
struct sia_row {
    /* Goodput by common shape, for n_goodput shapes; the row owns the array.
     * Valid while the learner has the version `version` and the limit of GPUs
     * `limit`. */
    double *goodput;
    uint32_t n_goodput, version, limit;
    sim_time answered; /* time of the answer that the job waited for before its
                          profiling; 0: it waited for none */
    bool waits;        /* true while the job waits for this answer */
    /* number of pools on which profiling is done or not needed */
    uint32_t profiled;
    sim_time until; /* end of the profiling on the next pool; 0: not begun */
    /* true if the job has taken part in a round; used only with the option
     * profile_occupies */
    bool seen;
};

/* A shape, also called configuration: GPUs of one pool on a number of nodes. */
struct sia_shape {
    uint32_t pool; /* index in sia_round.pools */
    uint8_t type;
    uint32_t gpus, nodes;
};

/* The problem of one virtual cluster in one round. All arrays but rows and
 * pools live in the scratch of the plan. */
struct sia_round {
    const struct sia_config *config;
    const struct view *view;
    struct plan *plan;
    struct sia_row *rows;     /* state by job id */
    const struct pool *pools; /* pools of the virtual cluster */
    uint32_t n_pools;
    uint32_t gpus;           /* number of GPUs of the virtual cluster */
    const struct job **jobs; /* jobs of the round, ordered by id */
    uint32_t n_jobs;
    struct sia_shape *shapes;
    /* The first n_common shapes are for any job; the others are the sizes of
     * rigid jobs. */
    uint32_t n_shapes, n_common;
    /* by job: index of the shape that it holds; CHOICE_NONE: it holds none that
     * is on offer */
    uint32_t *current;
    int32_t *cost; /* by job, then by shape: hundredths, or CHOICE_NEVER */
};

/* The hook `never` of the policy. Returns why no shape ever suits a job that
 * scales, so that it can start in no round. Returns NULL if some shape suits,
 * or if the job does not scale. */
const char *sia_never(const void *self, const struct view *view,
                      const struct job *job);
/* Returns the index in sia_round.pools of the pool in which the job must be
 * profiled next, on one GPU; CHOICE_NONE if no profiling is left. */
uint32_t sia_profiles_on(const struct sia_round *round, const struct job *job);

/* Returns the factor, 0..1, on the goodput of a job that would restart now. The
 * factor assumes that the job keeps restarting as often as it has until now; it
 * is 1 until the job has been served for as long as a restart takes. All times
 * are in seconds. */
double sia_restart_factor(double age, double served, double restarts,
                          double penalty);
/* Returns utility^power in hundredths, for a power < 0; at most 300000, which
 * is also the cost of a utility of 0 or less. */
int32_t sia_cost(double utility, double power);

/* Fills in shapes, current and cost of a round. */
void sia_costs(struct sia_round *round);

#endif
