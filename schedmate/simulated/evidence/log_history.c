/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts work to time and back by the speeds of an attempt. */
#include "schedmate/simulated/evidence/evidence_internal.h"

/* A step counts as done if it lacks at most this share: work is in whole
 * microseconds, so a finished step may lack a fraction of a microsecond. */
#define STEP_SLACK 1e-6

/* Returns the work that is done when segment i ends, in microseconds at speed
 * 1. */
static double segment_end(const struct log_attempt *a, size_t i)
{
    const struct log_segment *s = &a->segments[i];
    sim_time end = i + 1 < a->n_segments ? a->segments[i + 1].at : a->until;
    double span = end > s->at ? (double)(end - s->at) : 0;
    return (double)s->work + s->speed * span;
}

double log_time_of(const struct log_shape *shape, double steps, bool last)
{
    const struct log_attempt *a = shape->attempt;
    double work = steps * shape->step_us;
    size_t i = 0;
    while (i + 1 < a->n_segments) {
        double end = segment_end(a, i);
        if (work < end || (!last && work <= end))
            break;
        i++;
    }
    const struct log_segment *s = &a->segments[i];
    double more = work - (double)s->work;
    if (more <= 0 || s->speed <= 0)
        return (double)s->at;
    double at = (double)s->at + more / s->speed;
    return at < (double)a->until ? at : (double)a->until;
}

uint64_t log_steps_done(const struct log_shape *shape)
{
    const struct log_attempt *a = shape->attempt;
    double done = segment_end(a, a->n_segments - 1) / shape->step_us;
    return done > 0 ? (uint64_t)(done + STEP_SLACK) : 0;
}

double log_step_time(const struct log_shape *shape, uint64_t steps)
{
    const struct log_attempt *a = shape->attempt;
    double work = ((double)steps - 0.5) * shape->step_us;
    double speed = 0;
    for (size_t i = 0; i < a->n_segments; i++) {
        const struct log_segment *s = &a->segments[i];
        if (s->speed > 0 && (speed <= 0 || (double)s->work <= work))
            speed = s->speed;
    }
    speed = speed > 0 ? speed : 1;
    return shape->step_us / speed * 1e-6;
}

double log_mean_step_time(const struct log_shape *shape, uint64_t from,
                          uint64_t to)
{
    from = from < shape->steps_begin ? shape->steps_begin : from;
    if (to <= from)
        return log_step_time(shape, to);
    double span = log_time_of(shape, (double)to, false) -
                  log_time_of(shape, (double)from, true);
    double mean = span / (double)(to - from) * 1e-6;
    return mean > 0 ? mean : log_step_time(shape, to);
}
