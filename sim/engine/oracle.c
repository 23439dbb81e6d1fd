/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers with the true remaining time: no estimator can do better. */
#include "base/state/truth.h"
#include "models/estimators/estimator.h"

struct oracle {
    const struct truth_book *truth;
};

static enum status oracle_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    (void)config;
    (void)err;
    ((struct oracle *)self)->truth = env->truth;
    return STATUS_OK;
}

static bool oracle_remaining(void *self, const struct estimator *below,
                             const struct job *job, sim_time now,
                             struct belief *out)
{
    (void)below;
    const struct truth_book *truth = ((struct oracle *)self)->truth;
    *out = (struct belief){
        .mean = truth->remaining(truth, job->id, now),
        .source = "oracle",
        .steady_until = truth->steady_until(truth, job->id, now),
    };
    return true;
}

const struct estimator_ops estimator_oracle = {
    .name = "oracle",
    .summary = "the true remaining time, an upper bound on all estimators",
    .basis = BASIS_TRUTH,
    .state_size = sizeof(struct oracle),
    .init = oracle_init,
    .remaining = oracle_remaining,
};
