/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every co-located job slows the others down by the same factor: a job that
 * shares its GPUs with n others runs at rate 1 / slowdown^n. */
#include "models/interference/interference.h"

struct constant_config {
    double slowdown;
};

static const struct option constant_options[] = {
    OPT_DOUBLE(struct constant_config, slowdown, "slowdown", 1.2, 1, 100,
               "factor on the run time for each job on the same GPUs",
               "the constant of Horus (TPDS 2022)"),
    {0},
};

static void constant_rates(const struct interference *model,
                           const struct job *const *jobs, size_t count,
                           double *rates)
{
    const struct constant_config *c = model->config;
    double rate = 1.0;
    (void)jobs;
    for (size_t i = 1; i < count; i++)
        rate /= c->slowdown;
    for (size_t i = 0; i < count; i++)
        rates[i] = rate;
}

const struct interference_ops interference_constant = {
    .name = "constant",
    .summary = "a constant slowdown for each job on the same GPUs",
    .options = constant_options,
    .config_size = sizeof(struct constant_config),
    .rates = constant_rates,
};
