/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/checkpoint.h"

#include <math.h>

const char *const checkpoint_laws[] = {"fixed", "young", "daly", "none", NULL};

/* The formulas of Young and Daly (checkpoint.h). All times are seconds; `write`
 * > 0, `mtbf` > 0. */
static double young(double write, double mtbf)
{
    return sqrt(2 * write * mtbf);
}

static double daly(double write, double mtbf)
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

/* Returns the time between two checkpoints of a job on `nodes` nodes by the
 * formula of Young or Daly, seconds. */
static double interval_of(const struct checkpoint_state *state,
                          const struct checkpoint_config *config,
                          uint32_t nodes)
{
    double write = span_seconds(config->write),
           mtbf = 1 / (state->rate * nodes);
    return config->law == CHECKPOINT_YOUNG ? young(write, mtbf)
                                           : daly(write, mtbf);
}

struct checkpoints checkpoint_of(const struct checkpoint_state *state,
                                 const struct checkpoint_config *config,
                                 uint32_t nodes, double rate)
{
    struct checkpoints c = {.interval = config->interval,
                            .write = config->write};
    if (config->law == CHECKPOINT_NONE || (!by_formula(config) && !c.interval))
        return (struct checkpoints){0};
    if (!by_formula(config) && rate == 1.0)
        /* return early, because converting to seconds and back would round */
        return c;
    double time = by_formula(config) ? interval_of(state, config, nodes)
                                     : span_seconds(config->interval);
    double work = fmin(fmax(time * rate, 1e-6), (double)SECONDS_MAX);
    c.interval = span_from_seconds(work);
    return c;
}
