/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocation problems that were recorded of Sia's simulator
 * (shared/golden/sia/ilp), as problems for the solver. */
#ifndef TESTS_SUPPORT_ILP_H
#define TESTS_SUPPORT_ILP_H

#include "policies/choice.h"

struct ilp_round {
    struct choice_problem problem; /* its arrays are the set's */
    int64_t optimum;               /* hundredths */
    double relaxed;                /* optimum of the linear program, the same */
};

struct ilp_set {
    struct ilp_round *rounds;
    uint32_t n_rounds;
};

/* False where the file cannot be read as one. Free with ilp_free, which accepts
 * a set of zeroes. */
bool ilp_read(const char *path, struct ilp_set *out) MUST_USE;
void ilp_free(struct ilp_set *set);

#endif
