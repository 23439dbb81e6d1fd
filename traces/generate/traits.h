/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a generated cluster that are fitted and not published: how
 * jobs, users and times depend on each other. calibration/fitted.json has their
 * values and the measured figures that each was fitted to. */
#ifndef TRACES_TRAITS_H
#define TRACES_TRAITS_H

#include "sim/base/arena.h"
#include "sim/base/error.h"

/* Shares of a variance: of the user, of the session, and the rest of the job;
 * each 0..1. */
struct traits {
    /* Arrivals (arrivals.h). */
    double gap_ac;           /* correlation of the scores of consecutive gaps */
    double burst;            /* share of the gaps that lie within a burst */
    double burst_mean;       /* mean number of gaps in a burst */
    double day_cv, day_ac;   /* variation of the rate of a day; its lag 1 */
    double hour_cv, hour_ac; /* the same, of an hour */
    double week_cv;          /* variation of the rate of a week */

    /* Sessions (people.h). */
    double session_mean, session_sigma; /* jobs; sigma of the logarithm */
    double sweep; /* share of the sessions that are submitted at once */
    double drift; /* correlation of the scores of a user's next session */

    /* Scores (deal.h). */
    double size_user;
    double kind_user;
    double duration_user, duration_session;
    double size_duration; /* correlation of a user's size and duration */
    /* weights of a user's number of jobs against duration and GPUs */
    double few_long, few_large;
    /* 1: the busiest users have the measured mean durations; 0: drawn ones */
    double busiest;
    double trend; /* share of the variance of durations that is their fall over
                     the trace */
    double
        busy_done; /* weight of a user's number of jobs for completing them */
    double state_user, state_session;
    double keep_state, keep_duration; /* P(a run's score is the last one's) */
    double spread; /* deviation of the score of a kept duration */

    /* The timetable (timetable.h). */
    double plan; /* GPUs that sessions plan to use, over those of the cluster */
    double rho; /* GPUs of submitted jobs, over those of the cluster, at most */
    double wait;     /* mean queueing delay that users bear, seconds */
    double bearable; /* wait of the first job in the queue, in seconds, after
                        which nobody joins the queue */
    double peak;     /* the most GPUs of a user, over the user's mean */
    double on_share, on_days; /* share of days with work; mean days in a row */
    double busy_on;  /* power of a user's number of jobs in the share of days */
    double campaign; /* deviation of the logarithm of a user's work of a day */
    /* jobs that users have left to do when the trace ends, over its jobs */
    double reserve;
    double undone;    /* share of the GPU time of planned sessions that they
                         have left */
    double gap_scale; /* factor for the gaps within a session */
    /* by final state: median of the gap between a run's end and the next
     * submission of the session, seconds, and sigma of its logarithm */
    double gap_median[3], gap_sigma[3];
    double pause[3]; /* by final state: chance of a pause of hours instead */
    double finish;   /* chance that the last job of a session is a completed one
                        if there is one */
    /* 0: the next run of a session takes an arrival. Otherwise it is submitted
     * when its gap is over, in place of an arrival that comes no more than this
     * many seconds later. */
    double shift;
    double wide; /* share of the virtual cluster that a sweep takes at most */
    double longest; /* most days of one session's jobs one after another */
};

/* Loads the traits of the calibration `name`. An unknown name is
 * STATUS_USAGE. */
enum status traits_load(const char *name, struct traits *out,
                        struct error *err) MUST_USE;

#endif
