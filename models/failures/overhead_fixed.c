/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed costs. By default a preemption costs what Helios measured for jobs with
 * as many GPUs (the simulator of Helios and Lucid's paper use these figures
 * too), and a checkpoint is written after each half hour of work. */
#include "models/failures/checkpoint.h"

struct fixed_config {
    sim_span stop_1, stop_8, stop_more, start;
    struct checkpoint_config checkpoint;
    bool free_moves, profile_keeps;
};

static const struct option fixed_options[] = {
    OPT_SPAN(struct fixed_config, stop_1, "stop_1_s", 7, 0, 86400,
             "time that a preemption adds to the work of a job with 1 GPU",
             "the SRTF simulator published with Helios (SC'21)"),
    OPT_SPAN(
        struct fixed_config, stop_8, "stop_8_s", 30, 0, 86400,
        "time that a preemption adds to the work of a job with 2 to 8 GPUs",
        "the SRTF simulator published with Helios (SC'21)"),
    OPT_SPAN(struct fixed_config, stop_more, "stop_more_s", 60, 0, 86400,
             "time that a preemption adds to the work of a job with more than "
             "8 GPUs",
             "the SRTF simulator published with Helios (SC'21)"),
    OPT_SPAN(struct fixed_config, start, "start_s", 0, 0, 86400,
             "time for which an attempt holds its GPUs before work begins",
             "assumed: 0, as in the simulators used for comparison"),
    CHECKPOINT_OPTIONS(struct fixed_config),
    OVERHEAD_OPTIONS(struct fixed_config, free_moves, profile_keeps),
    {0},
};

static enum status fixed_init(void *self, const void *config,
                              const struct run_env *env, struct error *err)
{
    const struct fixed_config *c = config;
    return checkpoint_init(self, &c->checkpoint, env, "overhead fixed", err);
}

static sim_span fixed_start(const struct overhead *model, const struct job *job,
                            enum start_kind kind, sim_span own)
{
    const struct fixed_config *c = model->config;
    (void)job;
    (void)own;
    return c->start + (kind == START_RECOVERED ? c->checkpoint.restart : 0);
}

static sim_span fixed_stop(const struct overhead *model, const struct job *job)
{
    const struct fixed_config *c = model->config;
    if (job->gpus == 1)
        return c->stop_1;
    return job->gpus <= 8 ? c->stop_8 : c->stop_more;
}

static struct checkpoints fixed_checkpoints(const struct overhead *model,
                                            const struct job *job,
                                            uint32_t nodes, double rate)
{
    const struct fixed_config *c = model->config;
    (void)job;
    return checkpoint_of(model->self, &c->checkpoint, nodes, rate);
}

static bool fixed_moves_free(const void *config)
{
    return ((const struct fixed_config *)config)->free_moves;
}

static bool fixed_loses_profiled(const void *config)
{
    return !((const struct fixed_config *)config)->profile_keeps;
}

const struct overhead_ops overhead_fixed = {
    .name = "fixed",
    .summary = "fixed costs by GPU count, checkpoints at a fixed interval",
    .options = fixed_options,
    .config_size = sizeof(struct fixed_config),
    .state_size = sizeof(struct checkpoint_state),
    .init = fixed_init,
    .start = fixed_start,
    .stop = fixed_stop,
    .checkpoints = fixed_checkpoints,
    .moves_free = fixed_moves_free,
    .loses_profiled = fixed_loses_profiled,
};
