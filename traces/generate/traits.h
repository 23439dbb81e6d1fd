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
    double few_long; /* weight of a user's number of jobs against duration */
    double
        busy_done; /* weight of a user's number of jobs for completing them */
    double state_user, state_session;
    double keep_state, keep_duration; /* P(a run's score is the last one's) */
    double spread; /* deviation of the score of a kept duration */

    /* The timetable (timetable.h). */
    double plan; /* GPUs that sessions plan to use, over those of the cluster */
    double rho;  /* GPUs in use when nobody waits, over those of the cluster */
    double peak; /* the most GPUs of a user, over the user's mean */
    double on_share, on_days; /* share of days with work; mean days in a row */
    double campaign;  /* deviation of the logarithm of a user's work of a day */
    double gap_scale; /* factor for the gaps within a session */
    /* by final state: median of the gap between a run's end and the next
     * submission of the session, seconds, and sigma of its logarithm */
    double gap_median[3], gap_sigma[3];
    double finish;  /* chance that the last job of a session is a completed one
                       if there is one */
    double longest; /* most days of one session's jobs one after another */
};

/* Loads the traits of the calibration `name`. An unknown name is
 * STATUS_USAGE. */
enum status traits_load(const char *name, struct traits *out,
                        struct error *err) MUST_USE;

#endif
