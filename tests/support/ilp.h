/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocation problems that were recorded from Sia's simulator
 * (shared/golden/sia/ilp), in the form that the solver takes. */
#ifndef TESTS_SUPPORT_ILP_H
#define TESTS_SUPPORT_ILP_H

#include "policies/sia/sia_internal.h"

struct ilp_round {
    struct choice_problem problem; /* its arrays belong to the set */
    /* cost of the optimum of the integer program, in hundredths */
    int64_t optimum;
    double relaxed; /* the same for the linear relaxation */
};

struct ilp_set {
    struct ilp_round *rounds;
    uint32_t n_rounds;
};

/* Reads a set of problems. Returns false if the file cannot be read or has no
 * problem. The caller frees the set with ilp_free in both cases. ilp_free also
 * accepts a set of zeroes. */
bool ilp_read(const char *path, struct ilp_set *out) MUST_USE;
void ilp_free(struct ilp_set *set);

#endif
