/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by timetable.c (which run comes next), chains.c (when the next run of
 * a session is due), vcs.c (which jobs run and which wait), plan.c (when long
 * sessions begin) and work.c (which short session a user begins). An *arrival*
 * is one of timetable_options.times. A *planned* session is long or large and
 * gets a time for its first run before the trace is made. */
#ifndef TRACES_TIMETABLE_INTERNAL_H
#define TRACES_TIMETABLE_INTERNAL_H

#include <gsl/gsl_randist.h>

#include "base/heap.h"
#include "base/rng.h"
#include "traces/generate/nodes.h"
#include "traces/generate/timetable.h"

#define DAY_S 86400.0
/* a session without room tries again after one to two times this time,
 * seconds */
#define RETRY_S 600.0

/* Something that happens at a time. */
struct later {
    double at;     /* seconds */
    uint32_t item; /* index of people.sessions or of timetable.entries */
};

/* A heap of events, earliest first. */
struct agenda {
    struct later *heap;
    size_t n, cap;
};

/* A virtual cluster. */
struct vc_state {
    double limit;   /* largest number of GPUs that planned sessions use */
    double most;    /* largest number of GPUs of the jobs that wait or run */
    double running; /* GPUs of the jobs that were submitted and have not
                     * ended */
    struct nodes nodes;
    /* jobs that wait, from `first` on, in order of submission: indices of
     * timetable.entries */
    uint32_t *queue;
    size_t first, n_queue, cap_queue;
    /* by slot of PLAN_SLOT_S seconds (plan.c): GPUs of planned sessions */
    float *planned;
};

/* A user at work. */
struct work {
    uint32_t next; /* index of people.sessions; the user's earlier sessions have
                    * begun or are planned */
    uint32_t left; /* runs of unplanned sessions that have not begun */
    double limit;  /* GPUs that the user's planned sessions use at most */
    double *day;   /* how much the user works on each day, >= 0 */
    /* by day: sum, over the days after it, of day[] x number of arrivals */
    double *ahead;
    /* by slot of USER_SLOT_S seconds (plan.c): GPUs of the user's planned
     * sessions */
    float *planned;
};

/* The progress of a session. */
struct session_state {
    uint32_t next;   /* index of its next run in the session */
    uint32_t lanes;  /* runs that may run at once, at least 1 */
    uint32_t active; /* runs that run now */
    uint32_t coming; /* runs that are due after the end of an earlier one */
    bool is_planned; /* it is a planned session, with a time and room kept for
                      * it unless it is one of maker.spare */
    bool has_begun;
    /* time at which its next run is due, seconds; INFINITY: after the end of a
     * run */
    double due;
    double seconds; /* sum of the durations of its runs */
};

struct maker {
    struct timetable *out;
    struct people *people;
    const struct calibration *calibration;
    const struct traits *traits;
    const struct timetable_options *options;
    struct vc_state *vcs;
    size_t n_vcs, n_days, n_slots, n_user_slots;
    struct work *work;
    struct place *places; /* by index of timetable.entries: nodes of the job */
    struct session_state *progress;
    /* scratch memory of walk(): time at which each lane is free */
    double *lanes;
    uint32_t *spare; /* planned sessions for which the trace has no room */
    uint32_t n_spare, next_spare;
    /* number of runs of unplanned sessions: of all, and of those that have not
     * begun */
    double light, light_left;
    double last_start; /* start of the last run in walk(), seconds */
    double gap_s;      /* mean time between two runs of a session, seconds */
    /* scratch memory: weight of each user while one is drawn */
    double *weights;
    uint32_t *arrivals; /* number of submissions of each day */
    /* due: planned sessions whose next run is due. due_light: other sessions
     * whose next run is due. chained: sessions whose next run follows the end
     * of an earlier one (traits.shift). ends: jobs, by their ends. */
    struct agenda due, due_light, chained, ends;
    uint32_t last;   /* session of the last run that was submitted at an
                      * arrival; UINT32_MAX: none */
    double last_at;  /* time at which it was submitted, seconds */
    uint32_t cursor; /* all runs of the sessions with a smaller index were
                      * submitted */
    size_t turn;     /* index of the current submission */
    size_t today;    /* number of days whose submissions day_end counts */
    size_t day_end;  /* number of submissions up to the end of the current day
                      */
    gsl_rng *gaps, *choices;
};

