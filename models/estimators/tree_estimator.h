/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the estimators that fit boosted trees to ended jobs and predict
 * submitted jobs with them: rows, targets and the schedule of refits. These
 * estimators differ in how they grow the trees.
 *
 * Fits take most of the time of a run, so nothing is learned until the first
 * question: until then submissions and ends are only listed. The first question
 * learns the list in its order, so answers do not depend on when it comes. */
#ifndef MODELS_TREE_ESTIMATOR_H
#define MODELS_TREE_ESTIMATOR_H

#include "models/estimators/elapsed.h"
#include "models/estimators/features.h"
#include "models/estimators/trees.h"

enum { TARGET_LOG, TARGET_SECONDS };
extern const char *const tree_estimator_targets[];

struct tree_estimator_config {
    unsigned target;
    uint32_t rounds, depth, pairs, least, most;
    double eta, min_child_weight;
    sim_span refit, overrun;
};

/* The options that all estimators with boosted trees have. */
#define TREE_ESTIMATOR_OPTIONS(rounds_, eta_) \
    OPT_CHOICE(struct tree_estimator_config, target, "target", TARGET_LOG, \
               tree_estimator_targets, \
               "scale of the squared error: log predicts the usual run time, " \
               "seconds the mean", \
               "assumed: log"), \
        OPT_U32(struct tree_estimator_config, rounds, "rounds", rounds_, 1, \
                10000, "number of boosted trees", \
                "LightGBM's default is 100"), \
        OPT_DOUBLE(struct tree_estimator_config, eta, "eta", eta_, 1e-4, 1, \
                   "learning rate: weight of each new tree", \
                   "LightGBM's default is 0.1"), \
        OPT_DOUBLE(struct tree_estimator_config, min_child_weight, \
                   "min_child_weight", 20, 0, 1e9, \
                   "least number of jobs in a leaf", \
                   "LightGBM's default is 20"), \
        OPT_U32(struct tree_estimator_config, least, "least", 100, 2, 1000000, \
                "number of ended jobs at which the first fit is made", \
                "assumed"), \
        OPT_U32( \
            struct tree_estimator_config, most, "most", 100000, 2, 100000000, \
            "number of ended jobs, the latest, that are fitted", "assumed"), \
        OPT_SPAN( \
            struct tree_estimator_config, refit, "refit_s", 604800, 1, \
            SECONDS_MAX, \
            "time between two fits; a fit comes sooner when the ended jobs " \
            "have doubled", \
            "Lucid: weekly"), \
        OPT_SPAN( \
            struct tree_estimator_config, overrun, "overrun_s", 60, 0, 86400, \
            "believed remaining time of a job that outlives its estimate", \
            "assumed")

/* A submission or an end that the estimator learns from. */
struct tree_event {
    const struct job *job;
    sim_time at;
    sim_span ran; /* time on GPUs of a job that ended; -1: a submission */
};

struct tree_estimator {
    const struct tree_estimator_config *config;
    /* Fits s->trees to the rows that tree_estimator_rows returns. */
    enum status (*fit)(struct tree_estimator *s, struct error *err);
    /* name of the estimator, which its beliefs name as their source */
    const char *name;
    struct elapsed elapsed;
    /* Events since the run began that are not learned yet, and the jobs of the
     * past. Nobody has asked yet if `asleep` is true. */
    bool asleep;
    struct tree_event *listed;
    size_t n_listed, cap_listed;
    const struct past_job *past;
    uint32_t n_past;
    struct features features;
    struct trees trees;
    float (*asked)[N_FEATURES]; /* by job: features at its submission */
    float *told;                /* by job: predicted target; NaN: none */
    /* features and targets of the latest ended jobs, in the order in which they
     * ended; at most 2 x config->most */
    float *rows, *targets;
    size_t n_rows, cap_rows, cap_targets;
    size_t fitted_rows; /* number of rows at the last fit; 0: no fit yet */
    sim_time refit_at;  /* a submission at this time or later refits */
    /* Number of ended jobs that had a prediction, and sum of their squared
     * errors; both decayed. */
    double error_weight, error_squares;
};

#endif
