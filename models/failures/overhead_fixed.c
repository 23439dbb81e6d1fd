/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed costs. A preemption costs what Helios measured for jobs of that size;
 * Helios' simulator and Lucid's paper use the same figures. A checkpoint is
 * written after each half hour of work. */
#include "models/failures/overhead.h"

struct fixed_config {
    sim_span stop_1, stop_8, stop_more, start, checkpoint;
};

static const struct option fixed_options[] = {
    OPT_SPAN(struct fixed_config, stop_1, "stop_1_s", 7, 0, 86400,
             "time that a preemption adds to the work of a job with 1 GPU",
             "the SRTF simulator published with Helios (SC'21)"),
    OPT_SPAN(
        struct fixed_config, stop_8, "stop_8_s", 30, 0, 86400,
        "time that a preemption adds to the work of a job with 2 to 8 GPUs",
        "the SRTF simulator published with Helios (SC'21)"),
    OPT_SPAN(struct fixed_config, stop_more, "stop_more_s", 60, 0, 86400,
             "time that a preemption adds to the work of a job with more GPUs",
             "the SRTF simulator published with Helios (SC'21)"),
    OPT_SPAN(struct fixed_config, start, "start_s", 0, 0, 86400,
             "time for which an attempt holds its GPUs before work begins",
             "assumed: 0, as in the simulators that are compared with"),
    OPT_SPAN(struct fixed_config, checkpoint, "checkpoint_s", 1800, 0,
             SECONDS_MAX,
             "work between two checkpoints; 0: the job writes none",
             "Acme (NSDI'24): every 30 minutes"),
    {0},
};

static sim_span fixed_start(const void *config, const struct job *job,
                            uint32_t attempt, sim_span own)
{
    (void)job;
    (void)own;
    (void)attempt;
    return ((const struct fixed_config *)config)->start;
}

static sim_span fixed_stop(const void *config, const struct job *job)
{
    const struct fixed_config *c = config;
    if (job->gpus == 1)
        return c->stop_1;
    return job->gpus <= 8 ? c->stop_8 : c->stop_more;
}

static sim_span fixed_lost(const void *config, const struct job *job,
                           sim_span done)
{
    const struct fixed_config *c = config;
    (void)job;
    return c->checkpoint > 0 ? done % c->checkpoint : done;
}

const struct overhead_ops overhead_fixed = {
    .name = "fixed",
    .summary = "fixed costs by GPU count, checkpoints at a fixed interval",
    .options = fixed_options,
    .config_size = sizeof(struct fixed_config),
    .start = fixed_start,
    .stop = fixed_stop,
    .lost = fixed_lost,
};
