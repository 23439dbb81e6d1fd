/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each start holds the GPUs for the same time before work begins. */
#include "models/failures/overhead.h"

struct flat_config {
    sim_span start;
};

static const struct option flat_options[] = {
    OPT_SPAN(struct flat_config, start, "start_s", 30, 0, 86400,
             "GPU-holding time of a start", "assumed"),
    {0},
};

static sim_span flat_start(const struct overhead *model, const struct job *job,
                           enum start_kind kind, sim_span own)
{
    const struct flat_config *c = model->config;
    (void)job;
    (void)kind;
    (void)own;
    return c->start;
}

static sim_span flat_stop(const struct overhead *model, const struct job *job)
{
    (void)model;
    (void)job;
    return 0;
}

/* A checkpoint after each hour of work, at no cost. */
static struct checkpoints flat_checkpoints(const struct overhead *model,
                                           const struct job *job,
                                           uint32_t nodes, double rate)
{
    (void)model;
    (void)job;
    (void)nodes;
    (void)rate;
    return (struct checkpoints){.interval = SPAN_HOUR};
}

const struct overhead_ops overhead_flat = {
    .name = "flat",
    .summary = "the same for every start",
    .options = flat_options,
    .config_size = sizeof(struct flat_config),
    .start = flat_start,
    .stop = flat_stop,
    .checkpoints = flat_checkpoints,
};
