/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of a real cluster, and how far the jobs of a trace are from
 * them. */
#ifndef TRACES_FIDELITY_DISTRIBUTIONS_H
#define TRACES_FIDELITY_DISTRIBUTIONS_H

#include "sim/base/arena.h"
#include "traces/fidelity/measures.h"

/* Points of a distribution. Named "run" or "run.SIZE" (of one size
 * class: 1, 2, 4, 8, 16, 32, 64, more; 4 is 3 to 4 GPUs): share[i] of the run
 * times are at most at[i] seconds. Named "hour" or "weekday" (Monday first) for
 * submissions, or "completion" for users by tenths of their completion rate:
 * share[i] of all, and `at` is not used. */
struct real_curve {
    const char *name;
    double *at, *share;
    size_t n;
};

/* Measures n > 0 jobs, which are sorted by submission: GPU time of a job,
 * shares of jobs and of GPU time by size class and by final state. */
void measure_margins(const struct fidelity_job *jobs, size_t n,
                     struct measures *out);

/* Adds the distance to each distribution whose measure belongs to `group`: of
 * run times the largest difference
 * of the shares (Kolmogorov and Smirnov), otherwise half of the sum of the
 * differences (total variation). NaN where the trace has too few jobs. */
void measure_distances(const struct fidelity_job *jobs, size_t n,
                       const struct real_curve *distributions,
                       size_t n_distributions, const char *group,
                       struct measures *out);

/* Returns the distributions of real jobs; size classes with few jobs are left
 * out. `arena` owns them; the number is *n. */
struct real_curve *distributions_of(const struct fidelity_job *jobs,
                                    size_t n_jobs, struct arena *arena,
                                    size_t *n);

#endif
