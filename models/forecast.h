/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much will be submitted soon: what a policy may ask before it decides
 * whether GPUs are to be shared. A forecast learns from submissions as they
 * happen, never from those to come. */
#ifndef MODELS_FORECAST_H
#define MODELS_FORECAST_H

#include "models/estimator.h"

/* Expected over the coming 50 minutes, as means of periods of 10 minutes:
 * Lucid's simulator looks 5 rows ahead. */
struct outlook {
    double jobs, gpus; /* submitted, and GPUs they ask for */
    sim_time until;    /* there will be no other answer before, also where
                          nobody knows */
};
#define FORECAST_PERIOD (600 * SPAN_SECOND)
#define FORECAST_AHEAD 5

struct forecast_ops {
    const char *name, *summary;
    const struct option *options;
    size_t config_size, state_size;
    enum status (*init)(void *self, const void *config,
                        const struct estimator_env *env, struct error *err);
    /* Optional. Every event, in order. */
    void (*observe)(void *self, const struct event *event);
    /* As seen at `at`, which is not later than now. False: nobody knows; then
     * of `out` only `until` counts. */
    bool (*expect)(void *self, sim_time at, struct outlook *out) MUST_USE;
    void (*fini)(void *self); /* optional */
};

struct forecast {
    const struct forecast_ops *ops; /* NULL: there is none */
    void *self;
    const void *config;
};

#endif
