/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of a real cluster, and how far the jobs of a trace are from
 * them. */
#ifndef TRACES_FIDELITY_DISTRIBUTIONS_H
#define TRACES_FIDELITY_DISTRIBUTIONS_H

#include "base/arena.h"
#include "traces/fidelity/measures.h"

/* Points of a distribution. With the name "run" or "run.SIZE" (of one size
 * class: 1, 2, 4, 8, 16, 32, 64, more; 4 is 3 to 4 GPUs), share[i] is the share
 * of run times of at most at[i] seconds. With the other names `at` is not used:
 * share[i] is the share of the submissions in hour i ("hour") or on day i,
 * Monday first ("weekday"), or the share of the users whose completion rate is
 * in tenth i of 0..1 ("completion"). */
struct real_curve {
    const char *name;
    double *at, *share;
    size_t n;
};

/* Adds figures of n > 0 jobs, which must be sorted by submission: the mean GPU
 * time of a job, shares of jobs and of GPU time by size class and by final
 * state. */
void measure_margins(const struct fidelity_job *jobs, size_t n,
                     struct measures *out);

/* Adds the distance to each distribution whose measure has a name that begins
 * with `group`. For run times, the distance is the largest difference of the
 * shares (Kolmogorov and Smirnov), otherwise half of the sum of the differences
 * (total variation). The distance is NaN if the trace lacks the data (a size
 * class has fewer than 500 jobs, or no job with a user has a known end), or if
 * the distribution has an unknown name or a wrong number of points. */
void measure_distances(const struct fidelity_job *jobs, size_t n,
                       const struct real_curve *distributions,
                       size_t n_distributions, const char *group,
                       struct measures *out);

/* Returns the distributions of real jobs, without size classes that have fewer
 * than 500 jobs and without completion rates that are unknown. `arena` owns
 * them. Sets *n to their number. */
struct real_curve *distributions_of(const struct fidelity_job *jobs,
                                    size_t n_jobs, struct arena *arena,
                                    size_t *n);

#endif
