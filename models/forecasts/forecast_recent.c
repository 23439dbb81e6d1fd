/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forecasts the mean of what was submitted in the last whole periods of 10
 * minutes. */
#include "models/forecasts/submissions.h"

struct recent_config {
    uint32_t periods;
};

static const struct option recent_options[] = {
    OPT_U32(struct recent_config, periods, "periods", 6, 1, 1000000,
            "number of periods of 10 minutes, the latest, in the mean",
            "assumed: 6, an hour"),
    {0},
};

struct recent {
    const struct recent_config *config;
    struct submissions submissions;
};

static enum status recent_init(void *self, const void *config,
                               const struct run_env *env, struct error *err)
{
    struct recent *s = self;
    (void)err;
    s->config = config;
    submissions_init(&s->submissions, env);
    return STATUS_OK;
}

static void recent_observe(void *self, const struct event *event)
{
    submissions_observe(&((struct recent *)self)->submissions, event);
}

static bool recent_expect(void *self, sim_time at, struct outlook *out)
{
    const struct recent *s = self;
    int64_t now = submissions_period(&s->submissions, at);
    int64_t from = now - (int64_t)s->config->periods;
    *out = (struct outlook){.until = at + FORECAST_PERIOD};
    if (s->submissions.n == 0 || now <= 0)
        return false;
    from = from < 0 ? 0 : from;
    *out = (struct outlook){
        .jobs = submissions_mean(&s->submissions, from, now, SUBMISSIONS_JOBS),
        .gpus = submissions_mean(&s->submissions, from, now, SUBMISSIONS_GPUS),
        .until = submissions_begin(&s->submissions, now + 1),
    };
    return true;
}

static void recent_fini(void *self)
{
    submissions_fini(&((struct recent *)self)->submissions);
}

const struct forecast_ops forecast_recent = {
    .name = "recent",
    .summary = "the mean of the submissions of the last hour",
    .options = recent_options,
    .config_size = sizeof(struct recent_config),
    .state_size = sizeof(struct recent),
    .init = recent_init,
    .observe = recent_observe,
    .expect = recent_expect,
    .fini = recent_fini,
};
