/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Co-located jobs run as fast as alone, so a run shows how much packing can
 * gain at best. */
#include "models/interference/interference.h"

static void none_rates(const struct interference *model,
                       const struct job *const *jobs, size_t count,
                       double *rates)
{
    (void)model;
    (void)jobs;
    for (size_t i = 0; i < count; i++)
        rates[i] = 1.0;
}

const struct interference_ops interference_none = {
    .name = "none",
    .summary = "jobs that share GPUs do not slow each other down",
    .rates = none_rates,
};