static inline const struct session *session_of(const struct maker *m,
                                               uint32_t run)
{
    return &m->people->sessions[m->people->runs[run].session];
}

static inline struct vc_state *vc_of(const struct maker *m,
                                     const struct session *session)
{
    return &m->vcs[m->people->users[session->user].vc];
}

void open_vcs(struct maker *m);
void close_vcs(struct maker *m);
/* True if a job with this number of GPUs would start at once if it were
 * submitted now. */
bool can_start_now(const struct vc_state *vc, uint32_t gpus);
/* Submits a run: it starts or joins the queue. */
void occupy(struct maker *m, uint32_t run, double now, double seconds);
/* Ends a job, given by its index in timetable.entries. Starts no other job. */
void leave_vc(struct maker *m, uint32_t job);
/* Starts the waiting jobs that now have room. */
void serve_vcs(struct maker *m, double now);
/* Returns when the first job of the queue was submitted; INFINITY: no job
 * waits. */
double waits_since(const struct maker *m, const struct vc_state *vc);
/* Draws the seconds between the end of a run with this final state and the next
 * submission of its session. */
double draw_gap(struct maker *m, uint32_t state);
/* Returns the expected time from the end of a run to the next run of its
 * session, seconds: the mean gap without pauses, and the wait for an arrival.
 */
double mean_gap(const struct maker *m);
/* Lets the next run of a session be submitted at an arrival from `at` on. */
void make_due(struct maker *m, uint32_t session, double at);
/* Ends the runs that end by `now`, starts jobs that waited, and lets the
 * sessions of the ended runs go on. */
void end_runs(struct maker *m, double now);
/* Submits a run that follows the end of an earlier one of its session, if one
 * is due by `until` and has room, at the time at which it is due. Before that,
 * ends the runs that end earlier. Returns true if it has submitted one, which
 * takes the place of the arrival at `until`. */
bool submit_chained(struct maker *m, double until);
/* Submits the next run of a session. */
void submit(struct maker *m, uint32_t session, double now);

void put(struct agenda *agenda, double at, uint32_t item);
/* Removes and returns the first entry; the agenda is not empty. */
struct later take(struct agenda *agenda);

/* Draws the days on which each user works. */
void open_work(struct maker *m);
void close_work(struct maker *m);
/* Returns the time, seconds, at which a user has done this share, 0..1, of the
 * work. */
double time_of_work(const struct maker *m, uint32_t user, double share);
/* True if there is room for the next run of a session now: its virtual cluster
 * is idle, or the run stays within vc_state.most and either starts at once or,
 * unless it is large, would wait no longer than users bear. */
bool can_start(const struct maker *m, uint32_t session, double now);
/* Chooses a user, if possible one who works today, and an unplanned session of
 * that user that has room. Returns UINT32_MAX if there is none. */
uint32_t begin_session(struct maker *m, double now);
/* Chooses an unplanned session although there is no room: of the users' next
 * sessions, the one whose virtual cluster would be least crowded. Returns
 * UINT32_MAX if there is none. */
uint32_t begin_any(const struct maker *m);
/* Marks a session as begun. The runs of an unplanned one no longer count in
 * work.left and maker.light_left. */
void mark_begun(struct maker *m, uint32_t session);

/* Finds the long or large sessions, which become planned ones, and scales the
 * durations of their runs. Gives each a time for its first run at which, if
 * possible, its virtual cluster and its user have room for all of it, and puts
 * it into m->due. Leaves out sessions for which the trace has no submissions
 * (m->spare). */
void plan_sessions(struct maker *m);
/* Keeps room for a run that runs when the trace begins, for `seconds` from
 * then. Returns false if there is no room. */
bool plan_running(struct maker *m, const struct session *session,
                  double seconds);
void open_plan(struct maker *m);
void close_plan(struct maker *m);

#endif
