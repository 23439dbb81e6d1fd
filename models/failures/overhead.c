/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/failures/overhead.h"

#include <math.h>

/* Starts, preemptions and failures from which a job resumes cost no time and
 * lose no work. Tiresias' simulator assumes this, and some laws of tests/laws
 * hold exactly only with this model. */

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

const char *const checkpoint_laws[] = {"fixed", "young", "daly", "none", NULL};

/* The formulas of Young and Daly (overhead.h). All times are seconds; `write`
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
static double overhead_interval_of(const struct checkpoint_state *state,
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
    double time = by_formula(config)
                      ? overhead_interval_of(state, config, nodes)
                      : span_seconds(config->interval);
    double work = fmin(fmax(time * rate, 1e-6), (double)SECONDS_MAX);
    c.interval = span_from_seconds(work);
    return c;
}

/* Fixed costs. By default a preemption costs what Helios measured for jobs with
 * as many GPUs (the simulator of Helios and Lucid's paper use these figures
 * too), and a checkpoint is written after each half hour of work. */

struct fixed_config {
    sim_span stop_1, stop_8, stop_more, start;
    struct checkpoint_config checkpoint;
    bool free_moves, profile_keeps, stop_loses;
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
    OPT_BOOL(struct fixed_config, stop_loses, "stop_loses", false,
             "a job that the policy stops also loses the work since its last "
             "checkpoint; false: it writes one when it is stopped",
             "GFS (ASPLOS'26), for spot jobs: true, checkpoint_s=3600, stops "
             "of 40, 40 and 60 s"),
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

static bool fixed_stop_loses(const void *config)
{
    return ((const struct fixed_config *)config)->stop_loses;
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
    .stop_loses = fixed_stop_loses,
    .loses_profiled = fixed_loses_profiled,
};
