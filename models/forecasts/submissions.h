/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much was submitted in each period of 10 minutes, for forecasts. Periods
 * begin at whole multiples of 10 minutes since 1970; the first is that of the
 * first known submission. */
#ifndef MODELS_SUBMISSIONS_H
#define MODELS_SUBMISSIONS_H

#include "models/forecasts/forecast.h"

enum submissions_of { SUBMISSIONS_JOBS, SUBMISSIONS_GPUS, N_SUBMISSIONS };

struct submissions {
    sim_time zero; /* start of the run, microseconds since 1970 */
    int64_t first; /* first period, counted from 1970 */
    float *counts; /* N_SUBMISSIONS a period */
    size_t n, cap; /* in periods */
};

/* Begins with the submissions before the run. */
void submissions_init(struct submissions *s, const struct run_env *env);
void submissions_fini(struct submissions *s); /* accepts all zeroes */
void submissions_observe(struct submissions *s, const struct event *event);

/* Returns the period of a moment, counted from s->first. The period may lie
 * after the last known one, where nothing was submitted so far, or before the
 * first. */
int64_t submissions_period(const struct submissions *s, sim_time at);
/* Returns when a period begins, on the run's clock. */
sim_time submissions_begin(const struct submissions *s, int64_t period);
/* Returns the count of a period; 0 where nothing is known. */
float submissions_count(const struct submissions *s, int64_t period,
                        enum submissions_of what);
/* Returns the mean of the periods from `from` up to and without `to`; from <
 * to. */
double submissions_mean(const struct submissions *s, int64_t from, int64_t to,
                        enum submissions_of what);

#endif
