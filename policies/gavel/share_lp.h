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
 * pool, or if GLPK fails; x is then undefined. With one pool, t is computed in
 * closed form. Otherwise it is the answer of GLPK's primal simplex from the
 * slack basis, which depends only on its input. */
double share_lp_solve(const struct share_lp *lp);

/* A search answers whether a given t can be reached, for several problems in
 * turn that differ only in lp->need, which the caller changes between the
 * calls. For many jobs the simplex goes on from its last answer. The answers
 * are those of share_lp_solve, which is called if the largest t is close to the
 * given one. A call may overwrite lp->x, but leaves no solution there. `lp` is
 * borrowed until share_search_free. */
struct share_search *share_search_new(const struct share_lp *lp);
void share_search_free(struct share_search *search);
bool share_search_reaches(struct share_search *search, double t);

#endif
