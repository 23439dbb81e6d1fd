/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overhead models: the time that starts, preemptions and failures cost. */
#ifndef MODELS_OVERHEAD_H
#define MODELS_OVERHEAD_H

#include "sim/state/plugin.h"

struct overhead_ops {
    PLUGIN_HEAD;
    /* Returns the time for which an attempt holds GPUs before work begins.
     * `attempt` counts from 1. `own` is the measured start time of the job's
     * application, -1 if none is known. */
    sim_span (*start)(const void *config, const struct job *job,
                      uint32_t attempt, sim_span own);
    /* Returns the work that a preemption adds to the work left, >= 0. */
    sim_span (*stop)(const void *config, const struct job *job);
    /* Returns the work that a failure loses if the attempt has done `done`
     * work: that since the last checkpoint, 0..done. */
    sim_span (*lost)(const void *config, const struct job *job, sim_span done);
};

struct overhead {
    PART_OF(overhead_ops);
};

#endif
