/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 95 % intervals of means over the jobs of one run. */
#ifndef SIM_INTERVAL_H
#define SIM_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* A 95 % interval. NaN: the values do not suffice for one. */
struct interval {
    double lo, hi;
};

/* quantile of the normal distribution at 97.5 % */
#define INTERVAL_Z 1.959963984540054

enum {
    INTERVAL_CELLS = 512, /* largest number of cells of equal size into which
                           * the values are cut */
    INTERVAL_CELLS_WIDE = 64, /* number of wide cells */
    INTERVAL_PARTS_EVEN = 12, /* with this many in use, they are even */
    INTERVAL_PARTS = 16,      /* number of parts whose sums are compared */
    INTERVAL_JOBS_MIN = 2 * INTERVAL_PARTS, /* fewest values of an interval */
    INTERVAL_STRETCHES_MIN = 4, /* fewest independent stretches of one */
    INTERVAL_FACTOR_MAX = 10,   /* largest ratio of an end to the mean */
};

/* Why values have no interval. */
enum interval_lack {
    INTERVAL_IS_THERE,
    INTERVAL_FEW_JOBS, /* fewer than INTERVAL_JOBS_MIN values */
    /* the values amount to fewer than INTERVAL_STRETCHES_MIN independent ones,
     * or leave the mean open by more than INTERVAL_FACTOR_MAX */
    INTERVAL_FEW_STRETCHES,
};
/* names in summary.json; NULL for INTERVAL_IS_THERE */
extern const char *const interval_lack_words[];

struct job_interval {
    struct interval interval;
    enum interval_lack lack;
};

/* Returns the 95 % interval of the mean of n values, one for each job, in the
 * order of submission. Waits of neighbours resemble each other, often over
 * thousands of jobs, so that n values say as much as a few independent ones:
 *
 * 1. The values are cut into at most INTERVAL_CELLS cells. The correlation r of
 *    neighbouring cells, with Kendall's correction r + (1 + 3 r) / cells
 *    (Biometrika 1954), is that of a first-order autoregression. The variance
 *    of the mean is then that of independent cells times (1 + r) / (1 - r), and
 *    the values amount to cells (1 - r) / (1 + r) independent stretches. The
 *    same is done with INTERVAL_CELLS_WIDE cells, and the larger variance
 *    counts: run times hide the likeness of waits in the JCT of narrow cells.
 * 2. If fewer than INTERVAL_PARTS_EVEN of INTERVAL_PARTS parts make up the
 *    sum, by (sum of |parts|)^2 / sum of parts^2, only these count as
 *    stretches.
 * 3. Half the width is the standard deviation of the mean times the quantile of
 *    Student's t for half as many degrees of freedom as stretches, or for one
 *    less than the parts that count. Half, because the variance has the
 *    relative variance 4 / stretches: r has the variance (1 - r^2) / cells
 *    (Bartlett 1946).
 * 4. If no value is negative and `are_signed` is false, the interval is taken
 *    of the logarithm of the mean (delta method), because means of waits are
 *    skewed; differences of two settings take it of the mean itself.
 *
 * Equal values have an interval without width. docs/statistics.md has its
 * coverage. The cost grows with n. */
struct job_interval interval_of_jobs(const double *values, size_t n,
                                     bool are_signed);

/* Sign test of n signed values, one for each job, in the order of submission:
 * cuts the jobs into INTERVAL_PARTS equal parts and returns -1 (1) if the mean
 * is below (above) 0 in most of them, by more than chance alone gives to either
 * side in 5 % of the cases (Dixon and Mood 1946); 0 otherwise. Parts whose mean
 * is 0 do not count. It tells the side of a difference where a rush leaves its
 * size open. */
int interval_side(const double *values, size_t n);

#endif
