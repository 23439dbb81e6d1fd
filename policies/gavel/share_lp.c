/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linear program that all policies of this folder solve. */
#include "policies/gavel/gavel_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/glpk_lazy.h"

struct share_solver {
    struct glpk glpk;
};

enum status share_solver_new(struct share_solver **out, struct error *err)
{
    struct share_solver *solver = mem_zalloc(1, sizeof *solver);
    enum status st = glpk_load(&solver->glpk, err);
    if (st == STATUS_OK)
        *out = solver;
    else
        free(solver);
    return st;
}

void share_solver_free(struct share_solver *solver)
{
    free(solver);
}

/* With one pool each job runs exactly at need x t, so t follows from the limit
 * that is reached first: the capacity of the pool or the time of one job. */
double share_lp_one_pool(const struct share_lp *lp)
{
    double used = 0, t = 1e300;
    for (uint32_t j = 0; j < lp->n_jobs; j++) {
        if (!(lp->rate[j] > 0))
            return 0;
        double time = lp->need[j] / lp->rate[j];
        used += lp->gpus[j] * time;
        if (1 / time < t)
            t = 1 / time;
    }
    if (used > 0 && lp->capacity[0] / used < t)
        t = lp->capacity[0] / used;
    for (uint32_t j = 0; j < lp->n_jobs; j++)
        lp->x[j] = t * lp->need[j] / lp->rate[j];
    return t;
}

/* The constraint matrix of the program, without its zeros, as GLPK takes it:
 * element i has row[i], column[i] and value[i], i from 1 to n. Its columns are
 * x by job and pool, then t. Its rows are the need of each job, the time of
 * each job, and the capacity of each pool. */
struct matrix {
    int *row, *column;
    double *value;
    int n;
};

static void lp_put(struct matrix *m, uint32_t row, uint32_t column,
                   double value)
{
    if (!(value > 0 || value < 0))
        return;
    m->n++; /* GLPK counts from 1 */
    m->row[m->n] = (int)row;
    m->column[m->n] = (int)column;
    m->value[m->n] = value;
}

static double largest_need(const struct share_lp *lp)
{
    double largest = 0;
    for (uint32_t j = 0; j < lp->n_jobs; j++)
        largest = lp->need[j] > largest ? lp->need[j] : largest;
    return largest;
}

static void lp_fill(const struct share_lp *lp, double scale, struct matrix *m)
{
    uint32_t jobs = lp->n_jobs, pools = lp->n_pools;
    for (uint32_t j = 0; j < jobs; j++) {
        for (uint32_t p = 0; p < pools; p++) {
            uint32_t column = 1 + j * pools + p;
            if (!(lp->rate[j * pools + p] > 0))
                continue; /* the bounds fix this x at 0 */
            lp_put(m, 1 + j, column, lp->rate[j * pools + p]);
            lp_put(m, 1 + jobs + j, column, 1);
            lp_put(m, 1 + 2 * jobs + p, column, lp->gpus[j]);
        }
        lp_put(m, 1 + j, 1 + jobs * pools, -lp->need[j] / scale);
    }
}

/* Sets the bounds and the objective. t is multiplied by `scale`. */
static void lp_bound(const struct share_lp *lp, double scale, glp_prob *prob)
{
    const struct glpk *glpk = &lp->solver->glpk;
    uint32_t jobs = lp->n_jobs, pools = lp->n_pools;
    glpk->glp_add_rows(prob, (int)(2 * jobs + pools));
    glpk->glp_add_cols(prob, (int)(jobs * pools + 1));
    for (uint32_t j = 0; j < jobs; j++) {
        glpk->glp_set_row_bnds(prob, (int)(1 + j), GLP_LO, 0, 0);
        glpk->glp_set_row_bnds(prob, (int)(1 + jobs + j), GLP_UP, 0, 1);
    }
    for (uint32_t p = 0; p < pools; p++)
        glpk->glp_set_row_bnds(prob, (int)(1 + 2 * jobs + p), GLP_UP, 0,
                               lp->capacity[p]);
    for (uint32_t i = 0; i < jobs * pools; i++)
        glpk->glp_set_col_bnds(prob, (int)(1 + i),
                               lp->rate[i] > 0 ? GLP_LO : GLP_FX, 0, 0);
    glpk->glp_set_col_bnds(prob, (int)(1 + jobs * pools),
                           lp->weight ? GLP_FX : GLP_LO, lp->weight ? scale : 0,
                           0);
    glpk->glp_set_obj_dir(prob, GLP_MAX);
    for (uint32_t i = 0; lp->weight && i < jobs * pools; i++)
        glpk->glp_set_obj_coef(prob, (int)(1 + i),
                               lp->weight[i / pools] * lp->rate[i]);
    glpk->glp_set_obj_coef(prob, (int)(1 + jobs * pools), lp->weight ? 0 : 1);
}

static glp_prob *make_problem(const struct share_lp *lp, double scale)
{
    const struct glpk *glpk = &lp->solver->glpk;
    size_t cells = (size_t)lp->n_jobs * lp->n_pools;
    size_t room = 1 + 3 * cells + lp->n_jobs;
    struct matrix m = {.row = mem_alloc(room * sizeof *m.row),
                       .column = mem_alloc(room * sizeof *m.column),
                       .value = mem_alloc(room * sizeof *m.value)};
    glp_prob *prob = glpk->glp_create_prob();
    lp_bound(lp, scale, prob);
    lp_fill(lp, scale, &m);
    glpk->glp_load_matrix(prob, m.n, m.row, m.column, m.value);
    free(m.row);
    free(m.column);
    free(m.value);
    return prob;
}

/* Solves from the current basis. Returns the objective; 0 if GLPK finds no
 * optimum. */
static double lp_solve(const struct glpk *glpk, glp_prob *prob)
{
    glp_smcp how;
    glpk->glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_PRIMAL;
    return glpk->glp_simplex(prob, &how) == 0 &&
                   glpk->glp_get_status(prob) == GLP_OPT
               ? glpk->glp_get_obj_val(prob)
               : 0;
}

double share_lp_simplex(const struct share_lp *lp)
{
    const struct glpk *glpk = &lp->solver->glpk;
    double scale = largest_need(lp);
    glp_prob *prob = make_problem(lp, scale);
    double t = lp_solve(glpk, prob) / (lp->weight ? 1 : scale);
    for (size_t i = 0; i < (size_t)lp->n_jobs * lp->n_pools; i++) {
        double x = glpk->glp_get_col_prim(prob, (int)(1 + i));
        lp->x[i] = x > 0 ? x : 0;
    }
    glpk->glp_delete_prob(prob);
    return t;
}

double share_lp_solve(const struct share_lp *lp)
{
    if (lp->n_pools == 1)
        return share_lp_one_pool(lp);
    double t = share_lp_columns(lp, INFINITY);
    return t >= 0 ? t : share_lp_simplex(lp);
}

bool share_lp_spend(const struct share_lp *lp)
{
    if (lp->n_pools == 1)
        return share_lp_one_pool(lp) >= 1;
    return share_lp_columns_weighted(lp) || share_lp_simplex(lp) > 0;
}

bool share_lp_reaches(const struct share_lp *lp, double t)
{
    if (lp->n_pools == 1)
        return share_lp_one_pool(lp) >= t;
    double found = share_lp_columns(lp, t);
    return (found >= 0 ? found : share_lp_simplex(lp)) >= t;
}
