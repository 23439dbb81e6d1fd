/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Solves the multiple-choice problem as an integer program with GLPK, for
 * problems whose search would grow too large. All of GLPK's cuts are on,
 * because without them GLPK takes ten times longer at a thousand GPUs. There is
 * no time limit, because the result would then depend on time. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/glpk_lazy.h"
#include "policies/sia/sia_internal.h"

/* Fills in the program. Its columns are the options. Its rows are the jobs,
 * each of which takes one option, and then the capacities of the types. */
static void branch_fill(const struct glpk *g, glp_prob *prob,
                        const struct choice_core *core, const uint32_t *only)
{
    uint32_t columns = core->start[core->n_jobs], jobs = core->n_jobs;
    size_t room = 2 * (size_t)columns + 1;
    int *row = mem_alloc(room * sizeof *row), n = 0;
    int *column = mem_alloc(room * sizeof *column);
    double *value = mem_alloc(room * sizeof *value);
    for (uint32_t j = 0; j < jobs; j++) {
        g->glp_set_row_bnds(prob, (int)j + 1, GLP_FX, 1, 1);
        for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++) {
            const struct choice_option *option = &core->option[o];
            bool barred = only && only[j] != UINT32_MAX && only[j] != o;
            g->glp_set_col_kind(prob, (int)o + 1, GLP_BV);
            if (barred)
                g->glp_set_col_bnds(prob, (int)o + 1, GLP_FX, 0, 0);
            g->glp_set_obj_coef(prob, (int)o + 1, (double)option->cost);
            row[++n] = (int)j + 1; /* GLPK counts from 1 */
            column[n] = (int)o + 1;
            value[n] = 1;
            if (option->gpus == 0)
                continue;
            row[++n] = (int)(jobs + option->type) + 1;
            column[n] = (int)o + 1;
            value[n] = option->gpus;
        }
    }
    for (uint32_t t = 0; t < core->n_types; t++)
        g->glp_set_row_bnds(prob, (int)(jobs + t) + 1, GLP_UP, 0,
                            core->capacity[t]);
    g->glp_load_matrix(prob, n, row, column, value);
    free(row);
    free(column);
    free(value);
}

/* Solves the program. Returns GLP_OPT, GLP_NOFEAS, or another status of GLPK if
 * it gave up. The presolver is off, because the cuts abort the process if the
 * presolver leaves no column. */
static int optimise(const struct glpk *g, glp_prob *prob)
{
    glp_smcp relaxed;
    glp_iocp how;
    g->glp_init_smcp(&relaxed);
    g->glp_init_iocp(&how);
    relaxed.msg_lev = how.msg_lev = GLP_MSG_OFF;
    how.gmi_cuts = how.mir_cuts = how.cov_cuts = how.clq_cuts = GLP_ON;
    how.tm_lim = INT_MAX; /* the largest value means no time limit */
    how.mip_gap = 0;
    if (g->glp_simplex(prob, &relaxed) != 0)
        return GLP_UNDEF;
    if (g->glp_get_status(prob) != GLP_OPT)
        return g->glp_get_status(prob) == GLP_NOFEAS ? GLP_NOFEAS : GLP_UNDEF;
    return g->glp_intopt(prob, &how) == 0 ? g->glp_mip_status(prob) : GLP_UNDEF;
}

enum status choice_branch(const struct choice_core *core, const uint32_t *only,
                          uint32_t *picked, int64_t *cost, struct error *err)
{
    struct glpk g;
    enum status st = glpk_load(&g, err);
    if (st != STATUS_OK)
        return st;
    *cost = INT64_MAX;
    if (core->n_jobs == 0) {
        *cost = 0;
        return STATUS_OK;
    }
    glp_prob *prob = g.glp_create_prob();
    g.glp_add_rows(prob, (int)(core->n_jobs + core->n_types));
    g.glp_add_cols(prob, (int)core->start[core->n_jobs]);
    branch_fill(&g, prob, core, only);
    int found = optimise(&g, prob);
    if (found == GLP_OPT) {
        *cost = 0;
        for (uint32_t j = 0; j < core->n_jobs; j++) {
            for (uint32_t o = core->start[j]; o < core->start[j + 1]; o++) {
                if (g.glp_mip_col_val(prob, (int)o + 1) > 0.5)
                    picked[j] = o;
            }
            *cost += core->option[picked[j]].cost;
        }
    } else if (found != GLP_NOFEAS) {
        st =
            error_set(err, STATUS_FAILED,
                      "GLPK gave up on an allocation of %u jobs", core->n_jobs);
    }
    g.glp_delete_prob(prob);
    return st;
}
