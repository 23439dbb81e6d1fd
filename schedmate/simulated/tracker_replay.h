/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SchedMate's Metric Tracker in simulated time by the code of the live module
 * (schedmate/logs/schedmate_tracker.h). The module finds the last progress
 * lines of the resident's log and reads the time of a step from them, by rules
 * or by a language model. The second reading looks only at the lines that were
 * printed since the first one, as a program that follows a log does. */
#ifndef SCHEDMATE_TRACKER_REPLAY_H
#define SCHEDMATE_TRACKER_REPLAY_H

#include "models/interference/monitor.h"
#include "schedmate/simulated/schedmate.h"

struct tracker_replay;

/* What was read from a log. */
struct log_reading {
    bool has_log;   /* false: no log could be read, and no question is asked */
    double step_s;  /* seconds per step; 0: not found */
    uint64_t lines; /* number of lines of the log at the time of the reading */
    sim_span service; /* time that the model took, us; -1: no model was asked */
    struct advice_tokens tokens;
};

/* Makes the tracker of a replay. Returns an error only if the built-in weights
 * are not valid. The caller owns *out, and frees it even if this fails. */
enum status tracker_replay_new(const struct run_env *env,
                               struct tracker_replay **out,
                               struct error *err) MUST_USE;
void tracker_replay_free(struct tracker_replay *r); /* accepts NULL */

/* Reads the log of the resident as it is at `now`. `seen`: speed and work of
 * the resident at `now`. `first`: the reading made when the guest joined; NULL
 * if this call makes that reading. */
void tracker_replay_read(struct tracker_replay *r,
                         const struct company *company, sim_time now,
                         const struct sighting *seen,
                         const struct log_reading *first,
                         struct log_reading *out);

/* Returns the time at which the resident has done schedmate_config.steps steps
 * beside the guest, or has printed three progress lines if that is later. If
 * the job leaves no log or does not work beside the guest, or if this would
 * take 1e9 s or longer, the time is schedmate_config.check after the guest is
 * ready. */
sim_time tracker_replay_due(const struct tracker_replay *r,
                            const struct company *company);

#endif
