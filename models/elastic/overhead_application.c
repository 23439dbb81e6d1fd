/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overhead of starts, measured for each application. After a start, a restart
 * or a change of shape, a job holds its GPUs for the restart time of its
 * application before it works; if the application is unknown, for `start_s`.
 * After a failure, `restart_s` is added. A job writes a checkpoint before it
 * gives up its GPUs, so a preemption loses no work. */
#include "models/failures/checkpoint.h"

struct application_config {
    sim_span start;
    struct checkpoint_config checkpoint;
    bool free_moves, profile_keeps;
};

static const struct option application_options[] = {
    OPT_SPAN(struct application_config, start, "start_s", 0, 0, 86400,
             "time for which an attempt holds its GPUs before work begins if "
             "the application of the job is unknown",
             "assumed: 0, as in the simulators used for comparison"),
    CHECKPOINT_OPTIONS(struct application_config),
    OVERHEAD_OPTIONS(struct application_config, free_moves, profile_keeps),
    {0},
};

static enum status application_init(void *self, const void *config,
                                    const struct run_env *env,
                                    struct error *err)
{
    const struct application_config *c = config;
    return checkpoint_init(self, &c->checkpoint, env, "overhead application",
                           err);
}

static sim_span application_start(const struct overhead *model,
                                  const struct job *job, enum start_kind kind,
                                  sim_span own)
{
    const struct application_config *c = model->config;
    (void)job;
    return (own >= 0 ? own : c->start) +
           (kind == START_RECOVERED ? c->checkpoint.restart : 0);
}

static sim_span application_stop(const struct overhead *model,
                                 const struct job *job)
{
    (void)model;
    (void)job;
    return 0;
}

static struct checkpoints application_checkpoints(const struct overhead *model,
                                                  const struct job *job,
                                                  uint32_t nodes, double rate)
{
    const struct application_config *c = model->config;
    (void)job;
    return checkpoint_of(model->self, &c->checkpoint, nodes, rate);
}

static bool application_moves_free(const void *config)
{
    return ((const struct application_config *)config)->free_moves;
}

static bool application_loses_profiled(const void *config)
{
    return !((const struct application_config *)config)->profile_keeps;
}

const struct overhead_ops overhead_application = {
    .name = "application",
    .summary = "the measured restart time of each application",
    .options = application_options,
    .config_size = sizeof(struct application_config),
    .state_size = sizeof(struct checkpoint_state),
    .init = application_init,
    .start = application_start,
    .stop = application_stop,
    .checkpoints = application_checkpoints,
    .moves_free = application_moves_free,
    .loses_profiled = application_loses_profiled,
};
