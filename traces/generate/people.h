/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The users of a generated cluster and their sessions. A session is a series of
 * jobs that a user submits one after another or at once, with one number of
 * GPUs. This file decides how many jobs and sessions a user has, and draws the
 * scores by which deal.h gives them sizes, final states and durations. */
#ifndef TRACES_PEOPLE_H
#define TRACES_PEOPLE_H

#include <stdbool.h>

#include "traces/generate/calibration.h"
#include "traces/generate/traits.h"

/* Normal scores with a mean of about 0. A high score means many GPUs (size), a
 * late kind in calibration.kinds (kind), completion (state), failure and not
 * cancellation (failure), or a long duration. */
struct scores {
    double size, kind, state, failure, duration;
};

/* A job. */
struct people_run {
    uint32_t session; /* index of people.sessions */
    uint32_t state;   /* final state, as calibration_cell.state */
    double seconds;   /* duration, whole, at least 1 */
};

struct session {
    uint32_t user;       /* index of people.users */
    uint32_t turn;       /* number of the session among those of the user, from
                            0; parts of a session that was cut have one turn */
    uint32_t first, n;   /* its runs, a part of people.runs */
    uint32_t gpus, size; /* GPUs of each run, and their calibration_class */
    uint32_t kind;       /* index of calibration.kinds */
    bool is_sweep;       /* true: the runs are submitted at once */
    struct scores scores;
};

struct person {
    uint32_t vc;       /* index of calibration.vcs; 0 if there are none */
    uint32_t n_runs;   /* jobs of the user */
    uint32_t first, n; /* the user's sessions, a part of people.sessions */
    double gpu_s;      /* GPU time of the user's jobs, GPU seconds */
    struct scores scores;
};

struct people {
    struct person *users; /* busiest first */
    struct session *sessions;
    struct people_run *runs;
    size_t n_users, n_sessions, cap_sessions, n_runs;
};

/* Makes users with `jobs[v]` jobs in virtual cluster v (jobs[0] in all if there
 * are none) and draws their sessions and scores. people_fini frees what *out
 * holds. */
void people_init(struct people *out, const struct calibration *calibration,
                 const struct traits *traits, const uint32_t *jobs,
                 uint64_t seed);
void people_fini(struct people *people); /* accepts all zeroes */

/* Cuts a session after its first n runs, 0 < n < session.n. Returns the index
 * of the part that holds the other runs. Sessions may move in memory. */
size_t people_cut(struct people *people, size_t session, uint32_t n);
/* Puts the sessions of each user side by side, in order of their turns, and
 * sets person.first and person.n. No session may be cut afterwards. */
void people_sort(struct people *people);

#endif
