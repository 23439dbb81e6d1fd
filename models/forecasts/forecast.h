/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forecasts: how much will be submitted soon. A policy may ask before it
 * decides whether jobs share GPUs. A forecast learns from submissions as they
 * happen, or was made before the run and comes from a file. It never sees later
 * submissions. */
#ifndef MODELS_FORECAST_H
#define MODELS_FORECAST_H

#include "models/estimators/estimator.h"

/* Expected submissions in the next 50 minutes, as means over periods of 10
 * minutes. Lucid's simulator also looks 50 minutes ahead. */
struct outlook {
    double jobs; /* number of jobs submitted in a period */
    double gpus; /* number of GPUs that these jobs ask for together */
    /* Time until which this answer, or the lack of one, is valid. */
    sim_time until;
};
#define FORECAST_PERIOD (600 * SPAN_SECOND)
#define FORECAST_AHEAD 5

struct forecast_ops {
    PLUGIN_HEAD;
    /* Optional. Sees all events, in order. */
    void (*observe)(void *self, const struct event *event);
    /* Writes the outlook at time `at`, which is now or earlier. Returns false
     * if it is unknown; then only out->until is set. */
    bool (*expect)(void *self, sim_time at, struct outlook *out) MUST_USE;
};

struct forecast {
    PART_OF(forecast_ops); /* ops is NULL in a run without a forecast */
};

#endif
