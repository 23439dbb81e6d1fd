/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Believes the same run time of every job. */
#include "models/estimators/elapsed.h"

struct flat_config {
    sim_span run;
};

static const struct option flat_options[] = {
    OPT_SPAN(struct flat_config, run, "run_s", 3600, 1, 86400 * 365,
             "run time that is believed of each job", "assumed"),
    {0},
};

struct flat {
    const struct flat_config *config;
    struct elapsed elapsed;
};

static enum status flat_init(void *self, const void *config,
                             const struct run_env *env, struct error *err)
{
    struct flat *s = self;
    (void)err;
    s->config = config;
    elapsed_init(&s->elapsed, env);
    return STATUS_OK;
}

static void flat_observe(void *self, const struct event *event,
                         struct wakeups *wakeups)
{
    (void)wakeups;
    elapsed_observe(&((struct flat *)self)->elapsed, event);
}

static bool flat_remaining(void *self, const struct estimator *below,
                           const struct job *job, sim_time now,
                           struct belief *out)
{
    struct flat *s = self;
    (void)below;
    *out = elapsed_belief(&s->elapsed, job, now, s->config->run, SPAN_SECOND);
    out->source = "flat";
    return true;
}

const struct estimator_ops estimator_flat = {
    .name = "flat",
    .summary = "the same run time for every job",
    .options = flat_options,
    .config_size = sizeof(struct flat_config),
    .state_size = sizeof(struct flat),
    .init = flat_init,
    .observe = flat_observe,
    .remaining = flat_remaining,
};
