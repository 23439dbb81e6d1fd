/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Metric Tracker in simulated time by the code of the live module
 * (models/logs/schedmate_tracker.h): it finds the last progress lines of the
 * resident's log and reads the time of a step from them, by rules or by a
 * language model. The second reading looks only at the lines that were printed
 * since the first one, as a program that follows a log does. */
#ifndef SCHEDMATE_TRACKER_REPLAY_H
#define SCHEDMATE_TRACKER_REPLAY_H

#include "models/interference/monitor.h"
#include "schedmate/schedmate.h"

struct tracker_replay;

/* What was read of a log. */
struct log_reading {
    bool has_log;     /* false: the job leaves no log, and nothing is asked */
    double step_s;    /* seconds per step; 0: not found */
    uint64_t lines;   /* number of lines of the log */
    sim_span service; /* time of the question, us; -1: no model was asked */
    struct advice_tokens tokens;
};

/* The caller owns *out. */
enum status tracker_replay_new(const struct run_env *env,
                               struct tracker_replay **out,
                               struct error *err) MUST_USE;
void tracker_replay_free(struct tracker_replay *r); /* accepts NULL */

/* Reads the log of the resident as it is at `now`. `seen`: the resident at this
 * time. `first`: the reading when the guest joined; NULL: this is that
 * reading. */
void tracker_replay_read(struct tracker_replay *r,
                         const struct company *company, sim_time now,
                         const struct sighting *seen,
                         const struct log_reading *first,
                         struct log_reading *out);

/* Returns the time at which the resident has done config->steps steps beside
 * the guest, or has printed a few progress lines if that is later. */
sim_time tracker_replay_due(const struct tracker_replay *r,
                            const struct company *company);

#endif
