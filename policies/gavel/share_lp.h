/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linear program that all policies of this folder solve. Job j spends the
 * fraction x[j][p] of its time in pool p, where it works at rate[j][p]:
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

#include "base/error.h"

/* A loaded GLPK, needed for problems with two or more pools. It is loaded late,
 * because loading it would add 0.4 ms to the start of each command. */
struct share_solver;
/* Loads GLPK. Returns STATUS_FAILED if it is not installed. The caller frees
 * *out with share_solver_free, which accepts NULL. */
enum status share_solver_new(struct share_solver **out,
                             struct error *err) MUST_USE;
void share_solver_free(struct share_solver *solver);

struct share_lp {
    uint32_t n_jobs, n_pools;
    /* by job, then by pool; 0: the job cannot run there */
    const double *rate;
    const double *gpus;          /* by job: number of GPUs */
    const double *capacity;      /* by pool: number of GPUs */
    double *need;                /* by job: need[j] above, > 0 */
    double *x;                   /* by job, then by pool: the result */
    struct share_solver *solver; /* borrowed; unused if n_pools is 1 */
};

/* Returns the largest t, and fills in x. Returns 0 if some job can run in no
 * pool; x is then undefined. With one pool, t is computed in closed form,
 * otherwise by column generation (share_columns.c), or, if rounding prevents
 * that, by GLPK's primal simplex. The answer depends only on the input. */
double share_lp_solve(const struct share_lp *lp);

/* As share_lp_solve, but with several pools the answer is the vertex that
 * GLPK's primal simplex reaches from the slack basis. There jobs may get more
 * work than need[j] t. Returns 0 if GLPK fails, too; x is then undefined. */
double share_lp_vertex(const struct share_lp *lp);

/* True if the largest t is at least `t`. Stops as soon as that is known.
 * Overwrites lp->x, but leaves no solution there. */
bool share_lp_reaches(const struct share_lp *lp, double t);

#endif
