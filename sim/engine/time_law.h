/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A law of time: when the work of a running attempt is done, how much of it is
 * done by now, and when the GPUs come free. `exact` is the law of this
 * simulator; the others are those of published simulators, each in one file.
 * Laws have no state: what they keep of an attempt is in struct progress. */
#ifndef SIM_TIME_LAW_H
#define SIM_TIME_LAW_H

#include <stdbool.h>

#include "sim/state/plugin.h"

struct progress; /* sim/engine/progress.h */
struct time_law;

/* The config of every law begins with this. A law offers options for the fields
 * that it supports; the others are 0. */
struct time_law_config {
    sim_span lag; /* time for which a job holds its GPUs after its last work */
    /* When a job leaves shared GPUs, a job that joined it there later keeps the
     * rate that it had beside it. */
    bool later_stays_slow;
};

struct time_law_ops {
    PLUGIN_HEAD;
    /* The law needs a speed that stays as it is: models of throughput whose
     * jobs work in phases are refused. */
    bool one_speed;
    /* The law rounds ends: what is left of the work at the end of a job counts
     * as done. */
    bool rounds;
    /* Optional. Called when an attempt begins; `left` is the work of the job.
     */
    void (*begin)(struct progress *p, sim_span left);
    /* Returns the time that `work` takes at the attempt's rate, in
     * microseconds: a whole number, which may be beyond the clock. */
    double (*duration)(const struct time_law *law, const struct progress *p,
                       sim_span work);
    /* Brings p->since, p->done and *left up to `now`, which is after p->since.
     */
    void (*settle)(const struct time_law *law, struct progress *p,
                   sim_span *left, sim_time now);
    /* Optional. Returns the time at which the GPUs come free, for a job with
     * `left` work at p->since. NULL: p->since + duration + lag. */
    sim_time (*end)(const struct time_law *law, const struct progress *p,
                    sim_span left);
    /* Optional. True if the time since p->since was spent without working, also
     * while work is left. */
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
