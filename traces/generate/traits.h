/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a generated cluster that are fitted and not published: how
 * jobs, users and times depend on each other. calibration/fitted.json has their
 * values and the measured figures that each was fitted to. */
#ifndef TRACES_TRAITS_H
#define TRACES_TRAITS_H

#include "base/arena.h"
#include "base/error.h"

/* Members that end in _user or _session are shares, 0..1, of the variance of a
 * score: the share that lies between users, and between the sessions of a user.
 * The rest lies between the jobs of a session. */
struct traits {
    /* Arrivals (arrivals.h). */
    double gap_ac;     /* correlation of the scores of consecutive gaps */
    double burst;      /* share of the gaps that lie within a burst */
    double burst_mean; /* mean number of gaps in a burst */
    /* coefficient of variation of the rate of a day; correlation with the next
     * day */
    double day_cv, day_ac;
    /* coefficient of variation of the rate of an hour; correlation with the
     * next hour */
    double hour_cv, hour_ac;
    double week_cv; /* coefficient of variation of the rate of a week; weeks are
                     * independent */

    /* Sessions (people.h). */
    /* mean number of jobs of a session; standard deviation of the logarithm of
     * that number */
    double session_mean, session_sigma;
    double sweep; /* share of the sessions whose jobs are submitted at once */
    /* correlation of the scores of a user's consecutive sessions */
    double drift;

    /* Scores (deal.h). */
    double size_user;
    double kind_user;
    double duration_user, duration_session;
    /* correlation of a user's scores of size and duration */
    double size_duration;
    /* correlations of a user's number of jobs with the score of duration and
     * with that of size, both with the opposite sign */
    double few_long, few_large;
    /* the busiest users get their measured mean scores of duration, multiplied
     * by this factor; 0: their scores are drawn */
    double busiest;
    double trend; /* share of the variance of the scores of duration that comes
                   * from their fall over the trace */
    /* correlation of a user's number of jobs with the score of the final state
     */
    double busy_done;
    double state_user, state_session;
    /* probabilities that a run keeps the score of the run before it */
    double keep_state, keep_duration;
    /* standard deviation of what is added to the score of duration of each run,
     * also to one that is kept */
    double spread;

    /* The timetable (timetable.h). */
    /* largest number of GPUs that planned sessions use, as a share of their
     * virtual cluster */
    double plan;
    /* largest number of GPUs of the jobs that wait or run, as a share of their
     * virtual cluster */
    double rho;
    double wait;     /* mean queueing delay that users bear, seconds */
    double bearable; /* wait of the first job in the queue, in seconds, after
                      * which no user joins the queue */
    /* largest number of GPUs of a user, divided by the user's mean */
    double peak;
    /* share of the days on which a user works; mean number of such days in a
     * row */
    double on_share, on_days;
    /* exponent of a user's number of jobs in the share of days */
    double busy_on;
    /* standard deviation of the logarithm of a user's work on a day */
    double campaign;
    /* jobs that users have left to do when the trace ends, divided by the jobs
     * of the trace */
    double reserve;
    double undone;    /* share of the GPU time of planned sessions that users
                         have left when the trace ends */
    double gap_scale; /* factor for the gaps within a session */
    /* by final state: median of the gap between a run's end and the next
     * submission of the session, seconds, and sigma of its logarithm */
    double gap_median[3], gap_sigma[3];
    /* by final state: probability of a pause of hours instead of a gap */
    double pause[3];
    /* probability that a completed job, if there is one, comes last in a
     * session */
    double finish;
    /* 0: the next run of a session takes an arrival. Otherwise it is submitted
     * when its gap is over, in place of an arrival that comes no more than this
     * many seconds later. */
    double shift;
    double wide; /* share of the virtual cluster that a sweep takes at most */
    /* longest time that the jobs of a session take one after another, days */
    double longest;
};

/* Loads the traits of the calibration `name`. An unknown name or a missing
 * value is STATUS_BAD_INPUT. */
enum status traits_load(const char *name, struct traits *out,
                        struct error *err) MUST_USE;

#endif
