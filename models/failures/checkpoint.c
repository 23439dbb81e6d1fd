/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/checkpoint.h"

#include <math.h>

const char *const checkpoint_laws[] = {"fixed", "young", "daly", "none", NULL};

double checkpoint_young(double write, double mtbf)
{
    return sqrt(2 * write * mtbf);
}

double checkpoint_daly(double write, double mtbf)
{
    if (write >= 2 * mtbf)
        return mtbf;
    return sqrt(2 * write * mtbf) *
               (1 + sqrt(write / (2 * mtbf)) / 3 + write / (18 * mtbf)) -
           write;
}

static bool by_formula(const struct checkpoint_config *config)
{
    return config->law == CHECKPOINT_YOUNG || config->law == CHECKPOINT_DALY;
}

enum status checkpoint_init(struct checkpoint_state *state,
                            const struct checkpoint_config *config,
                            const struct run_env *env, const char *owner,
                            struct error *err)
{
    state->rate = config->mtbf_days > 0 ? 1 / (config->mtbf_days * 86400)
                                        : env->fault_rate;
    if (!by_formula(config))
        return STATUS_OK;
    if (config->write <= 0)
        return error_set(err, STATUS_USAGE,
                         "%s: interval=%s needs write_s, the time to write a "
                         "checkpoint",
                         owner, checkpoint_laws[config->law]);
    if (!(state->rate > 0))
        return error_set(err, STATUS_USAGE,
                         "%s: interval=%s needs a rate of faults: "
                         "node_mtbf_days, or --faults with a model that tells "
                         "its rate",
                         owner, checkpoint_laws[config->law]);
    return STATUS_OK;
}

struct checkpoints checkpoint_of(const struct checkpoint_state *state,
                                 const struct checkpoint_config *config,
                                 uint32_t nodes)
{
    struct checkpoints c = {.interval = config->interval,
                            .write = config->write};
    if (config->law == CHECKPOINT_NONE)
        return (struct checkpoints){0};
    if (!by_formula(config))
        return c;
    double write = span_seconds(config->write);
    double mtbf = 1 / (state->rate * nodes);
    double interval = config->law == CHECKPOINT_YOUNG
                          ? checkpoint_young(write, mtbf)
                          : checkpoint_daly(write, mtbf);
    c.interval =
        span_from_seconds(fmin(fmax(interval, 1e-6), (double)SECONDS_MAX));
    return c;
}
