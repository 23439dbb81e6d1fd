/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The features of a job at its submission: what it asks for, the calendar, the
 * run times of similar jobs that have ended before, and the time since the last
 * similar submission. A user, a name or another category is represented by the
 * shrunk mean of the log run times of its ended jobs (ordered target
 * statistics, Prokhorenkova et al. 2018). So no feature uses the future, and
 * new users and names need no special case. Missing values are NaN. */
#ifndef MODELS_FEATURES_H
#define MODELS_FEATURES_H

#include "models/estimators/estimator.h"
#include "models/estimators/tally.h"

#define FEATURES(X) \
    X(GPUS, "gpus") \
    X(HOUR, "hour") \
    X(WEEKDAY, "weekday") \
    X(DECLARED, "log_declared_s") \
    X(BATCH, "batch_size") \
    X(MEMORY, "mem_mib") \
    X(USER, "user") \
    X(VC, "vc") \
    X(NAME, "name") \
    X(MODEL, "workload") \
    X(USER_NAME, "user_name") \
    X(USER_GPUS, "user_gpus") \
    X(VC_GPUS, "vc_gpus") \
    X(LAST_USER, "last_of_user") \
    X(LAST_NAME, "last_of_user_name") \
    X(LAST_GPUS, "last_of_gpus") \
    X(RECENT, "recent") \
    X(GAP, "log_gap_s")

enum feature {
#define FEATURE_ENUM(name, words) FEATURE_##name,
    FEATURES(FEATURE_ENUM)
#undef FEATURE_ENUM
        N_FEATURES
};
const char *feature_name(enum feature feature);

struct features {
    sim_time zero; /* start of the run, us since 1970 UTC */
    /* run times as ln(1 + seconds), slow decay; no decay in the mean of all
     * jobs */
    struct tally means;
    struct tally lasts;    /* run times as ln(1 + seconds), fast decay */
    struct tally arrivals; /* times of the last submissions */
};

#endif
