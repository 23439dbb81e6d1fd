/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions of the metrics: mean with its interval, percentiles,
 * maximum. */
#ifndef SIM_DISTRIBUTION_H
#define SIM_DISTRIBUTION_H

#include "sim/results/summary.h"
#include "sim/results/values.h"

/* Fills the distributions of a summary, over all jobs and by group, after the
 * sums are complete. Frees the arrays of `values` that only the distributions
 * over all jobs need. */
void distribution_describe(struct summary *summary, struct values *values);

#endif
