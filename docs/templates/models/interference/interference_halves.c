/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that share GPUs get equal parts of them. */
#include "models/interference/interference.h"

static void halves_rates(const struct interference *model,
                         const struct job *const *jobs, size_t count,
                         double *rates)
{
    (void)model;
    (void)jobs;
    for (size_t i = 0; i < count; i++)
        rates[i] = 1.0 / (double)count;
}

const struct interference_ops interference_halves = {
    .name = "halves",
    .summary = "jobs that share GPUs get equal parts of them",
    .rates = halves_rates,
};
