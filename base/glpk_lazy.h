/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads GLPK when the first linear program is solved, because loading it at
 * start would slow down every run that needs none. The code is in library.c. */
#ifndef POLICIES_GLPK_LAZY_H
#define POLICIES_GLPK_LAZY_H

#include <schedsim_features.h>
#ifdef SCHEDSIM_WITHOUT_GLPK
#include "base/absent/glpk_absent.h"
#else
#include <glpk.h>
#endif

#include "base/error.h"

/* The functions of GLPK that schedsim uses. The members of struct glpk and the
 * names to look up are made from this one list. */
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

/* Returns STATUS_FAILED if GLPK is not installed, lacks one of the functions,
 * or was left out of the build. A second call is cheap. Turns GLPK's output
 * off, because its cut generators ignore the message level. */
enum status glpk_load(struct glpk *out, struct error *err) MUST_USE;

#endif
