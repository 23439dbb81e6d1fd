/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A law of time says when the work of a running attempt is done, how much of it
 * is done by now, and when the GPUs come free. `exact` is the law of this
 * simulator; the others follow published simulators, one file each. Laws have
 * no state: struct progress holds the values that a law keeps for an
 * attempt. */
#ifndef SIM_TIME_LAW_H
#define SIM_TIME_LAW_H

#include <stdbool.h>

#include "base/state/plugin.h"

struct progress; /* defined in sim/engine/progress.h */
struct time_law;

/* The first part of the config of every law. A law has options for the fields
 * that it supports; the other fields are 0. */
struct time_law_config {
    sim_span lag; /* time for which a job holds its GPUs after its last work */
    /* If true, a job that joined another on shared GPUs keeps its slower rate
     * after that other job has left. */
    bool later_stays_slow;
};

struct time_law_ops {
    PLUGIN_HEAD;
    /* True if the law needs a constant speed: it cannot be used with a model of
     * throughput whose jobs work in phases. */
    bool one_speed;
    /* True if the law rounds ends: work that is left at the end of a job
     * because of rounding counts as done. */
    bool rounds;
    /* Optional. Called when an attempt begins and p->left is set. */
    void (*begin)(struct progress *p);
    /* Returns the time that `work` takes at the attempt's rate: whole
     * microseconds, which may be beyond the largest time. */
    double (*duration)(const struct time_law *law, const struct progress *p,
                       sim_span work);
    /* Brings p->since, p->done and p->left up to `now`, which is after
     * p->since. A law may stop earlier: at the last tick before `now`, or where
     * the work ends. */
    void (*settle)(const struct time_law *law, struct progress *p,
                   sim_time now);
    /* Optional. Returns the time at which the GPUs come free. If NULL, this is
     * p->since + duration of p->left + lag. */
    sim_time (*end)(const struct time_law *law, const struct progress *p);
    /* Optional. Returns the length of a tick, us. The engine moves times that a
     * monitor names to the next tick. If NULL, any microsecond will do. */
    sim_span (*tick)(const struct time_law *law);
    /* Optional. True if the job did no work since p->since, even if work is
     * left. */
    bool (*idles)(const struct progress *p);
};

struct time_law {
    PART_OF(time_law_ops);
};

extern const struct time_law_ops time_law_exact, time_law_countdown,
    time_law_grid;
extern const struct plugin *const time_laws[]; /* ends with NULL */
extern const struct plugin_kind time_laws_kind;

static inline const struct time_law_config *time_law_config(
    const struct time_law *law)
{
    return law->config;
}

#endif
