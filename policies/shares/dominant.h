/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dominant shares (DRF: Ghodsi et al., NSDI 2011, sections 4.1 and 4.3): the
 * share of an owner is the largest of its shares of the resources, over its
 * weight. Who has the smallest share is served next. */
#ifndef POLICIES_SHARES_DOMINANT_H
#define POLICIES_SHARES_DOMINANT_H

#include <math.h>

enum dominant_resource {
    DOMINANT_GPUS,
    DOMINANT_CPUS,
    DOMINANT_MEMORY, /* main memory, MiB */
    DOMINANT_N,
};

struct dominant {
    double of[DOMINANT_N];
};

static inline void dominant_add(struct dominant *sum,
                                const struct dominant *more)
{
    for (int r = 0; r < DOMINANT_N; r++)
        sum->of[r] += more->of[r];
}

/* Returns the share of an owner that holds `used`. A resource of which the
 * cluster has 0 does not count. `weight`: > 0; 0: the share is infinite. */
static inline double dominant_share(const struct dominant *used,
                                    const struct dominant *capacity,
                                    double weight)
{
    double share = 0;
    for (int r = 0; r < DOMINANT_N; r++) {
        if (capacity->of[r] > 0)
            share = fmax(share, used->of[r] / capacity->of[r]);
    }
    return weight > 0 ? share / weight : (double)INFINITY;
}

#endif
