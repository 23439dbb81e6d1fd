/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time that each application was measured to need to start, restart or
 * change its shape. It writes a checkpoint before it gives up its GPUs, so a
 * stop loses nothing, and then holds the next GPUs for a while before it works.
 * Jobs of no known application start as the option says. */
#include "models/failures/overhead.h"

struct application_config {
    sim_span start, checkpoint;
};

static const struct option application_options[] = {
    OPT_SPAN(struct application_config, start, "start_s", 0, 0, 86400,
             "GPUs held before work begins, for jobs of no known application",
             "0: none of the reference simulators charges it"),
    OPT_SPAN(struct application_config, checkpoint, "checkpoint_s", 1800, 0,
             SECONDS_MAX, "work between checkpoints; 0: none are written",
             "Acme (NSDI'24): every 30 minutes"),
    {0},
};

static sim_span application_start(const void *config, const struct job *job,
                                  uint32_t attempt, sim_span own)
{
    (void)job;
    (void)attempt;
    return own >= 0 ? own : ((const struct application_config *)config)->start;
}

static sim_span application_stop(const void *config, const struct job *job)
{
    (void)config;
    (void)job;
    return 0;
}

static sim_span application_lost(const void *config, const struct job *job,
                                 sim_span done)
{
    const struct application_config *c = config;
    (void)job;
    return c->checkpoint > 0 ? done % c->checkpoint : done;
}

const struct overhead_ops overhead_application = {
    .name = "application",
    .summary = "the measured restart time of each application",
    .options = application_options,
    .config_size = sizeof(struct application_config),
    .start = application_start,
    .stop = application_stop,
    .lost = application_lost,
};
