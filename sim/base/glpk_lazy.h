/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads GLPK when the first program must be solved: loading it with the process
 * would slow down every run that needs none. */
#ifndef POLICIES_GLPK_LAZY_H
#define POLICIES_GLPK_LAZY_H

#include <glpk.h>

#include "sim/base/error.h"

/* The functions that are used, in one list from which they are declared, named
 * and looked up. */
#define GLPK_FUNCTIONS(X) \
    X(glp_add_cols) \
    X(glp_add_rows) \
    X(glp_create_prob) \
    X(glp_delete_prob) \
    X(glp_get_col_prim) \
    X(glp_get_obj_val) \
    X(glp_get_status) \
    X(glp_init_iocp) \
    X(glp_init_smcp) \
    X(glp_intopt) \
    X(glp_load_matrix) \
    X(glp_mip_col_val) \
    X(glp_mip_status) \
    X(glp_set_col_bnds) \
    X(glp_set_col_kind) \
    X(glp_set_mat_col) \
    X(glp_set_obj_coef) \
    X(glp_set_obj_dir) \
    X(glp_set_row_bnds) \
    X(glp_simplex) \
    X(glp_term_out)

struct glpk {
#define GLPK_MEMBER(name) __typeof__(name) *name;
    GLPK_FUNCTIONS(GLPK_MEMBER)
#undef GLPK_MEMBER
};

/* STATUS_FAILED: GLPK is not installed. A second call is cheap. Turns GLPK's
 * printing off, because its cuts ignore the level of messages. */
enum status glpk_load(struct glpk *out, struct error *err) MUST_USE;

#endif
