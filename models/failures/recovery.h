/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides what happens when a job fails: a chain of rules, each of which
 * decides or passes the case down. Whether a retry works is part of the
 * truth. */
#ifndef MODELS_RECOVERY_H
#define MODELS_RECOVERY_H

#include "sim/state/cluster.h"
#include "sim/state/plugin.h"

enum verdict {
    VERDICT_GIVE_UP, /* the job is failed for good            */
    VERDICT_RESTART, /* from the beginning                    */
    VERDICT_RESUME,  /* from the last checkpoint              */
};

struct failure {
    const struct job *job;
    sim_time at;
    /* failures of the job so far, this one included; preemptions do not
     * count */
    uint32_t failures;
    int exit_code;
    const char *log_tail; /* evidence, never the truth; may be "" */
    struct gpu_set where;
};

struct ruling {
    enum verdict verdict;
    sim_span delay;    /* before the job is pending again     */
    bool cordon;       /* take the node out of the cluster    */
    const char *cause; /* written to the ledger               */
};

struct recovery {
    PART_OF(recovery_ops);
    struct recovery *below; /* NULL at the bottom */
};

struct recovery_ops {
    PLUGIN_HEAD;
    /* Decides, or returns false to let the layer below decide. The bottom layer
     * always decides. */
    bool (*rule)(void *self, const struct recovery *below,
                 const struct failure *failure, struct ruling *out) MUST_USE;
};

#endif
