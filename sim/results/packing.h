/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What packing jobs on shared GPUs achieved: figures of a run with a share
 * limit above 1, from the ledger and from coloc.h. The code is in sharing.c. */
#ifndef SIM_PACKING_H
#define SIM_PACKING_H

#include "sim/results/columns.h"
#include "sim/results/facts.h"

struct packing {
    const struct coloc *coloc; /* NULL: GPUs are not shared in this run */
    uint64_t attempts, shared_attempts, shared_jobs, refusals;
    /* `busy`: GPU time of GPUs with at least one holder. `held`: GPU time
     * summed over holders. */
    gpu_time busy, held;
};

/* ends with a NULL name */
extern const struct scalar packing_scalars[];
/* by enum speed_class; ends with a NULL name */
extern const struct column speed_columns[];
/* the columns of one pair; ends with a NULL name */
extern const struct column pair_columns[];

/* Fills *p. `held`: GPU time of the run summed over attempts,
 * GPU-microseconds. */
void packing_measure(struct packing *p, const struct results *results,
                     gpu_time held);

enum { PACKING_PAIRS = 32 };
/* Sets out[] to the pairs of models with the most GPU time, in descending
 * order; pairs with equal GPU time are ordered by `usage`, then by `beside`.
 * Returns the number of pairs, at most PACKING_PAIRS. The pairs are borrowed
 * from p->coloc, which must not be NULL. */
size_t packing_pairs(const struct packing *p,
                     const struct coloc_pair *out[PACKING_PAIRS]);

#endif
