/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much will be submitted soon. A policy may ask before it decides whether
 * jobs share GPUs. A forecast learns from submissions as they happen, never
 * from future ones. */
#ifndef MODELS_FORECAST_H
#define MODELS_FORECAST_H

#include "models/estimators/estimator.h"

/* Expected submissions of the coming 50 minutes, as means over periods of 10
 * minutes: Lucid's simulator looks 5 rows ahead. */
struct outlook {
    double jobs, gpus; /* submitted in a period, and the GPUs they ask for */
    sim_time
        until; /* the answer stays the same until then, also if it is unknown */
};
#define FORECAST_PERIOD (600 * SPAN_SECOND)
#define FORECAST_AHEAD 5

struct forecast_ops {
    PLUGIN_HEAD;
    /* Optional. Sees every event, in order. */
    void (*observe)(void *self, const struct event *event);
    /* Fills the outlook at `at`, which is not later than now. Returns false if
     * it is unknown; then only out->until is set. */
    bool (*expect)(void *self, sim_time at, struct outlook *out) MUST_USE;
};

struct forecast {
    PART_OF(forecast_ops); /* ops NULL: no forecast is configured */
};

#endif
