/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declares the part of GLPK that schedsim uses, so that a build without GLPK
 * compiles. */
#ifndef SIM_ABSENT_GLPK_H
#define SIM_ABSENT_GLPK_H

enum {
    GLP_MSG_OFF = 0,
    GLP_OFF = 0,
    GLP_ON = 1,
    GLP_UNDEF = 1,
    GLP_NOFEAS = 4,
    GLP_OPT = 5,
    GLP_MAX = 2,
    GLP_LO = 2,
    GLP_UP = 3,
    GLP_FX = 5,
    GLP_DB = 4,
    GLP_BV = 3,
    GLP_PRIMAL = 1,
    GLP_MIN = 1,
};

typedef struct glp_prob glp_prob;
typedef struct {
    int msg_lev, meth, presolve;
    double tol_bnd, tol_dj;
} glp_smcp;
typedef struct {
    int msg_lev, presolve, tm_lim;
    int gmi_cuts, mir_cuts, cov_cuts, clq_cuts;
    double tol_int, tol_obj, mip_gap;
} glp_iocp;

int glp_add_cols(glp_prob *prob, int n);
int glp_add_rows(glp_prob *prob, int n);
glp_prob *glp_create_prob(void);
void glp_delete_prob(glp_prob *prob);
double glp_get_col_prim(glp_prob *prob, int j);
double glp_get_obj_val(glp_prob *prob);
int glp_get_status(glp_prob *prob);
void glp_init_iocp(glp_iocp *how);
int glp_init_smcp(glp_smcp *how);
int glp_intopt(glp_prob *prob, const glp_iocp *how);
void glp_load_matrix(glp_prob *prob, int n, const int rows[],
                     const int columns[], const double values[]);
double glp_mip_col_val(glp_prob *prob, int j);
int glp_mip_status(glp_prob *prob);
void glp_set_col_bnds(glp_prob *prob, int j, int type, double lo, double hi);
void glp_set_col_kind(glp_prob *prob, int j, int kind);
void glp_set_mat_col(glp_prob *prob, int j, int n, const int rows[],
                     const double values[]);
void glp_set_obj_coef(glp_prob *prob, int j, double value);
void glp_set_obj_dir(glp_prob *prob, int direction);
void glp_set_row_bnds(glp_prob *prob, int i, int type, double lo, double hi);
int glp_simplex(glp_prob *prob, const glp_smcp *how);
int glp_term_out(int flag);

#endif
