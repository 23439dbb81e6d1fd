/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one linear program of the fairness policies. Job j spends the fraction
 * x[j][p] of its time in pool p, where it works at rate[j][p]:
 *
 *     maximise t  subject to  sum_p rate[j][p] x[j][p] >= need[j] t
 *                             sum_p x[j][p] <= 1
 *                             sum_j gpus[j] x[j][p] <= capacity[p],  x >= 0
 *
 * The policies differ in `need`: an equal share (LAS), the work that is left
 * (makespan), the rate that a finish-time target requires (Themis). */
#ifndef POLICIES_SHARE_LP_H
#define POLICIES_SHARE_LP_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/error.h"

/* GLPK, which problems of two and more pools need. It is loaded when it is
 * first needed, because it would add 0.4 ms to the start of each command. */
struct share_solver;
/* The caller frees *out with share_solver_free, which accepts NULL. */
enum status share_solver_new(struct share_solver **out,
                             struct error *err) MUST_USE;
void share_solver_free(struct share_solver *solver);

struct share_lp {
    uint32_t n_jobs, n_pools;
    const double *rate;          /* by job, then pool; 0: cannot run there */
    const double *gpus;          /* by job */
    const double *capacity;      /* by pool, GPUs */
    double *need;                /* by job, > 0 */
    double *x;                   /* by job, then pool: filled in */
    struct share_solver *solver; /* borrowed; unused if n_pools is 1 */
};

/* Returns the largest t; 0 if some job can run in no pool. With one pool t is a
 * formula, otherwise the answer of GLPK's primal simplex from the slack basis,
 * which depends on nothing but its input. */
double share_lp_solve(const struct share_lp *lp);

/* Tells for several problems in turn, which differ only in their needs, whether
 * t can be reached. The simplex goes on from its last answer; x is not filled
 * in. The answers are those of share_lp_solve, which is called if the answer is
 * close. `lp` must live until share_search_free. */
struct share_search *share_search_new(const struct share_lp *lp);
void share_search_free(struct share_search *search);
bool share_search_reaches(struct share_search *search, double t);

#endif
