/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three ways in which share_lp_solve solves a problem, for it and for the
 * unit tests, which compare them. Each fills in x and returns the largest t. */
#ifndef POLICIES_SHARE_LP_INTERNAL_H
#define POLICIES_SHARE_LP_INTERNAL_H

#include "policies/gavel/share_lp.h"

/* Solves a problem with a single pool (n_pools is 1) in closed form. */
double share_lp_one_pool(const struct share_lp *lp);
/* Solves a problem with any number of pools by GLPK's simplex. */
double share_lp_simplex(const struct share_lp *lp);
/* Solves a problem with any number of pools by column generation. Stops as soon
 * as t is known to reach `enough`, or not to; INFINITY: at the largest t.
 * Returns less than 0 if rounding prevents an answer. */
double share_lp_columns(const struct share_lp *lp, double enough);

#endif
