/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two ways in which share_lp_solve solves a problem, so that unit tests can
 * compare them. Each fills in x and returns the largest t. */
#ifndef POLICIES_SHARE_LP_INTERNAL_H
#define POLICIES_SHARE_LP_INTERNAL_H

#include "policies/gavel/share_lp.h"

/* Solves by the formula; n_pools must be 1. */
double share_lp_one_pool(const struct share_lp *lp);
/* Solves by GLPK's simplex, for any number of pools. */
double share_lp_simplex(const struct share_lp *lp);

#endif
