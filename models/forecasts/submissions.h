/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts what was submitted in each period of 10 minutes, for forecasts.
 * Periods begin at whole multiples of 10 minutes since 1970 UTC; the first one
 * is that of the first known submission. */
#ifndef MODELS_SUBMISSIONS_H
#define MODELS_SUBMISSIONS_H

#include "models/forecasts/forecast.h"

enum submissions_of { SUBMISSIONS_JOBS, SUBMISSIONS_GPUS, N_SUBMISSIONS };

struct submissions {
    sim_time zero; /* start of the run, us since 1970 UTC */
    int64_t first; /* number of the first period, counted from 1970 */
    float *counts; /* by period, then by enum submissions_of */
    /* number of periods; number of periods that fit in `counts` */
    size_t n, cap;
};

/* Counts the submissions before the run (env->past). */
void submissions_init(struct submissions *s, const struct run_env *env);
void submissions_fini(struct submissions *s); /* accepts all zeroes */
void submissions_observe(struct submissions *s, const struct event *event);

/* Returns the number of the period of a time, counted from s->first. The result
 * may be negative, or beyond the last period with a submission. */
int64_t submissions_period(const struct submissions *s, sim_time at);
/* Returns the time at which a period begins, on the clock of the run. */
sim_time submissions_begin(const struct submissions *s, int64_t period);
/* Returns the count of a period; 0 for a period outside the known ones. */
float submissions_count(const struct submissions *s, int64_t period,
                        enum submissions_of what);
/* Returns the mean of the counts of the periods from .. to-1; from < to. */
double submissions_mean(const struct submissions *s, int64_t from, int64_t to,
                        enum submissions_of what);

#endif
