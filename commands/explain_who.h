/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who held the GPUs that a job could have used while it waited, and which jobs
 * in front kept it waiting. Costs a pass over all attempts a wait. */
#ifndef SIM_CLI_EXPLAIN_WHO_H
#define SIM_CLI_EXPLAIN_WHO_H

#include "commands/explain_waits.h"

enum { EXPLAIN_TOP = 3 };

/* A user or a job, and what it had of the GPUs or of the time. */
struct explain_share {
    uint32_t who;    /* user: symbol of verify_data.users; job: index */
    uint32_t n_jobs; /* user: number of jobs */
    uint64_t amount; /* GPU-us that it held, or us for which it blocked */
};

/* The largest first; n: how many are set; n_more: how many more there are. */
struct explain_top {
    struct explain_share at[EXPLAIN_TOP];
    uint32_t n, n_more;
};

struct explain_who {
    struct explain_top users; /* without jobs that name no user */
    struct explain_top jobs, blocks;
    uint64_t held;       /* GPU-us that all jobs held */
    uint32_t later_jobs; /* jobs submitted later that held such GPUs */
};

/* Finds who held GPUs of the virtual cluster of the job, of its type if it asks
 * for one, during the wait. */
void explain_who_of(const struct verify_data *data,
                    const struct explain_waits *waits,
                    const struct waiting *wait, const struct verify_job *job,
                    struct explain_who *out);
/* Finds the job that blocked a watched job longest, over all of its waits.
 * Returns NULL if none did. */
const struct verify_job *explain_who_blocked(const struct verify_data *data,
                                             const struct explain_waits *waits,
                                             const struct verify_job *job);

#endif
