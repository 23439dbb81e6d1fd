/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of starting, stopping and failing. */
#ifndef MODELS_OVERHEAD_H
#define MODELS_OVERHEAD_H

#include "sim/state/plugin.h"

struct overhead_ops {
    PLUGIN_HEAD;
    /* Time for which GPUs are held before work begins; `attempt` is 1 for the
     * first. `own` is the time that the job's application is known to need, -1
     * if it is unknown. */
    sim_span (*start)(const void *config, const struct job *job,
                      uint32_t attempt, sim_span own);
    /* Work that a preemption adds to the work left. */
    sim_span (*stop)(const void *config, const struct job *job);
    /* Work since the last checkpoint that a failure loses after `done` work of
     * this attempt; <= done. */
    sim_span (*lost)(const void *config, const struct job *job, sim_span done);
};

struct overhead {
    PART_OF(overhead_ops);
};

#endif
