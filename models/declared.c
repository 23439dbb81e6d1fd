/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the submitter wrote. A job that has run longer than declared is believed
 * to need `overrun_s` more, as an operator would say "any minute now". */
#include "models/estimator.h"

struct declared_config {
    sim_span overrun;
};

static const struct option declared_options[] = {
    OPT_SPAN(struct declared_config, overrun, "overrun_s", 60, 0, 86400,
             "believed rest of a job that outlives its declared time",
             "assumed"),
    {0},
};

struct declared {
    const struct declared_config *config;
    sim_time *started; /* by job: start of the attempt, or -1 */
    sim_span *ran;     /* by job: in ended attempts           */
};

static enum status declared_init(void *self, const void *config,
                                 const struct estimator_env *env,
                                 struct error *err)
{
    struct declared *s = self;
    (void)err;
    s->config = config;
    s->started = ARENA_ARRAY(env->arena, sim_time, env->n_jobs);
    s->ran = ARENA_ARRAY(env->arena, sim_span, env->n_jobs);
    for (uint32_t i = 0; i < env->n_jobs; i++)
        s->started[i] = -1;
    return STATUS_OK;
}

static void declared_observe(void *self, const struct event *event,
                             struct wakeups *wakeups)
{
    struct declared *s = self;
    (void)wakeups;
    if (!event->job)
        return;
    sim_time *started = &s->started[event->job->id];
    if (event->kind == EVENT_STARTED) {
        *started = event->at;
    } else if (*started >= 0 && event->job->state != JOB_RUNNING) {
        s->ran[event->job->id] += event->at - *started;
        *started = -1;
    }
}

static bool declared_remaining(void *self, const struct estimator *below,
                               const struct job *job, sim_time now,
                               struct belief *out)
{
    struct declared *s = self;
    (void)below;
    if (job->declared <= 0)
        return false;
    sim_span ran = s->ran[job->id];
    if (s->started[job->id] >= 0)
        ran += now - s->started[job->id];
    sim_span rest = job->declared - ran;
    *out = (struct belief){
        .mean = rest > 0 ? rest : s->config->overrun,
        .spread = -1,
        .source = "declared",
        .steady_until = rest > 0 ? now + rest : 0,
    };
    return true;
}

const struct estimator_ops estimator_declared = {
    .name = "declared",
    .summary = "what the submitter declared, less what has run",
    .options = declared_options,
    .config_size = sizeof(struct declared_config),
    .state_size = sizeof(struct declared),
    .init = declared_init,
    .observe = declared_observe,
    .remaining = declared_remaining,
};
