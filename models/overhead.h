/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What starting, stopping and failing cost. */
#ifndef MODELS_OVERHEAD_H
#define MODELS_OVERHEAD_H

#include "sim/base/option.h"
#include "sim/job.h"

struct overhead_ops {
    const char *name, *summary;
    const struct option *options;
    size_t config_size;
    /* GPU-holding time before work begins; `attempt` is 1 for the first. `own`
     * is what the job's application is known to need, -1 if nobody knows. */
    sim_span (*start)(const void *config, const struct job *job,
                      uint32_t attempt, sim_span own);
    /* Work that a preemption adds to what is left. */
    sim_span (*stop)(const void *config, const struct job *job);
    /* Work since the last checkpoint, lost by a failure after `done` work of
     * this attempt; <= done. */
    sim_span (*lost)(const void *config, const struct job *job, sim_span done);
};

struct overhead {
    const struct overhead_ops *ops;
    const void *config;
};

#endif
