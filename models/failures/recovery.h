/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovery rules: what happens to a job that failed. The rules are a chain, of
 * which each decides or passes the case to the layer below. Whether a retry
 * succeeds is part of the truth. */
#ifndef MODELS_RECOVERY_H
#define MODELS_RECOVERY_H

#include "sim/state/cluster.h"
#include "sim/state/plugin.h"

enum verdict {
    VERDICT_GIVE_UP, /* the job ends as failed */
    VERDICT_RESTART, /* the job runs again from its beginning */
    VERDICT_RESUME,  /* the job goes on from its last checkpoint */
};

struct failure {
    const struct job *job;
    sim_time at; /* when it failed */
    /* Failures of the job so far, this one included. Preemptions do not
     * count. */
    uint32_t failures;
    struct gpu_set where; /* the GPUs that it held when it failed */
};

struct ruling {
    enum verdict verdict;
    sim_span delay;    /* time until the job is pending again, >= 0 */
    bool cordon;       /* true: take the node out of the cluster */
    const char *cause; /* reason for the ledger; may be NULL */
};

struct recovery {
    PART_OF(recovery_ops);
    struct recovery *below; /* next layer; NULL at the bottom */
};

struct recovery_ops {
    PLUGIN_HEAD;
    /* Writes the ruling, or returns false to let the layer below decide. The
     * bottom layer always decides. */
    bool (*rule)(void *self, const struct recovery *below,
                 const struct failure *failure, struct ruling *out) MUST_USE;
};

#endif
