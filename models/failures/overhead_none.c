/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts, preemptions and failures cost no time and lose no work. Tiresias'
 * simulator assumes so, and some laws of tests/laws hold exactly only then. */
#include "models/failures/overhead.h"

static sim_span none_start(const void *config, const struct job *job,
                           uint32_t attempt, sim_span own)
{
    (void)config;
    (void)job;
    (void)attempt;
    (void)own;
    return 0;
}

static sim_span none_stop(const void *config, const struct job *job)
{
    (void)config;
    (void)job;
    return 0;
}

static sim_span none_lost(const void *config, const struct job *job,
                          sim_span done)
{
    (void)config;
    (void)job;
    (void)done;
    return 0;
}

const struct overhead_ops overhead_none = {
    .name = "none",
    .summary = "starts, preemptions and failures cost nothing",
    .start = none_start,
    .stop = none_stop,
    .lost = none_lost,
};
