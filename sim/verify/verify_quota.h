/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jobs that wait under quotas as the stops of a run are replayed. */
#ifndef SIM_VERIFY_QUOTA_H
#define SIM_VERIFY_QUOTA_H

#include "sim/verify/verify.h"

struct verify_quota_waits {
    const struct verify_data *data;
    const char *words; /* of priorities, from the lowest, separated by `+` */
    /* true: `--columns` may have left out the priorities, so any job may have
     * any other */
    bool any_priority;
    bool *waits;                    /* by job */
    struct quota_waits_heap *heaps; /* by virtual cluster */
};

void verify_quota_waits_init(struct verify_quota_waits *w,
                             const struct verify_data *data);
void verify_quota_waits_fini(struct verify_quota_waits *w);

/* A job waits from now on, which it may do already; or it does not. */
void verify_quota_waits_begin(struct verify_quota_waits *w, uint32_t job);
void verify_quota_waits_end(struct verify_quota_waits *w, uint32_t job);

/* True if a job waits in the virtual cluster of `asks` that may have `victim`
 * stopped by the rule. */
bool verify_quota_waits_allow(struct verify_quota_waits *w,
                              const struct verify_quota *asks,
                              enum verify_quota_rule rule, uint32_t victim);

#endif
