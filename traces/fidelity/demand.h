/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demand: the GPUs that jobs would hold if none of them waited. */
#ifndef TRACES_FIDELITY_DEMAND_H
#define TRACES_FIDELITY_DEMAND_H

#include "traces/fidelity/jobs.h"

struct gpu_demand {
    double mean, cv; /* mean (GPUs) and coefficient of variation from the first
                      * to the last submission; NaN if these are equal, and cv
                      * also if the mean is 0 */
    double peak;     /* largest demand, GPUs */
    double above;    /* share of the time from the first to the last submission
                      * with a demand above the capacity, 0..1; NaN if the two
                      * are equal */
    /* Largest GPU time that is demanded in any of the whole weeks counted from
     * the first submission, divided by the GPU time that the capacity offers in
     * a week. NaN if the trace is shorter than a week. */
    double worst_week;
};

/* Measures the demand of n > 0 jobs, which are sorted by submission.
 * `capacity`: GPUs, > 0. */
struct gpu_demand demand_of(const struct fidelity_job *jobs, size_t n,
                            double capacity);

#endif
