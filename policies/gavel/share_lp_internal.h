/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two ways in which share_lp_solve solves a problem. They are declared here
 * for the unit tests, which compare them. Each fills in x and returns the
 * largest t. */
#ifndef POLICIES_SHARE_LP_INTERNAL_H
#define POLICIES_SHARE_LP_INTERNAL_H

#include "policies/gavel/share_lp.h"

/* Solves a problem with a single pool (n_pools is 1) in closed form. */
double share_lp_one_pool(const struct share_lp *lp);
/* Solves a problem with any number of pools by GLPK's simplex. */
double share_lp_simplex(const struct share_lp *lp);

#endif
