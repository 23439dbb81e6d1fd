/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much was submitted in each period of 10 minutes, for forecasts. Periods
 * begin at whole multiples since 1970; the first is that of the first
 * submission known. */
#ifndef MODELS_SUBMISSIONS_H
#define MODELS_SUBMISSIONS_H

#include "models/forecast.h"

enum submissions_of { SUBMISSIONS_JOBS, SUBMISSIONS_GPUS, N_SUBMISSIONS };

struct submissions {
    sim_time zero; /* of the run */
    int64_t first; /* period, since 1970 */
    float *counts; /* N_SUBMISSIONS a period */
    size_t n, cap; /* periods */
};

/* With what was submitted before the run. */
void submissions_init(struct submissions *s, const struct estimator_env *env);
void submissions_fini(struct submissions *s); /* accepts all zeroes */
void submissions_observe(struct submissions *s, const struct event *event);

/* Number of a moment's period, counted from s->first; it may lie behind all
 * that is known, where nothing was submitted so far, or before. */
int64_t submissions_period(const struct submissions *s, sim_time at);
/* When a period begins, on the run's clock. */
sim_time submissions_begin(const struct submissions *s, int64_t period);
/* 0 where nothing is known. */
float submissions_count(const struct submissions *s, int64_t period,
                        enum submissions_of what);
/* The mean of the periods from `from` to `to`, `to` left out; from < to. */
double submissions_mean(const struct submissions *s, int64_t from, int64_t to,
                        enum submissions_of what);

#endif
