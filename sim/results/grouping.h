/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The groups of a summary: to which one a job belongs, and what each is
 * called. */
#ifndef SIM_GROUPING_H
#define SIM_GROUPING_H

#include "sim/results/summary.h"

/* Returns the number of the group of a job. `outcome` and `type`: as in its
 * facts; `type` is used for GROUP_TYPE only. */
static inline size_t grouping_of(const struct summary *summary,
                                 const struct job *job, unsigned outcome,
                                 unsigned type, enum grouping by)
{
    switch (by) {
    case GROUP_VC:
        return job->vc;
    case GROUP_GPUS:
        return gpu_class(job->gpus);
    case GROUP_TYPE:
        return type;
    case GROUP_USER:
        return summary->users.numbers[job->user];
    case GROUP_OUTCOME:
    case GROUPINGS:
        break;
    }
    return outcome;
}

#endif
