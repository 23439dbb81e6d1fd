/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts, preemptions and failures from which a job resumes cost no time and
 * lose no work. Tiresias' simulator assumes this, and some laws of tests/laws
 * hold exactly only with this model. */
#include "models/failures/overhead.h"

static sim_span none_start(const struct overhead *model, const struct job *job,
                           enum start_kind kind, sim_span own)
{
    (void)model;
    (void)job;
    (void)kind;
    (void)own;
    return 0;
}

static sim_span none_stop(const struct overhead *model, const struct job *job)
{
    (void)model;
    (void)job;
    return 0;
}

/* Returns a free checkpoint after each microsecond, so that a job that resumes
 * after a failure has lost nothing. */
static struct checkpoints none_checkpoints(const struct overhead *model,
                                           const struct job *job,
                                           uint32_t nodes, double rate)
{
    (void)model;
    (void)job;
    (void)nodes;
    (void)rate;
    return (struct checkpoints){.interval = 1};
}

const struct overhead_ops overhead_none = {
    .name = "none",
    .summary = "starts, preemptions and failures cost nothing",
    .start = none_start,
    .stop = none_stop,
    .checkpoints = none_checkpoints,
};
