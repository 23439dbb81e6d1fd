/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What timetable.c (which run comes next), plan.c (when long sessions begin)
 * and work.c (which short session a user begins) share. */
#ifndef TRACES_TIMETABLE_INTERNAL_H
#define TRACES_TIMETABLE_INTERNAL_H

#include <gsl/gsl_randist.h>

#include "sim/base/heap.h"
#include "sim/base/rng.h"
#include "traces/generate/timetable.h"

#define DAY_S 86400.0

/* Something that happens at a time. */
struct later {
    double at;     /* seconds */
    uint32_t item; /* a session or a run */
};

/* A heap of such, earliest first. */
struct agenda {
    struct later *heap;
    size_t n, cap;
};

/* A virtual cluster. */
struct hall {
    double limit;   /* GPUs that its users plan to use at most */
    double most;    /* GPUs that they use at most */
    double running; /* GPUs in use if no job waits */
    double light;   /* of these, GPUs of sessions without a planned time */
    double since;   /* time at which `running` changed last, seconds */
    /* by slot of PLAN_SLOT_S seconds: GPUs of sessions with a planned time */
    float *planned;
};

/* A user at work. */
struct work {
    uint32_t next;  /* the user's first session that may not have begun */
    uint32_t left;  /* runs of unplanned sessions that have not begun */
    double limit;   /* GPUs that the user uses at most */
    double *day;    /* how much the user works on each day, >= 0 */
    double *ahead;  /* by day: what follows that day, weighted by arrivals */
    float *planned; /* as hall.planned, by slot of USER_SLOT_S */
};

/* How far a session is. */
struct session_state {
    uint32_t next;   /* its next run, from 0 */
    uint32_t lanes;  /* runs that may run at once, at least 1 */
    uint32_t active; /* runs that run now */
    bool is_planned; /* it has a planned time, and room is kept for it */
    bool has_begun;
    double due;     /* when its next run is submitted; INFINITY: after an end */
    double seconds; /* sum of its durations */
};

struct maker {
    struct timetable *out;
    const struct people *people;
    const struct calibration *calibration;
    const struct traits *traits;
    const struct timetable_options *options;
    struct hall *halls;
    size_t n_halls, n_days, n_slots, n_user_slots;
    struct work *work;
    struct session_state *progress;
    double *lanes;      /* room for the times of the lanes of a session */
    double last_start;  /* start of the last run in walk(), seconds */
    double gap_s;       /* mean time between two runs of a session, seconds */
    double *weights;    /* of the users, when one of them is chosen */
    uint32_t *arrivals; /* number of submissions of each day */
    /* sessions whose next run is due: with a plan, without; runs that end */
    struct agenda due, due_light, ends;
    uint32_t last;  /* session of the last run; UINT32_MAX: none */
    double last_at; /* its submission, seconds */
    size_t turn;    /* index of the current submission */
    size_t today;   /* days whose submissions are counted in day_end */
    size_t day_end; /* submissions up to the end of the current day */
    gsl_rng *gaps, *choices;
};

static inline const struct session *session_of(const struct maker *m,
                                               uint32_t run)
{
    return &m->people->sessions[m->people->runs[run].session];
}

static inline struct hall *hall_of(const struct maker *m,
                                   const struct session *session)
{
    return &m->halls[m->people->users[session->user].vc];
}

void put(struct agenda *agenda, double at, uint32_t item);
/* Removes and returns the first entry; the agenda is not empty. */
struct later take(struct agenda *agenda);

/* Draws the days on which each user works. */
void open_work(struct maker *m);
void close_work(struct maker *m);
/* Returns the time at which a user has done this share, 0..1, of the work. */
double time_of_work(const struct maker *m, uint32_t user, double share);
/* True if the virtual cluster has room for one more run of an unplanned
 * session. */
bool has_room(const struct maker *m, uint32_t session, double now);
/* Chooses a user who works now and an unplanned session of that user that has
 * room. Returns UINT32_MAX if there is none. */
uint32_t begin_session(struct maker *m, double now);
/* Chooses an unplanned session although there is no room: a small one of a user
 * who has much left to do. Returns UINT32_MAX if there is none. */
uint32_t begin_any(const struct maker *m, double now);
/* Counts a session as begun. */
void mark_begun(struct maker *m, uint32_t session);

/* Gives each long or large session a time for its first run, so that its
 * virtual cluster and its user have room for all of it. Puts them into
 * m->due. */
void plan_sessions(struct maker *m);
/* Keeps room for a run that is running when the trace begins. Returns false if
 * there is none. */
bool plan_running(struct maker *m, const struct session *session,
                  double seconds);
/* Returns the GPUs that planned sessions of the virtual cluster use at a
 * time. */
double planned_at(const struct maker *m, const struct hall *hall, double at);
void open_plan(struct maker *m);
void close_plan(struct maker *m);

#endif
