/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with the demand that the trace gives: GPU utilisation, with random
 * errors if `noise` is set, and memory. For a job without one of these in the
 * trace, the options `util` and `mem_mib` stand in. The sharing class is that
 * of the job's usage row. This layer gives no run times. */
#include <gsl/gsl_randist.h>

#include "base/rng.h"
#include "models/estimators/estimator.h"
#include "models/usage/usage.h"

struct workload_config {
    double util, mem_mib, noise;
};

static const struct option workload_options[] = {
    OPT_DOUBLE(struct workload_config, util, "util", 52.32, 0, 100,
               "GPU utilisation of a job if the trace gives none, percent",
               "assumed: near 52.3, the mean of Philly (Jeon et al., ATC'19), "
               "which was not checked against the paper"),
    OPT_DOUBLE(struct workload_config, mem_mib, "mem_mib", 0, 0, 1e9,
               "memory of a job on each GPU if the trace gives none, MiB",
               "assumed: 0, which fits on every GPU"),
    OPT_DOUBLE(struct workload_config, noise, "noise", 0, 0, 10,
               "standard deviation of the relative error of utilisation",
               "assumed: 0, a perfect predictor"),
    {0},
};

struct workload_layer {
    const struct workload_config *config;
    const struct usage_table *usage;
    float *factor; /* by job: factor on its utilisation; NULL: no noise */
};

static enum status workload_init(void *self, const void *config,
                                 const struct run_env *env, struct error *err)
{
    struct workload_layer *s = self;
    (void)err;
    s->config = config;
    s->usage = env->usage;
    if (!(s->config->noise > 0))
        return STATUS_OK;
    s->factor = ARENA_ARRAY(env->arena, float, env->n_jobs);
    gsl_rng *rng = rng_open(env->seed, "workload");
    for (uint32_t i = 0; i < env->n_jobs; i++)
        s->factor[i] =
            (float)(1 + gsl_ran_gaussian_ziggurat(rng, s->config->noise));
    rng_free(rng);
    return STATUS_OK;
}

static bool workload_demand(void *self, const struct estimator *below,
                            const struct job *job, struct demand *out)
{
    const struct workload_layer *s = self;
    bool known = job->gpu_util != GPU_UTIL_UNKNOWN;
    double util = known ? job->gpu_util : s->config->util;
    (void)below;
    if (s->factor)
        util *= (double)s->factor[job->id];
    util = util < 0 ? 0 : util > 100 ? 100 : util;
    *out = (struct demand){
        .compute = util / 100,
        .mem_mib = job->mem_mib > 0 ? (double)job->mem_mib : s->config->mem_mib,
        .sharing =
            s->usage ? s->usage->rows[job->usage].sharing : SHARING_UNKNOWN,
        .assumed = !known,
        .source = known ? "profile" : "average",
    };
    return true;
}

const struct estimator_ops estimator_workload = {
    .name = "workload",
    .summary = "no run times; demand as the trace gives it",
    .options = workload_options,
    .config_size = sizeof(struct workload_config),
    .basis = BASIS_TRACE,
    .state_size = sizeof(struct workload_layer),
    .init = workload_init,
    .demand = workload_demand,
};
