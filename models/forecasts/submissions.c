/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/forecasts/submissions.h"

#include <stdlib.h>
#include <string.h>

static int64_t floor_period(sim_time absolute)
{
    int64_t period = absolute / FORECAST_PERIOD;
    return period - (absolute % FORECAST_PERIOD < 0);
}

int64_t submissions_period(const struct submissions *s, sim_time at)
{
    return floor_period(s->zero + at) - s->first;
}

sim_time submissions_begin(const struct submissions *s, int64_t period)
{
    return (s->first + period) * FORECAST_PERIOD - s->zero;
}

/* Adds a job. Jobs must come in the order of submission. */
static void submissions_add(struct submissions *s, const struct job *job)
{
    if (s->n == 0)
        s->first = floor_period(s->zero + job->submitted);
    size_t period = (size_t)submissions_period(s, job->submitted);
    s->counts = mem_grow(s->counts, &s->cap, period + 1,
                         N_SUBMISSIONS * sizeof *s->counts);
    for (; s->n <= period; s->n++)
        memset(&s->counts[N_SUBMISSIONS * s->n], 0,
               N_SUBMISSIONS * sizeof *s->counts);
    float *counts = &s->counts[N_SUBMISSIONS * period];
    counts[SUBMISSIONS_JOBS]++;
    counts[SUBMISSIONS_GPUS] += (float)job->gpus;
}

void submissions_init(struct submissions *s, const struct run_env *env)
{
    *s = (struct submissions){.zero = env->zero};
    for (uint32_t i = 0; i < env->n_past; i++)
        submissions_add(s, &env->past[i].job);
}

void submissions_fini(struct submissions *s)
{
    free(s->counts);
    *s = (struct submissions){0};
}

void submissions_observe(struct submissions *s, const struct event *event)
{
    if (event->kind == EVENT_SUBMITTED && event->job->attempts == 0)
        submissions_add(s, event->job);
}

float submissions_count(const struct submissions *s, int64_t period,
                        enum submissions_of what)
{
    bool known = period >= 0 && (uint64_t)period < s->n;
    return known ? s->counts[N_SUBMISSIONS * period + (int64_t)what] : 0;
}

double submissions_mean(const struct submissions *s, int64_t from, int64_t to,
                        enum submissions_of what)
{
    double sum = 0;
    for (int64_t p = from; p < to; p++)
        sum += (double)submissions_count(s, p, what);
    return sum / (double)(to - from);
}
