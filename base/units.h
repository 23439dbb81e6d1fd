/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time, and the numbers of jobs, nodes and GPUs. Instant 0 is the first
 * submission of the jobset; traces themselves count from 1970-01-01 00:00:00
 * UTC. On both clocks times are whole microseconds, so equality is exact and
 * sums do not drift. */
#ifndef SIM_BASE_UNITS_H
#define SIM_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t sim_time; /* an instant, microseconds */
typedef int64_t sim_span; /* a length of time, microseconds */
typedef uint32_t job_id;  /* dense: index into the jobset */
typedef uint32_t node_id; /* dense: index into the cluster */
typedef uint32_t gpu_id;  /* dense: counts the GPUs node by node */

#define SPAN_SECOND INT64_C(1000000)
#define SPAN_HOUR (3600 * SPAN_SECOND)
#define SPAN_DAY (24 * SPAN_HOUR)

/* Later than any event, and far enough from INT64_MAX that adding any span of a
 * trace to it cannot overflow. */
#define TIME_NEVER (INT64_MAX / 4)

/* The longest time that an input may name, in seconds: 100 years, longer than
 * any trace. The clock overflows after 292,000 years, which leaves room for
 * sums. */
#define SECONDS_MAX (100.0 * 365.25 * 24 * 3600)

#define JOB_NONE UINT32_MAX
#define NODE_NONE UINT32_MAX
#define GPU_NONE UINT32_MAX

static inline double span_seconds(sim_span span)
{
    return (double)span / (double)SPAN_SECOND;
}

/* Rounds to the nearest microsecond, half away from zero. The result must fit a
 * sim_span: numbers that a file, an option or another program gives go through
 * span_from_outside. */
static inline sim_span span_from_seconds(double seconds)
{
    double us = seconds * (double)SPAN_SECOND;
    return (sim_span)(us < 0 ? us - 0.5 : us + 0.5);
}

/* Rounds like span_from_seconds. Returns false, and leaves *out, for NaN and
 * beyond +-`most` seconds. `most` is at most that of TIME_NEVER. */
static inline bool span_from_outside(double seconds, double most, sim_span *out)
{
    if (!(seconds >= -most && seconds <= most))
        return false;
    *out = span_from_seconds(seconds);
    return true;
}

#endif
